"""What has to be proved: premises by name, a conclusion, and the sentence that it says."""

from __future__ import annotations

import re
from collections.abc import Mapping

import z3
from attrs import evolve, frozen

from logic.structure import Structure
from logic.vocabulary import AXIOMS, SORTS, Formula, symbols


@frozen(kw_only=True, eq=False)
class Obligation:
    """
    One proof obligation of a theorem: that the premises imply the conclusion.

    Free constants stand for any individuals. `model` is the structure that the premises describe,
    where they describe just one.
    """

    name: str
    sentence: str
    premises: Mapping[str, Formula]
    conclusion: Formula
    model: Structure | None = None

    @property
    def theorem(self) -> str:
        """The theorem that it is a part of: what its name begins with."""
        return self.name.split("/", maxsplit=1)[0]

    def without(self, premise: str) -> Obligation:
        """The obligation with one premise left out."""
        left = {name: formula for name, formula in self.premises.items() if name != premise}
        return evolve(self, premises=left)

    def formulas(self) -> dict[str, Formula]:
        """What is satisfiable if and only if the obligation does not hold, by name."""
        axioms = {f"axiom: {name}": formula for name, formula in AXIOMS.items()}
        premises = {f"premise: {name}": formula for name, formula in self.premises.items()}
        return axioms | premises | {"the conclusion does not hold": z3.Not(self.conclusion)}


def _numbered(text: str) -> str:
    """The text with its bound variables numbered from 1, whatever was built before it."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"{found[1]}.{len(numbers) + 1}")

    return re.sub(r"\b(\w+)\.\d+\b", number, text)


def smt_text(obligation: Obligation) -> str:
    """The obligation in SMT-LIB 2.6: it holds if and only if the answer is `unsat`."""
    formulas = obligation.formulas()
    used = {one.name(): one for formula in formulas.values() for one in symbols(formula)}
    lines = [f"; {obligation.name}: {obligation.sentence}.", "(set-logic UF)"]
    lines += [f"(declare-sort {sort} 0)" for sort in SORTS]
    lines += [used[name].sexpr() for name in sorted(used)]
    for name, formula in formulas.items():
        lines += [f"; {name}", f"(assert {_numbered(formula.sexpr())})"]
    return "\n".join([*lines, "(check-sat)", ""])
