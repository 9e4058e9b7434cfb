"""A fault at every act of the rows in which nothing fails, in both ways, one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from attrs import evolve

from dart_runtime.domain import Domain
from dart_runtime.evaluation.measure import Measured, failure_free, measure
from dart_runtime.rows import Fault, Row
from dart_runtime.runner import run
from dart_runtime.strategies import BASELINES, DART, Strategy

__all__ = ["placements", "sweep"]

WAYS: tuple[Literal["refused", "lost"], ...] = ("refused", "lost")


def placements(domain: Domain, row: Row) -> Iterator[Row]:
    """The row with a fault at each of its acts."""
    for instance, act in run(domain, row).calls:
        for how in WAYS:
            fault = Fault(instance=str(instance), act=act, how=how)
            yield msgspec.structs.replace(row, fault=fault)


def sweep(
    domains: Iterable[Domain], strategies: Iterable[Strategy] = (*BASELINES, DART)
) -> Iterator[Measured]:
    """Every placement of a fault under every strategy."""
    chosen = tuple(strategies)
    for domain in domains:
        for name, row in domain.rows.items():
            if row.fault is None:
                free = failure_free(domain, row)
                for failing in placements(domain, row):
                    placed = evolve(domain, rows={name: failing})
                    for strategy in chosen:
                        yield measure(placed, name, strategy, free=free)
