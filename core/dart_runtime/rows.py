"""The rows of a domain: what is scheduled, and what goes wrong."""

from __future__ import annotations

import re
from typing import Literal

from attrs import frozen
from msgspec import Struct

from dart_core import InstanceId
from dart_runtime.programs import DomainError, Part

__all__ = ["Fault", "Group", "Row", "Turn", "instance_of", "place_of", "turn_of"]

Group = Literal["sensitive", "own", "other", "control"]


class Fault(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """
    What goes wrong at the first execution of an act, once.

    `refused`: the call is never made. `lost`: it is made, and its reply is lost.
    `damage` is an earlier act whose output was spoilt; `suspect` the act that is named as in doubt,
    by default one whose reply was lost and whose instance is seen in full; `blames` the instance
    that the failure is of, by default the one whose call it is; `seen` what of it is seen.
    With `crash`, whatever was not durable is lost.
    """

    instance: str
    act: str
    how: Literal["refused", "lost"]
    damage: str | None = None
    suspect: str | None = None
    blames: str | None = None
    seen: tuple[Part, ...] = ("skeleton", "entity", "ordinal")
    crash: bool = False


class Row(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """
    One run: its schedule, its fault, and which checkpoints are kept (None: all).

    `group` says what the row shows: `sensitive` to commitments, the failed instance's `own` state
    alone, something `other`, or a `control` in which nothing fails.
    """

    title: str
    group: Group
    schedule: tuple[str, ...]
    flags: tuple[str, ...] = ()
    saves: tuple[str, ...] | None = None
    fault: Fault | None = None


@frozen
class Turn:
    """An entry of a schedule: the instance runs until the named step is done, or to its end."""

    instance: InstanceId
    until: str | None


NAME = re.compile(r"(?P<skeleton>\w+)\[(?P<entity>[\w-]+)\](#(?P<ordinal>[1-9]\d*))?")


def instance_of(text: str) -> InstanceId:
    """The instance that `skeleton[entity]` or `skeleton[entity]#ordinal` names."""
    found = NAME.fullmatch(text)
    if found is None:
        message = f"{text!r} names no instance"
        raise DomainError(message)
    return InstanceId(
        skeleton=found["skeleton"], entity=found["entity"], ordinal=int(found["ordinal"] or 1)
    )


def place_of(text: str) -> tuple[InstanceId, str]:
    """The instance and the act that `instance/act` names."""
    instance, _, act = text.partition("/")
    return instance_of(instance), act


def turn_of(text: str) -> Turn:
    """The turn that `instance` or `instance@step` names."""
    instance, at, step = text.partition("@")
    return Turn(instance_of(instance), step if at else None)
