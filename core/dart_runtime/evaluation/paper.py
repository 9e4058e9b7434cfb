"""
The counts that the paper reports, where they are known.

Yang et al., "DART: Semantic Recoverability for Structured Tool Agents", arXiv 2605.23311; known
through summaries. Its latencies came from live models and are not compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

__all__ = [
    "AUDIT",
    "CASES",
    "DANGLING",
    "GRANULARITY",
    "LANGGRAPH",
    "NAMES",
    "Reported",
]


@frozen
class Reported:
    """What the paper reports of one strategy; None where it does not."""

    success: float | None = None
    replay: float | None = None
    upstream_replay: float | None = None
    preserved: float | None = None


NAMES = {
    "retry_only": "Retry-Only",
    "coarse_state": "Coarse-State-Retry",
    "savepoint": "Savepoint",
    "entry_only": "Comp-EntryOnly",
    "dart": "Comp-Frozen (DART)",
}

CASES: Mapping[str, Mapping[str, Reported]] = {
    "navigation": {
        "retry_only": Reported(1, 18, 14),
        "coarse_state": Reported(1, 4),
        "entry_only": Reported(0),
        "dart": Reported(1, 1, None, 2),
    },
    "schedule_form": {
        "retry_only": Reported(1, 29, 24),
        "entry_only": Reported(0),
        "dart": Reported(1, 1, None, 5),
    },
    "diagnosis": {
        "retry_only": Reported(1, 16.5, 10.5),
        "coarse_state": Reported(1, 5),
        "entry_only": Reported(0),
        "dart": Reported(1, 2, None, 2.5),
    },
}

LANGGRAPH: Mapping[str, Reported] = {
    "retry_only": Reported(1, 25.5),
    "entry_only": Reported(0),
    "dart": Reported(1, 1),
}

GRANULARITY: Mapping[str, Reported] = {
    "retry_only": Reported(None, 12, 8),
    "entry_only": Reported(None, 4),
    "dart": Reported(None, 1),
}

DANGLING = 2

AUDIT: Mapping[str, int] = {
    "rows": 54,
    "safe-equivalent": 54,
    "events": 47,
    "admitted": 35,
    "blocked": 12,
    "unsafe": 0,
    "false blocks": 0,
    "blocked checkpoints": 16,
    "false among them": 0,
}
