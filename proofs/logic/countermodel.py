"""
Finite counter-models: what a solver finds where an obligation does not hold.

Over a finite domain a quantifier is a conjunction or a disjunction, so the question has no
quantifiers left, and a model of it is a structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

import z3

from logic.diagram import SORT, individual
from logic.obligation import Obligation
from logic.structure import Function, Relation, Structure, constants_of
from logic.vocabulary import SYMBOLS, Formula, Term, compensate, either, one, zero

SIZES = {
    "Instance": 2,
    "Entry": 5,
    "Place": 5,
    "Attempt": 3,
    "Key": 1,
    "Effect": 1,
    "FsmState": 1,
    "Checkpoint": 1,
    "Failure": 1,
}


def _instances(term: z3.QuantifierRef, sizes: Mapping[str, int]) -> Iterator[Formula]:
    sorts = [term.var_sort(number).name() for number in range(term.num_vars())]
    for row in product(*(range(sizes[sort]) for sort in sorts)):
        values = [individual(sort, number) for sort, number in zip(sorts, row, strict=True)]
        yield z3.substitute_vars(term.body(), *reversed(values))


_JOIN = {
    z3.Z3_OP_AND: z3.And,
    z3.Z3_OP_OR: z3.Or,
    z3.Z3_OP_NOT: z3.Not,
    z3.Z3_OP_IMPLIES: z3.Implies,
    z3.Z3_OP_EQ: lambda left, right: left == right,
}


def ground(term: Formula, sizes: Mapping[str, int]) -> Formula:
    """The formula over domains of these sizes, without quantifiers."""
    if z3.is_quantifier(term):
        parts = (ground(part, sizes) for part in _instances(term, sizes))
        return z3.And(*parts) if term.is_forall() else z3.Or(*parts)
    join = _JOIN.get(term.decl().kind())
    if join is None or not all(z3.is_bool(part) for part in term.children()):
        return term
    return join(*(ground(part, sizes) for part in term.children()))


def _rows(symbol: z3.FuncDeclRef, sizes: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
    sorts = (symbol.domain(number).name() for number in range(symbol.arity()))
    return product(*(range(sizes[sort]) for sort in sorts))


def apply_to(symbol: z3.FuncDeclRef, row: tuple[int, ...]) -> Term:
    """The symbol applied to individuals."""
    sorts = [symbol.domain(number).name() for number in range(symbol.arity())]
    return symbol(*(individual(sort, one) for sort, one in zip(sorts, row, strict=True)))


def _is_some(term: Term, sizes: Mapping[str, int]) -> Formula:
    sort = term.sort().name()
    return either(*(term == individual(sort, number) for number in range(sizes[sort])))


def _domains(sizes: Mapping[str, int], constants: Iterable[Term]) -> Iterator[Formula]:
    """That there are these individuals and no others; places and entries come in their order."""
    for sort, size in sizes.items():
        if size > 1:
            yield z3.Distinct(*(individual(sort, number) for number in range(size)))
    for symbol in SYMBOLS.values():
        if symbol.range() != z3.BoolSort():
            for row in _rows(symbol, sizes):
                yield _is_some(apply_to(symbol, row), sizes)
    for term in constants:
        yield _is_some(term, sizes)
    yield zero == individual("Place", 0)
    yield one == individual("Place", 1)
    for name in ("before", "earlier"):
        for row in _rows(SYMBOLS[name], sizes):
            yield apply_to(SYMBOLS[name], row) == z3.BoolVal(row[0] < row[1])


def _structure(
    model: z3.ModelRef, sizes: Mapping[str, int], constants: Mapping[str, Term]
) -> Structure:
    def is_so(term: Formula) -> bool:
        return bool(z3.is_true(model.eval(term, model_completion=True)))

    def value(term: Term) -> int:
        sort = term.sort().name()
        return next(n for n in range(sizes[sort]) if is_so(term == individual(sort, n)))

    relations: dict[str, Relation] = {}
    functions: dict[str, Function] = {}
    for name, symbol in SYMBOLS.items():
        rows = {row: apply_to(symbol, row) for row in _rows(symbol, sizes)}
        if symbol.range() == z3.BoolSort():
            relations[name] = frozenset(row for row, term in rows.items() if is_so(term))
        else:
            functions[name] = {row: value(term) for row, term in rows.items()}
    fixed = {"zero": 0, "one": 1, "compensate": is_so(compensate)}
    return Structure(
        sizes=sizes,
        relations=relations,
        functions=functions,
        constants=fixed | {name: value(term) for name, term in constants.items()},
    )


def counter_model(
    obligation: Obligation, wanted: Iterable[Formula] = (), sizes: Mapping[str, int] = SIZES
) -> Structure | None:
    """A structure of these sizes where the obligation fails and all that is wanted holds."""
    formulas = [*obligation.formulas().values(), *wanted]
    names = {name: sort for part in formulas for name, sort in constants_of(part).items()}
    constants = {name: z3.Const(name, SORT[sort]) for name, sort in names.items()}
    solver = z3.Solver()
    solver.add(*_domains(sizes, constants.values()))
    solver.add(*(ground(formula, sizes) for formula in formulas))
    if solver.check() != z3.sat:
        return None
    return _structure(solver.model(), sizes, constants)
