import pytest

import dart_core as d
from dart_core import Boundary, Predicate, Scope, Skeleton, Tag
from histories import A, B, C, act, contract, run, save


def test_boundary_is_derived_from_the_log() -> None:
    history = run(d.Enter(A), act(A), d.Commit(A), d.Exit(A))
    assert [d.boundary(history, A, cut) for cut in (1, 2, 3, 4)] == [
        Boundary.ENTRY,
        Boundary.COMMIT,
        Boundary.COMMIT,
        Boundary.EXIT,
    ]


def test_decidable_needs_one_owner() -> None:
    history = run(d.Enter(A), d.Enter(B), save("one", A), d.Save(id="two", tag=Tag()))
    assert d.decidable(history.checkpoints["one"], A)
    assert not d.decidable(history.checkpoints["one"], B)
    assert not d.decidable(history.checkpoints["two"], A)


def test_closed_until_the_first_write_and_again_from_the_commit() -> None:
    history = run(
        d.Enter(A), act(A), act(A, writes=["k"]), act(A), d.Commit(A), act(A, writes=["k"])
    )
    assert [d.closed(history, A, cut) for cut in range(1, 7)] == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    assert d.open_writes(history, A, 4) == [3]
    assert d.last_closing(history, A, 4) == 1
    assert d.last_closing(history, A, 6) == 5


def test_closed_rejects_a_false_commit() -> None:
    under = contract({"a": Skeleton(commit=Predicate(states=frozenset({"done"})))})
    events = (d.Enter(A), act(A, writes=["k"]), d.Commit(A), d.Commit(A, "done"))
    history = run(*events, under=under)
    assert not d.closed(history, A, 3)
    assert d.closed(history, A, 4)


def test_separable_of_an_instance_checkpoint_always() -> None:
    history = run(d.Enter(A), save("c", A), d.Enter(B), act(B))
    assert d.separable(history, history.checkpoints["c"], A)


@pytest.mark.parametrize(
    ("after", "expected"),
    [((), []), ((act(A),), []), ((act(B),), [B]), ((d.Enter(C),), [C])],
)
def test_separable_of_a_task_checkpoint_until_another_goes_on(
    after: tuple[d.Event, ...], expected: list[d.InstanceId]
) -> None:
    history = run(d.Enter(A), d.Enter(B), save("c", A, scope=Scope.TASK), *after)
    checkpoint = history.checkpoints["c"]
    assert d.overrun(history, checkpoint, A) == expected
    assert d.separable(history, checkpoint, A) is (not expected)


@pytest.mark.parametrize("opened", list(Boundary))
def test_controllable_by_policy(opened: Boundary) -> None:
    under = contract({"a": Skeleton(rollback_to=frozenset({opened}))})
    history = run(d.Enter(A), d.Commit(A), d.Exit(A), under=under)
    cuts = {Boundary.ENTRY: 1, Boundary.COMMIT: 2, Boundary.EXIT: 3}
    assert {kind for kind, cut in cuts.items() if d.controllable(history, A, cut)} == {opened}


def test_certified_needs_all_four() -> None:
    good = run(d.Enter(A), save("c", A), act(A))
    assert d.certified(good, good.checkpoints["c"], A)
    unclear = run(d.Enter(A), d.Enter(B), d.Save(id="c", tag=Tag()))
    assert not d.certified(unclear, unclear.checkpoints["c"], A)
    opened = run(d.Enter(A), act(A, writes=["k"]), save("c", A))
    assert not d.certified(opened, opened.checkpoints["c"], A)
    shared = run(d.Enter(A), save("c", A, scope=Scope.TASK), d.Enter(B))
    assert not d.certified(shared, shared.checkpoints["c"], A)
    barred = run(d.Enter(A), save("c", A), under=d.Contract())
    assert not d.certified(barred, barred.checkpoints["c"], A)
