"""The controller's programs: the steps of each skeleton, and from where it can go back to where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from attrs import frozen
from msgspec import Struct

from dart_runtime.errors import SidecarError

__all__ = [
    "ActStep",
    "CommitStep",
    "DomainError",
    "ExitStep",
    "Part",
    "Program",
    "SaveStep",
    "Step",
    "step_of",
]

Part = Literal["skeleton", "entity", "ordinal", "state", "tool", "args"]


class DomainError(SidecarError):
    """A file of a domain that does not say what it must."""


class ActStep(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """
    One tool call, which leads to `state`.

    `choose` gives the options of each argument that a policy picks, the scripted pick first.
    A read that ends in `*` stands for every key that has been written and begins like it.
    """

    act: str
    state: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    choose: dict[str, tuple[str, ...]] = {}
    when: str | None = None

    @property
    def name(self) -> str:
        """What a schedule calls the step."""
        return self.act


class CommitStep(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A claimed commit in the FSM state `commit`."""

    commit: str
    when: str | None = None

    @property
    def name(self) -> str:
        """What a schedule calls the step."""
        return "commit"


class ExitStep(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A claimed exit in the FSM state `exit`."""

    exit: str
    when: str | None = None

    @property
    def name(self) -> str:
        """What a schedule calls the step."""
        return "exit"


class SaveStep(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A checkpoint with the label `save`; `seen` names what its tag shows of the owner."""

    save: str
    scope: Literal["instance", "task"] = "instance"
    stable: bool = True
    seen: tuple[Part, ...] = ("skeleton", "entity", "ordinal")
    when: str | None = None

    @property
    def name(self) -> str:
        """What a schedule calls the step."""
        return self.save


Step = ActStep | CommitStep | ExitStep | SaveStep
KINDS: dict[str, type[Step]] = {
    "act": ActStep,
    "commit": CommitStep,
    "exit": ExitStep,
    "save": SaveStep,
}


@frozen
class Program:
    """
    The controller's part for one skeleton.

    `back` gives, for each state that a recovery may go back to, the states that lead there; `*` is
    any.
    """

    entry: str
    steps: tuple[Step, ...]
    back: Mapping[str, tuple[str, ...]]

    def leads_back(self, source: str, target: str) -> bool:
        """Whether the controller has an edge back; staying where one is needs none."""
        return source == target or bool({source, "*"} & set(self.back.get(target, ())))


def step_of(raw: dict[str, Any]) -> Step:
    """The step that a file gives; its kind is the one name of a kind that it has."""
    kinds = [kind for name, kind in KINDS.items() if name in raw]
    if len(kinds) != 1:
        message = f"a step is one of {', '.join(KINDS)}: {raw}"
        raise DomainError(message)
    return msgspec.convert(raw, kinds[0])
