"""The tools of the ETL task, and what must hold when it is over."""

from __future__ import annotations

from dart_runtime.calls import Call, Reply, by_name
from dart_runtime.final import Final, stale

__all__ = ["TOOLS", "broken"]


def open_job(call: Call) -> Reply:
    """Opens the run over the sources that there are."""
    sources = sorted(call.read("warehouse"))
    return Reply(memory={"sources": sources}, writes={f"run/{call.entity}": {"sources": sources}})


def connect(call: Call) -> Reply:
    """A connection to the source."""
    return Reply(memory={"source": call.entity})


def read_rows(call: Call) -> Reply:
    """The rows of the source."""
    return Reply(memory={"rows": call.read("warehouse")[call.memory["source"]]})


def stage(call: Call) -> Reply:
    """Publishes the rows as staged."""
    staged = {"source": call.memory["source"], "rows": call.memory["rows"]}
    return Reply(memory={"staged": True}, writes={f"staged/{call.entity}": staged})


def load_staged(call: Call) -> Reply:
    """What has been staged."""
    orders, clients = call.read("staged/orders"), call.read("staged/clients")
    return Reply(memory={"orders": orders["rows"], "clients": clients["rows"]})


def clean(call: Call) -> Reply:
    """The orders that the chosen rule lets through."""
    least = {"strict": 4, "lenient": 0}[call.args["rule"]]
    return Reply(memory={"cleaned": [row for row in call.memory["orders"] if row >= least]})


def join(call: Call) -> Reply:
    """The orders with each client."""
    rows = [row * client for row in call.memory["cleaned"] for client in call.memory["clients"]]
    return Reply(memory={"joined": rows})


def publish_partition(call: Call) -> Reply:
    """Publishes the partition."""
    rows = call.memory["joined"]
    partition = {"fact": call.entity, "rows": rows, "count": len(rows)}
    return Reply(memory={"count": len(rows)}, writes={f"partition/{call.entity}": partition})


def announce(call: Call) -> Reply:
    """Releases the partition to the public."""
    return Reply(memory={"released": True}, effects={"release": {"count": call.memory["count"]}})


def verify_counts(call: Call) -> Reply:
    """Registers the number of rows that were verified."""
    count = call.memory["count"]
    return Reply(memory={"verified": count}, effects={"register": {"count": count}})


def read_partition(call: Call) -> Reply:
    """The partition, and which version of it this is."""
    key = f"partition/{call.entity}"
    return Reply(memory={"rows": call.read(key)["rows"], "partition": call.version(key)})


def upsert(call: Call) -> Reply:
    """Puts the rows into the mart's table, over what is there."""
    rows = call.memory["rows"]
    return Reply(memory={"total": sum(rows)}, effects={"upsert": {"rows": rows}})


def refresh_mart(call: Call) -> Reply:
    """Publishes the mart, which quotes the partition."""
    mart = {"total": call.memory["total"], "quotes": call.memory["partition"]}
    return Reply(writes={f"mart/{call.entity}": mart}, effects={"refresh": mart})


TOOLS = by_name(
    open_job,
    connect,
    read_rows,
    stage,
    load_staged,
    clean,
    join,
    publish_partition,
    announce,
    verify_counts,
    read_partition,
    upsert,
    refresh_mart,
)


def broken(final: Final) -> list[str]:
    """The marts on a partition that is gone, and the partitions whose rows do not add up."""
    found = stale(final, "mart/", "a partition")
    for key, versions in sorted(final.store.items()):
        value = versions[-1][1]
        if key.startswith("partition/") and len(value["rows"]) != value["count"]:
            found.append(f"{key} does not hold as many rows as it says")
    for instance, seen in sorted(final.instances.items()):
        if instance.skeleton == "transform" and seen.memory.get("verified") is None:
            found.append(f"{instance} is over and its counts are not verified")
    return found
