"""
Each condition of the specification, broken once: independent checks must see it, two at least.

The checks are those of the default run: a model is violated or does not have the pinned numbers,
the reference traces go otherwise than the core says, the core's graph of a model is another.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from attrs import frozen

from claims_of import refused_claims, valid_claims
from dart_tools.graphs import compare
from dart_tools.tlc import TlcError, TlcRun, run_tlc
from dart_tools.validate import Claim, Stop, validate
from graphs_of import SLICES
from models import SPEC, manifest, pinned_of

pytestmark = pytest.mark.deep

Check = Callable[["Break", Path], bool]


@frozen
class Break:
    """One edit of a module, and the model that must see it."""

    module: str
    before: str
    after: str
    model: str


GUARDS = {
    "decidable": Break("Certify", "== c.owners = {i}", r"== i \in c.owners", "MCIdentity"),
    "closed": Break("Certify", "== OpenWrites(i, n) = {}", "== TRUE", "MCHandoffs"),
    "separable": Break(
        "Certify", r'== c.scope = "instance" \/ Overrun(c, i) = {}', "== TRUE", "MCScope"
    ),
    "controllable": Break(
        "Certify", "== Opens(i.skeleton, Boundary(i, n))", "== TRUE", "MCHandoffs"
    ),
    "stable": Break("Admit", "== c.stable", "== TRUE", "MCDependencies"),
    "repairs": Break("Admit", "== n < Suspect(i)", "== TRUE", "MCSuspects"),
    "repairs by one": Break("Admit", "== n < Suspect(i)", "== n <= Suspect(i)", "MCSuspects"),
    "repairs too strict": Break(
        "Admit", "== n < Suspect(i)", "== n + 1 < Suspect(i)", "MCSuspects"
    ),
    "no_committed_conflict": Break(
        "Admit", r"\A q \in 1..LastCommit(j) :", r"\A q \in 2..1 :", "MCDependencies"
    ),
    "no_live_conflict": Break(
        "Admit", r"\A q \in LastCommit(j) + 1..Len(log[j]) :", r"\A q \in 2..1 :", "MCDependencies"
    ),
    "conflicts too wide": Break(
        "Admit",
        r"r.version.writer = i /\ r.version.index > n}",
        "r.version.writer = i}",
        "MCDependencies",
    ),
    "effect_allowed": Break("Admit", "== FixedEffects(i, n) = {}", "== TRUE", "MCEffects"),
    "compensation": Break(
        "Contract", r'"compensable" /\ Contract.compensate)', '"compensable")', "MCEffects"
    ),
    "identified: one failure": Break(
        "Localize",
        r"Len(failures) = 1 /\ Cardinality",
        r"failures # << >> /\ Cardinality",
        "MCRecurrence",
    ),
    "identified: one candidate": Break(
        "Localize",
        r"/\ Cardinality(failures[1].candidates) = 1",
        r"/\ failures[1].candidates # {}",
        "MCIdentity",
    ),
    "candidates are live": Break(
        "Localize",
        r"[] OTHER -> {i \in DOMAIN log : Live(i) /\ Fits(e, i)}",
        r"[] OTHER -> {i \in DOMAIN log : Fits(e, i)}",
        "MCIdentity",
    ),
    "state fits": Break(
        "Localize",
        r"e.state = Null \/ e.state \in SkeletonOf(i.skeleton).states",
        "TRUE",
        "MCIdentity",
    ),
    "tool fits": Break(
        "Localize",
        r"e.tool = Null \/ e.tool \in DOMAIN SkeletonOf(i.skeleton).tools",
        "TRUE",
        "MCIdentity",
    ),
    "entity fits": Break(
        "Localize",
        r"/\ e.tag.entity # Null \/ BoundEntity(e, i) \in {Null, i.entity}",
        "",
        "MCIdentity",
    ),
    "false commits close nothing": Break(
        "History",
        "Holds(SkeletonOf(i.skeleton).commit, i.entity, state, keys)",
        "TRUE",
        "MCHandoffs",
    ),
}

ACTIONS = {
    "enter: not yet": Break("DART", r"/\ ~Entered(i)", "", "MCScope"),
    "enter: next ordinal": Break(
        "DART", r"/\ i.ordinal = 1 \/ Entered([i EXCEPT !.ordinal = @ - 1])", "", "MCIdentity"
    ),
    "step: live": Break(
        "DART", r"Live(i) /\ ~Suspended(i)" + "\n\n", "~Suspended(i)\n\n", "MCHandoffs"
    ),
    "step: not suspended": Break(
        "DART", r"CanStep(i) == Live(i) /\ ~Suspended(i)", "CanStep(i) == Live(i)", "MCDependencies"
    ),
    "act: id": Break("DART", r"/\ e.id # Null => PlacesOf(e.id) = {}", "", "MCSuspects"),
    "act: gaps": Break("DART", r"/\ Gaps(e) = {}", "", "MCRerun"),
    "save: id": Break("DART", r"IN /\ e.id \notin DOMAIN checkpoints", "IN", "MCIdentity"),
    "save: entered": Break(
        "DART",
        r"owners # {} /\ \A i \in owners : ~Suspended(i)",
        r"\A i \in owners : ~Suspended(i)",
        "MCDependencies",
    ),
    "save: not suspended": Break(
        "DART", r"owners # {} /\ \A i \in owners : ~Suspended(i)", "owners # {}", "MCDependencies"
    ),
    "restore: failure": Break("DART", r"IN /\ failures # << >>", "IN", "MCAny"),
    "restore: there": Break("DART", r"/\ e.checkpoint \in DOMAIN checkpoints", "", "MCAny"),
    "rerun: failure": Break("DART", "Rerun ==\n    /\\ failures # << >>", "Rerun ==", "MCRerun"),
}


def broken(edit: Break, folder: Path) -> None:
    """Copy the specification to the folder, with this edit."""
    shutil.copytree(SPEC, folder, dirs_exist_ok=True)
    path = folder / f"{edit.module}.tla"
    text = path.read_text()
    assert text.count(edit.before) >= 1
    path.write_text(text.replace(edit.before, edit.after, 1))


def seen_by_model(edit: Break, folder: Path) -> bool:
    """Whether the model is violated, or has other numbers than those that are pinned."""
    found = pinned_of(run_tlc(TlcRun(folder=folder, model=edit.model)))
    return found != {name: manifest()[edit.model][name] for name in found}


def seen_by_graph(edit: Break, folder: Path) -> bool:
    """Whether the core's graph of the model is another."""
    return not compare(folder, edit.model, workers=2).equal


