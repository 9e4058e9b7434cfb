"""Step 4: each guard, their conjunction and the choice of the latest, as independently stated."""

from __future__ import annotations

from attrs import evolve

from contracts.shapes import (
    ACT,
    COMMIT,
    CONTRACT,
    ENTER,
    FAILED,
    INVITE,
    ROOM,
    WRITE,
    Listed,
    checkpoint,
    decided,
    failure,
    members,
    read_by,
    reads,
)
from dart_core import (
    GUARDS,
    Boundary,
    Checkpoint,
    Contract,
    Entry,
    EntryKind,
    FrozenMap,
    History,
    InstanceId,
    Scope,
    Skeleton,
    Tag,
    admissible,
    admitted,
    effect_allowed,
    latest,
    no_committed_conflict,
    no_live_conflict,
    repairs,
    stable,
)


def check_stable(durable: bool) -> bool:
    """
    A checkpoint is stable where its snapshot is durable.

    post: __return__ == durable
    """
    return stable(checkpoint(1, stable=durable))


def own_places(places: tuple[int, ...], own: tuple[bool, ...]) -> list[int]:
    """The places that are flagged as the failed instance's own."""
    return [place for place, is_own in zip(places, own, strict=True) if is_own]


def check_repairs(places: tuple[int, int, int], own: tuple[bool, bool, bool], cut: int) -> bool:
    """
    The cut is before each act of the failed instance that is in doubt.

    post: __return__ == (cut < min(own_places(places, own), default=6))
    """
    owners = tuple(FAILED if is_own else INVITE for is_own in own)
    pending = tuple(failure(FAILED, suspect=place) for place in zip(owners, places, strict=True))
    return repairs(evolve(read_by(length=5), failures=(failure(FAILED), *pending)), FAILED, cut)


def committed_on(places: tuple[int, ...], cut: int) -> bool:
    """Whether a commit (a negative place) stands after a read of a version beyond the cut."""
    stale = False
    for place in places:
        if place < 0 and stale:
            return True
        stale = stale or place > cut
    return False


def hangs_on(places: tuple[int, ...], cut: int) -> bool:
    """Whether a version beyond the cut was read after the last commit (a negative place)."""
    stale = False
    for place in places:
        stale = place >= 0 and (stale or place > cut)
    return stale


def check_no_committed_conflict(one: tuple[int, int, int], two: tuple[int, int], cut: int) -> bool:
    """
    Nobody has read a version beyond the cut and committed at or after that read.

    pre: cut >= 0
    post: __return__ != (committed_on(one, cut) or committed_on(two, cut))
    """
    return no_committed_conflict(read_by(one, two), FAILED, cut)


def check_no_live_conflict(one: tuple[int, int, int], two: tuple[int, int], cut: int) -> bool:
    """
    Nobody has read a version beyond the cut after the last commit.

    pre: cut >= 0
    post: __return__ != (hangs_on(one, cut) or hangs_on(two, cut))
    """
    return no_live_conflict(read_by(one, two), FAILED, cut)


def check_whose_read_conflicts(
    whose: tuple[bool, bool], outside: bool, commits: bool, index: int, cut: int
) -> tuple[bool, bool]:
    """
    Only another instance's read of the failed instance's own version can conflict.

    post: __return__[0] != (all(whose) and not outside and index > cut and commits)
    post: __return__[1] != (all(whose) and not outside and index > cut and not commits)
    """
    reader, writer = whose
    entry = reads(index, FAILED if writer else ROOM)
    if outside:
        entry = evolve(entry, reads=(evolve(entry.reads[0], version=None),))
    log = (ENTER, entry, COMMIT if commits else ACT)
    history = History(contract=CONTRACT, log=FrozenMap({INVITE if reader else FAILED: log}))
    return (
        no_committed_conflict(history, FAILED, cut),
        no_live_conflict(history, FAILED, cut),
    )


def is_final(listed: Listed, compensate: bool) -> bool:
    """Whether nothing can undo the effect."""
    undone_by_compensation = listed is Listed.COMPENSABLE and compensate
    undone_by_restoring = listed in (Listed.REVERSIBLE, Listed.IDEMPOTENT)
    return not (undone_by_restoring or undone_by_compensation)


def check_effect_allowed(first: Listed, second: Listed, compensate: bool, cut: int) -> bool:
    """
    No effect beyond the cut is final; one that policy does not list is.

    pre: 1 <= cut <= 3
    post: __return__ != any(is_final(one, compensate) for one in (first, second)[cut - 1 :])
    """
    listed = {"a": first.value, "b": second.value}
    policy = FrozenMap((name, kind) for name, kind in listed.items() if kind is not None)
    contract = Contract(
        skeletons=FrozenMap({"slot": Skeleton(effects=policy)}), compensate=compensate
    )
    acts = (Entry(kind=EntryKind.ACT, attempt=1, effects=(name,)) for name in listed)
    return effect_allowed(
        History(contract=contract, log=FrozenMap({FAILED: (ENTER, *acts)})), FAILED, decided(cut, 3)
    )


