"""
The contract: reviewed, frozen configuration of a task and of its skeletons.

Mirrors: Contract (spec_tla/Contract.tla); semantics: section 2.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from attrs import frozen

from dart_core.frozen_map import FrozenMap

__all__ = [
    "Boundary",
    "Contract",
    "EffectClass",
    "Fallback",
    "Predicate",
    "Skeleton",
    "bind",
    "effect_class",
    "holds",
    "opens",
    "rolls_back",
    "skeleton_of",
]


class EffectClass(Enum):
    """What undoing an act means for one effect that it had on the world."""

    REVERSIBLE = "reversible"
    IDEMPOTENT = "idempotent"
    COMPENSABLE = "compensable"
    IRREVERSIBLE = "irreversible"


class Boundary(Enum):
    """The kind of point in an instance's log at which a checkpoint stands."""

    ENTRY = "entry"
    COMMIT = "commit"
    EXIT = "exit"


class Fallback(Enum):
    """What is left where no checkpoint is admissible."""

    RERUN = "rerun"
    ESCALATE = "escalate"


@frozen
class Predicate:
    """A condition on a log prefix; a part that is None asks for nothing."""

    states: frozenset[str] | None = None
    writes: frozenset[str] | None = None


@frozen(kw_only=True)
class Skeleton:
    """
    A reviewed kind of subtask.

    `reads`, `writes` and the predicates' `writes` are keys in which `{entity}` stands for the
    bound entity; `tools` leads from a tool to the argument that binds the entity, or to None.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    tools: FrozenMap[str, str | None] = FrozenMap()
    commit: Predicate = Predicate()
    exit: Predicate = Predicate()
    rollback_to: frozenset[Boundary] = frozenset({Boundary.ENTRY, Boundary.COMMIT})
    effects: FrozenMap[str, EffectClass] = FrozenMap()


@frozen(kw_only=True)
class Contract:
    """
    The reviewed configuration of one task.

    `external` is the set of keys that come from outside the log, or None where that is not said.
    """

    skeletons: FrozenMap[str, Skeleton] = FrozenMap()
    compensate: bool = False
    fallback: Fallback = Fallback.RERUN
    external: frozenset[str] | None = None


UNREVIEWED = Skeleton(rollback_to=frozenset())


def skeleton_of(contract: Contract, name: str) -> Skeleton:
    """
    What is reviewed of the skeleton; of one that the contract does not name, nothing is.

    Mirrors: Contract!SkeletonOf
    """
    return contract.skeletons.get(name, UNREVIEWED)


def bind(key: str, entity: str) -> str:
    """
    The key with the entity in its place.

    Mirrors: Contract!Bind
    """
    return key.replace("{entity}", entity)


def holds(predicate: Predicate, entity: str, state: str | None, written: Collection[str]) -> bool:
    """
    Whether the predicate holds where `state` was seen last and `written` was written.

    Mirrors: Contract!Holds
    """
    return (predicate.states is None or state in predicate.states) and (
        predicate.writes is None or all(bind(key, entity) in written for key in predicate.writes)
    )


def effect_class(contract: Contract, name: str, effect: str) -> EffectClass:
    """
    The effect's class by the skeleton's policy; one that is not listed is irreversible.

    Mirrors: Contract!EffectClass
    """
    return skeleton_of(contract, name).effects.get(effect, EffectClass.IRREVERSIBLE)


def rolls_back(contract: Contract, name: str, effect: str) -> bool:
    """
    Whether an act with this effect may be undone.

    Mirrors: Contract!RollsBack
    """
    found = effect_class(contract, name, effect)
    return found in {EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT} or (
        found is EffectClass.COMPENSABLE and contract.compensate
    )


def opens(contract: Contract, name: str, boundary: Boundary) -> bool:
    """
    Whether policy lets the skeleton be rolled back to this kind of boundary.

    Mirrors: Contract!Opens
    """
    return boundary in skeleton_of(contract, name).rollback_to
