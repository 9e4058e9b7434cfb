"""
States as TLC prints them, read into the core's values, each text of a variable but once.

The states of one model share nearly all values of their variables.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from dart_core import Contract, History
from dart_tools.tla_core import history_of
from dart_tools.tla_values import TlaValue, parse_value

__all__ = ["VARIABLES", "StateReader", "Variable"]

VARIABLES = (
    "log",
    "attempt",
    "store",
    "checkpoints",
    "saved",
    "failures",
    "epoch",
    "world",
    "written",
)

_NOTHING: dict[str, TlaValue] = {
    **dict.fromkeys(VARIABLES, ()),
    "epoch": 1,
    "world": frozenset(),
    "written": frozenset(),
}


@frozen
class Variable:
    """
    A variable with its value as the specification has it, and a state with this value of it.

    All other variables of that state are as they are at first.
    """

    name: str
    value: TlaValue
    state: History


class StateReader:
    """Reads states of a model with this contract."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._known: dict[str, Variable] = {}

    def variable(self, text: str) -> Variable:
        """The variable whose value is written in the text, as `name = value`."""
        known = self._known.get(text)
        if known is None:
            name, _, printed = text.partition(" = ")
            value = parse_value(printed)
            state = history_of(self._contract, _NOTHING | {name: value})
            known = self._known[text] = Variable(name, value, state)
        return known

    def state(self, texts: Iterable[str]) -> History:
        """The state of which each text writes one variable."""
        found = {one.name: one.state for one in map(self.variable, texts)}
        parts = {name: getattr(state, name) for name, state in found.items()}
        return History(contract=self._contract, acts=found["log"].acts, **parts)
