"""
The classes that the lines of trace format 1 are decoded into and encoded from.

They hold exactly the names of the format.
UNSET is a field that a line does not have; None is only accepted where the format allows null.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

__all__ = [
    "Act",
    "Checkpoint",
    "Commit",
    "Contract",
    "Decision",
    "Enter",
    "Event",
    "Exit",
    "Expectation",
    "Fail",
    "Guards",
    "Header",
    "Instance",
    "Judged",
    "Performed",
    "Predicate",
    "Rerun",
    "Restore",
    "Skeleton",
    "Tag",
    "Target",
    "Witness",
]

Names = tuple[str, ...]
Distinct = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]
Ordinal = Annotated[int, Meta(ge=1)]
Boundary = Literal["entry", "commit", "exit"]
EffectClass = Literal["reversible", "idempotent", "compensable", "irreversible"]
Verdict = Literal["restore", "rerun", "escalate"]
Reason = Literal["not_identified", "no_admissible_checkpoint"]


class Instance(Struct, forbid_unknown_fields=True, frozen=True):
    """An instance, all of whose parts are known."""

    skeleton: str
    entity: str
    ordinal: Ordinal


class Tag(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """An instance as seen: a part that is null or missing is unknown."""

    skeleton: str | None = None
    entity: str | None = None
    ordinal: Ordinal | None = None


class Predicate(Struct, forbid_unknown_fields=True, frozen=True):
    """A condition on a log prefix."""

    states: Names | UnsetType = UNSET
    writes: Names | UnsetType = UNSET


class Skeleton(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A reviewed kind of subtask."""

    reads: Names = ()
    writes: Names = ()
    states: Names = ()
    tools: dict[str, str | None] = field(default_factory=dict)
    commit: Predicate | UnsetType = UNSET
    exit: Predicate | UnsetType = UNSET
    rollback_to: tuple[Boundary, ...] | UnsetType = UNSET
    effects: dict[str, EffectClass] = field(default_factory=dict)


class Contract(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The reviewed configuration of one task."""

    skeletons: dict[str, Skeleton]
    compensate: bool = False
    fallback: Literal["rerun", "escalate"] = "rerun"
    external: Names | UnsetType = UNSET


class Enter(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="enter"):
    """An instance begins."""

    instance: Instance
    state: str | UnsetType = UNSET


class Act(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="act"):
    """One tool call of an instance."""

    instance: Instance
    id: str | UnsetType = UNSET
    tool: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    reads: Distinct | UnsetType = UNSET
    writes: Distinct | UnsetType = UNSET
    effects: Distinct | UnsetType = UNSET


class Commit(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="commit"):
    """An instance claims a commit."""

    instance: Instance
    state: str | UnsetType = UNSET


class Exit(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="exit"):
    """An instance claims to be done."""

    instance: Instance
    state: str | UnsetType = UNSET


class Checkpoint(
    Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="checkpoint"
):
    """A checkpoint is saved."""

    id: str
    instance: Tag
    scope: Literal["instance", "task"] | UnsetType = UNSET
    stable: bool | UnsetType = UNSET
    truth: Instance | UnsetType = UNSET


class Fail(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="fail"):
    """A failure is seen."""

    instance: Tag | UnsetType = UNSET
    suspect: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    tool: str | UnsetType = UNSET
    args: dict[str, str] | UnsetType = UNSET
    truth: Instance | UnsetType = UNSET


class Restore(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="restore"):
    """The runtime restores a checkpoint."""

    checkpoint: str


class Rerun(Struct, forbid_unknown_fields=True, frozen=True, tag_field="event", tag="rerun"):
    """The runtime reruns the whole task."""


Event = Enter | Act | Commit | Exit | Checkpoint | Fail | Restore | Rerun


class Guards(Struct, forbid_unknown_fields=True, frozen=True):
    """What each guard says of one checkpoint."""

    stable: bool | UnsetType = UNSET
    decidable: bool | UnsetType = UNSET
    closed: bool | UnsetType = UNSET
    separable: bool | UnsetType = UNSET
    controllable: bool | UnsetType = UNSET
    repairs: bool | UnsetType = UNSET
    no_committed_conflict: bool | UnsetType = UNSET
    no_live_conflict: bool | UnsetType = UNSET
    effect_allowed: bool | UnsetType = UNSET


class Witness(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """One fact that makes a guard false, with the fields that the guard speaks of."""

    guard: str
    key: str | UnsetType = UNSET
    written_at: int | UnsetType = UNSET
    reader: Instance | UnsetType = UNSET
    read_at: int | UnsetType = UNSET
    instance: Instance | UnsetType = UNSET
    owners: tuple[Instance, ...] | UnsetType = UNSET
    kind: Boundary | UnsetType = UNSET
    effect: str | UnsetType = UNSET
    effect_class: EffectClass | UnsetType = UNSET
    at: int | UnsetType = UNSET


class Judged(Struct, forbid_unknown_fields=True, frozen=True):
    """One checkpoint of the failed instance with its evidence."""

    id: str
    kind: Boundary | UnsetType = UNSET
    guards: Guards | UnsetType = UNSET
    witnesses: tuple[Witness, ...] | UnsetType = UNSET


class Target(Struct, forbid_unknown_fields=True, frozen=True):
    """An instance and the checkpoint that it is restored to."""

    instance: Instance
    checkpoint: str


class Performed(Struct, forbid_unknown_fields=True, frozen=True):
    """An effect that an instance had on the world."""

    instance: Instance
    effect: str
    at: int


class Expectation(Struct, forbid_unknown_fields=True, frozen=True):
    """A decision of which only the fields that are given are told."""

    trace: str | UnsetType = UNSET
    failure: int | UnsetType = UNSET
    verdict: Verdict | UnsetType = UNSET
    reason: Reason | UnsetType | None = UNSET
    instance: Instance | UnsetType | None = UNSET
    candidates: tuple[Instance, ...] | UnsetType = UNSET
    checkpoint: str | UnsetType | None = UNSET
    restore: tuple[Target, ...] | UnsetType = UNSET
    replay: int | UnsetType = UNSET
    upstream_replay: int | UnsetType = UNSET
    preserved: int | UnsetType = UNSET
    checkpoints: tuple[Judged, ...] | UnsetType = UNSET
    hazards: tuple[Performed, ...] | UnsetType = UNSET
    compensations: tuple[Performed, ...] | UnsetType = UNSET


class Decision(Struct, forbid_unknown_fields=True, frozen=True):
    """A decision with its whole evidence."""

    trace: str
    failure: int
    verdict: Verdict
    reason: Reason | None
    instance: Instance | None
    candidates: tuple[Instance, ...]
    checkpoint: str | None
    restore: tuple[Target, ...]
    replay: int
    upstream_replay: int
    preserved: int
    checkpoints: tuple[Judged, ...]
    hazards: tuple[Performed, ...]
    compensations: tuple[Performed, ...]


class Header(Struct, forbid_unknown_fields=True, frozen=True):
    """The first line of a trace."""

    dart_trace: Literal[1]
    name: str
    contract: Contract
    source: str | UnsetType = UNSET
    notes: str | UnsetType = UNSET
    expect: tuple[Expectation, ...] | UnsetType = UNSET


class AnyHeader(Struct):
    """What tells a header of any version."""

    dart_trace: Any = UNSET
