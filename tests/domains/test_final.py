from __future__ import annotations

from typing import Any

from dart_core import EffectClass, InstanceId, Version
from dart_runtime.final import DAMAGED, LOST, Deed, Final, Remembered, canonical, marks, stale

LEG = InstanceId(skeleton="leg", entity="wp1", ordinal=1)
HANDOFF = InstanceId(skeleton="handoff", entity="wp1", ordinal=1)


def version(attempt: int, index: int = 4, writer: InstanceId = LEG) -> Version:
    return Version(writer=writer, attempt=attempt, index=index)


def final(*, written: Version, quotes: Version, minutes: object = 7, sent: int = 1) -> Final:
    """A leg's arrival time, and a notice that quotes a version of it."""
    notice = {"quotes": quotes}
    deed = Deed(
        epoch=1,
        version=version(1, 3, HANDOFF),
        effect="post",
        effect_class=EffectClass.REVERSIBLE,
        payload=notice,
    )
    return Final(
        finished=True,
        store={
            "arrival_eta/wp1": ((written, {"minutes": minutes}),),
            "notice/wp1": ((version(1, 3, HANDOFF), notice),),
        },
        instances={HANDOFF: Remembered("DONE", {"eta": quotes})},
        deeds=(deed,) * sent,
    )


def test_canonical_is_the_same_under_other_version_ids() -> None:
    one = final(written=version(1), quotes=version(1))
    other = final(written=version(2, 5), quotes=version(2, 5))
    assert one != other
    assert canonical(one) == canonical(other)


def test_canonical_differs_where_another_version_is_quoted() -> None:
    one = final(written=version(1), quotes=version(1))
    assert canonical(one) != canonical(final(written=version(2), quotes=version(1)))


def test_canonical_differs_where_a_value_does() -> None:
    one = final(written=version(1), quotes=version(1))
    assert canonical(one) != canonical(final(written=version(1), quotes=version(1), minutes=8))


def test_canonical_counts_an_effect_once() -> None:
    one = final(written=version(1), quotes=version(1))
    assert canonical(one) == canonical(final(written=version(1), quotes=version(1), sent=2))
    assert canonical(one) != canonical(final(written=version(1), quotes=version(1), sent=0))


def test_canonical_differs_where_a_state_does() -> None:
    one = final(written=version(1), quotes=version(1))
    other = final(written=version(1), quotes=version(1))
    moved = Final(
        finished=True,
        store=other.store,
        instances={HANDOFF: Remembered("POSTED", {"eta": version(1)})},
        deeds=other.deeds,
    )
    assert canonical(one) != canonical(moved)


def test_stale_names_what_quotes_a_version_that_is_gone() -> None:
    assert stale(final(written=version(1), quotes=version(1)), "notice/", "a time") == []
    assert stale(final(written=version(2), quotes=version(1)), "notice/", "a time") == [
        "notice/wp1 quotes a time that is gone"
    ]
    assert stale(final(written=version(2), quotes=version(1)), "letter/", "a time") == []


def test_marks_names_what_is_lost_or_damaged() -> None:
    def marked(minutes: Any) -> list[str]:
        return marks(final(written=version(1), quotes=version(1), minutes=minutes))

    assert marked(7) == []
    assert marked([7, DAMAGED]) == ["arrival_eta/wp1"]
    assert marked({"first": LOST}) == ["arrival_eta/wp1"]


def test_value_is_the_living_one() -> None:
    found = final(written=version(1), quotes=version(1))
    assert found.value("arrival_eta/wp1") == {"minutes": 7}
    assert found.value("nothing") == LOST
