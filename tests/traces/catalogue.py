"""
The topic traces of the reference set, as Python: what each shows and what must be decided.

`regenerate.py` writes them; the files are what counts, and a case that is out is never changed.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

import dart_core as d
from dart_core import Boundary, Contract, EffectClass, FrozenMap, InstanceId, Predicate, Skeleton

__all__ = ["CATALOGUE", "Case"]


CONTRACT = Contract(
    skeletons=FrozenMap(
        {
            "make": Skeleton(
                reads=frozenset({"order"}),
                writes=frozenset({"{entity}.part"}),
                states=frozenset({"making", "made"}),
                tools=FrozenMap({"cut": "piece", "ship": "piece"}),
                effects=FrozenMap(
                    {
                        "log": EffectClass.IDEMPOTENT,
                        "draft": EffectClass.REVERSIBLE,
                        "charge": EffectClass.COMPENSABLE,
                        "ship": EffectClass.IRREVERSIBLE,
                    }
                ),
            ),
            "use": Skeleton(
                reads=frozenset({"m.part"}),
                writes=frozenset({"{entity}.report"}),
                states=frozenset({"using"}),
                tools=FrozenMap({"read": None}),
                effects=FrozenMap({"mail": EffectClass.IRREVERSIBLE}),
            ),
        }
    )
)


@frozen(kw_only=True)
class Case:
    """One trace; `expect` has the fields that must be decided at each recovery, in order."""

    name: str
    notes: str
    events: tuple[d.Event, ...]
    expect: tuple[dict[str, Any], ...]
    contract: Contract = CONTRACT


M = InstanceId(skeleton="make", entity="m", ordinal=1)
M2 = InstanceId(skeleton="make", entity="m", ordinal=2)
N = InstanceId(skeleton="make", entity="n", ordinal=1)
U = InstanceId(skeleton="use", entity="u", ordinal=1)


def _contract(**changes: Any) -> Contract:
    make = evolve(CONTRACT.skeletons["make"], **changes.pop("make", {}))
    return Contract(skeletons=CONTRACT.skeletons.put("make", make), **changes)


def _act(instance: InstanceId, name: str, **sets: Any) -> d.Act:
    given: dict[str, Any] = {
        key: frozenset(value) for key, value in sets.items() if key not in ("tool", "state")
    }
    rest = {key: value for key, value in sets.items() if key in ("tool", "state")}
    return d.Act(instance=instance, id=name, **{"reads": frozenset(), **given}, **rest)


def _save(name: str, instance: InstanceId, **rest: Any) -> d.Save:
    return d.Save(id=name, tag=_tag(instance), **rest)


def _tag(instance: InstanceId) -> d.Tag:
    return d.Tag(skeleton=instance.skeleton, entity=instance.entity, ordinal=instance.ordinal)


def _fail(instance: InstanceId, **rest: Any) -> d.Fail:
    return d.Fail(tag=_tag(instance), **rest)


# An instance that has begun, published its part and committed: the common beginning.
BEGIN = (
    d.Enter(M),
    _save("c1", M),
    _act(M, "a1", reads=["order"], writes=["m.part"]),
    d.Commit(M),
)
# What stands before the act that goes wrong.
GOING_ON = (_save("c2", M), _act(M, "a2"))


def _blocked(checkpoint: str, guard: str, **rest: Any) -> dict[str, Any]:
    """Expect that of this checkpoint this guard alone is false, and that nothing is admissible."""
    guards = {name: name != guard for name in d.GUARDS}
    return {
        "verdict": "rerun",
        "reason": "no_admissible_checkpoint",
        "checkpoint": None,
        "checkpoints": [{"id": checkpoint, "guards": guards}],
        **rest,
    }


def _restored(checkpoint: str, **rest: Any) -> dict[str, Any]:
    return {"verdict": "restore", "reason": None, "checkpoint": checkpoint, **rest}


def _unidentified(**rest: Any) -> dict[str, Any]:
    return {
        "verdict": "rerun",
        "reason": "not_identified",
        "instance": None,
        "checkpoints": [],
        **rest,
    }


GUARD_CASES = (
    Case(
        name="guards/stable",
        notes="the only checkpoint was never stored durably",
        events=(d.Enter(M), _save("c1", M, stable=False), _act(M, "a1"), _fail(M)),
        expect=(_blocked("c1", "stable", replay=1),),
    ),
    Case(
        name="guards/decidable",
        notes="the checkpoint may be of either of two live instances",
        events=(
            d.Enter(M),
            d.Enter(N),
            d.Save(id="c1", tag=d.Tag(skeleton="make"), truth=M),
            _act(M, "a1"),
            _fail(M),
        ),
        expect=(_blocked("c1", "decidable", replay=1, upstream_replay=0),),
    ),
    Case(
        name="guards/closed",
        notes="the checkpoint stands between a write and the commit that publishes it",
        events=(
            d.Enter(M),
            _act(M, "a1", writes=["m.part"]),
            _save("c1", M),
            _act(M, "a2"),
            _fail(M),
        ),
        expect=(_blocked("c1", "closed"),),
    ),
    Case(
        name="guards/separable",
        notes="a snapshot of the whole task, after which another instance has gone on",
        events=(
            d.Enter(M),
            d.Enter(N),
            _save("c1", M, scope=d.Scope.TASK),
            _act(N, "a1", writes=["n.part"]),
            _act(M, "a2"),
            _fail(M),
        ),
        expect=(_blocked("c1", "separable", upstream_replay=1),),
    ),
    Case(
        name="guards/controllable",
        notes="policy opens commits only, and the checkpoint stands at the entry",
        contract=_contract(make={"rollback_to": frozenset({Boundary.COMMIT})}),
        events=(d.Enter(M), _save("c1", M), _act(M, "a1"), _fail(M)),
        expect=(_blocked("c1", "controllable"),),
    ),
    Case(
        name="guards/repairs",
        notes="the act in doubt lies before the checkpoint",
        events=(
            d.Enter(M),
            _act(M, "a1", writes=["m.part"]),
            d.Commit(M),
            _save("c1", M),
            _fail(M, suspect="a1"),
        ),
        expect=(_blocked("c1", "repairs"),),
    ),
    Case(
        name="guards/no-committed-conflict",
        notes="another instance has committed on what would be undone",
        events=(
            *BEGIN,
            d.Enter(U),
            _act(U, "b1", reads=["m.part"], writes=["u.report"]),
            d.Commit(U),
            _fail(M),
        ),
        expect=(_blocked("c1", "no_committed_conflict"),),
    ),
    Case(
        name="guards/no-live-conflict",
        notes="another instance has read what would be undone, and may still commit on it",
        events=(*BEGIN, d.Enter(U), _act(U, "b1", reads=["m.part"]), _fail(M)),
        expect=(_blocked("c1", "no_live_conflict"),),
    ),
    Case(
        name="guards/effect-allowed",
        notes="what would be undone has shipped something",
        events=(d.Enter(M), _save("c1", M), _act(M, "a1", effects=["ship"]), _fail(M)),
        expect=(
            _blocked(
                "c1",
                "effect_allowed",
                hazards=[
                    {
                        "instance": {"skeleton": "make", "entity": "m", "ordinal": 1},
                        "effect": "ship",
                        "at": 3,
                    }
                ],
            ),
        ),
    ),
)

KINDS = (
    Case(
        name="kinds/entry",
        notes="nothing but the entry stands before the checkpoint",
        events=(d.Enter(M), _save("c1", M), _act(M, "a1"), _fail(M)),
        expect=(_restored("c1", checkpoints=[{"id": "c1", "kind": "entry"}], replay=1),),
    ),
    Case(
        name="kinds/commit",
        notes="the commit checkpoint saves what the entry checkpoint would lose",
        events=(
            *BEGIN,
            *GOING_ON,
            d.Enter(U),
            _act(U, "b1", reads=["m.part"]),
            d.Commit(U),
            _fail(M),
        ),
        expect=(
            _restored(
                "c2",
                checkpoints=[{"id": "c2", "kind": "commit"}, {"id": "c1", "kind": "entry"}],
                replay=1,
            ),
        ),
    ),
    Case(
        name="kinds/exit",
        notes="policy opens the exit checkpoint; nothing runs again and nothing is lost",
        contract=_contract(make={"rollback_to": frozenset(Boundary)}),
        events=(*BEGIN, d.Exit(M), _save("c3", M), _fail(M)),
        expect=(
            _restored(
                "c3",
                checkpoints=[{"id": "c3", "kind": "exit"}, {"id": "c1", "kind": "entry"}],
                replay=0,
                preserved=1,
            ),
        ),
    ),
    Case(
        name="kinds/exit-not-opened",
        notes="by default an exit checkpoint is no boundary; the one at the commit is",
        events=(*BEGIN, *GOING_ON, d.Exit(M), _save("c3", M), _fail(M)),
        expect=(_restored("c2", preserved=0),),
    ),
    Case(
        name="kinds/derived-never-claimed",
        notes="a checkpoint after an act that wrote nothing is of the kind commit",
        events=(d.Enter(M), _act(M, "a1"), _save("c1", M), _act(M, "a2"), _fail(M)),
        expect=(_restored("c1", checkpoints=[{"id": "c1", "kind": "commit"}]),),
    ),
    Case(
        name="kinds/unreviewed",
        notes="a skeleton that the contract does not name has no open boundary",
        contract=Contract(),
        events=(d.Enter(M), _save("c1", M), _act(M, "a1"), _fail(M)),
        expect=(_blocked("c1", "controllable"),),
    ),
)

SCOPES = (
    Case(
        name="scopes/task-admissible",
        notes="nobody else has gone on since the snapshot of the whole task",
        events=(
            d.Enter(N),
            d.Enter(M),
            _save("c1", M, scope=d.Scope.TASK),
            _act(M, "a1"),
            _fail(M),
            d.Restore("c1"),
            _act(M, "a1"),
        ),
        expect=(_restored("c1", replay=1, upstream_replay=0),),
    ),
    Case(
        name="scopes/task-later-entry",
        notes="an instance that entered after the snapshot would be gone",
        events=(
            d.Enter(M),
            _save("c1", M, scope=d.Scope.TASK),
            _act(M, "a1"),
            d.Enter(N),
            _fail(M),
        ),
        expect=(_blocked("c1", "separable"),),
    ),
    Case(
        name="scopes/task-ordinal-again",
        notes="after an unsafe restore of the whole task the ordinal counts from what is left",
        events=(
            d.Enter(M),
            _save("c1", M, scope=d.Scope.TASK),
            _act(M, "a1"),
            d.Exit(M),
            d.Enter(M2),
            _act(M2, "a2"),
            _fail(M2),
            d.Restore("c1"),
            d.Exit(M),
            d.Enter(M2),
            _save("c2", M2),
            _act(M2, "a2"),
            d.Fail(tag=d.Tag(skeleton="make")),
        ),
        expect=(
            {"verdict": "rerun", "reason": "no_admissible_checkpoint", "checkpoints": []},
            _restored("c2"),
        ),
    ),
    Case(
        name="scopes/gone-with-the-log",
        notes="a checkpoint that is longer than what is left of its owner's log is gone",
        events=(
            *BEGIN,
            *GOING_ON,
            _save("c3", M),
            _fail(M, suspect="a2"),
            d.Restore("c2"),
            _save("c3", M),
            _fail(M),
        ),
        expect=(_restored("c2"), _restored("c3", replay=0)),
    ),
)

LOCALIZE = (
    Case(
        name="localize/two-live",
        notes="two live instances fit what was seen",
        events=(d.Enter(M), d.Enter(N), d.Fail(tag=d.Tag(skeleton="make"), truth=N)),
        expect=(
            _unidentified(
                candidates=[
                    {"skeleton": "make", "entity": "m", "ordinal": 1},
                    {"skeleton": "make", "entity": "n", "ordinal": 1},
                ]
            ),
        ),
    ),
    Case(
        name="localize/two-live-of-one-entity",
        notes="two live occurrences of the same skeleton and entity",
        events=(
            d.Enter(M),
            d.Enter(M2),
            d.Fail(tag=d.Tag(skeleton="make", entity="m"), truth=M2),
        ),
        expect=(_unidentified(),),
    ),
    Case(
        name="localize/resolved-by-a-later-suspect",
        notes="the tag is ambiguous; a second failure while it is pending does not help, "
        "but after a rerun the act in doubt names its owner",
        events=(
            d.Enter(M),
            d.Enter(N),
            _act(N, "a1"),
            d.Fail(tag=d.Tag(skeleton="make"), truth=N),
            d.Fail(tag=d.Tag(skeleton="make"), suspect="a1", truth=N),
            d.Rerun(),
            d.Enter(M),
            d.Enter(N),
            _save("c1", N),
            _act(N, "a1"),
            d.Fail(tag=d.Tag(skeleton="make"), suspect="a1", truth=N),
        ),
        expect=(_unidentified(), _restored("c1")),
    ),
    Case(
        name="localize/by-state",
        notes="the skeleton is unknown, but only one lists the FSM state",
        events=(d.Enter(M), _save("c1", M), d.Enter(U), d.Fail(state="making", truth=M)),
        expect=(_restored("c1", replay=0),),
    ),
    Case(
        name="localize/by-tool",
        notes="the skeleton is unknown, but only one lists the tool",
        events=(d.Enter(M), d.Enter(U), _save("c1", U), d.Fail(tool="read", truth=U)),
        expect=(_restored("c1", replay=0),),
    ),
    Case(
        name="localize/by-argument",
        notes="the entity is bound by an argument of the failed call",
        events=(
            d.Enter(M),
            d.Enter(N),
            _save("c1", N),
            d.Fail(tag=d.Tag(skeleton="make"), tool="cut", args=FrozenMap({"piece": "n"}), truth=N),
        ),
        expect=(_restored("c1", replay=0),),
    ),
    Case(
        name="localize/nobody",
        notes="the act in doubt is not in any log",
        events=(d.Enter(M), _save("c1", M), d.Fail(suspect="a9")),
        expect=(_unidentified(candidates=[]),),
    ),
    Case(
        name="localize/suspect-of-another",
        notes="the act in doubt is not of an instance that was seen",
        events=(d.Enter(M), _act(M, "a1"), d.Fail(tag=d.Tag(entity="n"), suspect="a1")),
        expect=(_unidentified(candidates=[]),),
    ),
    Case(
        name="localize/two-failures",
        notes="two pending failures share one decision, even where both are of one instance",
        events=(d.Enter(M), _save("c1", M), _fail(M), _fail(M), d.Rerun()),
        expect=(_unidentified(failure=3),),
    ),
    Case(
        name="localize/exited",
        notes="a full tag may name an instance that has exited",
        events=(*BEGIN, d.Exit(M), _fail(M)),
        expect=(_restored("c1", preserved=0),),
    ),
)

HANDOFFS = (
    Case(
        name="handoffs/false-commit",
        notes="the commit's predicate fails, so it closes nothing; the checkpoint is no boundary",
        contract=_contract(make={"commit": Predicate(states=frozenset({"made"}))}),
        events=(
            d.Enter(M),
            _act(M, "a1", writes=["m.part"], state="making"),
            d.Commit(M),
            _save("c1", M),
            _act(M, "a2"),
            _fail(M),
        ),
        expect=(_blocked("c1", "closed"),),
    ),
    Case(
        name="handoffs/false-commit-counts-for-readers",
        notes="a reader that claimed a commit counts as committed even where the claim is false",
        contract=Contract(
            skeletons=CONTRACT.skeletons.put(
                "use", Skeleton(commit=Predicate(writes=frozenset({"{entity}.report"})))
            )
        ),
        events=(*BEGIN, d.Enter(U), _act(U, "b1", reads=["m.part"]), d.Commit(U), _fail(M)),
        expect=(_blocked("c1", "no_committed_conflict"),),
    ),
    Case(
        name="handoffs/true-commit",
        notes="state and written key together close the handoff",
        contract=_contract(
            make={
                "commit": Predicate(states=frozenset({"made"}), writes=frozenset({"{entity}.part"}))
            }
        ),
        events=(
            d.Enter(M),
            _act(M, "a1", writes=["m.part"]),
            d.Commit(M, "made"),
            _save("c1", M),
            _act(M, "a2", writes=["m.part"]),
            _fail(M),
        ),
        expect=(_restored("c1"),),
    ),
    Case(
        name="handoffs/default-reads",
        notes="an act that does not say what it read has read all that its skeleton reads",
        events=(*BEGIN, d.Enter(U), d.Act(instance=U, id="b1"), d.Commit(U), _fail(M)),
        expect=(_blocked("c1", "no_committed_conflict"),),
    ),
    Case(
        name="handoffs/own-reads",
        notes="an instance's reads of its own versions are no conflict",
        events=(*BEGIN, _act(M, "a2", reads=["m.part"]), d.Commit(M), _fail(M)),
        expect=(_restored("c1", replay=2),),
    ),
    Case(
        name="handoffs/read-before-it-was-closed",
        notes="the version that was read stands just before the checkpoint, so it would be kept; "
        "only the open handoff speaks against the checkpoint",
        events=(
            d.Enter(M),
            _act(M, "a1", writes=["m.part"]),
            _save("c1", M),
            d.Enter(U),
            _act(U, "b1", reads=["m.part"]),
            d.Commit(U),
            _act(U, "b2", reads=["m.part"]),
            _fail(M),
        ),
        expect=(_blocked("c1", "closed"),),
    ),
    Case(
        name="handoffs/older-version",
        notes="the reader stands on an older version, which is kept",
        events=(
            *BEGIN,
            _save("c2", M),
            d.Enter(U),
            _act(U, "b1", reads=["m.part"]),
            d.Commit(U),
            _act(M, "a2", writes=["m.part"]),
            _fail(M),
        ),
        expect=(_restored("c2"),),
    ),
)

RECOVERIES = (
    Case(
        name="recoveries/two-in-a-row",
        notes="a restore, the act again, and a second failure of the same instance",
        events=(
            *BEGIN,
            *GOING_ON,
            _fail(M),
            d.Restore("c2"),
            _act(M, "a2"),
            _fail(M),
            d.Restore("c2"),
            _act(M, "a2"),
            d.Exit(M),
        ),
        expect=(_restored("c2", failure=7), _restored("c2", failure=10)),
    ),
    Case(
        name="recoveries/early",
        notes="the recorded restore is admissible, but a later checkpoint was too",
        events=(*BEGIN, *GOING_ON, _fail(M), d.Restore("c1")),
        expect=(_restored("c2"),),
    ),
    Case(
        name="recoveries/missed",
        notes="the recorded rerun was not needed",
        events=(*BEGIN, *GOING_ON, _fail(M), d.Rerun()),
        expect=(_restored("c2"),),
    ),
    Case(
        name="recoveries/unsafe",
        notes="the recorded restore takes back what another instance has committed on",
        events=(
            *BEGIN,
            d.Enter(U),
            _act(U, "b1", reads=["m.part"]),
            d.Commit(U),
            _fail(M),
            d.Restore("c1"),
        ),
        expect=(_blocked("c1", "no_committed_conflict"),),
    ),
    Case(
        name="recoveries/rerun-with-hazards",
        notes="nothing is left but a rerun, which would mail again",
        events=(
            *BEGIN,
            d.Enter(U),
            _act(U, "b1", reads=["m.part"], effects=["mail"]),
            d.Commit(U),
            _fail(M),
            d.Rerun(),
            d.Enter(M),
            _save("c1", M),
            _act(M, "a1"),
            _fail(M),
        ),
        expect=(
            _blocked(
                "c1",
                "no_committed_conflict",
                hazards=[
                    {
                        "instance": {"skeleton": "use", "entity": "u", "ordinal": 1},
                        "effect": "mail",
                        "at": 6,
                    }
                ],
                replay=2,
                upstream_replay=1,
            ),
            _restored(
                "c1",
                hazards=[
                    {
                        "instance": {"skeleton": "use", "entity": "u", "ordinal": 1},
                        "effect": "mail",
                        "at": 6,
                    }
                ],
            ),
        ),
    ),
    Case(
        name="recoveries/escalation",
        notes="the contract asks for a person where a rerun would mail again",
        contract=_contract(fallback=d.Fallback.ESCALATE),
        events=(
            *BEGIN,
            d.Enter(U),
            _act(U, "b1", reads=["m.part"], effects=["mail"]),
            d.Commit(U),
            _fail(M),
        ),
        expect=({"verdict": "escalate", "reason": "no_admissible_checkpoint"},),
    ),
    Case(
        name="recoveries/escalation-unidentified",
        notes="nobody knows who failed, and a rerun would ship again",
        contract=_contract(fallback=d.Fallback.ESCALATE),
        events=(d.Enter(M), _act(M, "a1", effects=["ship"]), d.Enter(N), d.Fail(), d.Rerun()),
        expect=({"verdict": "escalate", "reason": "not_identified", "checkpoints": []},),
    ),
    Case(
        name="recoveries/nothing-to-escalate",
        notes="the contract asks for a person, but a rerun repeats nothing irreversible",
        contract=_contract(fallback=d.Fallback.ESCALATE),
        events=(d.Enter(M), _act(M, "a1", effects=["charge", "draft", "log"]), _fail(M)),
        expect=({"verdict": "rerun", "hazards": []},),
    ),
    Case(
        name="recoveries/compensation",
        notes="the contract compensates, so the charge may be undone, and the decision says so",
        contract=_contract(compensate=True),
        events=(d.Enter(M), _save("c1", M), _act(M, "a1", effects=["charge", "log"]), _fail(M)),
        expect=(
            _restored(
                "c1",
                compensations=[
                    {
                        "instance": {"skeleton": "make", "entity": "m", "ordinal": 1},
                        "effect": "charge",
                        "at": 3,
                    }
                ],
            ),
        ),
    ),
    Case(
        name="recoveries/no-compensation",
        notes="the contract does not compensate, so the charge may not be undone",
        events=(d.Enter(M), _save("c1", M), _act(M, "a1", effects=["charge"]), _fail(M)),
        expect=(_blocked("c1", "effect_allowed", hazards=[]),),
    ),
    Case(
        name="recoveries/effect-before-the-checkpoint",
        notes="what has been shipped stands just before the checkpoint and stays",
        events=(
            d.Enter(M),
            _act(M, "a1", effects=["ship"]),
            _save("c1", M),
            _act(M, "a2"),
            _fail(M),
        ),
        expect=(_restored("c1"),),
    ),
    Case(
        name="recoveries/unlisted-effect",
        notes="an effect that the policy does not list is irreversible",
        events=(d.Enter(M), _save("c1", M), _act(M, "a1", effects=["unheard"]), _fail(M)),
        expect=(_blocked("c1", "effect_allowed"),),
    ),
    Case(
        name="recoveries/no-failure",
        notes="a run without a failure needs no decision",
        events=(*BEGIN, d.Exit(M)),
        expect=(),
    ),
    Case(
        name="recoveries/external",
        notes="the keys from outside are listed, and every other key was written before",
        contract=_contract(external=frozenset({"order"})),
        events=(*BEGIN, d.Enter(N), _act(N, "b1", reads=["order"]), _fail(M)),
        expect=(_restored("c1"),),
    ),
)

CATALOGUE: tuple[Case, ...] = (
    *GUARD_CASES,
    *KINDS,
    *SCOPES,
    *LOCALIZE,
    *HANDOFFS,
    *RECOVERIES,
)
