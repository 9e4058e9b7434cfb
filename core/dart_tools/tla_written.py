"""
Values of the core written as TLA+ text, for generated modules.

Instances, tags and events are applications of the operators of TraceValues.tla: that is short, and
TLC parses slowly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import attrs

import dart_core as core
from dart_core import FrozenMap

__all__ = ["sequence", "written"]

# An operator of TraceValues.tla, and the fields that it is applied to; the tool of an act says
# nothing that a state keeps.
_OPERATORS: dict[type, tuple[str, tuple[str, ...]]] = {
    core.InstanceId: ("I_", ("skeleton", "entity", "ordinal")),
    core.Tag: ("I_", ("skeleton", "entity", "ordinal")),
    core.Enter: ("E_", ("instance", "state")),
    core.Commit: ("E_", ("instance", "state")),
    core.Exit: ("E_", ("instance", "state")),
    core.Act: ("A_", ("instance", "id", "state", "reads", "writes", "effects")),
    core.Save: ("S_", ("id", "tag", "scope", "stable", "truth")),
    core.Fail: ("F_", ("tag", "suspect", "state", "tool", "args", "truth")),
    core.Restore: ("R_", ("checkpoint",)),
    core.Rerun: ("Null", ()),
    core.Predicate: ("P_", ("states", "writes")),
}


def written(value: Any) -> str:  # noqa: ANN401
    """The text of a value: of a string, a number, a collection or a value of the core."""
    match value:
        case None:
            return "Null"
        case bool():
            return str(value).upper()
        case int():
            return str(value)
        case Enum():
            return _quoted(value.value)
        case str():
            return _quoted(value)
        case tuple():
            return sequence(map(written, value))
        case frozenset():
            return f"{{{', '.join(sorted(map(written, value)))}}}"
        case FrozenMap():
            return _function(value)
        case _:
            return _record(value)


def sequence(items: Iterable[str]) -> str:
    """The text of a sequence of items that are written already."""
    # TLC looks for PlusCal in the text, and needs the square of the time for long lines.
    listed = ",\n".join(items)
    return f"<<{listed}>>"


def _function(value: Mapping[Any, Any]) -> str:
    pairs = sorted(f"{written(key)} :> {written(one)}" for key, one in value.items())
    listed = "\n@@ ".join(pairs)
    return f"({listed})" if pairs else "<< >>"


def _record(value: Any) -> str:  # noqa: ANN401
    if type(value) not in _OPERATORS:
        names = [one.name for one in attrs.fields(type(value))]
        parts = (f"{name} |-> {written(getattr(value, name))}" for name in names)
        return f"[{', '.join(parts)}]"
    operator, fields = _OPERATORS[type(value)]
    arguments = ", ".join(written(getattr(value, name)) for name in fields)
    return f"{operator}({arguments})" if fields else operator


def _quoted(text: str) -> str:
    """The string in TLA+; what its parser does not read is written in another way, one to one."""
    return '"' + re.sub(r"[^A-Za-z0-9 _.:/#{}\[\]()+=<>,;!?@-]", _escaped, text) + '"'


def _escaped(match: re.Match[str]) -> str:
    return f"%{ord(match.group()):x}%"