def one_of_each(flags: tuple[bool, ...]) -> tuple[History, Checkpoint]:
    """A history and a checkpoint in which each guard, in the order of GUARDS, is as its flag."""
    durable, own, handed, alone, opened, after, uncommitted, unread, undoable = flags
    policy = frozenset((Boundary.COMMIT,) if opened else (Boundary.ENTRY,))
    contract = Contract(skeletons=FrozenMap({"slot": Skeleton(rollback_to=policy)}))
    send = Entry(kind=EntryKind.ACT, attempt=1, effects=() if undoable else ("send",))
    log: dict[InstanceId, tuple[Entry, ...]] = {
        FAILED: (ENTER, WRITE, COMMIT if handed else ACT, WRITE, WRITE, send),
        INVITE: (ENTER, reads(2 if uncommitted else 4), COMMIT),
        ROOM: (ENTER, reads(2 if unread else 5)),
    }
    saved = Checkpoint(
        id="c1",
        tag=Tag(),
        owners=members((FAILED, True), (INVITE, not own)),
        cut=FrozenMap({FAILED: 3, INVITE: 3, ROOM: 2 if alone else 1}),
        scope=Scope.TASK,
        stable=durable,
    )
    doubt = failure(FAILED, suspect=(FAILED, 4 if after else 3))
    return History(contract=contract, log=FrozenMap(log), failures=(doubt,)), saved


def check_admissible(
    certified: tuple[bool, bool, bool, bool], admits: tuple[bool, bool, bool, bool, bool]
) -> bool:
    """
    A checkpoint is admissible where all nine guards hold, whichever of them do.

    post: __return__ == all((*certified, *admits))
    """
    history, saved = one_of_each((admits[0], *certified, *admits[1:]))
    return admissible(history, saved, FAILED)


def all_but(broken: int) -> tuple[bool, ...]:
    """Nine flags, all set but the one at the place `broken`; there is no tenth."""
    return tuple(place != broken for place in range(len(GUARDS)))


def check_each_guard(broken: int) -> bool:
    """
    One guard that does not hold is enough, whichever it is.

    pre: 0 <= broken <= 9
    post: __return__ == (broken == 9)
    """
    history, saved = one_of_each(all_but(decided(broken, 9)))
    return admissible(history, saved, FAILED)


def check_window(read: int, effect: int, doubt: int, committed: bool, cut: int) -> bool:
    """
    Of certified, stable checkpoints those are admissible that stand in one unbroken window.

    It begins with the last act that must survive and ends before the act in doubt (T5).

    pre: 2 <= effect <= 5 and 2 <= cut <= 5
    post: __return__ == (max(read, effect) <= cut < doubt)
    """
    final = decided(effect, 5)
    acts = tuple(
        Entry(kind=EntryKind.ACT, attempt=1, effects=("send",) if place == final else ())
        for place in range(2, 6)
    )
    log = {FAILED: (ENTER, *acts), INVITE: (ENTER, reads(read), COMMIT if committed else ACT)}
    pending = (failure(FAILED, suspect=(FAILED, doubt)),)
    history = History(contract=CONTRACT, log=FrozenMap(log), failures=pending)
    return admissible(history, checkpoint(decided(cut, 5)), FAILED)


def check_admitted(durable: tuple[bool, bool, bool]) -> tuple[str, ...]:
    """
    Exactly the admissible ones are admitted, the latest saved first.

    post: __return__ == tuple(f"c{place}" for place in (2, 1, 0) if durable[place])
    """
    saved = {
        f"c{place}": checkpoint(1, name=f"c{place}", stable=flag)
        for place, flag in enumerate(durable)
    }
    history = evolve(
        read_by(length=1),
        checkpoints=FrozenMap(saved),
        saved=FrozenMap({FAILED: tuple(saved)}),
        failures=(failure(FAILED),),
    )
    return tuple(one.id for one in admitted(history, FAILED))


def check_latest(cuts: tuple[int, int, int, int]) -> int:
    """
    The latest is the first of those with the greatest cut.

    post: all(cuts[place] < cuts[__return__] for place in range(__return__))
    post: all(cuts[place] <= cuts[__return__] for place in range(__return__, 4))
    """
    given = tuple(checkpoint(cut, name=str(place)) for place, cut in enumerate(cuts))
    chosen = latest(given, FAILED)
    return -1 if chosen is None else int(chosen.id)
