"""
That no obligation is vacuous: its premises hold in a state of a real history.

The histories are the named ones; all are played by the core.
"""

from __future__ import annotations

from functools import cache

from attrs import frozen

from dart_core import Act, Enter, Exit, Fail, Rerun, Restore, Save
from logic.encode import Encoded, encode
from logic.histories import CONTRACT, INDEPENDENT, ONE_STEP, PAIRS, READER, WRITER, tag
from logic.obligation import Obligation
from logic.structure import Structure, assignments, constants_of, holds
from logic.universe import run_of
from logic.vocabulary import AXIOMS, Formula


@frozen(kw_only=True, eq=False)
class Premises:
    """A state of a history in which the premises hold: its place in words, and as a structure."""

    where: str
    structure: Structure


_AGAIN = (
    Enter(WRITER),
    Save(id="c", tag=tag(WRITER)),
    Enter(READER),
    Fail(tag=tag(WRITER)),
    Restore("c"),
    Act(instance=WRITER, id="a", reads=frozenset(), writes=frozenset({"k"})),
    Fail(tag=tag(WRITER)),
    Restore("c"),
    Exit(WRITER, None),
    Exit(READER, None),
    Fail(tag=tag(READER)),
    Rerun(),
    Enter(WRITER),
)


@cache
def _states() -> list[tuple[str, int, Encoded]]:
    """The states of the named histories, each with the name of its history."""
    cases = {**INDEPENDENT, "one step": ONE_STEP}
    for fact, (right, wrong) in PAIRS.items():
        cases |= {f"{fact}, restored": right, f"{fact}, not restored": wrong}
    runs = {name: run_of(case.contract, case.played()) for name, case in cases.items()}
    runs["again and again"] = run_of(CONTRACT, _AGAIN)
    return [(name, now, encode(run, now)) for name, run in runs.items() for now in range(len(run))]


_found: dict[frozenset[int], Premises | None] = {}
_known: dict[tuple[int, int], bool] = {}


def _agrees(number: int, structure: Structure, formula: Formula) -> bool:
    """Whether a formula without free constants holds in the state of this number, asked once."""
    key = (number, formula.get_id())
    if key not in _known:
        _known[key] = holds(structure, formula)
    return _known[key]


def premises_hold(obligation: Obligation) -> Premises | None:
    """The first state in which all premises hold, and the axioms; None where there is none."""
    if obligation.model is not None:
        return _of_model(obligation, obligation.model)
    key = frozenset(part.get_id() for part in obligation.premises.values())
    if key not in _found:
        _found[key] = _search(AXIOMS | dict(obligation.premises))
    return _found[key]


def _of_model(obligation: Obligation, model: Structure) -> Premises | None:
    """The history that the premises describe."""
    needed = [*AXIOMS.values(), *obligation.premises.values()]
    agrees = all(holds(model, part) for part in needed)
    return Premises(where="the history that they describe", structure=model) if agrees else None


def _search(needed: dict[str, Formula]) -> Premises | None:
    closed = [part for part in needed.values() if not constants_of(part)]
    about = {name: part for name, part in needed.items() if constants_of(part)}
    for number, (name, now, state) in enumerate(_states()):
        if all(_agrees(number, state.structure, part) for part in closed):
            values = next(assignments(state.structure, about), None)
            if values is not None:
                where = f'"{name}" after {now} events'
                return Premises(where=where, structure=state.structure.extended(values))
    return None
