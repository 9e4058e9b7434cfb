import pytest

import dart_core as d
from dart_core import Boundary, Policy, Scope, Tag
from histories import A, B, act, failed, run, save


def ids(found: frozenset[d.Checkpoint]) -> set[str]:
    return {checkpoint.id for checkpoint in found}


EVENTS = (
    d.Enter(A),
    save("entry", A),
    save("task", A, scope=Scope.TASK),
    act(A, writes=["k"]),
    save("open", A),
    d.Commit(A),
    save("commit", A),
    save("unstable", A, stable=False),
    d.Enter(B),
    save("of b", B),
    act(B, reads=["k"]),
    d.Commit(B),
    act(A),
)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy.RETRY_ONLY, set()),
        (Policy.COARSE_STATE, {"task"}),
        (Policy.SAVEPOINT, {"commit"}),
        (Policy.ENTRY_ONLY, {"task"}),
        (Policy.CONTROLLER_LEGAL, {"entry", "task", "open", "commit"}),
        (Policy.DART, {"commit"}),
    ],
)
def test_choice(policy: Policy, expected: set[str]) -> None:
    assert ids(d.choice(run(*EVENTS, failed(A)), policy)) == expected


@pytest.mark.parametrize("policy", list(Policy))
def test_choice_of_nothing_where_no_failure_is_pending(policy: Policy) -> None:
    assert d.choice(run(*EVENTS), policy) == frozenset()


def test_of_kind_rejects_an_unknown_instance() -> None:
    history = run(*EVENTS, d.Fail())
    assert d.of_kind(history, Boundary.ENTRY) == frozenset()
    assert d.of_kind(run(d.Enter(A), failed(A)), Boundary.ENTRY) == frozenset()


def test_controller_legal_of_an_ambiguous_failure_counts_every_candidate() -> None:
    assert ids(d.controller_legal(run(*EVENTS, d.Fail()))) == {
        "entry",
        "task",
        "open",
        "commit",
        "of b",
    }


def test_snapshots_are_the_latest_stable_one() -> None:
    history = run(
        d.Enter(A),
        save("one", A, scope=Scope.TASK),
        act(A),
        save("two", A, scope=Scope.TASK),
        act(A),
        save("off", A, scope=Scope.TASK, stable=False),
        failed(A),
    )
    assert ids(d.snapshots(history)) == {"two"}


def test_dart_without_admits_what_the_guard_blocks() -> None:
    history = run(*EVENTS, failed(A))
    assert ids(d.dart_without(history, None)) == {"commit"}
    assert ids(d.dart_without(history, "stable")) == {"commit", "unstable"}
    assert ids(d.dart_without(history, "closed")) == {"commit", "open"}
    assert ids(d.dart_without(history, "no_committed_conflict")) == {"commit", "entry"}


def test_dart_without_identification_takes_every_candidate() -> None:
    history = run(d.Enter(A), save("c", A), d.Enter(B), save("e", B), d.Fail(tag=Tag()))
    assert d.dart_without(history, None) == frozenset()
    assert ids(d.dart_without(history, "identified")) == {"c", "e"}
    assert d.suspects(history) == {A, B}


def test_choice_of_a_savepoint_asks_nobody_who_has_read() -> None:
    reader = (d.Enter(B), act(B, reads=["k"]), d.Commit(B))
    history = run(
        d.Enter(A), act(A), save("s", A), act(A, writes=["k"]), *reader, act(A), failed(A)
    )
    assert ids(d.choice(history, Policy.SAVEPOINT)) == {"s"}
    assert ids(d.choice(history, Policy.DART)) == set()
