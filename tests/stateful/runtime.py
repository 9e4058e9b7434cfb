"""
A runtime as a state machine: one rule for each kind of event, with only enabled arguments.

The machine holds the hidden truth: whose a checkpoint is, and who failed.
What it observes may be partial; what it recovers by is the policy of its class.
"""

from __future__ import annotations

import os

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import dart_core as d
from dart_core import (
    Act,
    Boundary,
    Checkpoint,
    Commit,
    Contract,
    EffectClass,
    Enter,
    Event,
    Exit,
    Fail,
    FrozenMap,
    History,
    InstanceId,
    Predicate,
    Refusal,
    Rerun,
    Restore,
    Save,
    Scope,
    Skeleton,
    Tag,
)

DEEP = os.environ.get("DART_STATEFUL") == "deep"

SLOT = InstanceId(skeleton="slot", entity="m1", ordinal=1)
AGAIN = InstanceId(skeleton="slot", entity="m1", ordinal=2)
INVITE = InstanceId(skeleton="invite", entity="m1", ordinal=1)
LEAST, MOST, PATIENCE = 3, 2, 3
WRITES = st.sampled_from([(), ("own",), ("own",), ("own", "shared")])
SELDOM = st.sampled_from([False, False, False, True])
EFFECTS = st.sampled_from([(), (), (), (), (), (), (), (), (), ("note",), ("charge",), ("send",)])
READY = Predicate(states=frozenset(("ready",)))
CONTRACT = Contract(
    skeletons=FrozenMap(
        {
            "slot": Skeleton(
                reads=frozenset(("shared",)),
                writes=frozenset(("slot1", "slot2", "shared")),
                states=frozenset(("ready", "busy")),
                commit=READY,
                effects=FrozenMap(
                    {
                        "note": EffectClass.REVERSIBLE,
                        "charge": EffectClass.COMPENSABLE,
                        "send": EffectClass.IRREVERSIBLE,
                    }
                ),
            ),
            "invite": Skeleton(
                reads=frozenset(("slot1", "slot2")),
                rollback_to=frozenset((Boundary.ENTRY, Boundary.EXIT)),
            ),
        }
    )
)


def profile(examples: int, steps: int = 30) -> settings:
    """The settings of one machine: the same examples in every run, ten times as many when deep."""
    return settings(
        derandomize=True,
        max_examples=examples * (10 if DEEP else 1),
        stateful_step_count=steps * (2 if DEEP else 1),
        deadline=None,
        print_blob=True,
        database=None,
        report_multiple_bugs=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )


class InvalidHistoryError(AssertionError):
    """The history is invalid; `events` are those that led there."""

    def __init__(self, events: tuple[Event, ...], wrong: frozenset[d.Violation]) -> None:
        super().__init__(", ".join(sorted(violation.name for violation in wrong)))
        self.events = events
        self.wrong = wrong


def full(instance: InstanceId) -> Tag:
    """The tag that leaves nothing open."""
    return Tag(skeleton=instance.skeleton, entity=instance.entity, ordinal=instance.ordinal)


def partial_tags(instance: InstanceId) -> st.SearchStrategy[Tag]:
    """What may be seen of the instance where its ordinal is not (A1)."""
    return st.sampled_from(
        [
            Tag(),
            Tag(skeleton=instance.skeleton),
            Tag(entity=instance.entity),
            Tag(skeleton=instance.skeleton, entity=instance.entity),
        ]
    )


