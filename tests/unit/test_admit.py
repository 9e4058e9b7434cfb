import pytest
from attrs import evolve

import dart_core as d
from dart_core import EffectClass, FrozenMap, Guards, Skeleton
from histories import A, B, C, act, contract, failed, run, save

EFFECTS = FrozenMap({kind.value: kind for kind in EffectClass})
READ_LATE = (
    d.Enter(A),
    act(A, writes=["k"]),
    act(A, writes=["j"]),
    d.Commit(A),
    d.Enter(B),
    act(B, reads=["k"]),
    d.Commit(B),
    act(B, reads=["j"]),
)


def test_guards_are_named_in_the_order_of_the_format() -> None:
    assert d.GUARDS == (
        "stable",
        "decidable",
        "closed",
        "separable",
        "controllable",
        "repairs",
        "no_committed_conflict",
        "no_live_conflict",
        "effect_allowed",
    )


def test_suspect_is_the_earliest_act_in_doubt_or_one_past_the_end() -> None:
    events = (d.Enter(A), act(A, "a1"), act(A, "a2"), d.Enter(B), act(B, "b1"))
    assert d.suspect(run(*events), A) == 4
    assert d.suspect(run(*events, d.Fail(suspect="a2")), A) == 3
    assert d.suspect(run(*events, d.Fail(suspect="a2"), d.Fail(suspect="a1")), A) == 2
    assert d.suspect(run(*events, d.Fail(suspect="b1")), A) == 4


def test_repairs_only_before_the_act_in_doubt() -> None:
    history = run(d.Enter(A), act(A, "a1"), act(A), d.Fail(suspect="a1"))
    assert [d.repairs(history, A, cut) for cut in (1, 2, 3)] == [True, False, False]
    unnamed = run(d.Enter(A), act(A), failed(A))
    assert d.repairs(unnamed, A, 2)


def test_reads_after_names_key_and_version() -> None:
    history = run(*READ_LATE)
    version = d.Version(writer=A, attempt=1, index=2)
    assert d.reads_after(history, B, 2, A, 1) == [("k", version)]
    assert d.reads_after(history, B, 2, A, 2) == []
    assert d.reads_after(history, B, 2, C, 1) == []
    assert d.reads_after(history, B, 1, A, 1) == []
    outside = run(d.Enter(B), act(B, reads=["k"]))
    assert d.reads_after(outside, B, 2, A, 0) == []


def test_no_committed_conflict_counts_committed_reads_after_the_cut() -> None:
    history = run(*READ_LATE)
    assert [d.no_committed_conflict(history, A, cut) for cut in (1, 2, 3, 4)] == [
        False,
        True,
        True,
        True,
    ]


def test_no_live_conflict_counts_uncommitted_reads_after_the_cut() -> None:
    history = run(*READ_LATE)
    assert [d.no_live_conflict(history, A, cut) for cut in (1, 2, 3, 4)] == [
        False,
        False,
        True,
        True,
    ]
    committed = run(*READ_LATE, d.Exit(B))
    assert d.no_live_conflict(committed, A, 1)
    assert not d.no_committed_conflict(committed, A, 2)


def test_conflicts_do_not_count_own_reads() -> None:
    history = run(d.Enter(A), act(A, writes=["k"]), act(A, reads=["k"]), d.Commit(A))
    assert d.no_committed_conflict(history, A, 1)
    assert d.no_live_conflict(history, A, 1)


@pytest.mark.parametrize("compensate", [False, True])
@pytest.mark.parametrize("kind", list(EffectClass))
def test_effect_allowed_by_class(kind: EffectClass, compensate: bool) -> None:
    under = contract({"a": Skeleton(effects=EFFECTS)}, compensate=compensate)
    history = run(d.Enter(A), act(A, effects=[kind.value]), act(A), under=under)
    allowed = kind in (EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT) or (
        kind is EffectClass.COMPENSABLE and compensate
    )
    assert d.effect_allowed(history, A, 1) is allowed
    assert d.effect_allowed(history, A, 2)
    assert d.fixed_effects(history, A, 1) == ([] if allowed else [(2, kind.value)])


def test_effect_allowed_does_not_count_the_effects_of_others() -> None:
    history = run(d.Enter(A), d.Enter(B), act(B, effects=["ship"]))
    assert d.effect_allowed(history, A, 1)


def test_guards_tell_each_guard_apart() -> None:
    good = run(d.Enter(A), save("c", A), act(A), failed(A))
    found = d.guards(good, good.checkpoints["c"], A)
    assert found == Guards(**dict.fromkeys(d.GUARDS, True))
    unstable = run(d.Enter(A), save("c", A, stable=False), act(A), failed(A))
    assert d.guards(unstable, unstable.checkpoints["c"], A) == evolve(found, stable=False)
    assert d.admissible(good, good.checkpoints["c"], A)
    assert not d.admissible(unstable, unstable.checkpoints["c"], A)


def test_admitted_latest_saved_first() -> None:
    history = run(
        d.Enter(A), save("one", A), act(A), save("off", A, stable=False), save("two", A), failed(A)
    )
    assert [one.id for one in d.admitted(history, A)] == ["two", "one"]


def test_latest_takes_the_greatest_cut_then_the_latest_saved() -> None:
    history = run(d.Enter(A), save("one", A), act(A), save("two", A), save("three", A))
    own = d.aligned(history, A)
    assert [one.id for one in own] == ["three", "two", "one"]
    assert d.latest(own, A) == history.checkpoints["three"]
    assert d.latest(own[1:], A) == history.checkpoints["two"]
    assert d.latest((own[2], own[1]), A) == history.checkpoints["two"]
    assert d.latest((), A) is None


def test_no_live_conflict_allows_reading_ones_own() -> None:
    history = run(d.Enter(A), act(A, writes=["k"]), act(A, reads=["k"]))
    assert d.no_live_conflict(history, A, 1)
    assert d.no_committed_conflict(history, A, 1)


def test_guards_do_not_take_the_failed_instance_for_another() -> None:
    history = run(d.Enter(A), save("c", A, scope=d.Scope.TASK), act(A))
    assert d.guards(history, history.checkpoints["c"], A).separable
    assert d.certified(history, history.checkpoints["c"], A)
