"""The decision: its verdict and its choice are functions of what is admissible and no more."""

from __future__ import annotations

from attrs import evolve

from contracts.shapes import (
    ACT,
    CONTRACT,
    ENTER,
    FAILED,
    INVITE,
    Listed,
    checkpoint,
    decided,
    failure,
    read_by,
)
from dart_core import (
    Contract,
    Decision,
    Effect,
    Fallback,
    FrozenMap,
    Reason,
    Skeleton,
    Target,
    Verdict,
    decide,
    verdict,
)


def hazard(*effects: Listed) -> bool:
    """Whether one of the effects cannot be undone by anybody."""
    return Listed.IRREVERSIBLE in effects or Listed.NOT_LISTED in effects


def check_verdict(admits: bool, escalates: bool, first: Listed, second: Listed) -> Verdict:
    """
    Restore if something is admissible; else escalate if policy says so and a hazard exists.

    post: (__return__ is Verdict.RESTORE) == admits
    post: (__return__ is Verdict.ESCALATE) == (not admits and escalates and hazard(first, second))
    """
    listed = {"a": first.value, "b": second.value}
    policy = FrozenMap((name, kind) for name, kind in listed.items() if kind is not None)
    contract = Contract(
        skeletons=FrozenMap({"slot": Skeleton(effects=policy)}),
        fallback=Fallback.ESCALATE if escalates else Fallback.RERUN,
    )
    world = frozenset(
        Effect(epoch=1, instance=FAILED, attempt=1, index=2, name=name) for name in listed
    )
    history = evolve(read_by(), contract=contract, world=world)
    return verdict(history, checkpoint(1) if admits else None)


def latest_admissible(cuts: tuple[int, ...], durable: tuple[bool, ...], pin: int) -> str | None:
    """The stable checkpoint with the greatest cut at or after the pin, the last saved of equals."""
    best: str | None = None
    for place, cut in enumerate(cuts):
        stands = durable[place] and cut >= pin
        if stands and all(cut >= cuts[other] for other in range(len(cuts)) if durable[other]):
            best = f"c{place}"
    return best


def consistent(decision: Decision | None, chosen: str | None) -> bool:
    """Whether the decision restores the chosen checkpoint, or says why none."""
    if decision is None or decision.checkpoint != chosen:
        return False
    if chosen is None:
        none = Reason.NO_ADMISSIBLE_CHECKPOINT
        return decision.verdict is Verdict.RERUN and decision.reason is none
    return (
        decision.verdict is Verdict.RESTORE
        and decision.reason is None
        and decision.restore == (Target(FAILED, chosen),)
    )


def check_choice(cuts: tuple[int, int], durable: tuple[bool, bool], pin: int) -> Decision | None:
    """
    The choice is the latest admissible checkpoint, and the verdict says whether there is one.

    pre: all(1 <= cut <= 2 for cut in cuts)
    post: consistent(__return__, latest_admissible(cuts, durable, pin))
    """
    saved = {
        f"c{place}": checkpoint(decided(cut, 2), name=f"c{place}", stable=flag)
        for place, (cut, flag) in enumerate(zip(cuts, durable, strict=True))
    }
    history = evolve(
        read_by((pin,)),
        log=read_by((pin,)).log.put(FAILED, (ENTER, ACT, ACT)),
        checkpoints=FrozenMap(saved),
        saved=FrozenMap({FAILED: tuple(saved)}),
        failures=(failure(FAILED),),
    )
    return decide(history)


def restores(decision: Decision | None) -> bool:
    """Whether the decision is to restore a checkpoint."""
    return decision is not None and decision.verdict is Verdict.RESTORE


def unidentified(decision: Decision | None) -> bool:
    """Whether the decision says that nobody knows who failed."""
    return decision is not None and decision.reason is Reason.NOT_IDENTIFIED


def check_not_identified(first: bool, second: bool, pending: int) -> Decision | None:
    """
    Where nobody knows who failed, nothing is restored, although a checkpoint could be.

    pre: 0 <= pending <= 2
    post: (__return__ is None) == (pending == 0)
    post: pending == 0 or restores(__return__) == (pending == 1 and first and not second)
    post: pending == 0 or unidentified(__return__) == (pending == 2 or first == second)
    """
    who = tuple(one for one, flag in ((FAILED, first), (INVITE, second)) if flag)
    history = evolve(
        read_by(()),
        contract=CONTRACT,
        checkpoints=FrozenMap({"c1": checkpoint(1)}),
        saved=FrozenMap({FAILED: ("c1",)}),
        failures=(failure(*who), failure(FAILED))[:pending],
    )
    return decide(history)
