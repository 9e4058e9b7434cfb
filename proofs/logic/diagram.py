"""A finite structure written as a formula: the structure is its only model, up to names."""

from __future__ import annotations

from itertools import product

import z3
from attrs import evolve

from logic.structure import Structure
from logic.vocabulary import SORTS, SYMBOLS, Formula, Term, both, compensate, either, every, no

SORT = {sort.name(): sort for sort in SORTS}


def individual(sort: str, number: int) -> Term:
    """The constant that names an individual."""
    return z3.Const(f"{sort}_{number}", SORT[sort])


def domain(structure: Structure, sort: str) -> list[Term]:
    """The names of all individuals of the sort."""
    return [individual(sort, number) for number in range(structure.sizes[sort])]


def _closure(structure: Structure, sort: str) -> Formula:
    names = domain(structure, sort)
    return both(
        z3.Distinct(*names) if len(names) > 1 else z3.BoolVal(True),
        every(lambda x: either(*(x == name for name in names)), SORT[sort]),
    )


def _facts(structure: Structure, symbol: z3.FuncDeclRef) -> Formula:
    """What the table of a predicate or function says of every tuple."""
    name, sorts = symbol.name(), [symbol.domain(n).name() for n in range(symbol.arity())]
    facts = []
    for row in product(*(range(structure.sizes[sort]) for sort in sorts)):
        term = symbol(*(individual(sort, one) for sort, one in zip(sorts, row, strict=True)))
        if name in structure.relations:
            facts.append(term if row in structure.relations[name] else no(term))
        else:
            value = structure.functions[name][row]
            facts.append(term == individual(symbol.range().name(), value))
    return both(*facts)


def padded(structure: Structure) -> Structure:
    """The structure without empty sorts: one of which nothing is true gets an individual."""
    return evolve(structure, sizes={sort: max(1, size) for sort, size in structure.sizes.items()})


def with_names(structure: Structure) -> Structure:
    """The structure in which each individual has its name."""
    names = {f"{sort}_{n}": n for sort, size in structure.sizes.items() for n in range(size)}
    return structure.extended(names)


def diagram(structure: Structure, constants: dict[str, Term]) -> dict[str, Formula]:
    """The structure as premises, by name; `constants` are those that its tables give values to."""
    named = {
        name: term == individual(term.sort().name(), structure.constants[name])
        for name, term in constants.items()
    }
    compensates = compensate == z3.BoolVal(bool(structure.constants["compensate"]))
    return {
        **{f"all of {sort}": _closure(structure, sort) for sort in SORT},
        **{name: _facts(structure, symbol) for name, symbol in SYMBOLS.items()},
        "constants": both(*named.values()),
        "compensate": compensates,
    }
