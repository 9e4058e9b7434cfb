"""A small task for the runtime's tests: a slot is chosen, an invitation is sent on it."""

from __future__ import annotations

from dart_core import Contract, EffectClass, Fallback, FrozenMap, InstanceId, Predicate, Skeleton
from dart_runtime.observer import Observer

SLOT = InstanceId(skeleton="slot", entity="m1", ordinal=1)
INVITE = InstanceId(skeleton="invite", entity="m1", ordinal=1)

CONTRACT = Contract(
    skeletons=FrozenMap(
        {
            "slot": Skeleton(
                writes=frozenset({"slot/{entity}"}),
                states=frozenset({"CHOOSING", "CONFIRMING"}),
                tools=FrozenMap({"select": "meeting", "confirm": None}),
                commit=Predicate(writes=frozenset({"slot/{entity}"})),
                effects=FrozenMap({"mark": EffectClass.REVERSIBLE}),
            ),
            "invite": Skeleton(
                reads=frozenset({"slot/{entity}"}),
                states=frozenset({"INVITING"}),
                tools=FrozenMap({"send": "meeting"}),
                effects=FrozenMap({"send_invite": EffectClass.IRREVERSIBLE}),
            ),
        }
    ),
    fallback=Fallback.ESCALATE,
)

TOML = """
fallback = "escalate"

[skeletons.slot]
writes = ["slot/{entity}"]
states = ["CONFIRMING", "CHOOSING"]
tools = { select = "meeting" }
commit = { writes = ["slot/{entity}"] }
effects = { mark = "reversible" }

[skeletons.invite]
reads = ["slot/{entity}"]
states = ["INVITING"]
tools = { send = "meeting" }
effects = { send_invite = "irreversible" }
"""


def chosen(observer: Observer) -> None:
    """Choose a slot, commit it, and save checkpoints `entry` and `chosen`."""
    observer.enter("slot", "m1", state="CHOOSING")
    observer.checkpoint("entry", SLOT, snapshot=b"nothing")
    observer.act(SLOT, id="select", tool="select", reads=[], writes=["slot/m1"])
    observer.commit(SLOT, state="CONFIRMING")
    observer.checkpoint("chosen", SLOT, snapshot=b"ten o'clock")


def invited(observer: Observer) -> None:
    """Send the invitation on the chosen slot, and commit."""
    observer.enter("invite", "m1", state="INVITING")
    observer.act(INVITE, id="send", tool="send", effects=["send_invite"])
    observer.commit(INVITE)
