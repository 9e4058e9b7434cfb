import pytest

import dart_core as d
from dart_core import Predicate, Skeleton, Tag
from histories import A2, A, B, C, act, contract, failed, full, run, save


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        (Tag(), True),
        (full(A), True),
        (Tag(skeleton="a"), True),
        (Tag(skeleton="b"), False),
        (Tag(entity="x"), True),
        (Tag(entity="y"), False),
        (Tag(ordinal=1), True),
        (Tag(ordinal=2), False),
        (Tag(skeleton="a", entity="x", ordinal=2), False),
    ],
)
def test_matches(tag: Tag, expected: bool) -> None:
    assert d.matches(tag, A) is expected


def test_is_full_rejects_each_unknown_part() -> None:
    assert d.is_full(full(A))
    assert not d.is_full(Tag(entity="x", ordinal=1))
    assert not d.is_full(Tag(skeleton="a", ordinal=1))
    assert not d.is_full(Tag(skeleton="a", entity="x"))


def test_log_of_one_that_did_not_enter_is_empty() -> None:
    assert d.log_of(run(), A) == ()
    assert not d.entered(run(), A)
    assert d.entered(run(d.Enter(A)), A)


def test_live_from_entry_to_exit() -> None:
    assert not d.live(run(), A)
    assert d.live(run(d.Enter(A)), A)
    assert d.live(run(d.Enter(A), d.Commit(A)), A)
    assert not d.live(run(d.Enter(A), d.Exit(A)), A)


def test_others_leaves_out_one() -> None:
    history = run(d.Enter(A), d.Enter(B))
    assert d.others(history, A) == [B]
    assert sorted(d.others(history, None)) == [A, B]


def test_suspended_only_as_the_only_candidate() -> None:
    assert not d.suspended(run(d.Enter(A)), A)
    one = run(d.Enter(A), d.Enter(B), failed(A))
    assert d.suspended(one, A)
    assert not d.suspended(one, B)
    both = run(d.Enter(A), d.Enter(B), d.Fail())
    assert not d.suspended(both, A)
    twice = run(d.Enter(A), d.Enter(B), failed(A), failed(B))
    assert d.suspended(twice, A)
    assert d.suspended(twice, B)


def test_last_commit_counts_commits_and_exits() -> None:
    assert d.last_commit(run(d.Enter(A), act(A)), A) == 0
    assert d.last_commit(run(d.Enter(A), d.Commit(A), act(A), d.Commit(A), act(A)), A) == 4
    assert d.last_commit(run(d.Enter(A), d.Commit(A), act(A), d.Exit(A)), A) == 4
    assert d.last_commit(run(), A) == 0


def test_last_state_is_the_last_one_said() -> None:
    history = run(d.Enter(A, "one"), d.Commit(A, "two"), act(A))
    assert d.last_state(d.log_of(history, A)) == "two"
    assert d.last_state(()) is None


def test_closes_at_entry_and_where_the_claim_holds() -> None:
    skeleton = Skeleton(
        commit=Predicate(states=frozenset({"ready"})), exit=Predicate(writes=frozenset({"k"}))
    )
    under = contract({"a": skeleton})
    history = run(
        d.Enter(A, "ready"),
        act(A),
        d.Commit(A),
        d.Commit(A, "other"),
        act(A, writes=["k"]),
        d.Exit(A),
        under=under,
    )
    assert [d.closes(history, A, index) for index in range(1, 7)] == [
        True,
        False,
        True,
        False,
        False,
        True,
    ]
    unwritten = run(d.Enter(A), d.Exit(A), d.Enter(B), under=under)
    assert not d.closes(unwritten, A, 2)
    assert not d.closes(run(d.Enter(A), d.Commit(A), under=under), A, 2)


def test_closes_looks_at_the_prefix_alone() -> None:
    under = contract({"a": Skeleton(commit=Predicate(writes=frozenset({"k"})))})
    history = run(d.Enter(A), d.Commit(A), act(A, writes=["k"]), d.Commit(A), under=under)
    assert not d.closes(history, A, 2)
    assert d.closes(history, A, 4)


def test_default_reads_binds_the_entity() -> None:
    under = contract({"a": Skeleton(reads=frozenset({"{entity}.k", "j"}))})
    assert d.default_reads(under, A) == {"x.k", "j"}
    assert d.default_reads(d.Contract(), A) == frozenset()


def test_remaining_of_an_instance_checkpoint_cuts_its_owner_alone() -> None:
    history = run(d.Enter(A), save("c", A), act(A), d.Enter(B), act(B))
    assert d.remaining(history, history.checkpoints["c"]) == d.FrozenMap({A: 1, B: 2})


def test_remaining_without_exactly_one_owner_cuts_nothing() -> None:
    history = run(d.Enter(A), d.Enter(B), d.Save(id="c", tag=Tag()), act(A), act(B))
    assert d.remaining(history, history.checkpoints["c"]) == d.FrozenMap({A: 2, B: 2})
    nobody = run(d.Enter(A), d.Save(id="c", tag=Tag(skeleton="b")), act(A))
    assert d.remaining(nobody, nobody.checkpoints["c"]) == d.FrozenMap({A: 2})


def test_remaining_of_a_task_checkpoint_cuts_all_and_drops_later_ones() -> None:
    history = run(
        d.Enter(A), d.Enter(B), save("c", A, scope=d.Scope.TASK), act(A), act(B), d.Enter(C)
    )
    assert d.remaining(history, history.checkpoints["c"]) == d.FrozenMap({A: 1, B: 1, C: 0})


def test_instances_are_written_for_a_person() -> None:
    assert str(A2) == "a[x]#2"
