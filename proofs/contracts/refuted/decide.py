"""What somebody could take the decision for: each statement is wrong about the real function."""

from __future__ import annotations

from contracts.holds import decide as holds
from contracts.shapes import Listed
from dart_core import Decision, Verdict


def check_verdict_but_hazards_first(
    admits: bool, escalates: bool, first: Listed, second: Listed
) -> Verdict:
    """
    A hazard would ask for a person although a restore is admissible.

    post: (__return__ is Verdict.ESCALATE) == (escalates and holds.hazard(first, second))
    """
    return holds.check_verdict(admits, escalates, first, second)


def check_choice_but_last_saved(
    cuts: tuple[int, int], durable: tuple[bool, bool], pin: int
) -> Decision | None:
    """
    The last saved would be chosen, whatever its cut.

    pre: all(1 <= cut <= 2 for cut in cuts)
    post: not (durable[1] and cuts[1] >= pin) or __return__.checkpoint == "c1"
    """
    return holds.check_choice(cuts, durable, pin)


def check_not_identified_but_one_of_two(first: bool, second: bool, pending: int) -> Decision | None:
    """
    One of two candidates would be taken for the failed one.

    pre: 0 <= pending <= 2
    post: pending == 0 or holds.restores(__return__) == (pending == 1 and first)
    """
    return holds.check_not_identified(first, second, pending)
