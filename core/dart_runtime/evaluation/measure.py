"""
One row under one strategy, measured.

What runs again is counted from the tool calls that were made, by no formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator

import msgspec
from attrs import frozen

from dart_core import (
    EffectClass,
    EntryKind,
    History,
    InstanceId,
    Verdict,
    last_commit,
    log_of,
    others,
    success,
    unsafe,
    violations,
)
from dart_core.valid import culprit, exists
from dart_runtime.domain import Domain
from dart_runtime.final import Deed, Final, canonical, marks
from dart_runtime.outcome import Outcome
from dart_runtime.policies import ArgumentPolicy, scripted
from dart_runtime.rows import Row
from dart_runtime.runner import run
from dart_runtime.strategies import STRATEGIES, Strategy

__all__ = [
    "Measured",
    "breaks",
    "dangling",
    "failure_free",
    "measure",
    "measure_all",
    "readers",
    "sensitive",
]


@frozen(kw_only=True)
class Measured:
    """
    What a strategy made of a row; `outcome` has it all.

    `violations` are those that carrying out the restore made at once and those at the end, `broken`
    what of the task's own contract does not hold, `dangling` the instances with a committed read of
    what no longer exists, `repeated` the irreversible effects that were had more than once.
    """

    domain: str
    row: str
    group: str
    strategy: str
    outcome: Outcome
    success: bool
    equivalent: bool
    replay: int
    upstream_replay: int
    preserved: int
    violations: tuple[str, ...]
    broken: tuple[str, ...]
    dangling: tuple[InstanceId, ...]
    repeated: int

    @property
    def verdict(self) -> Verdict | None:
        """What the strategy did about the failure; None where nothing failed."""
        recoveries = self.outcome.recoveries
        return recoveries[0].verdict if recoveries else None

    @property
    def unsafe(self) -> bool:
        """Whether a local restore was carried out, and did not lead to where no failure leads."""
        carried_out = self.verdict is Verdict.RESTORE and self.outcome.stopped is None
        return carried_out and bool(self.violations or self.broken or not self.equivalent)

    @property
    def harm(self) -> str:
        """What is wrong, in short."""
        differs = () if self.equivalent else ("another final state",)
        return ", ".join(self.violations or self.broken or differs)


def failure_free(domain: Domain, row: Row, policy: ArgumentPolicy = scripted) -> Final:
    """The final state of the row without its fault."""
    return run(domain, msgspec.structs.replace(row, fault=None), policy=policy).final


def dangling(history: History) -> tuple[InstanceId, ...]:
    """The instances that have a committed read of a version that no longer exists."""
    return tuple(
        instance
        for instance in sorted(history.log)
        if any(
            read.version is not None and not exists(history, read.version)
            for entry in log_of(history, instance)[: last_commit(history, instance)]
            for read in entry.reads
        )
    )


def readers(history: History, committed: bool) -> set[InstanceId]:
    """The other instances that have read (and committed on) what the failed instance wrote."""
    failed = culprit(history.failures[0])
    return {
        other
        for other in others(history, failed)
        for entry in log_of(history, other)[: last_commit(history, other) if committed else None]
        for read in entry.reads
        if read.version is not None and read.version.writer == failed
    }


def sensitive(history: History) -> bool:
    """Whether some other instance has committed on what the failed instance wrote."""
    return bool(readers(history, committed=True))


def _twice(deeds: Iterable[Deed]) -> int:
    had = Counter(
        (deed.version.writer, deed.effect)
        for deed in deeds
        if deed.effect_class is EffectClass.IRREVERSIBLE
    )
    return sum(count - 1 for count in had.values())


def breaks(domain: Domain, final: Final) -> list[str]:
    """What of the task's contract the final state breaks; of an unfinished one, that it is so."""
    if not final.finished:
        return ["the task is not finished"]
    found = [f"{place} holds something lost or damaged" for place in marks(final)]
    if _twice(final.deeds):
        found.append("something irreversible was done twice")
    return found + domain.broken(final)


def _executed(outcome: Outcome, failed: InstanceId | None) -> tuple[int, int]:
    again = {place: count - 1 for place, count in outcome.calls.items()}
    upstream = sum(count for (instance, _), count in again.items() if instance != failed)
    return sum(again.values()), upstream


def _preserved(outcome: Outcome) -> int:
    if not outcome.recoveries:
        return 0
    recovery = outcome.recoveries[0]
    exited = {
        instance for instance, log in recovery.before.log.items() if log[-1].kind is EntryKind.EXIT
    }
    again = {
        instance
        for (instance, tool), count in outcome.calls.items()
        if count > recovery.calls.get((instance, tool), 0)
    }
    return len(exited - again)


def _violations(outcome: Outcome) -> tuple[str, ...]:
    found = set(violations(outcome.history))
    for recovery in outcome.recoveries:
        if recovery.checkpoint is not None and outcome.stopped is None:
            found |= unsafe(recovery.before, recovery.checkpoint)
    return tuple(sorted(one.value for one in found))


def measure(
    domain: Domain,
    name: str,
    strategy: Strategy,
    policy: ArgumentPolicy = scripted,
    free: Final | None = None,
) -> Measured:
    """The row under the strategy, compared with the final state `free` of the row without fault."""
    row = domain.rows[name]
    outcome = run(domain, row, strategy, policy=policy)
    if free is None:
        free = failure_free(domain, row, policy)
    broken = breaks(domain, outcome.final)
    failed = culprit(outcome.recoveries[0].before.failures[0]) if outcome.recoveries else None
    replay, upstream = _executed(outcome, failed)
    return Measured(
        domain=domain.name,
        row=name,
        group=row.group,
        strategy=strategy.name,
        outcome=outcome,
        success=success(outcome.history, not broken),
        equivalent=canonical(outcome.final) == canonical(free),
        replay=replay,
        upstream_replay=upstream,
        preserved=_preserved(outcome),
        violations=_violations(outcome),
        broken=tuple(broken),
        dangling=dangling(outcome.history),
        repeated=_twice(outcome.world),
    )


def measure_all(
    domains: Iterable[Domain],
    strategies: Iterable[Strategy] = STRATEGIES.values(),
    *,
    rows: Container[str] | None = None,
    policy: ArgumentPolicy = scripted,
) -> Iterator[Measured]:
    """Every row of the domains, or every one of `rows`, under every strategy."""
    chosen = tuple(strategies)
    for domain in domains:
        for name, row in domain.rows.items():
            if rows is None or name in rows:
                free = failure_free(domain, row, policy)
                for strategy in chosen:
                    yield measure(domain, name, strategy, policy, free)
