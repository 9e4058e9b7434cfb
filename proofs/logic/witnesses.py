"""Theorems T4, T9 and T11: what single histories and pairs of histories show."""

from __future__ import annotations

import z3

from dart_core import Act, Commit
from logic.dart import Step, act, claim, restore
from logic.diagram import diagram, padded, with_names
from logic.encode import encode
from logic.histories import INDEPENDENT, ONE_STEP, PAIRS, Case
from logic.invariant import invariant
from logic.limits import cooperative, no_committed_consumer
from logic.obligation import Obligation
from logic.step import admission, c, f, i
from logic.universe import Made, run_of
from logic.valid import invalid, invalid_restore
from logic.vocabulary import (
    NOW,
    Entry,
    Formula,
    Instance,
    State,
    Term,
    both,
    either,
    is_commit,
    no,
    one,
    zero,
)


class Witness:
    """A case as a structure, with names for whom its events are about."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.run = run_of(case.contract, case.played())
        self.now = len(case.events)
        self.state = encode(self.run, self.now)
        found = next(n for n, one in enumerate(self.state.checkpoints) if one.id == "c")
        failed = min(self.state.checkpoints[found].owners)
        self.values = {"c": found, "f": 0, "i": self.state.instances.index(failed)}
        self.terms: dict[str, Term] = {"c": c, "f": f, "i": i, "zero": zero, "one": one}

    def _name(self, event: Act | Commit, number: int) -> tuple[Term, Term]:
        """Constants for the instance of an event after the restore and for its entry."""
        instance = event.instance
        log = self.run[self.now + number + 2].log[instance]
        made = Made(instance, log[-1].attempt, len(log))
        names = (f"i{number + 1}", f"new{number + 1}")
        self.values[names[0]] = self.state.instances.index(instance)
        self.values[names[1]] = self.state.entries.index(made)
        terms = (z3.Const(names[0], Instance), z3.Const(names[1], Entry))
        self.terms |= dict(zip(names, terms, strict=True))
        return terms

    def goes_wrong(self) -> Formula:
        """That the restore, and what comes after it, can happen, and one of them is invalid."""
        step = restore(NOW, c)
        premises, state = list(step.premises.values()), step.after
        for number, event in enumerate(self.case.after):
            instance, new = self._name(event, number)
            taken = act if isinstance(event, Act) else _commit
            step = taken(state, instance, new)
            premises += step.premises.values()
            state = step.after
        return both(*premises, either(invalid_restore(NOW, c), invalid(state)))

    def shows(self, name: str, sentence: str, conclusion: Formula) -> Obligation:
        """The obligation that the conclusion is true of this case."""
        model = with_names(padded(self.state.structure.extended(self.values)))
        return Obligation(
            name=name,
            sentence=sentence,
            premises=diagram(model, self.terms),
            conclusion=conclusion,
            model=model,
        )


def _commit(state: State, instance: Term, new: Term) -> Step:
    return claim(state, instance, new, is_commit(new))


def _is_right() -> Formula:
    """That restoring `c` is admitted, in a history where T1 vouches for all that comes after."""
    step = restore(NOW, c)
    return both(
        *invariant(NOW).values(),
        *admission(NOW, f, c, i).values(),
        *step.premises.values(),
        no(either(invalid_restore(NOW, c), invalid(step.after))),
    )


def t4() -> list[Obligation]:
    """Independence: where one guard alone is left out, something invalid is admitted."""
    made = []
    for guard, case in INDEPENDENT.items():
        witness, found = Witness(case), admission(NOW, f, c, i)
        left_out = found.pop(guard)
        conclusion = both(*found.values(), no(left_out), witness.goes_wrong())
        sentence = f"In some history all guards but {guard} hold, and restoring is invalid"
        made.append(witness.shows(f"T4/{guard}", sentence, conclusion))
    return made


def t8_case() -> list[Obligation]:
    """Where control is given up elsewhere, no_live_conflict does not follow."""
    witness, found = Witness(INDEPENDENT["no_live_conflict"]), admission(NOW, f, c, i)
    blocks = no(found.pop("no_live_conflict"))
    conclusion = both(*found.values(), blocks, no(cooperative(NOW, i)), witness.goes_wrong())
    sentence = (
        "In some history that is not cooperative, no_live_conflict alone blocks what is invalid"
    )
    return [witness.shows("T8/only there", sentence, conclusion)]


def t9_case() -> list[Obligation]:
    """What the instance-wide reading blocks: the paper's own kind of recovery."""
    sentence = "In some history a restore is right, and the instance-wide reading blocks it"
    conclusion = both(_is_right(), no(no_committed_consumer(NOW, i)))
    return [Witness(ONE_STEP).shows("T9/blocks", sentence, conclusion)]


def t11() -> list[Obligation]:
    """Necessary information: two histories that differ in one fact, with different answers."""
    made = []
    for fact, (right, wrong) in PAIRS.items():
        good, bad = Witness(right), Witness(wrong)
        pair = f"Of two histories that differ in {fact} alone, restoring is"
        name = f"T11/{fact}"
        made += [
            good.shows(f"{name}/restored", f"{pair} right in one", _is_right()),
            bad.shows(f"{name}/not restored", f"{pair} invalid in one", bad.goes_wrong()),
        ]
    return made
