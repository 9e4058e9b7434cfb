"""Step 2: a boundary is certified exactly as its independent statement says."""

from __future__ import annotations

from contracts.shapes import (
    COMMIT,
    CONTRACT,
    ENTER,
    EXIT,
    FAILED,
    INVITE,
    OTHER,
    ROOM,
    TWIN,
    WRITE,
    Step,
    checkpoint,
    decided,
    members,
)
from dart_core import (
    Boundary,
    Checkpoint,
    Contract,
    Entry,
    EntryKind,
    FrozenMap,
    History,
    InstanceId,
    Predicate,
    Scope,
    Skeleton,
    Tag,
    boundary,
    certified,
    closed,
    controllable,
    decidable,
    separable,
)


def check_boundary(kinds: tuple[EntryKind, EntryKind, EntryKind], cut: int) -> Boundary:
    """
    The kind follows from the one entry at the cut.

    pre: 1 <= cut <= 4
    post: (__return__ is Boundary.ENTRY) == (cut == 1)
    post: (__return__ is Boundary.EXIT) == (cut > 1 and kinds[cut - 2] is EntryKind.EXIT)
    """
    log = (ENTER, *(Entry(kind=kind, attempt=1) for kind in kinds))
    history = History(contract=CONTRACT, log=FrozenMap({FAILED: log}))
    return boundary(history, FAILED, decided(cut, 5))


def check_decidable(own: bool, twin: bool, other: bool, invite: bool) -> bool:
    """
    The checkpoint is the failed instance's and nobody else's.

    post: __return__ == (own and not twin and not other and not invite)
    """
    owners = members((FAILED, own), (TWIN, twin), (OTHER, other), (INVITE, invite))
    return decidable(checkpoint(1, owners=owners), FAILED)


def leaves_open(steps: tuple[Step, ...]) -> bool:
    """Whether something was written since the last commit that held."""
    written = False
    for step in steps:
        written = (written or step is Step.WRITES) and step is not Step.COMMITS
    return written


def check_closed(steps: tuple[Step, Step, Step], cut: int) -> bool:
    """
    A handoff is closed by a commit whose predicate holds, and by nothing else.

    pre: 1 <= cut <= 4
    post: __return__ != leaves_open(steps[:cut - 1])
    """
    log = (ENTER, *(step.value for step in steps))
    return closed(History(contract=CONTRACT, log=FrozenMap({FAILED: log})), FAILED, decided(cut, 5))


def check_closed_by_key(first: bool, second: bool, exits: bool, done: bool, cut: int) -> bool:
    """
    A predicate on keys holds once they are written; an exit is judged by its own predicate.

    pre: 2 <= cut <= 5
    post: __return__ == {3: first, 5: done if exits else first or second}.get(cut, False)
    """
    commit, leave = Predicate(writes=frozenset(("{entity}.slot",))), Predicate(frozenset(("done",)))
    contract = Contract(skeletons=FrozenMap({"slot": Skeleton(commit=commit, exit=leave)}))
    log = (
        ENTER,
        Entry(kind=EntryKind.ACT, attempt=1, writes=("m1.slot" if first else "m2.slot",)),
        COMMIT,
        Entry(kind=EntryKind.ACT, attempt=1, writes=("m1.slot" if second else "slot",)),
        Entry(
            kind=EntryKind.EXIT if exits else EntryKind.COMMIT,
            attempt=1,
            state="done" if done else None,
        ),
    )
    return closed(History(contract=contract, log=FrozenMap({FAILED: log})), FAILED, decided(cut, 5))


def check_separable(
    task: bool, lengths: tuple[int, int], cuts: tuple[int, int], covered: bool
) -> bool:
    """
    A snapshot of the whole task is separable where nobody else went on after it.

    pre: all(1 <= length <= 3 for length in lengths)
    pre: all(cut >= 1 for cut in cuts)
    post: __return__ == (not task or (covered and lengths[0] <= cuts[0] and lengths[1] <= cuts[1]))
    """
    log: dict[InstanceId, tuple[Entry, ...]] = {FAILED: (ENTER, WRITE)}
    for instance, length in zip((INVITE, ROOM), lengths, strict=True):
        log[instance] = (ENTER, WRITE, WRITE)[:length]
    cut = {FAILED: 1, INVITE: cuts[0]}
    if covered:
        cut[ROOM] = cuts[1]
    scope = Scope.TASK if task else Scope.INSTANCE
    saved = Checkpoint(
        id="c1", tag=Tag(), owners=frozenset((FAILED,)), cut=FrozenMap(cut), scope=scope
    )
    return separable(History(contract=CONTRACT, log=FrozenMap(log)), saved, FAILED)


def check_controllable(
    opened: tuple[bool, bool, bool], reviewed: bool, exits: bool, cut: int
) -> bool:
    """
    Policy opens the kind of the boundary; of a skeleton that nobody reviewed it opens none.

    pre: 1 <= cut <= 3
    post: __return__ == (reviewed and opened[0 if cut == 1 else 2 if cut == 3 and exits else 1])
    """
    kinds = (Boundary.ENTRY, Boundary.COMMIT, Boundary.EXIT)
    policy = frozenset(kind for kind, is_open in zip(kinds, opened, strict=True) if is_open)
    skeletons = FrozenMap({"slot" if reviewed else "room": Skeleton(rollback_to=policy)})
    log = (ENTER, WRITE, EXIT if exits else COMMIT)
    history = History(contract=Contract(skeletons=skeletons), log=FrozenMap({FAILED: log}))
    return controllable(history, FAILED, decided(cut, 5))


def check_certified(own: bool, handed: bool, alone: bool, opened: bool) -> bool:
    """
    A boundary is certified where all four of its conditions hold.

    post: __return__ == (own and handed and alone and opened)
    """
    policy = frozenset((Boundary.COMMIT,) if opened else (Boundary.ENTRY,))
    contract = Contract(skeletons=FrozenMap({"slot": Skeleton(rollback_to=policy)}))
    log = {FAILED: (ENTER, WRITE, COMMIT if handed else WRITE), INVITE: (ENTER, COMMIT)}
    saved = Checkpoint(
        id="c1",
        tag=Tag(),
        owners=members((FAILED, True), (INVITE, not own)),
        cut=FrozenMap({FAILED: 3, INVITE: 2 if alone else 1}),
        scope=Scope.TASK,
    )
    return certified(History(contract=contract, log=FrozenMap(log)), saved, FAILED)
