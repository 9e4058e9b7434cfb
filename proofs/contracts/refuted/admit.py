"""What somebody could take admission for: wrong statements, and all guards but one."""

from __future__ import annotations

from attrs import asdict

from contracts.holds import admit as holds
from contracts.holds.admit import all_but, committed_on, one_of_each
from contracts.shapes import FAILED, Listed, decided
from dart_core import GUARDS, guards


def check_stable_but_always(durable: bool) -> bool:
    """
    Every snapshot would be durable.

    post: __return__
    """
    return holds.check_stable(durable)


def check_repairs_but_at_the_suspect(
    places: tuple[int, int, int], own: tuple[bool, bool, bool], cut: int
) -> bool:
    """
    The act in doubt itself could be kept.

    post: __return__ == (cut <= min(holds.own_places(places, own), default=6))
    """
    return holds.check_repairs(places, own, cut)


def check_no_committed_conflict_but_whole_instance(
    one: tuple[int, int, int], two: tuple[int, int], cut: int
) -> bool:
    """
    Any committed consumer would be in the way, wherever the cut is (T9).

    pre: cut >= 0
    post: __return__ != (committed_on(one, 0) or committed_on(two, 0))
    """
    return holds.check_no_committed_conflict(one, two, cut)


def check_no_live_conflict_but_any_reader(
    one: tuple[int, int, int], two: tuple[int, int], cut: int
) -> bool:
    """
    A reader that has committed since would still be live.

    pre: cut >= 0
    post: __return__ == all(place <= cut for place in (*one, *two))
    """
    return holds.check_no_live_conflict(one, two, cut)


def check_whose_read_conflicts_but_own(
    whose: tuple[bool, bool], outside: bool, commits: bool, index: int, cut: int
) -> tuple[bool, bool]:
    """
    The failed instance's reads of its own versions would conflict.

    post: __return__[0] != (whose[1] and not outside and index > cut and commits)
    """
    return holds.check_whose_read_conflicts(whose, outside, commits, index, cut)


def check_effect_allowed_but_compensable(
    first: Listed, second: Listed, compensate: bool, cut: int
) -> bool:
    """
    What could be compensated might be undone although nobody may compensate.

    pre: 1 <= cut <= 3
    post: __return__ != any(holds.is_final(one, True) for one in (first, second)[cut - 1 :])
    """
    return holds.check_effect_allowed(first, second, compensate, cut)


def check_admissible_but_certified_suffices(
    certified: tuple[bool, bool, bool, bool], admits: tuple[bool, bool, bool, bool, bool]
) -> bool:
    """
    A certified boundary would be enough.

    post: __return__ == all(certified)
    """
    return holds.check_admissible(certified, admits)


def check_window_but_closed_at_the_end(
    read: int, effect: int, doubt: int, committed: bool, cut: int
) -> bool:
    """
    The window would contain the act in doubt.

    pre: 2 <= effect <= 5 and 2 <= cut <= 5
    post: __return__ == (max(read, effect) <= cut <= doubt)
    """
    return holds.check_window(read, effect, doubt, committed, cut)


def check_admitted_but_oldest_first(durable: tuple[bool, bool, bool]) -> tuple[str, ...]:
    """
    The oldest would come first.

    post: __return__ == tuple(f"c{place}" for place in (0, 1, 2) if durable[place])
    """
    return holds.check_admitted(durable)


def check_latest_but_last_of_equals(cuts: tuple[int, int, int, int]) -> int:
    """
    Of equal cuts the last would be chosen.

    post: all(cuts[place] < cuts[__return__] for place in range(__return__ + 1, 4))
    """
    return holds.check_latest(cuts)


def passes_without(dropped: str, broken: int) -> bool:
    """Whether the checkpoint passes all guards but the dropped one, where one of them is false."""
    history, saved = one_of_each(all_but(decided(broken, len(GUARDS))))
    values = asdict(guards(history, saved, FAILED))
    return all(value for guard, value in values.items() if guard != dropped)


def check_each_guard_but_stable(broken: int) -> bool:
    """
    A snapshot that is not durable would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("stable", broken)


def check_each_guard_but_decidable(broken: int) -> bool:
    """
    Somebody else's snapshot would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("decidable", broken)


def check_each_guard_but_closed(broken: int) -> bool:
    """
    An open handoff would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("closed", broken)


def check_each_guard_but_separable(broken: int) -> bool:
    """
    Rewinding somebody else would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("separable", broken)


def check_each_guard_but_controllable(broken: int) -> bool:
    """
    A boundary that policy closes would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("controllable", broken)


def check_each_guard_but_repairs(broken: int) -> bool:
    """
    Keeping the act in doubt would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("repairs", broken)


def check_each_guard_but_no_committed_conflict(broken: int) -> bool:
    """
    An orphaned commit would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("no_committed_conflict", broken)


def check_each_guard_but_no_live_conflict(broken: int) -> bool:
    """
    A reader about to commit would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("no_live_conflict", broken)


def check_each_guard_but_effect_allowed(broken: int) -> bool:
    """
    Erasing a final effect would be no obstacle.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    return passes_without("effect_allowed", broken)
