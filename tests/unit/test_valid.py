import pytest

import dart_core as d
from dart_core import (
    Boundary,
    EffectClass,
    FrozenMap,
    Predicate,
    Scope,
    Skeleton,
    Tag,
    Version,
    Violation,
)
from histories import A, B, act, contract, failed, run, save

EFFECTS = Skeleton(effects=FrozenMap({kind.value: kind for kind in EffectClass}))
PUBLISHED = (d.Enter(A), save("c", A), act(A, "a1", writes=["k"]))


def test_exists_until_the_act_is_undone() -> None:
    version = Version(writer=A, attempt=1, index=2)
    assert d.exists(run(*PUBLISHED), version)
    undone = (*PUBLISHED, failed(A), d.Restore("c"))
    assert not d.exists(run(*undone), version)
    assert not d.exists(run(*undone, act(A, writes=["k"])), version)
    assert d.exists(run(*undone, act(A)), Version(writer=A, attempt=2, index=2))
    assert not d.exists(run(), version)


def test_orphaned_commit_needs_a_commit_at_or_after_the_read() -> None:
    read = (*PUBLISHED, d.Enter(B), d.Commit(B), act(B, reads=["k"]))
    undone = (failed(A), d.Restore("c"))
    assert not d.orphaned_commit(run(*read, *undone))
    assert d.orphaned_commit(run(*read, *undone, d.Commit(B)))
    assert d.orphaned_commit(run(*read, d.Exit(B), *undone))
    assert d.orphaned_commit(run(*read, d.Commit(B), act(B, reads=["j"]), d.Commit(B), *undone))
    assert not d.orphaned_commit(run(*read, d.Commit(B)))


def test_orphaned_commit_does_not_count_values_from_outside() -> None:
    assert not d.orphaned_commit(run(d.Enter(B), act(B, reads=["k"]), d.Commit(B)))


def torn(*end: d.Event, under: d.Contract | None = None) -> bool:
    """Whether a handoff is torn where a write survives a restore into the middle of it."""
    events = (d.Enter(A), act(A, writes=["k"]), save("m", A), failed(A), d.Restore("m"))
    return d.torn_handoff(run(*events, *end, under=under))


def test_torn_handoff_is_closed_with_writes_of_two_attempts() -> None:
    assert not torn()
    assert not torn(act(A, writes=["k"]))
    assert not torn(act(A), d.Commit(A))
    assert torn(act(A, writes=["k"]), d.Commit(A))
    assert torn(act(A, writes=["k"]), d.Exit(A))


def test_torn_handoff_rejects_a_claim_that_does_not_hold() -> None:
    under = contract({"a": Skeleton(commit=Predicate(states=frozenset({"ready"})))})
    assert not torn(act(A, writes=["k"]), d.Commit(A), under=under)
    assert torn(act(A, writes=["k"]), d.Commit(A, "ready"), under=under)
    wanted = contract({"a": Skeleton(exit=Predicate(writes=frozenset({"{entity}.k"})))})
    assert not torn(act(A, writes=["k"]), d.Exit(A), under=wanted)
    assert torn(act(A, writes=["x.k"]), d.Exit(A), under=wanted)


def test_torn_handoff_counts_each_handoff_for_itself() -> None:
    events = (d.Enter(A), act(A, writes=["k"]), d.Commit(A), save("m", A), failed(A))
    again = (d.Restore("m"), act(A, writes=["k"]), d.Commit(A))
    assert not d.torn_handoff(run(*events, *again))


def test_torn_handoff_by_an_unreviewed_skeleton_counts_every_claim() -> None:
    assert torn(act(A, writes=["k"]), d.Commit(A), under=d.Contract())


@pytest.mark.parametrize("compensate", [False, True])
@pytest.mark.parametrize("kind", list(EffectClass))
def test_erased_effect_by_class(kind: EffectClass, compensate: bool) -> None:
    under = contract({"a": EFFECTS}, compensate=compensate)
    done = (d.Enter(A), save("c", A), act(A, effects=[kind.value]), failed(A))
    assert not d.erased_effect(run(*done, under=under))
    expected = kind is EffectClass.IRREVERSIBLE or (
        kind is EffectClass.COMPENSABLE and not compensate
    )
    assert d.erased_effect(run(*done, d.Restore("c"), under=under)) is expected
    assert not d.erased_effect(run(*done, d.Rerun(), under=under))


def test_erased_effect_of_an_unlisted_or_unreviewed_effect() -> None:
    done = (d.Enter(A), save("c", A), act(A, effects=["unheard"]), failed(A), d.Restore("c"))
    assert d.erased_effect(run(*done))
    assert d.erased_effect(run(*done, under=d.Contract()))
    again = (*done, act(A, effects=["unheard"]))
    assert d.erased_effect(run(*again))


def test_violations_are_named() -> None:
    events = (
        d.Enter(A),
        act(A, writes=["k"]),
        save("m", A),
        act(A, writes=["k"], effects=["ship"]),
        d.Enter(B),
        act(B, reads=["k"]),
        d.Commit(B),
        failed(A),
        d.Restore("m"),
        act(A, writes=["k"]),
        d.Commit(A),
    )
    assert d.violations(run(*events)) == {
        Violation.ORPHANED_COMMIT,
        Violation.TORN_HANDOFF,
        Violation.ERASED_EFFECT,
    }
    assert d.violations(run(*events[:8])) == frozenset()


