"""What somebody could take certification for: each statement is wrong about the real function."""

from __future__ import annotations

from contracts.holds import certify as holds
from contracts.shapes import Step
from dart_core import Boundary, EntryKind


def check_boundary_but_claimed(kinds: tuple[EntryKind, EntryKind, EntryKind], cut: int) -> Boundary:
    """
    A commit checkpoint would stand right after a commit.

    pre: 1 <= cut <= 4
    post: (__return__ is Boundary.COMMIT) == (cut > 1 and kinds[cut - 2] is EntryKind.COMMIT)
    """
    return holds.check_boundary(kinds, cut)


def check_decidable_but_among_owners(own: bool, twin: bool, other: bool, invite: bool) -> bool:
    """
    It would be enough to be among the owners.

    post: __return__ == own
    """
    return holds.check_decidable(own, twin, other, invite)


def check_closed_but_by_any_commit(steps: tuple[Step, Step, Step], cut: int) -> bool:
    """
    A false commit would close a handoff.

    pre: 1 <= cut <= 4
    post: __return__ != any(last is Step.WRITES for last in steps[max(cut - 2, 0) : cut - 1])
    """
    return holds.check_closed(steps, cut)


def check_closed_by_key_but_for_good(
    first: bool, second: bool, exits: bool, done: bool, cut: int
) -> bool:
    """
    Once closed, a handoff would stay closed.

    pre: 2 <= cut <= 5
    post: __return__ == (cut >= 3 and first)
    """
    return holds.check_closed_by_key(first, second, exits, done, cut)


def check_separable_but_one_other(
    task: bool, lengths: tuple[int, int], cuts: tuple[int, int], covered: bool
) -> bool:
    """
    Only those that the snapshot covers would count.

    pre: all(1 <= length <= 3 for length in lengths)
    pre: all(cut >= 1 for cut in cuts)
    post: __return__ == (not task or (lengths[0] <= cuts[0] and lengths[1] <= cuts[1]))
    """
    return holds.check_separable(task, lengths, cuts, covered)


def check_controllable_but_unreviewed(
    opened: tuple[bool, bool, bool], reviewed: bool, exits: bool, cut: int
) -> bool:
    """
    What nobody reviewed would be open.

    pre: 1 <= cut <= 3
    post: __return__ or (reviewed and not opened[0 if cut == 1 else 2 if cut == 3 and exits else 1])
    """
    return holds.check_controllable(opened, reviewed, exits, cut)


def check_certified_but_open(own: bool, handed: bool, alone: bool, opened: bool) -> bool:
    """
    An open handoff would be certified.

    post: __return__ == (own and alone and opened)
    """
    return holds.check_certified(own, handed, alone, opened)
