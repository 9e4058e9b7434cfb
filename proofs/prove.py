"""
List the proof obligations with what both solvers say of each, and fail on any that is not proved.

    python proofs/prove.py                  every theorem
    python proofs/prove.py T3               one theorem, or several
    python proofs/prove.py T1/restore/V4    one obligation
    python proofs/prove.py --show T3/task   what was proved: its SMT-LIB text, too
    python proofs/prove.py --without closed what fails without a guard, and a trace that shows it

An obligation counts as proved when both solvers say so and its premises hold in a real history.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from dart_core import Restore
from dart_tools.codec import Header, encode_trace
from logic.idle import WITHOUT_GUARD, weakened, without_guard
from logic.obligation import Obligation, smt_text
from logic.solve import SOLVERS, Answer, solve
from logic.theorems import THEOREMS, claim_of, obligations
from logic.vacuity import premises_hold


def chosen(names: Sequence[str]) -> Iterator[Obligation]:
    """The obligations of these names, of theorems or single ones; all where none is given."""
    for theorem in THEOREMS:
        wanted = [name for name in names if name.split("/")[0] == theorem]
        for one in obligations(theorem):
            if not names or any(name in {one.name, theorem} for name in wanted):
                yield one


def report(obligation: Obligation, *, show: bool) -> bool:
    """Print one obligation, and yield whether it is proved by both solvers and not vacuous."""
    results = {solver: solve(obligation, solver) for solver in SOLVERS}
    premises = premises_hold(obligation)
    said = "  ".join(
        f"{solver} {result.answer.value} {result.seconds:5.2f} s"
        for solver, result in results.items()
    )
    print(f"{obligation.name:44} {said}\n    {obligation.sentence}.")
    if show:
        print(smt_text(obligation))
    where = "VACUOUS" if premises is None else premises.where
    if show or premises is None:
        print(f"    The premises hold in: {where}.")
    proved = all(result.answer is Answer.PROVED for result in results.values())
    return proved and premises is not None


def tell_without(guard: str) -> None:
    """Print which obligation fails without the guard, and a trace in which something goes wrong."""
    played = without_guard(guard)
    if played is None:
        message = f"{weakened(guard).name} does not need {guard}"
        raise ValueError(message)
    header = Header(name=f"without {guard}", contract=played.contract)
    print(f"Without {guard}, {weakened(guard).name} fails. All other guards hold in this trace:\n")
    print(encode_trace(header, (*played.events, Restore(played.checkpoint))).decode())
    found = ", ".join(sorted(f"{one.value} {one.name.lower()}" for one in played.found))
    print(f"The restore is invalid, at once or within two events: {found}.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove what is asked for: 0 where all is proved, 1 where not, 2 where no such name is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="theorems or obligations; all where none is given")
    parser.add_argument("--show", action="store_true", help="print the SMT-LIB text, too")
    parser.add_argument("--without", choices=WITHOUT_GUARD, help="leave out one guard instead")
    given = parser.parse_args(arguments)
    if given.without:
        tell_without(given.without)
        return 0
    failed, proved, theorem = [], 0, ""
    for one in chosen(given.names):
        if one.theorem != theorem:
            theorem = one.theorem
            print(f"\n{theorem}: {claim_of(theorem)}\n")
        if report(one, show=given.show):
            proved += 1
        else:
            failed.append(one.name)
    print(f"\n{proved} proved by {' and '.join(SOLVERS)}, {len(failed)} not proved", *failed)
    if not proved and not failed:
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
