"""
Named histories of the core: what the theorems that speak of one history or of a pair point at.

Everything is played by the core. A history ends where its failure is pending, `after` holds the
events that show what restoring the checkpoint `c` leads to.
"""

from __future__ import annotations

from attrs import evolve, frozen

from dart_core import (
    Act,
    Boundary,
    Commit,
    Contract,
    EffectClass,
    Enter,
    Event,
    Fail,
    FrozenMap,
    InstanceId,
    Predicate,
    Restore,
    Save,
    Scope,
    Skeleton,
    Tag,
)

WRITER = InstanceId(skeleton="writer", entity="x", ordinal=1)
OTHER = InstanceId(skeleton="writer", entity="y", ordinal=1)
READER = InstanceId(skeleton="reader", entity="x", ordinal=1)
CONTRACT = Contract(
    skeletons=FrozenMap(
        {
            "writer": Skeleton(commit=Predicate(states=frozenset({"ready"}))),
            "reader": Skeleton(),
        }
    )
)


@frozen(kw_only=True)
class Case:
    """A history up to its pending failure, and the events by which restoring `c` shows itself."""

    contract: Contract = CONTRACT
    events: tuple[Event, ...]
    after: tuple[Act | Commit, ...] = ()

    def played(self) -> tuple[Event, ...]:
        """All events, the restore among them."""
        return (*self.events, Restore("c"), *self.after)


def tag(instance: InstanceId) -> Tag:
    """The full tag of the instance."""
    return Tag(skeleton=instance.skeleton, entity=instance.entity, ordinal=instance.ordinal)


def _write(name: str = "a") -> Act:
    return Act(instance=WRITER, id=name, reads=frozenset(), writes=frozenset({"k"}))


def _effect(name: str) -> Act:
    return Act(instance=WRITER, id="a", reads=frozenset(), effects=frozenset({name}))


def _save(instance: InstanceId = WRITER, scope: Scope = Scope.INSTANCE) -> Save:
    return Save(id="c", tag=tag(instance), scope=scope)


def _reopened(*boundaries: Boundary) -> Contract:
    writer = evolve(CONTRACT.skeletons["writer"], rollback_to=frozenset(boundaries))
    return evolve(CONTRACT, skeletons=CONTRACT.skeletons.put("writer", writer))


def _listed(effect_class: EffectClass) -> Contract:
    effects = FrozenMap({"charge": effect_class})
    writer = evolve(CONTRACT.skeletons["writer"], effects=effects)
    return evolve(CONTRACT, skeletons=CONTRACT.skeletons.put("writer", writer))


READ = Act(instance=READER, id="r", reads=frozenset({"k"}))
LOOK = Act(instance=READER, id="r", reads=frozenset())
READY = Commit(WRITER, "ready")
FAILED = Fail(tag=tag(WRITER))
ENTERED = (Enter(WRITER), _save())
SHARED = Tag(skeleton="writer")
TWO = (Enter(WRITER), Enter(OTHER))

# For each guard: all others hold, and restoring `c` is wrong.
INDEPENDENT: dict[str, Case] = {
    "identified": Case(events=(*TWO, _save(), Fail(tag=SHARED, truth=OTHER))),
    "decidable": Case(events=(*TWO, Save(id="c", tag=SHARED, truth=OTHER), FAILED)),
    "closed": Case(events=(Enter(WRITER), _write(), _save(), FAILED), after=(_write("b"), READY)),
    "separable": Case(events=(Enter(WRITER), _save(scope=Scope.TASK), Enter(READER), FAILED)),
    "controllable": Case(contract=_reopened(Boundary.COMMIT), events=(*ENTERED, FAILED)),
    "repairs": Case(
        events=(Enter(WRITER), _write(), READY, _save(), Fail(tag=tag(WRITER), suspect="a"))
    ),
    "no_committed_conflict": Case(
        events=(*ENTERED, _write(), Enter(READER), READ, Commit(READER), FAILED)
    ),
    "no_live_conflict": Case(
        events=(*ENTERED, _write(), Enter(READER), READ, FAILED), after=(Commit(READER),)
    ),
    "effect_allowed": Case(events=(*ENTERED, _effect("charge"), FAILED)),
}

# The paper's own recovery: a consumer has committed, and the failed instance has gone on since.
ONE_STEP = Case(
    events=(
        Enter(WRITER),
        _write(),
        READY,
        Enter(READER),
        READ,
        Commit(READER),
        _save(),
        _write("b"),
        FAILED,
    )
)

_PUBLISHED = (Enter(WRITER), _write(), READY, _save())
_BOTH = (Enter(WRITER), Enter(READER))

# For each kind of fact: the right answer for `c` is to restore it, and not to.
PAIRS: dict[str, tuple[Case, Case]] = {
    "who failed": (
        Case(events=(*TWO, _save(), FAILED)),
        Case(events=(*TWO, _save(), Fail(tag=tag(OTHER)))),
    ),
    "whose the checkpoint is": (
        Case(events=(*TWO, _save(), FAILED)),
        Case(events=(*TWO, _save(OTHER), FAILED)),
    ),
    "which version a read named": (
        Case(events=(*_PUBLISHED, Enter(READER), READ, _write("b"), Commit(READER), FAILED)),
        Case(events=(*_PUBLISHED, Enter(READER), _write("b"), READ, Commit(READER), FAILED)),
    ),
    "where handoffs closed": (
        Case(events=(Enter(WRITER), _write(), READY, _save(), FAILED)),
        Case(
            events=(Enter(WRITER), _write(), Commit(WRITER, "busy"), _save(), FAILED),
            after=(_write("b"), READY),
        ),
    ),
    "the cut of a snapshot": (
        Case(events=(*_BOTH, LOOK, _save(scope=Scope.TASK), FAILED)),
        Case(events=(*_BOTH, _save(scope=Scope.TASK), LOOK, FAILED)),
    ),
    "effect classes": (
        Case(
            contract=_listed(EffectClass.REVERSIBLE), events=(*ENTERED, _effect("charge"), FAILED)
        ),
        Case(
            contract=_listed(EffectClass.IRREVERSIBLE), events=(*ENTERED, _effect("charge"), FAILED)
        ),
    ),
    "what policy opens": (
        Case(events=(*ENTERED, FAILED)),
        INDEPENDENT["controllable"],
    ),
    "the suspect": (
        Case(events=(*_PUBLISHED, _write("b"), Fail(tag=tag(WRITER), suspect="b"))),
        Case(events=(*_PUBLISHED, _write("b"), Fail(tag=tag(WRITER), suspect="a"))),
    ),
}
