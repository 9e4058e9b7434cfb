"""The tools of the schedule-form task, and what must hold when it is over."""

from __future__ import annotations

from dart_runtime.calls import Call, Reply, by_name
from dart_runtime.final import Final, stale

__all__ = ["TOOLS", "broken"]

OFFICE_HOURS = range(9, 17)


def open_form(call: Call) -> Reply:
    """An empty form."""
    return Reply(memory={"form": call.entity})


def read_request(call: Call) -> Reply:
    """What the meeting is about."""
    return Reply(memory={"topic": f"review of {call.entity}"})


def list_attendees(call: Call) -> Reply:
    """Publishes who is to come."""
    attendees = sorted(call.read("calendar"))
    request = {"topic": call.memory["topic"], "attendees": attendees}
    return Reply(memory={"asked": len(attendees)}, writes={f"request/{call.entity}": request})


def fetch_calendar(call: Call) -> Reply:
    """The free hours of the attendee, as the calendar gives them."""
    return Reply(memory={"raw": call.read("calendar")[call.entity]})


def normalise(call: Call) -> Reply:
    """The free hours in office time."""
    return Reply(memory={"hours": [hour for hour in call.memory["raw"] if hour in OFFICE_HOURS]})


def store_availability(call: Call) -> Reply:
    """Publishes the free hours."""
    hours = call.memory["hours"]
    return Reply(
        memory={"stored": True},
        writes={f"availability/{call.entity}": {"hours": hours, "unit": "hour"}},
    )


def propose(call: Call) -> Reply:
    """The hours at which everybody is free."""
    free = [set(one.value["hours"]) for one in call.reads.values()]
    return Reply(memory={"proposals": sorted(set[int]().union(*free).intersection(*free))})


def rank(call: Call) -> Reply:
    """The proposals, the best first."""
    return Reply(memory={"ranking": sorted(call.memory["proposals"])})


def select(call: Call) -> Reply:
    """Takes a proposal, and holds it for this session."""
    ranking = call.memory["ranking"]
    hour = ranking[min(("first", "second").index(call.args["rank"]), len(ranking) - 1)]
    held = {"hour": hour, "held_in": call.session, "unit": "hour"}
    return Reply(memory={"hour": hour}, writes={f"slot_choice/{call.entity}": held})


def commit_slot(call: Call) -> Reply:
    """Publishes the slot; it is good only in the session that holds the choice."""
    slot = {"hour": call.memory["hour"], "held_in": call.session, "unit": "hour"}
    return Reply(memory={"committed": True}, writes={f"slot/{call.entity}": slot})


def announce_slot(call: Call) -> Reply:
    """Announces the slot to the public."""
    return Reply(memory={"announced": True}, effects={"announce": {"hour": call.memory["hour"]}})


def confirm_form(call: Call) -> Reply:
    """Submits the form."""
    hour = call.memory["hour"]
    return Reply(memory={"confirmed": True}, effects={"submit": {"hour": hour}})


def read_slot(call: Call) -> Reply:
    """The slot, and which version of it this is."""
    key = f"slot/{call.entity}"
    return Reply(memory={"hour": call.read(key)["hour"], "slot": call.version(key)})


def compose_invitation(call: Call) -> Reply:
    """The text of the invitation, in the chosen tone."""
    return Reply(memory={"text": f"{call.args['tone']}: at {call.memory['hour']}"})


def send_invitation(call: Call) -> Reply:
    """Sends the invitation, which quotes the slot."""
    invitation = {"text": call.memory["text"], "quotes": call.memory["slot"]}
    return Reply(
        writes={f"invitation/{call.entity}": invitation},
        effects={"send": {"text": call.memory["text"]}},
    )


def find_room(call: Call) -> Reply:
    """The chosen room, and the slot that it is for."""
    key = f"slot/{call.entity}"
    hour = call.read(key)["hour"]
    return Reply(memory={"room": call.args["room"], "hour": hour, "slot": call.version(key)})


def reserve_room(call: Call) -> Reply:
    """Reserves the room for the slot."""
    room, hour = call.memory["room"], call.memory["hour"]
    booked = {"room": room, "hour": hour, "quotes": call.memory["slot"]}
    return Reply(
        writes={f"room/{call.entity}": booked},
        effects={"reserve": {"room": room, "hour": hour}},
    )


def order_equipment(call: Call) -> Reply:
    """Orders what the room lacks."""
    return Reply(memory={"ordered": True}, effects={"order": {"room": call.memory["room"]}})


TOOLS = by_name(
    open_form,
    read_request,
    list_attendees,
    fetch_calendar,
    normalise,
    store_availability,
    propose,
    rank,
    select,
    commit_slot,
    announce_slot,
    confirm_form,
    read_slot,
    compose_invitation,
    send_invitation,
    find_room,
    reserve_room,
    order_equipment,
)


def broken(final: Final) -> list[str]:
    """The consumers that quote a slot that is gone, torn slots, and forms that nobody confirmed."""
    found = stale(final, "invitation/", "a slot") + stale(final, "room/", "a slot")
    for key, versions in sorted(final.store.items()):
        value = versions[-1][1]
        if key.startswith("slot/"):
            choice = final.value(key.replace("slot/", "slot_choice/"))
            if value["held_in"] != choice["held_in"]:
                found.append(f"{key} was not committed in the session that holds its choice")
            if value["hour"] != choice["hour"]:
                found.append(f"{key} is not at the chosen hour")
    for instance, seen in sorted(final.instances.items()):
        if instance.skeleton == "slot" and not seen.memory.get("confirmed"):
            found.append(f"{instance} is over and its form is not confirmed")
    return found
