"""What somebody could take a restore for: each statement is wrong about the real function."""

from __future__ import annotations

from attrs import evolve

from contracts.holds import restore as holds
from contracts.holds.restore import LENGTH, OWN_LOG, VERSIONS
from contracts.shapes import ACT, COMMIT, ENTER, FAILED, INVITE, ROOM, checkpoint, decided, reads
from dart_core import FrozenMap, History, Violation, no_committed_conflict, violations


def check_confined_but_off_by_one(cut: int) -> History:
    """
    The entry at the cut would be undone too.

    pre: 1 <= cut <= LENGTH
    post: __return__.log[FAILED] == OWN_LOG[: cut - 1]
    """
    return holds.check_confined(cut)


def check_versions_but_of_nobody_else(cut: int) -> History:
    """
    A version that another instance wrote in between would be gone.

    pre: 1 <= cut <= LENGTH
    post: __return__.store["slot"] == tuple(one for one in VERSIONS if one.index <= cut)[:cut]
    """
    return holds.check_versions(cut)


def check_checkpoints_but_later_saved(cut: int, first: int, second: int) -> History:
    """
    Whatever was saved later would be gone.

    pre: 1 <= cut <= LENGTH and 1 <= first <= LENGTH and 1 <= second <= LENGTH
    post: set(__return__.checkpoints) == {"c0"}
    """
    return holds.check_checkpoints(cut, first, second)


def check_unknown_owner_but_all(own: bool, invite: bool, cut: int) -> History:
    """
    Every owner would be rewound.

    pre: 1 <= cut <= LENGTH
    post: __return__.log[FAILED] == (OWN_LOG[:cut] if own else OWN_LOG)
    """
    return holds.check_unknown_owner(own, invite, cut)


def check_whole_task_but_confined(cut: int, other: int) -> History:
    """
    A snapshot of the whole task would touch nobody else.

    pre: 1 <= cut <= LENGTH and 0 <= other <= 2
    post: INVITE in __return__.log
    """
    return holds.check_whole_task(cut, other)


def check_sound_but_committed_only(
    read: int, commits: bool, commits_later: bool, cut: int
) -> frozenset[Violation]:
    """
    Blocking committed readers alone would leave every continuation valid.

    pre: 2 <= read <= LENGTH and 1 <= cut <= LENGTH
    post: not __return__
    """
    reader = (ENTER, reads(read), COMMIT if commits else ACT)
    history = holds.written()
    history = evolve(history, log=history.log.put(ROOM, reader))
    place = decided(cut, LENGTH)
    if not no_committed_conflict(history, FAILED, place):
        return frozenset()
    after = holds.restored(history, checkpoint(place))
    later = FrozenMap({**after.log, ROOM: (*reader, COMMIT if commits_later else ACT)})
    return violations(evolve(after, log=later))
