"""
Find the smallest histories and write them: as traces, and drawn in this folder's README.

`python -m necessity.generate` writes them in place; a test compares bytes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from attrs import frozen

from dart_core import (
    GUARDS,
    Decision,
    History,
    Restore,
    Verdict,
    Violation,
    decide,
    fold,
)
from dart_tools import wire
from dart_tools.codec import Header, encode_trace
from necessity.drawing import draw
from necessity.policies import BASELINES, WITHOUT
from necessity.search import CONTRACT, WHOLE, WRITE_AND_COMMIT, Found, smallest

__all__ = ["FOLDER", "README", "Shown", "main", "readme", "shown", "traces"]

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reference_traces" / "v1" / "necessity"
README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- generated: begin -->\n", "<!-- generated: end -->\n"

# No shorter history is missed: a search that goes on for longer finds the same.
DEPTH = 7

WORDS = {
    Violation.ORPHANED_COMMIT: "orphaned commit (V1)",
    Violation.TORN_HANDOFF: "torn handoff (V2)",
    Violation.ERASED_EFFECT: "erased effect (V3)",
    Violation.WRONG_INSTANCE: "wrong instance (V4)",
    Violation.SUSPECT_STANDS: "suspect stands (V5)",
    Violation.BOUNDARY_NOT_OPEN: "boundary not open (V6)",
}


@frozen
class Shown:
    """One smallest history: its file's name, its title, and what was found."""

    name: str
    title: str
    found: Found

    @property
    def wrong(self) -> list[str]:
        """What is wrong at the last event, in words."""
        return [words for violation, words in WORDS.items() if violation in self.found.wrong]


def orphans_at_once(found: Found) -> bool:
    """Whether the restore itself takes away what another instance has committed on."""
    at_once = isinstance(found.events[-1], Restore)
    return at_once and Violation.ORPHANED_COMMIT in found.wrong


@cache
def shown() -> tuple[Shown, ...]:
    """All smallest histories, in the order in which they are drawn."""
    sensitive = smallest(WRITE_AND_COMMIT, BASELINES, DEPTH, orphans_at_once)
    anyhow = smallest(WHOLE, BASELINES | WITHOUT, DEPTH)
    return (
        *(
            Shown(f"{name}_on_commitments", f"`{name}`, commitment-sensitive", found)
            for name in BASELINES
            if (found := sensitive.get(name))
        ),
        *(Shown(name, f"`{name}`", anyhow[name]) for name in BASELINES),
        *(Shown(name, f"all guards but `{name[8:]}`", anyhow[name]) for name in WITHOUT),
    )


def decided(one: Shown) -> Decision:
    """The decision just before the wrong restore."""
    place = next(n for n, event in enumerate(one.found.events) if isinstance(event, Restore))
    before = fold(CONTRACT, one.found.events[:place])
    decision = decide(before) if isinstance(before, History) else None
    if decision is None:
        raise ValueError(one.name)
    return decision


def trace(one: Shown) -> bytes:
    """The history as a trace that expects the right decision."""
    decision = decided(one)
    expect = wire.Expectation(verdict=decision.verdict.value, checkpoint=decision.checkpoint)
    header = Header(
        name=f"necessity/{one.name}",
        contract=CONTRACT,
        notes=f"The smallest history in which this policy goes wrong: {', '.join(one.wrong)}.",
        expect=(expect,),
    )
    return encode_trace(header, one.found.events)


def traces() -> dict[str, bytes]:
    """The traces by the names of their files."""
    return {f"{one.name}.jsonl": trace(one) for one in shown()}


def instead(one: Shown) -> str:
    """What the procedure decides in the place of the wrong restore, and why."""
    decision = decided(one)
    chosen = "restore " + (decision.checkpoint or "")
    verdict = chosen if decision.verdict is Verdict.RESTORE else decision.verdict.value
    if decision.instance is None:
        return f"decided: {verdict}, because nobody knows which instance failed"
    blocked = [
        f"{judged.id} is blocked by {', '.join(f'`{guard}`' for guard in false)}"
        for judged in decision.checkpoints
        if (false := [guard for guard in GUARDS if not getattr(judged.guards, guard)])
    ]
    return f"decided: {verdict}" + (f", because {'; '.join(blocked)}" if blocked else "")


def section(one: Shown) -> str:
    """One history as the README shows it."""
    events = one.found.events
    picture = draw(events, one.wrong)
    file = f"reference_traces/v1/necessity/{one.name}.jsonl"
    return (
        f"### {one.title}: {len(events)} events\n\n```text\n{picture}\n```\n\n"
        f"Instead is {instead(one)}.\nThe trace is `{file}`.\n\n"
    )


def readme() -> str:
    """The README of the folder with all histories drawn anew."""
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n" + "".join(map(section, shown())) + END + after


def main() -> None:
    """Write the traces and the README."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in traces().items():
        (FOLDER / name).write_bytes(data)
    README.write_text(readme(), encoding="utf-8")


if __name__ == "__main__":
    main()