@cache
def claimed() -> tuple[list[Claim], list[Stop]]:
    """The reference traces with the core's decisions, and where they have to stop."""
    refused = list(refused_claims())
    return [*valid_claims(), *(claim for claim, _ in refused)], [stop for _, stop in refused]


def seen_by_traces(_edit: Break, folder: Path) -> bool:
    """Whether a reference trace goes otherwise than the core says."""
    claims, stops = claimed()
    return validate(folder, claims) != stops


CHECKS = (seen_by_model, seen_by_traces, seen_by_graph)


def checks_that_see(edit: Break, folder: Path) -> Iterator[Check]:
    for check in (seen_by_model, seen_by_traces, seen_by_graph):
        if check is seen_by_graph and edit.model not in SLICES:
            continue  # it has no graph that is compared
        try:
            seen = check(edit, folder)
        except TlcError:
            seen = True  # TLC cannot even evaluate it
        if seen:
            yield check


def test_nothing_is_seen_where_nothing_is_broken(tmp_path: Path) -> None:
    edit = Break("Admit", "== c.stable", "== c.stable", "MCRerun")
    broken(edit, tmp_path)
    assert list(checks_that_see(edit, tmp_path)) == []


@pytest.mark.parametrize("name", [*GUARDS, *ACTIONS])
def test_broken_condition_is_seen_by_independent_checks(name: str, tmp_path: Path) -> None:
    edit = (GUARDS | ACTIONS)[name]
    broken(edit, tmp_path)
    seen = list(checks_that_see(edit, tmp_path))
    print(f"{name}: {', '.join(check.__name__ for check in seen)}")
    assert len(seen) >= 2
    assert (seen_by_graph in seen) == (edit.model in SLICES)
