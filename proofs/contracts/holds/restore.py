"""The effect of `Restore`: what it rewinds, and what it leaves alone."""

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
    checkpoint,
    decided,
    failure,
    members,
    reads,
    version,
)
from dart_core import (
    Checkpoint,
    Effect,
    Entry,
    EntryKind,
    FrozenMap,
    History,
    Refusal,
    Restore,
    Scope,
    Tag,
    Version,
    Violation,
    admissible,
    apply,
    violations,
)

LENGTH = 4
OWN_LOG = (
    ENTER,
    *(
        Entry(kind=EntryKind.ACT, attempt=1, id=f"a{place}", writes=("slot",))
        for place in range(2, LENGTH + 1)
    ),
)
INVITE_LOG = (ENTER, Entry(kind=EntryKind.ACT, attempt=1, id="b2", writes=("slot", "mail")))
VERSIONS = (version(2), version(2, INVITE), version(3), version(4))


def written() -> History:
    """Two instances that wrote under one key in turns, with a failure pending."""
    acts = {f"a{place}": (FAILED, place) for place in range(2, LENGTH + 1)}
    return History(
        contract=CONTRACT,
        log=FrozenMap({FAILED: OWN_LOG, INVITE: INVITE_LOG}),
        attempt=FrozenMap({FAILED: 1, INVITE: 1}),
        store=FrozenMap({"slot": VERSIONS, "mail": (version(2, INVITE),)}),
        acts=FrozenMap({**acts, "b2": (INVITE, 2)}),
        failures=(failure(FAILED),),
    )


def sending(place: int) -> History:
    """One instance whose act at `place` has an effect that is final."""
    log: list[Entry] = [ENTER]
    world = []
    for index in range(2, LENGTH + 1):
        effects = ("send",) if index == place else ()
        log.append(Entry(kind=EntryKind.ACT, attempt=1, effects=effects))
        if effects:
            effect = Effect(epoch=1, instance=FAILED, attempt=1, index=index, name="send")
            world.append(effect)
    return History(
        contract=CONTRACT,
        log=FrozenMap({FAILED: tuple(log)}),
        attempt=FrozenMap({FAILED: 1}),
        world=frozenset(world),
    )


def survives(one: Version, cut: int) -> bool:
    """Whether a restore of the failed instance to the cut keeps the version."""
    return one.writer == INVITE or one.index <= cut


def restored(history: History, *saved: Checkpoint) -> History:
    """The history after the first of its checkpoints was restored."""
    owners = sorted({owner for one in saved for owner in one.owners})
    names = FrozenMap(
        (owner, tuple(one.id for one in saved if owner in one.owners)) for owner in owners
    )
    there = FrozenMap((one.id, one) for one in saved)
    after = apply(evolve(history, checkpoints=there, saved=names), Restore(saved[0].id))
    if isinstance(after, Refusal):
        raise TypeError(after)
    return after


def check_confined(cut: int) -> History:
    """
    A prefix of the owner's log is kept, one attempt is begun, and nobody else is touched (T6).

    pre: 1 <= cut <= LENGTH
    post: __return__.log == FrozenMap({FAILED: OWN_LOG[:cut], INVITE: INVITE_LOG})
    post: __return__.attempt == FrozenMap({FAILED: 2, INVITE: 1})
    post: __return__.failures == ()
    """
    return restored(written(), checkpoint(decided(cut, LENGTH)))


def check_versions(cut: int) -> History:
    """
    Of the versions and the acts exactly those survive whose entries do.

    pre: 1 <= cut <= LENGTH
    post: __return__.store["slot"] == tuple(filter(lambda one: survives(one, cut), VERSIONS))
    post: __return__.store["mail"] == (version(2, INVITE),)
    post: set(__return__.acts) == {"b2", *(f"a{place}" for place in range(2, cut + 1))}
    """
    return restored(written(), checkpoint(decided(cut, LENGTH)))


def still_there(cut: int, first: int, second: int) -> tuple[str, ...]:
    """The names of the owner's checkpoints that are not beyond the cut."""
    names = (("c0", cut), ("c1", first), ("c2", second))
    return tuple(name for name, place in names if place <= cut)


def check_checkpoints(cut: int, first: int, second: int) -> History:
    """
    Exactly the owner's checkpoints beyond the cut are gone, and nobody else's.

    pre: 1 <= cut <= LENGTH and 1 <= first <= LENGTH and 1 <= second <= LENGTH
    post: set(__return__.checkpoints) == {*still_there(cut, first, second), "c3"}
    post: __return__.saved[FAILED] == still_there(cut, first, second)
    """
    return restored(
        written(),
        checkpoint(decided(cut, LENGTH), name="c0"),
        checkpoint(first, name="c1"),
        checkpoint(second, name="c2"),
        checkpoint(LENGTH, name="c3", owners=frozenset((INVITE,))),
    )


def check_unknown_owner(own: bool, invite: bool, cut: int) -> History:
    """
    A checkpoint that has not exactly one owner cuts no log and begins no attempt.

    pre: 1 <= cut <= LENGTH
    post: __return__.log[FAILED] == (OWN_LOG[:cut] if own and not invite else OWN_LOG)
    post: __return__.log[INVITE] == (INVITE_LOG[:cut] if invite and not own else INVITE_LOG)
    post: __return__.attempt[FAILED] == (2 if own and not invite else 1)
    post: __return__.attempt[INVITE] == (2 if invite and not own else 1)
    """
    owners = members((FAILED, own), (INVITE, invite))
    return restored(written(), checkpoint(decided(cut, LENGTH), owners=owners))


def check_whole_task(cut: int, other: int) -> History:
    """
    A snapshot of the whole task cuts every log, and who entered later is gone.

    pre: 1 <= cut <= LENGTH and 0 <= other <= 2
    post: __return__.log[FAILED] == OWN_LOG[:cut]
    post: (INVITE in __return__.log) == (other > 0)
    post: other == 0 or __return__.log[INVITE] == INVITE_LOG[:other]
    post: __return__.attempt == FrozenMap({FAILED: 2, INVITE: 2 if other < 2 else 1})
    """
    covered = {FAILED: decided(cut, LENGTH), INVITE: decided(other, 2)}
    saved = Checkpoint(
        id="c1",
        tag=Tag(),
        owners=frozenset((FAILED,)),
        cut=FrozenMap((instance, length) for instance, length in covered.items() if length),
        scope=Scope.TASK,
    )
    return restored(written(), saved)


def check_sound(
    read: int, commits: bool, commits_later: bool, effect: int, cut: int
) -> frozenset[Violation]:
    """
    An admitted restore leaves a valid history, and so does the reader's next commit (T1).

    pre: 2 <= read <= LENGTH and 1 <= cut <= LENGTH and 2 <= effect <= LENGTH + 1
    post: not __return__
    """
    reader = (ENTER, reads(read), COMMIT if commits else ACT)
    history = evolve(sending(decided(effect, LENGTH + 1)), failures=(failure(FAILED),))
    history = evolve(history, log=history.log.put(ROOM, reader))
    saved = checkpoint(decided(cut, LENGTH))
    if not admissible(history, saved, FAILED):
        return frozenset()
    after = restored(history, saved)
    later = after.log.put(ROOM, (*reader, COMMIT if commits_later else ACT))
    return violations(after) | violations(evolve(after, log=later))
