import pytest

import dart_core as d
from dart_core import (
    Boundary,
    Decision,
    EffectClass,
    Fallback,
    FrozenMap,
    Guards,
    Judged,
    Performed,
    Reason,
    Scope,
    Skeleton,
    Tag,
    Target,
    Verdict,
    Witness,
)
from histories import A, B, C, act, contract, failed, run, save

EFFECTS = Skeleton(effects=FrozenMap({kind.value: kind for kind in EffectClass}))
ALL = Guards(**dict.fromkeys(d.GUARDS, True))


def decided(*events: d.Event, under: d.Contract | None = None) -> Decision:
    found = d.decide(run(*events, under=under))
    assert found is not None
    return found


def test_decide_nothing_where_nothing_is_pending() -> None:
    assert d.decide(run(d.Enter(A))) is None


def test_decide_restore_is_whole() -> None:
    events = (
        d.Enter(C),
        d.Exit(C),
        d.Enter(A),
        save("one", A),
        act(A, writes=["k"]),
        d.Commit(A),
        save("two", A),
        act(A),
        act(A, effects=["compensable"]),
        failed(A),
    )
    found = decided(*events, under=contract({"a": EFFECTS}, compensate=True))
    assert found == Decision(
        failure=10,
        verdict=Verdict.RESTORE,
        reason=None,
        instance=A,
        candidates=(A,),
        checkpoint="two",
        restore=(Target(A, "two"),),
        replay=2,
        upstream_replay=0,
        preserved=1,
        checkpoints=(
            Judged(id="two", kind=Boundary.COMMIT, guards=ALL, witnesses=()),
            Judged(id="one", kind=Boundary.ENTRY, guards=ALL, witnesses=()),
        ),
        hazards=(),
        compensations=(Performed(instance=A, effect="compensable", at=9),),
    )
    assert found.failure == 10
    assert found.compensations[0].at == 9


def test_decide_not_identified_is_whole() -> None:
    found = decided(d.Enter(A), d.Enter(B), act(B), d.Exit(B), d.Enter(C), d.Fail())
    assert found == Decision(
        failure=6,
        verdict=Verdict.RERUN,
        reason=Reason.NOT_IDENTIFIED,
        instance=None,
        candidates=(A, C),
        checkpoint=None,
        restore=(),
        replay=1,
        upstream_replay=1,
        preserved=0,
        checkpoints=(),
        hazards=(),
        compensations=(),
    )


def test_decide_two_failures_share_one_decision() -> None:
    found = decided(d.Enter(A), d.Enter(B), save("c", A), failed(B), failed(A))
    assert (found.failure, found.instance, found.candidates) == (4, None, (A, B))
    assert found.reason is Reason.NOT_IDENTIFIED


def test_decide_no_admissible_checkpoint() -> None:
    found = decided(d.Enter(A), act(A), d.Enter(B), act(B), act(B), failed(A))
    assert (found.verdict, found.reason) == (Verdict.RERUN, Reason.NO_ADMISSIBLE_CHECKPOINT)
    assert (found.instance, found.replay, found.upstream_replay) == (A, 3, 2)


def test_hazards_are_the_irreversible_effects_of_all_epochs() -> None:
    under = contract({"a": EFFECTS, "b": EFFECTS})
    history = run(
        d.Enter(B),
        act(B, effects=["irreversible", "idempotent"]),
        d.Enter(A),
        act(A, effects=["unheard", "compensable", "reversible"]),
        failed(A),
        d.Rerun(),
        d.Enter(A),
        act(A, effects=["irreversible"]),
        under=under,
    )
    found = d.hazards(history)
    assert found == (
        Performed(instance=A, effect="unheard", at=4),
        Performed(instance=B, effect="irreversible", at=2),
        Performed(instance=A, effect="irreversible", at=8),
    )
    assert [one.at for one in found] == [4, 2, 8]


def test_compensations_after_the_cut_alone() -> None:
    history = run(
        d.Enter(A),
        act(A, effects=["compensable"]),
        act(A, effects=["idempotent", "compensable"]),
        under=contract({"a": EFFECTS}),
    )
    assert d.compensations(history, A, 2) == (Performed(instance=A, effect="compensable", at=3),)
    assert len(d.compensations(history, A, 1)) == 2
    assert d.compensations(history, A, 3) == ()


def test_verdict_escalates_only_with_the_contract_and_a_hazard() -> None:
    events = (d.Enter(A), act(A, effects=["irreversible"]), save("c", A), failed(A))
    for fallback, effects, chosen, expected in (
        (Fallback.ESCALATE, True, False, Verdict.ESCALATE),
        (Fallback.ESCALATE, True, True, Verdict.RESTORE),
        (Fallback.ESCALATE, False, False, Verdict.RERUN),
        (Fallback.RERUN, True, False, Verdict.RERUN),
    ):
        under = contract({"a": EFFECTS}, fallback=fallback)
        history = run(*(events if effects else (d.Enter(A), save("c", A), failed(A))), under=under)
        assert d.verdict(history, history.checkpoints["c"] if chosen else None) is expected


