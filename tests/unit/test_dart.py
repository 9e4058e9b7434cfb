import pytest
from attrs import evolve

import dart_core as d
from dart_core import (
    Entry,
    EntryKind,
    FrozenMap,
    Read,
    Refusal,
    RefusalReason,
    Skeleton,
    Tag,
    Version,
)
from histories import A2, A, B, C, act, contract, failed, run, save


def refused(event: d.Event, *events: d.Event, under: d.Contract | None = None) -> Refusal:
    history = run(*events, under=under)
    after = d.apply(history, event)
    assert isinstance(after, Refusal)
    assert after == d.enabled(history, event)
    assert after.at == len(events) + 1
    return after


@pytest.mark.parametrize(
    ("event", "before", "reason", "subject"),
    [
        (d.Enter(A), (d.Enter(A),), RefusalReason.NOT_NEXT_ORDINAL, "a[x]#1"),
        (d.Enter(A2), (), RefusalReason.NOT_NEXT_ORDINAL, "a[x]#2"),
        (d.Enter(evolve(A, ordinal=0)), (), RefusalReason.NOT_NEXT_ORDINAL, "a[x]#0"),
        (act(A), (), RefusalReason.NOT_ENTERED, "a[x]#1"),
        (d.Commit(A), (), RefusalReason.NOT_ENTERED, "a[x]#1"),
        (d.Exit(A), (), RefusalReason.NOT_ENTERED, "a[x]#1"),
        (act(A), (d.Enter(A), d.Exit(A)), RefusalReason.EXITED, "a[x]#1"),
        (d.Commit(A), (d.Enter(A), d.Exit(A)), RefusalReason.EXITED, "a[x]#1"),
        (d.Exit(A), (d.Enter(A), d.Exit(A)), RefusalReason.EXITED, "a[x]#1"),
        (act(A), (d.Enter(A), failed(A)), RefusalReason.SUSPENDED, "a[x]#1"),
        (d.Commit(A), (d.Enter(A), failed(A)), RefusalReason.SUSPENDED, "a[x]#1"),
        (d.Exit(A), (d.Enter(A), failed(A)), RefusalReason.SUSPENDED, "a[x]#1"),
        (save("c", A), (d.Enter(A), failed(A)), RefusalReason.SUSPENDED, "a[x]#1"),
        (save("c", A), (), RefusalReason.NOT_ENTERED, "a[x]#1"),
        (
            save("c", A),
            (d.Enter(A), save("c", A)),
            RefusalReason.CHECKPOINT_ID_IN_USE,
            "c",
        ),
        (
            act(A, "a1"),
            (d.Enter(A), d.Enter(B), act(B, "a1")),
            RefusalReason.ACT_ID_IN_USE,
            "a1",
        ),
        (d.Restore("c"), (d.Enter(A), save("c", A)), RefusalReason.NO_PENDING_FAILURE, "c"),
        (d.Restore("c"), (d.Enter(A), failed(A)), RefusalReason.NO_SUCH_CHECKPOINT, "c"),
        (d.Rerun(), (d.Enter(A),), RefusalReason.NO_PENDING_FAILURE, ""),
    ],
)
def test_enabled_rejects(
    event: d.Event, before: tuple[d.Event, ...], reason: RefusalReason, subject: str
) -> None:
    found = refused(event, *before)
    assert (found.reason, found.subject) == (reason, subject)


def test_enabled_rejects_a_read_that_nothing_gave() -> None:
    under = contract({"b": Skeleton(reads=frozenset({"m"}))}, external=frozenset({"k"}))
    found = refused(act(A, reads=["k", "z", "j"]), d.Enter(A), under=under)
    assert found == Refusal(RefusalReason.UNWRITTEN_KEY, "j", 2)
    assert refused(d.Act(instance=B), d.Enter(B), under=under).subject == "m"
    assert refused(act(A, reads=["j"], writes=["j"]), d.Enter(A), under=under).subject == "j"
    run(d.Enter(A), act(A, reads=["k"], writes=["j"]), act(A, reads=["j"]), under=under)


def test_enabled_a_key_counts_as_written_for_good() -> None:
    under = contract(external=frozenset())
    history = run(
        d.Enter(A),
        act(A, writes=["k"]),
        failed(A),
        d.Rerun(),
        d.Enter(A),
        act(A, reads=["k"]),
        under=under,
    )
    assert d.log_of(history, A)[1].reads == (Read("k", None),)


