"""The tools of the diagnosis task, and what must hold when it is over."""

from __future__ import annotations

from dart_runtime.calls import Call, Reply, by_name
from dart_runtime.final import Final, stale

__all__ = ["TOOLS", "broken"]

LEVELS = {"blood": 7, "scan": 4, "urine": 2}


def select_assay(call: Call) -> Reply:
    """The assay that the complaint asks for."""
    return Reply(memory={"assay": f"{call.entity} at {call.read('complaint')['fever']}"})


def run_assay(call: Call) -> Reply:
    """The level that the assay measures."""
    return Reply(memory={"level": LEVELS[call.entity]})


def record_result(call: Call) -> Reply:
    """Publishes the result."""
    result = {"assay": call.memory["assay"], "level": call.memory["level"]}
    return Reply(memory={"recorded": True}, writes={f"result/{call.entity}": result})


def gather(call: Call) -> Reply:
    """The results at hand, by test."""
    results = {
        key.removeprefix("result/"): one.value["level"]
        for key, one in call.reads.items()
        if key != "complaint"
    }
    return Reply(memory={"results": results, "pain": call.read("complaint")["pain"]})


def rank(call: Call) -> Reply:
    """The tests by how far they point to something, the furthest first."""
    results = call.memory["results"]
    return Reply(memory={"ranking": sorted(results, key=lambda test: (-results[test], test))})


def select(call: Call) -> Reply:
    """The hypothesis that is followed."""
    ranking = call.memory["ranking"]
    chosen = ranking[min(("first", "second").index(call.args["rank"]), len(ranking) - 1)]
    return Reply(memory={"cause": f"what {chosen} shows"})


def publish_dx(call: Call) -> Reply:
    """Publishes the working diagnosis."""
    dx = {"cause": call.memory["cause"], "pain": call.memory["pain"]}
    return Reply(memory={"published": True}, writes={f"working_dx/{call.entity}": dx})


def verify(call: Call) -> Reply:
    """Whether the published cause is the one that was selected."""
    return Reply(memory={"verified": call.memory["cause"]})


def finalise(call: Call) -> Reply:
    """Signs the diagnosis that was verified."""
    verified = call.memory["verified"]
    return Reply(memory={"final": verified}, effects={"sign": {"cause": verified}})


def read_dx(call: Call) -> Reply:
    """The working diagnosis, and which version of it this is."""
    key = f"working_dx/{call.entity}"
    return Reply(memory={"cause": call.read(key)["cause"], "dx": call.version(key)})


def draft_plan(call: Call) -> Reply:
    """The plan, by the chosen course."""
    return Reply(memory={"plan": f"{call.args['course']} against {call.memory['cause']}"})


def file_plan(call: Call) -> Reply:
    """Files the plan, which quotes the diagnosis."""
    plan = {"plan": call.memory["plan"], "quotes": call.memory["dx"]}
    return Reply(writes={f"plan/{call.entity}": plan}, effects={"file": plan})


TOOLS = by_name(
    select_assay,
    run_assay,
    record_result,
    gather,
    rank,
    select,
    publish_dx,
    verify,
    finalise,
    read_dx,
    draft_plan,
    file_plan,
)


def broken(final: Final) -> list[str]:
    """The plans on a diagnosis that is gone, implausible results, and what was not verified."""
    found = stale(final, "plan/", "a diagnosis")
    for key, versions in sorted(final.store.items()):
        value = versions[-1][1]
        if key.startswith("result/") and value["level"] < 0:
            found.append(f"{key} is implausible")
    for instance, seen in sorted(final.instances.items()):
        if instance.skeleton == "hypothesis" and seen.memory.get("final") != seen.memory["cause"]:
            found.append(f"{instance} did not sign the cause that it selected")
    return found
