"""
The monitor's choice among the certified checkpoints of an instance, and the definition's.

Entries are at even numbers of events and checkpoints at odd ones, so that a cut of n stands at
2n + 1 and the entry with index s at 2s.
Cuts never fall from one checkpoint to the next.
"""

from __future__ import annotations

from dart_core.monitor.ruling import last_before, within
from dart_core.monitor.track import Saved

__all__ = ["by_definition", "by_monitor", "by_monitor_past_the_pin"]

NONE = -1
NO_CASE = -2


def _is_case(cuts: tuple[int, int, int], pin: int, suspect: int) -> bool:
    first, second, third = cuts
    return 1 <= first <= second <= third and pin >= 0 and suspect >= 1


def _chosen(cuts: tuple[int, int, int], suspect: int) -> Saved | None:
    certified = []
    for number, cut in enumerate(cuts):
        saved = Saved(id=str(number), at=2 * cut + 1, task=False, stable=True, owners=())
        saved.cut = cut
        certified.append(saved)
    return last_before(certified, 2 * suspect)


def by_monitor(cuts: tuple[int, int, int], pin: int, suspect: int) -> int:
    """The latest before the suspect, where it keeps the pin."""
    if not _is_case(cuts, pin, suspect):
        return NO_CASE
    chosen = _chosen(cuts, suspect)
    return NONE if chosen is None or not within(chosen.cut, pin) else int(chosen.id)


def by_monitor_past_the_pin(cuts: tuple[int, int, int], pin: int, suspect: int) -> int:
    """The same with a bug: the cut has to be past the pin."""
    if not _is_case(cuts, pin, suspect):
        return NO_CASE
    chosen = _chosen(cuts, suspect)
    return NONE if chosen is None or not within(chosen.cut, pin + 1) else int(chosen.id)


def by_definition(cuts: tuple[int, int, int], pin: int, suspect: int) -> int:
    """The latest of all that are in the window."""
    if not _is_case(cuts, pin, suspect):
        return NO_CASE
    chosen = NONE
    for number, cut in enumerate(cuts):
        if pin <= cut < suspect:
            chosen = number
    return chosen