def test_fold_stops_at_the_first_refusal() -> None:
    events = (d.Enter(A), d.Enter(A2), d.Enter(B), d.Enter(B), d.Rerun())
    assert d.fold(contract(), events) == Refusal(RefusalReason.NOT_NEXT_ORDINAL, "b[y]#1", 4)


def test_enter_goes_on_after_an_exit_or_beside_a_live_one() -> None:
    assert set(run(d.Enter(A), d.Enter(A2)).log) == {A, A2}
    history = run(d.Enter(A, "s"))
    assert d.log_of(history, A) == (Entry(kind=EntryKind.ENTER, attempt=1, state="s"),)
    assert history.attempt == FrozenMap({A: 1})


def test_act_reads_before_it_writes() -> None:
    history = run(d.Enter(A), act(A, writes=["k"]), act(A, reads=["k"], writes=["k"]))
    first = Version(writer=A, attempt=1, index=2)
    second = Version(writer=A, attempt=1, index=3)
    assert d.log_of(history, A)[2].reads == (Read("k", first),)
    assert history.store == FrozenMap({"k": (first, second)})


def test_act_that_does_not_say_reads_by_its_skeleton() -> None:
    under = contract({"a": Skeleton(reads=frozenset({"{entity}.k"}))})
    history = run(d.Enter(A), d.Act(instance=A), under=under)
    assert d.log_of(history, A)[1].reads == (Read("x.k", None),)


def test_act_keeps_its_sets_sorted_and_its_effects_in_the_world() -> None:
    history = run(d.Enter(A), act(A, "a1", reads="zy", writes="ba", effects=["q", "p"]))
    entry = d.log_of(history, A)[1]
    assert [read.key for read in entry.reads] == ["y", "z"]
    assert (entry.writes, entry.effects, entry.id) == (("a", "b"), ("p", "q"), "a1")
    assert history.world == {
        d.Effect(epoch=1, instance=A, attempt=1, index=2, name=name) for name in "pq"
    }
    assert history.acts == FrozenMap({"a1": (A, 2)})


def test_save_of_a_full_tag_counts_an_exited_owner() -> None:
    history = run(d.Enter(A), d.Exit(A), save("c", A))
    assert history.checkpoints["c"].owners == {A}
    assert history.checkpoints["c"].cut == FrozenMap({A: 2})


def test_save_of_a_partial_tag_counts_the_live_that_are_not_suspended() -> None:
    history = run(
        d.Enter(A), d.Enter(B), d.Enter(C), d.Exit(C), failed(A), d.Save(id="c", tag=Tag())
    )
    assert history.checkpoints["c"].owners == {B}
    nobody = run(d.Enter(A), d.Save(id="c", tag=Tag(skeleton="b")))
    assert nobody.checkpoints["c"].owners == frozenset()
    assert nobody.saved == FrozenMap()


def test_save_of_the_task_cuts_every_instance() -> None:
    history = run(d.Enter(A), d.Enter(B), act(B), save("c", A, scope=d.Scope.TASK))
    assert history.checkpoints["c"].cut == FrozenMap({A: 1, B: 2})
    assert history.checkpoints["c"].owners == {A}


def test_restore_undoes_the_owner_alone() -> None:
    history = run(
        d.Enter(A),
        act(A, "a1", writes=["k"]),
        save("c", A),
        act(A, "a2", writes=["k", "j"]),
        d.Enter(B),
        act(B, "b1", writes=["k"]),
        failed(A),
        d.Restore("c"),
    )
    kept = Version(writer=A, attempt=1, index=2)
    assert len(d.log_of(history, A)) == 2
    assert len(d.log_of(history, B)) == 2
    assert history.store == FrozenMap({"k": (kept, Version(writer=B, attempt=1, index=2))})
    assert history.attempt == FrozenMap({A: 2, B: 1})
    assert history.acts == FrozenMap({"a1": (A, 2), "b1": (B, 2)})
    assert history.failures == ()
    assert set(history.checkpoints) == {"c"}


def test_restore_lets_ids_be_used_again() -> None:
    history = run(
        d.Enter(A),
        save("c", A),
        act(A, "a1"),
        save("e", A),
        failed(A),
        d.Restore("c"),
        act(A, "a1"),
        save("e", A),
    )
    assert d.log_of(history, A)[1].attempt == 2
    assert history.saved == FrozenMap({A: ("c", "e")})


def test_restore_that_cuts_nothing_still_begins_an_attempt() -> None:
    history = run(d.Enter(A), save("c", A), failed(A), d.Restore("c"))
    assert history.attempt == FrozenMap({A: 2})


