import pytest

import dart_core as d
from dart_core import Fail, FrozenMap, Skeleton, Tag
from histories import A2, A, B, C, act, contract, failed, full, run

UNDER = contract(
    {
        "a": Skeleton(states=frozenset({"s", "t"}), tools=FrozenMap({"call": "who", "ring": None})),
        "b": Skeleton(states=frozenset({"t"}), tools=FrozenMap({"call": None})),
    }
)
AB = (d.Enter(A), act(A, "a1"), d.Enter(B), act(B, "b1"))


def found(fail: Fail, *events: d.Event) -> set[d.InstanceId]:
    return set(d.candidates(run(*(events or AB), under=UNDER), fail))


def test_candidates_suspect_names_its_owner() -> None:
    assert found(Fail(suspect="a1")) == {A}
    assert found(Fail(suspect="a1", tag=Tag(skeleton="a"))) == {A}
    assert found(Fail(suspect="b1", tag=full(B))) == {B}


def test_candidates_suspect_counts_where_its_owner_has_exited() -> None:
    assert found(Fail(suspect="a1"), *AB, d.Exit(A)) == {A}


def test_candidates_rejects_a_suspect_that_is_gone_or_of_another() -> None:
    assert found(Fail(suspect="never")) == set()
    assert found(Fail(suspect="a1", tag=Tag(skeleton="b"))) == set()
    assert found(Fail(suspect="a1", tag=full(B))) == set()


def test_candidates_full_tag_counts_live_or_exited() -> None:
    assert found(Fail(tag=full(A))) == {A}
    assert found(Fail(tag=full(A)), *AB, d.Exit(A)) == {A}
    assert found(Fail(tag=full(A2))) == set()


def test_candidates_full_tag_counts_whatever_else_was_seen() -> None:
    assert found(Fail(tag=full(A), state="nowhere", tool="nothing")) == {A}


def test_candidates_partial_tag_counts_the_live_alone() -> None:
    assert found(Fail()) == {A, B}
    assert found(Fail(), *AB, d.Exit(A)) == {B}
    assert found(Fail(tag=Tag(entity="x"))) == {A}
    assert found(Fail(tag=Tag(ordinal=2))) == set()


@pytest.mark.parametrize(
    ("fail", "expected"),
    [
        (Fail(state="s"), {A}),
        (Fail(state="t"), {A, B}),
        (Fail(state="u"), set()),
        (Fail(tool="ring"), {A}),
        (Fail(tool="call"), {A, B}),
        (Fail(tool="none"), set()),
        (Fail(state="t", tool="ring"), {A}),
        (Fail(state="u", tool="ring"), set()),
        # Where the skeleton is known, states and tools do not count.
        (Fail(tag=Tag(skeleton="a"), state="u"), {A}),
        (Fail(tag=Tag(skeleton="a"), tool="none"), {A}),
    ],
)
def test_candidates_by_state_and_tool(fail: Fail, expected: set[d.InstanceId]) -> None:
    assert found(fail) == expected


def test_candidates_of_an_unreviewed_skeleton_list_nothing() -> None:
    other = d.InstanceId(skeleton="new", entity="x", ordinal=1)
    assert found(Fail(), d.Enter(other)) == {other}
    assert found(Fail(state="s"), d.Enter(other)) == set()
    assert found(Fail(tool="call"), d.Enter(other)) == set()


@pytest.mark.parametrize(
    ("fail", "expected"),
    [
        (Fail(tool="call", args=FrozenMap({"who": "x"})), {A, B}),
        (Fail(tool="call", args=FrozenMap({"who": "y"})), {B}),
        (Fail(tool="call", args=FrozenMap({"other": "y"})), {A, B}),
        (Fail(args=FrozenMap({"who": "y"})), {A, B}),
        (Fail(tool="ring", args=FrozenMap({"who": "y"})), {A}),
        (Fail(tag=Tag(skeleton="a"), tool="call", args=FrozenMap({"who": "y"})), set()),
        (Fail(tag=Tag(entity="x"), tool="call", args=FrozenMap({"who": "y"})), {A}),
    ],
)
def test_candidates_by_argument(fail: Fail, expected: set[d.InstanceId]) -> None:
    assert found(fail) == expected


def test_candidates_are_fixed_when_the_failure_is_seen() -> None:
    history = run(d.Enter(A), Fail(), d.Enter(B), under=UNDER)
    assert history.failures[0].candidates == {A}
    late = run(d.Enter(B), Fail(suspect="a1"), d.Enter(A), act(A, "a1"), under=UNDER)
    assert late.failures[0].candidates == frozenset()


def test_identified_needs_one_failure_with_one_candidate() -> None:
    assert d.identified(run(d.Enter(A))) is None
    assert d.identified(run(d.Enter(A), failed(A))) == A
    assert d.identified(run(d.Enter(A), failed(A), failed(A))) is None
    assert d.identified(run(d.Enter(A), d.Enter(C), Fail())) is None
    assert d.identified(run(Fail())) is None


def test_suspect_place_is_kept_only_of_a_candidate() -> None:
    kept = run(*AB, Fail(suspect="a1"), under=UNDER)
    assert kept.failures[0].suspect == (A, 2)
    lost = run(*AB, Fail(suspect="a1", tag=full(B)), under=UNDER)
    assert lost.failures[0].suspect is None
