"""
Equality of graphs: the states and labelled edges that TLC dumps, and those that the core reaches.

Each text of a variable's value is read once; a state is then nine numbers, as in the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from dart_core import Contract, FrozenMap, InstanceId
from dart_tools.errors import DartError
from dart_tools.explore import Graph, Numbering, explore
from dart_tools.model import Model, demand_graph, generated, model_of
from dart_tools.tla_states import VARIABLES, StateReader
from dart_tools.tla_values import TlaValue
from dart_tools.tlc import TlcRun, run_tlc

__all__ = ["UNCHECKED", "Comparison", "compare", "compare_graphs", "dumped", "readable"]

Edge = tuple[int, str, int]

_EDGE = re.compile(r'(-?\d+) -> (-?\d+) \[label="(\w+)"')
_NODE = re.compile(r'(-?\d+) \[label="(.*)"(?:\]|,style)')
_SHOWN = 3

# What is run of a model where nothing is checked.
UNCHECKED = "INIT Init\nNEXT Next\nACTION_CONSTRAINT Within"


@frozen(kw_only=True)
class Comparison:
    """
    Two graphs of one model compared, as sets and both ways.

    `differences` shows some of the states and edges that only one of them has.
    """

    model: str
    states: int
    edges: int
    only_specification: int
    only_core: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether neither graph has a state or an edge that the other has not."""
        return not self.only_specification and not self.only_core


class _Dump:
    """TLC's dump, its values numbered as those of the core's graph."""

    def __init__(self, numbering: Numbering) -> None:
        self._tables = numbering.tables
        self._read = StateReader(Contract())
        self._by_text: dict[str, tuple[int, int]] = {}
        self._values: dict[tuple[int, int], TlaValue] = {}
        self.states: dict[str, tuple[int, ...]] = {}
        self.edges: list[tuple[str, str, str]] = []

    def read(self, path: Path) -> None:
        """Read the whole file."""
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                edge = _EDGE.match(line)
                if edge:
                    self.edges.append((edge[1], edge[3], edge[2]))
                else:
                    node = _NODE.match(line)
                    if node:
                        self.states[node[1]] = self._numbers(node[2])

    def _numbers(self, label: str) -> tuple[int, ...]:
        # A label is the text of a state with its backslashes, quotes and newlines escaped.
        found = [0] * len(VARIABLES)
        for text in label.removeprefix(r"/\\ ").split(r"\n/\\ "):
            known = self._by_text.get(text)
            if known is None:
                known = self._by_text[text] = self._number(text)
            found[known[0]] = known[1]
        return tuple(found)

    def _number(self, text: str) -> tuple[int, int]:
        unescaped = re.sub(r"\\(.)", lambda one: "\n" if one[1] == "n" else one[1], text)
        variable = self._read.variable(unescaped)
        place = VARIABLES.index(variable.name)
        table = self._tables[place]
        number = place, table.setdefault(getattr(variable.state, variable.name), len(table))
        if self._values.setdefault(number, variable.value) != variable.value:
            message = f"two values of {variable.name} are one to the core: {unescaped}"
            raise DartError(message)
        return number


@contextmanager
def dumped(specification: Path, name: str, workers: int = 1) -> Iterator[tuple[Model, Path]]:
    """The model and TLC's dump of its graph."""
    demand_graph(specification, name)
    with generated(specification, name, UNCHECKED) as folder:
        path = folder / "graph.dot"
        options = ("-dump", "dot,actionlabels", str(path))
        run = TlcRun(folder=folder, model="Generated", workers=workers, options=options)
        yield model_of(name, run_tlc(run)), path


def compare(specification: Path, name: str, *, workers: int = 1) -> Comparison:
    """The model's two graphs compared: TLC's and the core's own."""
    with dumped(specification, name, workers) as (model, path):
        return compare_graphs(name, explore(model), path)


def compare_graphs(name: str, graph: Graph, path: Path) -> Comparison:
    """The core's graph compared with the one that TLC has dumped into a file."""
    dump = _Dump(graph.numbering)
    dump.read(path)
    theirs = {numbers: -1 - place for place, numbers in enumerate(dump.states.values())}
    if len(theirs) < len(dump.states):
        message = f"{name}: two states of the specification are one to the core"
        raise DartError(message)
    places = theirs | graph.states
    states = {node: places[numbers] for node, numbers in dump.states.items()}
    edges = {(states[one], action, states[other]) for one, action, other in dump.edges}
    ours = set(graph.states) - set(theirs), graph.edges - edges
    others = set(theirs) - set(graph.states), edges - graph.edges
    show = _Show(graph.numbering, {place: numbers for numbers, place in places.items()})
    return Comparison(
        model=name,
        states=len(graph.states),
        edges=len(graph.edges),
        only_specification=len(others[0]) + len(others[1]),
        only_core=len(ours[0]) + len(ours[1]),
        differences=(
            *show.differences("the specification", *others),
            *show.differences("the core", *ours),
        ),
    )


class _Show:
    """Writes states and edges for a reader."""

    def __init__(self, numbering: Numbering, states: dict[int, tuple[int, ...]]) -> None:
        self._values = [list(table) for table in numbering.tables]
        self._states = states

    def differences(
        self, who: str, states: set[tuple[int, ...]], edges: set[Edge]
    ) -> Iterator[str]:
        """The smallest of the states and edges that only `who` has."""
        for numbers in sorted(states, key=lambda one: (sum(one), one))[:_SHOWN]:
            yield f"only {who} reaches the state\n{self._state(numbers)}"
        for before, action, after in sorted(edges, key=lambda one: (abs(one[0]), one))[:_SHOWN]:
            yield (
                f"only {who} has the step {action} from the state\n"
                f"{self._state(self._states[before])}\nto one in which\n"
                f"{self._state(self._states[after], self._states[before])}"
            )

    def _state(self, numbers: tuple[int, ...], unlike: tuple[int, ...] = ()) -> str:
        return (
            "\n".join(
                f"  {name} = {readable(self._values[place][number])}"
                for place, (name, number) in enumerate(zip(VARIABLES, numbers, strict=True))
                if not unlike or number != unlike[place]
            )
            or "  nothing is different"
        )


def readable(value: Any) -> str:  # noqa: ANN401
    """A value of the core for a reader: what is as it is by default is left out."""
    match value:
        case InstanceId():
            return str(value)
        case FrozenMap():
            return "{" + ", ".join(f"{k}: {readable(v)}" for k, v in value.items()) + "}"
        case frozenset():
            return "{" + ", ".join(sorted(readable(item) for item in value)) + "}"
        case tuple():
            return "[" + ", ".join(readable(item) for item in value) + "]"
        case _ if attrs.has(type(value)):
            given = (
                f"{one.name}={readable(getattr(value, one.name))}"
                for one in attrs.fields(type(value))
                if one.eq and getattr(value, one.name) != one.default
            )
            return f"{type(value).__name__}({', '.join(given)})"
        case _:
            return str(getattr(value, "value", value))
