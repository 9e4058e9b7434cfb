"""What comes of a run."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from dart_core import Checkpoint, Event, History, InstanceId, Verdict
from dart_runtime.final import Deed, Final

__all__ = ["Calls", "Outcome", "Recovery"]

Calls = Mapping[tuple[InstanceId, str], int]


@frozen(kw_only=True)
class Recovery:
    """
    What a strategy did about a failure.

    `before` is the history in which it decided; `calls` what had been called until then.
    """

    before: History
    verdict: Verdict
    checkpoint: Checkpoint | None
    calls: Calls


@frozen(kw_only=True)
class Outcome:
    """
    What came of a run.

    `calls` counts the tool calls that were really made; `world` is all that was ever done to the
    world; `stopped` says why a run did not go on.
    """

    final: Final
    world: tuple[Deed, ...]
    history: History
    events: tuple[Event, ...]
    recoveries: tuple[Recovery, ...]
    calls: Calls
    stopped: str | None
