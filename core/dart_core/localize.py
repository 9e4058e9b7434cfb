"""
Step 1: which instance failed.

Mirrors: Localize (spec_tla/Localize.tla); semantics: section 5, step 1.
"""

from __future__ import annotations

from dart_core.contract import skeleton_of
from dart_core.history import (
    Fail,
    History,
    InstanceId,
    is_full,
    live,
    matches,
)

__all__ = ["bound_entity", "candidates", "fits", "identified", "suspect_place"]


def suspect_place(history: History, fail: Fail) -> tuple[InstanceId, int] | None:
    """
    Where the act in doubt stands, `(owner, index)`; None where none is named or it is gone.

    Mirrors: Localize!SuspectPlace
    """
    return None if fail.suspect is None else history.acts.get(fail.suspect)


def bound_entity(history: History, fail: Fail, instance: InstanceId) -> str | None:
    """
    The entity that the failed call's arguments bind for the instance's skeleton, if they do.

    Mirrors: Localize!BoundEntity
    """
    if fail.tool is None:
        return None
    argument = skeleton_of(history.contract, instance.skeleton).tools.get(fail.tool)
    return None if argument is None else fail.args.get(argument)


def fits(history: History, fail: Fail, instance: InstanceId) -> bool:
    """
    Whether all that was seen of the failure fits the instance.

    Mirrors: Localize!Fits
    """
    skeleton = skeleton_of(history.contract, instance.skeleton)
    return (
        matches(fail.tag, instance)
        and (
            fail.tag.skeleton is not None
            or (
                (fail.state is None or fail.state in skeleton.states)
                and (fail.tool is None or fail.tool in skeleton.tools)
            )
        )
        and (
            fail.tag.entity is not None
            or bound_entity(history, fail, instance) in (None, instance.entity)
        )
    )


def candidates(history: History, fail: Fail) -> frozenset[InstanceId]:
    """
    The instances that may have failed, by the first rule that applies.

    A named act counts before a full tag, a full tag before what the live instances fit.

    Mirrors: Localize!Candidates
    """
    if fail.suspect is not None:
        place = suspect_place(history, fail)
        owner = frozenset() if place is None else frozenset((place[0],))
        return frozenset(instance for instance in owner if matches(fail.tag, instance))
    if is_full(fail.tag):
        return frozenset(instance for instance in history.log if matches(fail.tag, instance))
    return frozenset(
        instance
        for instance in history.log
        if live(history, instance) and fits(history, fail, instance)
    )


def identified(history: History) -> InstanceId | None:
    """
    The failed instance, or None: known only where one failure is pending with one candidate.

    Mirrors: Localize!Identified
    """
    if len(history.failures) != 1:
        return None
    found = history.failures[0].candidates
    return next(iter(found)) if len(found) == 1 else None
