import dart_core as d
from dart_core import FrozenMap, Scope, Violation
from histories import A, B, C, act, failed, run, save

HISTORY = run(
    d.Enter(C),
    act(C),
    d.Exit(C),
    d.Enter(A),
    save("c", A),
    save("task", A, scope=Scope.TASK),
    act(A, writes=["k"]),
    d.Commit(A),
    act(A),
    d.Enter(B),
    act(B, reads=["k"]),
    d.Exit(B),
    failed(A),
)
OWN, TASK = HISTORY.checkpoints["c"], HISTORY.checkpoints["task"]


def test_kept_nothing_by_a_rerun() -> None:
    assert d.kept(HISTORY, None) == FrozenMap()
    assert d.kept(HISTORY, OWN) == FrozenMap({C: 3, A: 1, B: 3})
    assert d.kept(HISTORY, TASK) == FrozenMap({C: 3, A: 1, B: 0})


def test_runs_again_counts_acts_alone() -> None:
    assert d.runs_again(HISTORY, A, d.kept(HISTORY, OWN)) == 2
    assert d.runs_again(HISTORY, B, d.kept(HISTORY, OWN)) == 0
    assert d.runs_again(HISTORY, B, d.kept(HISTORY, TASK)) == 1


def test_replay_and_upstream_replay() -> None:
    assert [d.replay(HISTORY, one) for one in (None, OWN, TASK)] == [4, 2, 3]
    assert [d.upstream_replay(HISTORY, one, A) for one in (None, OWN, TASK)] == [2, 0, 1]
    assert d.upstream_replay(HISTORY, None, None) == 4


def test_preserved_counts_the_exited_that_do_not_run_again() -> None:
    assert [d.preserved(HISTORY, one) for one in (None, OWN, TASK)] == [0, 2, 1]


def test_unsafe_names_what_would_be_invalid() -> None:
    assert d.unsafe(HISTORY, OWN) == {Violation.ORPHANED_COMMIT}
    assert d.unsafe(HISTORY, TASK) == {Violation.WRONG_INSTANCE}
    fresh = run(d.Enter(A), save("c", A), act(A), failed(A))
    assert d.unsafe(fresh, fresh.checkpoints["c"]) == frozenset()


def test_success_needs_the_goal_a_valid_history_and_no_open_failure() -> None:
    done = run(d.Enter(A), d.Exit(A))
    assert d.success(done, goal_reached=True)
    assert not d.success(done, goal_reached=False)
    assert not d.success(HISTORY, goal_reached=True)
    broken = d.apply(HISTORY, d.Restore("c"))
    assert isinstance(broken, d.History)
    assert not d.success(broken, goal_reached=True)