def test_restore_of_the_task_rewinds_all_and_drops_later_ones() -> None:
    history = run(
        d.Enter(A),
        save("c", A, scope=d.Scope.TASK),
        d.Enter(B),
        act(B, "b1", writes=["k"]),
        save("of b", B),
        failed(A),
        d.Restore("c"),
    )
    assert set(history.log) == {A}
    assert history.store == FrozenMap()
    assert set(history.checkpoints) == {"c"}
    assert history.saved == FrozenMap({A: ("c",)})
    assert history.attempt == FrozenMap({A: 2, B: 2})
    again = d.apply(history, d.Enter(B))
    assert isinstance(again, d.History)
    assert d.log_of(again, B)[0].attempt == 2


def test_restore_drops_a_checkpoint_of_several_with_one_of_its_logs() -> None:
    history = run(
        d.Enter(A),
        save("c", A),
        act(A),
        d.Enter(B),
        d.Save(id="both", tag=Tag()),
        save("task", B, scope=d.Scope.TASK),
        save("of b", B),
        failed(A),
        d.Restore("c"),
    )
    assert set(history.checkpoints) == {"c", "of b"}
    assert history.saved == FrozenMap({A: ("c",), B: ("of b",)})


def test_restore_without_exactly_one_owner_only_clears_the_failures() -> None:
    before = run(d.Enter(A), d.Enter(B), d.Save(id="c", tag=Tag()), act(A), failed(A))
    after = d.apply(before, d.Restore("c"))
    assert after == evolve(before, failures=())


def test_rerun_clears_all_but_the_world() -> None:
    history = run(
        d.Enter(A), act(A, "a1", writes=["k"], effects=["ship"]), save("c", A), failed(A), d.Rerun()
    )
    world = frozenset({d.Effect(epoch=1, instance=A, attempt=1, index=2, name="ship")})
    assert history == d.History(contract=contract(), epoch=2, world=world)
    assert history.clock == 5
    assert history.acts == FrozenMap()


def test_fail_keeps_what_was_observed_apart_from_the_truth() -> None:
    history = run(d.Enter(A), d.Fail(tag=Tag(skeleton="a"), state="s", truth=A))
    (failure,) = history.failures
    assert failure.observed == d.Fail(tag=Tag(skeleton="a"), state="s")
    assert failure.truth == A
    assert failure.candidates == {A}


def test_labels_count_events_and_are_not_compared() -> None:
    history = run(d.Enter(A), act(A, writes=["k"], effects=["e"]), save("c", A), failed(A))
    assert history.clock == 4
    assert [entry.at for entry in d.log_of(history, A)] == [1, 2]
    assert history.store["k"][0].at == 2
    assert [effect.at for effect in history.world] == [2]
    assert history.checkpoints["c"].at == 3
    assert history.failures[0].at == 4
    closed = run(d.Enter(A), d.Commit(A), d.Exit(A), d.Fail())
    assert [entry.at for entry in d.log_of(closed, A)] == [1, 2, 3]


def test_interleavings_of_independent_events_are_one_history() -> None:
    one = run(d.Enter(A), d.Enter(B), act(A, writes=["k"]), save("c", A), save("e", B), act(B))
    other = run(d.Enter(B), d.Enter(A), save("e", B), act(B), act(A, writes=["k"]), save("c", A))
    assert one == other
    assert hash(one) == hash(other)


def test_act_commit_and_exit_log_their_state_and_attempt() -> None:
    events = (
        d.Enter(A, "s1"),
        save("c", A),
        failed(A),
        d.Restore("c"),
        act(A, "a1", writes=["k"], effects=["e"]),
        evolve(act(A), state="s2"),
        d.Commit(A, "s3"),
        d.Exit(A, "s4"),
    )
    log = run(*events).log[A]
    assert [entry.state for entry in log] == ["s1", None, "s2", "s3", "s4"]
    assert [entry.attempt for entry in log] == [1, 2, 2, 2, 2]


def test_save_keeps_the_tag_as_it_was_seen() -> None:
    tag = Tag(skeleton="a")
    assert run(d.Enter(A), d.Save(id="c", tag=tag, truth=A)).checkpoints["c"].tag == tag


@pytest.mark.parametrize("recovery", [d.Restore("c"), d.Rerun()])
def test_recovery_is_one_event(recovery: d.Event) -> None:
    events = (d.Enter(A), save("c", A), act(A), failed(A))
    assert run(*events, recovery).clock == len(events) + 1


def test_act_without_an_id_has_no_place_to_be_named_by() -> None:
    assert run(d.Enter(A), act(A), act(A, "a1")).acts == FrozenMap({"a1": (A, 3)})
