"""All theorems and their obligations, in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from logic.exactness import t2, t3, t5
from logic.lemmas import l1, l2, l3
from logic.limits import t7, t8, t9
from logic.obligation import Obligation
from logic.soundness import t1, t6, t10
from logic.witnesses import t4, t8_case, t9_case, t11

THEOREMS: dict[str, tuple[Callable[[], list[Obligation]], ...]] = {
    "T1": (t1,),
    "T2": (t2,),
    "T3": (t3,),
    "T4": (t4,),
    "T5": (t5,),
    "T6": (t6,),
    "T7": (t7,),
    "T8": (t8, t8_case),
    "T9": (t9, t9_case),
    "T10": (t10,),
    "T11": (t11,),
    "L1": (l1,),
    "L2": (l2,),
    "L3": (l3,),
}


def claim_of(theorem: str) -> str:
    """What the theorem says, in a sentence."""
    return (THEOREMS[theorem][0].__doc__ or "").strip()


@cache
def obligations(theorem: str) -> tuple[Obligation, ...]:
    """The obligations of the theorem; together they prove it."""
    return tuple(one for made in THEOREMS[theorem] for one in made())


def obligation(name: str) -> Obligation:
    """The obligation of this name."""
    return next(one for one in obligations(name.split("/", maxsplit=1)[0]) if one.name == name)
