"""All obligations, in the order of the theorems."""

from __future__ import annotations

from logic.exactness import t2, t3, t5
from logic.lemmas import l1, l2, l3
from logic.limits import t7, t8, t9
from logic.obligation import Obligation
from logic.soundness import t1, t6, t10

THEOREMS = (t1, t2, t3, t5, t6, t7, t8, t9, t10, l1, l2, l3)


def obligations() -> list[Obligation]:
    """Every obligation of every theorem."""
    return [one for theorem in THEOREMS for one in theorem()]