def test_culprit_is_the_truth_or_the_only_candidate() -> None:
    def culprit(*events: d.Event) -> d.InstanceId | None:
        return d.culprit(run(*events).failures[0])

    assert culprit(d.Enter(A), d.Enter(B), d.Fail(truth=B)) == B
    assert culprit(d.Enter(A), d.Fail()) == A
    assert culprit(d.Enter(A), d.Enter(B), d.Fail()) is None


def test_rewound_is_the_true_owner_or_the_known_one() -> None:
    history = run(
        d.Enter(A),
        d.Enter(B),
        save("one", A),
        d.Save(id="true", tag=Tag(), truth=B),
        d.Save(id="unknown", tag=Tag()),
        save("task", A, scope=Scope.TASK),
        act(B),
    )
    taken = {name: d.rewound(history, one) for name, one in history.checkpoints.items()}
    assert taken == {
        "one": {A},
        "true": {B},
        "unknown": frozenset(),
        "task": {A, B},
    }


def restored(history: d.History, name: str) -> set[Violation]:
    return set(d.restore_violations(history, history.checkpoints[name]))


def test_restore_violations_none_of_a_right_restore() -> None:
    history = run(d.Enter(A), save("c", A), act(A, "a1"), d.Fail(suspect="a1"))
    assert restored(history, "c") == set()


def test_restore_violations_of_another_instance() -> None:
    events = (d.Enter(A), save("c", A), d.Enter(B), save("e", B))
    assert restored(run(*events, failed(B)), "c") == {Violation.WRONG_INSTANCE}
    assert restored(run(*events, d.Fail(truth=A)), "e") == {Violation.WRONG_INSTANCE}
    assert restored(run(*events, failed(A), failed(B)), "c") == {Violation.WRONG_INSTANCE}
    # Nobody knows who failed, so nobody can say that it was another.
    assert restored(run(*events, d.Fail()), "c") == set()


def test_restore_violations_of_a_snapshot_that_takes_others_back() -> None:
    events = (d.Enter(A), d.Enter(B), save("c", A, scope=Scope.TASK))
    assert restored(run(*events, act(A), failed(A)), "c") == set()
    assert restored(run(*events, act(B), failed(A)), "c") == {Violation.WRONG_INSTANCE}


def test_restore_violations_of_a_suspect_that_stands() -> None:
    events = (d.Enter(A), act(A, "a1"), save("c", A), act(A, "a2"))
    assert restored(run(*events, d.Fail(suspect="a1")), "c") == {Violation.SUSPECT_STANDS}
    assert restored(run(*events, d.Fail(suspect="a2")), "c") == set()
    other = (*events, d.Enter(B), save("e", B), d.Fail(suspect="a1"))
    assert restored(run(*other), "e") == {Violation.WRONG_INSTANCE, Violation.SUSPECT_STANDS}


@pytest.mark.parametrize("opened", list(Boundary))
def test_restore_violations_of_a_boundary_that_policy_closes(opened: Boundary) -> None:
    under = contract({"a": Skeleton(rollback_to=frozenset({opened}))})
    history = run(
        d.Enter(A),
        save("entry", A),
        d.Commit(A),
        save("commit", A),
        d.Exit(A),
        save("exit", A),
        failed(A),
        under=under,
    )
    for kind in Boundary:
        expected = set() if kind is opened else {Violation.BOUNDARY_NOT_OPEN}
        assert restored(history, kind.value) == expected


def test_restore_violations_of_an_unreviewed_skeleton() -> None:
    history = run(d.Enter(A), save("c", A), failed(A), under=d.Contract())
    assert restored(history, "c") == {Violation.BOUNDARY_NOT_OPEN}


def test_restore_violations_do_not_ask_policy_about_one_that_is_gone() -> None:
    under = contract({"b": Skeleton(rollback_to=frozenset())})
    history = run(d.Enter(A), save("c", A, scope=Scope.TASK), d.Enter(B), failed(A), under=under)
    assert restored(history, "c") == {Violation.WRONG_INSTANCE}


def test_torn_handoff_judges_a_claim_by_what_was_seen_so_far() -> None:
    seen = contract({"a": Skeleton(commit=Predicate(states=frozenset({"ready"})))})
    ready = d.Act(instance=A, reads=frozenset(), writes=frozenset({"k"}), state="ready")
    assert torn(ready, d.Commit(A), under=seen)
    never = contract({"a": Skeleton(commit=Predicate(states=frozenset({""})))})
    assert not torn(act(A, writes=["k"]), d.Commit(A), under=never)
    written = contract({"a": Skeleton(commit=Predicate(writes=frozenset({"k", "j"})))})
    assert torn(act(A, writes=["j"]), d.Commit(A), under=written)
    late = (act(A, writes=["k"]), d.Commit(A), act(A, writes=["j"]))
    assert not torn(*late, under=written)


def test_leaves_suspect_of_an_instance_that_entered_after_the_snapshot() -> None:
    events = (d.Enter(A), save("c", A, scope=Scope.TASK), d.Enter(B), act(B, "b1"))
    history = run(*events, d.Fail(suspect="b1"))
    assert not d.leaves_suspect(history, history.checkpoints["c"])
