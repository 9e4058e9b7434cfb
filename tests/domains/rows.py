"""The names of the rows, for parametrized tests: (domain, row)."""

from __future__ import annotations

from dart_runtime.domain import DOMAINS, load_domain

ROWS = [(name, row) for name in DOMAINS for row in load_domain(name).rows]
FAILING = [(name, row) for name, row in ROWS if load_domain(name).rows[row].fault is not None]
CONTROLS = [pair for pair in ROWS if pair not in FAILING]
