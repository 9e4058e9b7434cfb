"""Both solvers, on the same SMT-LIB text: neither shares any code with the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

import cvc5
import z3
from attrs import frozen

from logic.obligation import Obligation, smt_text

LIMIT_MS = 30_000


class Answer(Enum):
    """What a solver says of an obligation; what it cannot decide is not proved."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


_ANSWERS = {"unsat": Answer.PROVED, "sat": Answer.REFUTED}


@frozen
class Result:
    """One solver's answer, and how long it took."""

    answer: Answer
    seconds: float


def ask_z3(text: str) -> str:
    """What z3 answers."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", LIMIT_MS)
    solver.from_string(text)
    return str(solver.check())


def ask_cvc5(text: str) -> str:
    """What cvc5 answers, by its own parser."""
    solver = cvc5.Solver()
    solver.setOption("enum-inst", "true")
    solver.setOption("tlimit-per", str(LIMIT_MS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, parser.getSymbolManager())
    return said.strip()


SOLVERS: dict[str, Callable[[str], str]] = {"z3": ask_z3, "cvc5": ask_cvc5}


def solve(obligation: Obligation, solver: str) -> Result:
    """The answer of the solver of this name."""
    text = smt_text(obligation)
    begun = time.perf_counter()
    said = SOLVERS[solver](text)
    return Result(_ANSWERS.get(said, Answer.UNKNOWN), time.perf_counter() - begun)
