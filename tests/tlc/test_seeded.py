"""
Each condition of the specification, broken once: a model of the default run must see it.

A broken specification is seen where a model is violated, or does not have the pinned numbers.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attrs import frozen

from dart_tools.tlc import TlcError, TlcRun, run_tlc
from models import SPEC, manifest, pinned_of


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
    "save: id": Break("DART", r"IN /\ e.id \notin DOMAIN checkpoints", "IN", "MCDependencies"),
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


def broken(edit: Break, folder: Path) -> TlcRun:
    shutil.copytree(SPEC, folder, dirs_exist_ok=True)
    path = folder / f"{edit.module}.tla"
    text = path.read_text()
    assert text.count(edit.before) >= 1
    path.write_text(text.replace(edit.before, edit.after, 1))
    holds = manifest()[edit.model]["result"] == "holds"
    return TlcRun(folder=folder, model=edit.model, workers=2 if holds else 1)


def sees(edit: Break, folder: Path) -> str | None:
    """What the model says of the broken specification; None where it sees nothing."""
    try:
        found = run_tlc(broken(edit, folder))
    except TlcError as error:
        return str(error)
    pinned = {name: manifest()[edit.model][name] for name in pinned_of(found)}
    if pinned_of(found) == pinned:
        return None
    return found.violated or f"{found.distinct} states and not {pinned['distinct']}"


@pytest.mark.deep
@pytest.mark.parametrize("name", [*GUARDS, *ACTIONS])
def test_broken_condition_is_seen(name: str, tmp_path: Path) -> None:
    assert sees((GUARDS | ACTIONS)[name], tmp_path) is not None