def judged(*events: d.Event, under: d.Contract | None = None) -> tuple[Witness, ...]:
    history = run(*events, under=under)
    found = d.judge(history, history.checkpoints["c"], A)
    values = {name: getattr(found.guards, name) for name in d.GUARDS}
    assert {one.guard for one in found.witnesses} == {n for n, value in values.items() if not value}
    return found.witnesses


def labels(witness: Witness) -> tuple[int | None, ...]:
    return (witness.written_at, witness.read_at, witness.at)


def test_witness_of_stable() -> None:
    assert judged(d.Enter(A), save("c", A, stable=False)) == (Witness(guard="stable"),)


def test_witness_of_decidable() -> None:
    found = judged(d.Enter(B), d.Enter(A), d.Save(id="c", tag=Tag()))
    assert found == (Witness(guard="decidable", owners=(A, B)),)


def test_witness_of_closed_is_each_open_write() -> None:
    found = judged(
        d.Enter(A), act(A, writes=["k"]), d.Commit(A), act(A, writes=["m", "l"]), save("c", A)
    )
    assert found == (Witness(guard="closed", key="l"), Witness(guard="closed", key="m"))
    assert [labels(one) for one in found] == [(4, None, None)] * 2


def test_witness_of_separable_is_each_instance_that_went_on() -> None:
    found = judged(
        d.Enter(A),
        d.Enter(C),
        save("c", A, scope=Scope.TASK),
        act(A),
        act(C),
        act(C),
        d.Enter(B),
    )
    assert found == (
        Witness(guard="separable", instance=B),
        Witness(guard="separable", instance=C),
    )
    assert [one.at for one in found] == [7, 5]


def test_witness_of_controllable_is_the_kind() -> None:
    found = judged(d.Enter(A), d.Exit(A), save("c", A))
    assert found == (Witness(guard="controllable", kind=Boundary.EXIT),)


def test_witness_of_repairs_is_the_act_in_doubt() -> None:
    found = judged(d.Enter(A), act(A, "a1"), act(A), save("c", A), d.Fail(suspect="a1"))
    assert found == (Witness(guard="repairs", instance=A),)
    assert found[0].at == 2


def test_witnesses_of_conflicts_are_each_read() -> None:
    found = judged(
        d.Enter(A),
        save("c", A),
        act(A, writes=["k", "j"]),
        d.Enter(C),
        act(C, reads=["k"]),
        d.Enter(B),
        act(B, reads=["k", "j"]),
        d.Commit(B),
        act(B, reads=["j"]),
    )
    assert found == (
        Witness(guard="no_committed_conflict", key="j", reader=B),
        Witness(guard="no_committed_conflict", key="k", reader=B),
        Witness(guard="no_live_conflict", key="j", reader=B),
        Witness(guard="no_live_conflict", key="k", reader=C),
    )
    assert [labels(one) for one in found] == [
        (3, 7, None),
        (3, 7, None),
        (3, 9, None),
        (3, 5, None),
    ]


def test_witness_of_effect_allowed_is_each_effect_that_stays() -> None:
    found = judged(
        d.Enter(A),
        save("c", A),
        act(A, effects=["idempotent", "irreversible"]),
        act(A, effects=["compensable"]),
        under=contract({"a": EFFECTS}),
    )
    assert found == (
        Witness(
            guard="effect_allowed", effect="irreversible", effect_class=EffectClass.IRREVERSIBLE
        ),
        Witness(guard="effect_allowed", effect="compensable", effect_class=EffectClass.COMPENSABLE),
    )
    assert [one.at for one in found] == [3, 4]


@pytest.mark.parametrize("guard", d.GUARDS)
def test_judge_has_no_witness_where_all_holds(guard: str) -> None:
    history = run(d.Enter(A), save("c", A), act(A), failed(A))
    found = d.judge(history, history.checkpoints["c"], A)
    assert getattr(found.guards, guard)
    assert found.witnesses == ()


def test_decide_quotes_no_read_of_ones_own() -> None:
    events = (d.Enter(A), save("c", A), act(A, writes=["k"]), act(A, reads=["k"]))
    reader = (d.Enter(B), act(B, reads=["k"]))
    (judged,) = decided(*events, *reader, failed(A)).checkpoints
    assert [witness.reader for witness in judged.witnesses] == [B]


def test_decide_compensates_and_replays_only_what_is_undone() -> None:
    events = (
        d.Enter(B),
        act(B),
        d.Enter(A),
        act(A, effects=["compensable"]),
        save("c", A),
        act(A, effects=["compensable"]),
        failed(A),
    )
    found = decided(*events, under=contract({"a": EFFECTS}, compensate=True))
    assert found.checkpoint == "c"
    assert [performed.at for performed in found.compensations] == [6]
    assert (found.replay, found.upstream_replay) == (1, 0)
