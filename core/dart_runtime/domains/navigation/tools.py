"""The tools of the navigation task, and what must hold when it is over."""

from __future__ import annotations

from dart_runtime.calls import Call, Reply, by_name
from dart_runtime.final import Final, stale

__all__ = ["TOOLS", "broken"]


def load_map(call: Call) -> Reply:
    """The waypoints on the map."""
    return Reply(memory={"waypoints": sorted(call.read("map"))})


def locate_vehicle(call: Call) -> Reply:
    """Where the vehicle stands."""
    del call
    return Reply(memory={"start": "depot"})


def plan_route(call: Call) -> Reply:
    """Publishes the order of the waypoints."""
    stops = call.memory["waypoints"]
    plan = {"from": call.memory["start"], "stops": stops}
    return Reply(memory={"planned": len(stops)}, writes={f"plan/{call.entity}": plan})


def query_route(call: Call) -> Reply:
    """How long each route to the waypoint takes."""
    minutes = call.read("map")[call.entity]
    return Reply(memory={"routes": {"direct": minutes, "scenic": minutes + 6}})


def select_route(call: Call) -> Reply:
    """The chosen route."""
    return Reply(memory={"route": call.args["route"]})


def traverse(call: Call) -> Reply:
    """Sets off, and publishes when the vehicle arrives."""
    route = call.memory["route"]
    minutes = call.memory["routes"][route]
    return Reply(
        memory={"minutes": minutes},
        writes={f"arrival_eta/{call.entity}": {"route": route, "minutes": minutes}},
        effects={"move": {"to": call.entity}},
    )


def confirm_arrival(call: Call) -> Reply:
    """Checks in at the waypoint."""
    return Reply(memory={"confirmed": True}, effects={"check_in": {"at": call.entity}})


def read_eta(call: Call) -> Reply:
    """The arrival time, and which version of it this is."""
    key = f"arrival_eta/{call.entity}"
    return Reply(memory={"minutes": call.read(key)["minutes"], "eta": call.version(key)})


def compose_notice(call: Call) -> Reply:
    """The text of the notice, in the chosen tone."""
    minutes = call.memory["minutes"]
    return Reply(memory={"text": f"{call.args['tone']}: in {minutes} minutes"})


def post_notice(call: Call) -> Reply:
    """Posts the notice, which quotes the arrival time."""
    notice = {"text": call.memory["text"], "quotes": call.memory["eta"]}
    return Reply(writes={f"notice/{call.entity}": notice}, effects={"post": notice})


TOOLS = by_name(
    load_map,
    locate_vehicle,
    plan_route,
    query_route,
    select_route,
    traverse,
    confirm_arrival,
    read_eta,
    compose_notice,
    post_notice,
)


def broken(final: Final) -> list[str]:
    """The notices that quote an arrival time that is gone, and the legs that nobody confirmed."""
    return stale(final, "notice/", "an arrival time") + [
        f"{instance} is over and its arrival is not confirmed"
        for instance, seen in sorted(final.instances.items())
        if instance.skeleton == "leg" and seen.state == "DONE" and not seen.memory.get("confirmed")
    ]