class Runtime(RuleBasedStateMachine):
    """A runtime that recovers by its policy; every step is held against the truth."""

    def __init__(self) -> None:
        super().__init__()
        self.history: History = d.initial(CONTRACT)
        self.events: tuple[Event, ...] = ()
        self.choices: tuple[Checkpoint, ...] = ()
        self.cast: tuple[InstanceId, ...] = ()
        self.waited = 0

    def choose(self, history: History) -> frozenset[Checkpoint]:
        """The checkpoints that the runtime would restore."""
        raise NotImplementedError

    def happen(self, event: Event) -> None:
        """The event happens; a rule must not draw one that is not enabled."""
        self.before_event(event)
        after = d.apply(self.history, event)
        assert not isinstance(after, Refusal), after
        self.history = after
        self.events = (*self.events, event)
        pending = sorted(self.choose(after), key=lambda c: c.id) if after.failures else ()
        self.choices = tuple(pending)
        self.waited = self.waited + 1 if after.failures else 0

    def before_event(self, event: Event) -> None:
        """What is held against the truth before the event: a restore must not be wrong (V4-V6)."""
        if isinstance(event, Restore):
            checkpoint = self.history.checkpoints[event.checkpoint]
            wrong = d.restore_violations(self.history, checkpoint)
            if wrong:
                raise InvalidHistoryError((*self.events, event), wrong)

    def goes_on(self) -> bool:
        """Whether anything but a recovery is due: the others go on for a while after a failure."""
        return self.waited < PATIENCE

    def live(self) -> list[InstanceId]:
        return [one for one in self.cast if d.live(self.history, one)]

    def free(self) -> list[InstanceId]:
        free = [one for one in self.live() if not d.suspended(self.history, one)]
        return free if self.goes_on() else []

    def unsuspended(self) -> list[InstanceId]:
        entered = sorted(self.history.log)
        unsuspended = [one for one in entered if not d.suspended(self.history, one)]
        return unsuspended if self.goes_on() else []

    def to_enter(self) -> list[InstanceId]:
        log = self.history.log
        missing = [one for one in self.cast if one not in log and (one != AGAIN or SLOT in log)]
        return missing if self.goes_on() else []

    def about_to_exit(self) -> list[InstanceId]:
        """Those that have done something: a machine in which all have left does nothing more."""
        return [one for one in self.free() if len(d.log_of(self.history, one)) > LEAST]

    def may_fail(self) -> bool:
        """A failure is of interest where something could be restored; a third adds nothing."""
        few = len(self.history.failures) < MOST
        return bool(self.history.checkpoints) and few and self.goes_on()

    def name(self) -> str:
        return f"c{self.history.clock + 1}"

    @initialize(cast=st.sampled_from([(SLOT, INVITE), (SLOT, INVITE), (SLOT, INVITE, AGAIN)]))
    def assemble(self, cast: tuple[InstanceId, ...]) -> None:
        self.cast = cast

    @precondition(lambda self: self.to_enter())
    @rule(data=st.data())
    def enter(self, data: st.DataObject) -> None:
        self.happen(Enter(data.draw(st.sampled_from(self.to_enter()))))

    @precondition(lambda self: self.free())
    @rule(data=st.data(), reads=st.booleans(), writes=WRITES, effects=EFFECTS)
    def act(
        self, data: st.DataObject, reads: bool, writes: tuple[str, ...], effects: tuple[str, ...]
    ) -> None:
        instance = data.draw(st.sampled_from(self.free()))
        own = {"own": f"{instance.skeleton}{instance.ordinal}"}
        self.happen(
            Act(
                instance=instance,
                id=f"a{self.history.clock + 1}",
                reads=frozenset(self.history.store if reads else ()),
                writes=frozenset(own.get(key, key) for key in writes),
                effects=frozenset(effects),
            )
        )

    @precondition(lambda self: self.free())
    @rule(data=st.data(), state=st.sampled_from(["ready", "ready", "busy"]))
    def commit(self, data: st.DataObject, state: str) -> None:
        self.happen(Commit(data.draw(st.sampled_from(self.free())), state))

    @precondition(lambda self: self.about_to_exit())
    @rule(data=st.data())
    def exit(self, data: st.DataObject) -> None:
        self.happen(Exit(data.draw(st.sampled_from(self.about_to_exit()))))

    @precondition(lambda self: self.unsuspended())
    @rule(data=st.data(), stable=st.sampled_from([True, True, True, True, True, False]))
    def save(self, data: st.DataObject, stable: bool) -> None:
        owner = data.draw(st.sampled_from(self.unsuspended()))
        self.happen(Save(id=self.name(), tag=full(owner), stable=stable))

    @precondition(lambda self: self.free())
    @rule(data=st.data(), scope=st.sampled_from(Scope), unclear=st.booleans())
    def save_more_or_less(self, data: st.DataObject, scope: Scope, unclear: bool) -> None:
        owner = data.draw(st.sampled_from(self.free()))
        tag = data.draw(partial_tags(owner)) if unclear else full(owner)
        truth = owner if unclear else None
        self.happen(Save(id=self.name(), tag=tag, scope=scope, truth=truth))

    @precondition(lambda self: self.may_fail())
    @rule(data=st.data(), doubtful=SELDOM, unclear=SELDOM)
    def fail(self, data: st.DataObject, doubtful: bool, unclear: bool) -> None:
        acts = sorted(self.history.acts) if doubtful else []
        suspect = data.draw(st.sampled_from(acts)) if acts else None
        seen = self.live() if unclear else sorted(self.history.log)
        if suspect is not None:
            seen = [self.history.acts[suspect][0]]
        elif not seen:
            unclear, seen = False, sorted(self.history.log)
        culprit = data.draw(st.sampled_from(seen))
        tag = data.draw(partial_tags(culprit)) if unclear else full(culprit)
        self.happen(Fail(tag=tag, suspect=suspect, truth=culprit if unclear else None))

    @precondition(lambda self: self.choices)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        self.happen(Restore(data.draw(st.sampled_from(self.choices)).id))

    @precondition(lambda self: self.history.failures and not self.choices)
    @rule()
    def rerun(self) -> None:
        self.happen(Rerun())

    @invariant()
    def the_history_is_valid(self) -> None:
        wrong = d.violations(self.history)
        if wrong:
            raise InvalidHistoryError(self.events, wrong)
