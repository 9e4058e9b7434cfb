"""
Finite structures, and what a formula says of one.

A formula is turned into a Python function once, so that the very formulas that are proved can be
evaluated on thousands of histories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import z3
from attrs import evolve, frozen

from logic.vocabulary import SORTS, Formula, symbols

Row = tuple[int, ...]
Relation = frozenset[Row]
Function = Mapping[Row, int]


@frozen(kw_only=True, eq=False)
class Structure:
    """
    A finite structure; the individuals of a sort are numbers from 0.

    A relation is the set of rows of which its predicate holds, a function leads from rows to
    individuals, a constant is an individual or a truth value.
    """

    sizes: Mapping[str, int]
    relations: Mapping[str, Relation]
    functions: Mapping[str, Function]
    constants: Mapping[str, int]

    def extended(self, constants: Mapping[str, int]) -> Structure:
        """The structure in which these constants stand for these individuals, too."""
        return evolve(self, constants={**self.constants, **constants})

    def table(self, name: str) -> Relation | Function | int:
        """What the symbol stands for."""
        if name in self.relations:
            return self.relations[name]
        return self.functions[name] if name in self.functions else self.constants[name]


_CONSTANTS: dict[int, tuple[Formula, dict[str, str]]] = {}


def constants_of(formula: Formula) -> dict[str, str]:
    """The free constants of the formula, each with the name of its sort."""
    if formula.get_id() not in _CONSTANTS:
        found = {
            one.name(): one.range().name()
            for one in symbols(formula)
            if one.arity() == 0 and one.name() not in {"zero", "one", "compensate"}
        }
        _CONSTANTS[formula.get_id()] = (formula, found)
    return _CONSTANTS[formula.get_id()][1]


def _application(term: z3.ExprRef, arguments: list[str]) -> str:
    declared = term.decl()
    table = f"t_{declared.name()}"
    if not arguments:
        return table
    key = f"({', '.join(arguments)},)"
    return f"({key} in {table})" if term.sort() == z3.BoolSort() else f"{table}[{key}]"


def _quantified(term: z3.QuantifierRef, bound: list[str]) -> str:
    names = [f"v{len(bound) + number}" for number in range(term.num_vars())]
    loops = " ".join(
        f"for {name} in d_{term.var_sort(number).name()}" for number, name in enumerate(names)
    )
    word = "all" if term.is_forall() else "any"
    return f"{word}({_source(term.body(), [*bound, *names])} {loops})"


_JOINED = {z3.Z3_OP_AND: ("and", "True"), z3.Z3_OP_OR: ("or", "False")}
_WRITTEN = {
    z3.Z3_OP_NOT: "(not {0})",
    z3.Z3_OP_IMPLIES: "(not {0} or {1})",
    z3.Z3_OP_EQ: "({0} == {1})",
    z3.Z3_OP_TRUE: "True",
    z3.Z3_OP_FALSE: "False",
}


def _source(term: z3.ExprRef, bound: list[str]) -> str:
    """The Python expression that says what the term says."""
    if z3.is_quantifier(term):
        return _quantified(term, bound)
    if z3.is_var(term):
        return bound[-1 - int(z3.get_var_index(term))]
    kind, parts = term.decl().kind(), [_source(part, bound) for part in term.children()]
    if kind == z3.Z3_OP_UNINTERPRETED:
        return _application(term, parts)
    if kind == z3.Z3_OP_DISTINCT:
        return f"(len({{{', '.join(parts)}}}) == {len(parts)})"
    if kind in _JOINED:
        word, empty = _JOINED[kind]
        return f"({f' {word} '.join(parts)})" if parts else empty
    return _WRITTEN[kind].format(*parts)


_CACHE: dict[int, tuple[Formula, list[str], Callable[..., bool]]] = {}


def _compiled(formula: Formula) -> tuple[Formula, list[str], Callable[..., bool]]:
    known = _CACHE.get(formula.get_id())
    if known is None:
        names = sorted({one.name() for one in symbols(formula)})
        arguments = [*(f"t_{name}" for name in names), *(f"d_{sort.name()}" for sort in SORTS)]
        text = f"lambda {', '.join(arguments)}: {_source(formula, [])}"
        # The text is made of the formula alone; keeping the formula keeps its id.
        known = _CACHE[formula.get_id()] = (formula, names, eval(text))  # noqa: S307
    return known


def holds(structure: Structure, formula: Formula) -> bool:
    """Whether the formula holds in the structure."""
    _, names, function = _compiled(formula)
    tables = [structure.table(name) for name in names]
    domains = [range(structure.sizes[sort.name()]) for sort in SORTS]
    return function(*tables, *domains)


def assignments(structure: Structure, premises: Mapping[str, Formula]) -> Iterator[dict[str, int]]:
    """The values of the free constants under which all premises hold, one after the other."""
    sorts = {name: sort for part in premises.values() for name, sort in constants_of(part).items()}
    open_constants = {n: s for n, s in sorts.items() if n not in structure.constants}
    waiting = {
        name: set(constants_of(part)) & set(open_constants) for name, part in premises.items()
    }
    yield from _search(structure, premises, list(open_constants.items()), waiting, {})


def _search(
    structure: Structure,
    premises: Mapping[str, Formula],
    left: list[tuple[str, str]],
    waiting: Mapping[str, set[str]],
    values: dict[str, int],
) -> Iterator[dict[str, int]]:
    due = [name for name, constants in waiting.items() if constants <= set(values)]
    here = structure.extended(values)
    if not all(holds(here, premises[name]) for name in due):
        return
    if not left:
        yield dict(values)
        return
    (constant, sort), *rest = left
    still = {name: constants for name, constants in waiting.items() if name not in due}
    for value in range(structure.sizes[sort]):
        yield from _search(structure, premises, rest, still, {**values, constant: value})
