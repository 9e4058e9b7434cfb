from __future__ import annotations

import pytest
from attrs import evolve

from dart_core import Enter, Exit, FrozenMap, History, Tag, candidates, fold
from dart_core import Fail as Failed
from dart_runtime.registry import Seen, binding_arguments, live_instances, next_ordinal, tag_seen
from runtime.schedule import CONTRACT, INVITE, SLOT

OTHER = evolve(SLOT, entity="m2")
AGAIN = evolve(SLOT, ordinal=2)


def after(*events: Enter | Exit) -> History:
    history = fold(CONTRACT, events)
    assert isinstance(history, History)
    return history


BOTH = after(Enter(SLOT), Enter(OTHER), Enter(INVITE))
REENTERED = after(Enter(SLOT), Exit(SLOT), Enter(AGAIN))
OVERLAPPING = after(Enter(SLOT), Enter(AGAIN))
M1 = FrozenMap({"meeting": "m1"})


@pytest.mark.parametrize(
    ("history", "seen", "tag"),
    [
        (BOTH, Seen(tool="send"), Tag(skeleton="invite", entity="m1", ordinal=1)),
        (BOTH, Seen(state="INVITING"), Tag(skeleton="invite", entity="m1", ordinal=1)),
        (BOTH, Seen(tool="select", args=M1), Tag(skeleton="slot", entity="m1", ordinal=1)),
        (BOTH, Seen(tool="confirm", args=M1), Tag(skeleton="slot", ordinal=1)),
        (BOTH, Seen(state="CHOOSING"), Tag(skeleton="slot", ordinal=1)),
        (BOTH, Seen(), Tag(ordinal=1)),
        (BOTH, Seen(tag=Tag(entity="m1")), Tag(entity="m1", ordinal=1)),
        (BOTH, Seen(state="INVITING", tool="select"), Tag()),
        (BOTH, Seen(tag=Tag(entity="m9")), Tag(entity="m9")),
        (BOTH, Seen(tool="select", args=FrozenMap({"meeting": "m9"})), Tag()),
        (REENTERED, Seen(tool="select", args=M1), Tag(skeleton="slot", entity="m1", ordinal=2)),
        (OVERLAPPING, Seen(tool="select", args=M1), Tag(skeleton="slot", entity="m1")),
    ],
)
def test_tag_seen_has_the_certain_parts_alone(history: History, seen: Seen, tag: Tag) -> None:
    assert tag_seen(history, seen) == tag


@pytest.mark.parametrize("history", [BOTH, REENTERED, OVERLAPPING])
@pytest.mark.parametrize("seen", [Seen(), Seen(tool="select", args=M1), Seen(state="CHOOSING")])
def test_tag_seen_never_loses_an_instance_that_fits(history: History, seen: Seen) -> None:
    tag = tag_seen(history, seen)
    assert live_instances(history, seen) <= candidates(history, Failed(tag=tag))


def test_binding_arguments_are_those_that_name_an_entity() -> None:
    arguments = {"meeting": 7, "text": "a long letter"}
    assert binding_arguments(CONTRACT, "send", arguments) == FrozenMap({"meeting": "7"})
    assert binding_arguments(CONTRACT, "confirm", arguments) == FrozenMap()


def test_next_ordinal_counts_the_entries_of_the_epoch() -> None:
    assert next_ordinal(REENTERED, "slot", "m1") == 3
    assert next_ordinal(REENTERED, "slot", "m2") == 1
