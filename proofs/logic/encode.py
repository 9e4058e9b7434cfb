"""
The core's histories as finite structures.

A run is the states of one history, one after the other; its entries are the individuals, those
that are gone too. The labels `at` of the core give the order in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from dart_core import (
    Boundary,
    Checkpoint,
    EffectClass,
    EntryKind,
    Failure,
    History,
    InstanceId,
    Scope,
    bind,
    skeleton_of,
)
from logic.structure import Function, Relation, Structure
from logic.universe import Made, Universe, claims_of, universe_of
from logic.vocabulary import SYMBOLS

KINDS = {
    "is_enter": EntryKind.ENTER,
    "is_act": EntryKind.ACT,
    "is_commit": EntryKind.COMMIT,
    "is_exit": EntryKind.EXIT,
}
OPENED = {
    "opens_entry": Boundary.ENTRY,
    "opens_commit": Boundary.COMMIT,
    "opens_exit": Boundary.EXIT,
}
CLASSES = {
    "reversible": EffectClass.REVERSIBLE,
    "idempotent": EffectClass.IDEMPOTENT,
    "compensable": EffectClass.COMPENSABLE,
}


@frozen(kw_only=True, eq=False)
class Encoded:
    """A state of a run as a structure, and whom the individuals of each sort stand for."""

    structure: Structure
    instances: Sequence[InstanceId]
    entries: Sequence[Made]
    checkpoints: Sequence[Checkpoint]
    failures: Sequence[Failure]
    keys: Sequence[str]
    individuals: Mapping[str, Sequence[object]]

    def facts(self, name: str) -> frozenset[object]:
        """What the predicate or function of the vocabulary says, in the core's names."""
        symbol = SYMBOLS[name]
        sorts = [symbol.domain(place).name() for place in range(symbol.arity())]

        names = {**self.individuals, "Checkpoint": [one.id for one in self.checkpoints]}

        def named(row: tuple[int, ...]) -> tuple[object, ...]:
            return tuple(names[sort][one] for sort, one in zip(sorts, row, strict=True))

        relation = self.structure.relations.get(name)
        if relation is not None:
            return frozenset(named(row) for row in relation)
        values = names[symbol.range().name()]
        function = self.structure.functions[name]
        return frozenset((named(row), values[value]) for row, value in function.items())


def _pairs_in_order(count: int) -> frozenset[tuple[int, ...]]:
    return frozenset((low, high) for high in range(count) for low in range(high))


@frozen(eq=False)
class _Tables:
    """The tables of one state: individuals are numbered in the order of their lists."""

    run: Sequence[History]
    now: int
    found: Universe
    number: Mapping[str, Mapping[object, int]]

    def entry_tables(self) -> dict[str, Relation]:
        entries = list(self.found.entries.items())
        key = self.number["Key"]
        made, state = self.number["Entry"], self.number["FsmState"]
        effect = self.number["Effect"]
        tables: dict[str, Relation] = {
            "closing": frozenset((made[one],) for one in self.found.closing),
            "shows": frozenset((n, state[e.state]) for n, (_, e) in enumerate(entries) if e.state),
            "writes": frozenset((n, key[k]) for n, (_, e) in enumerate(entries) for k in e.writes),
            "has_effect": frozenset(
                (n, effect[x]) for n, (_, e) in enumerate(entries) for x in e.effects
            ),
            "reads": frozenset(
                (n, key[read.key], made[Made(v.writer, v.attempt, v.index)])
                for n, (_, e) in enumerate(entries)
                for read in e.reads
                if (v := read.version) is not None
            ),
        }
        for name, kind in KINDS.items():
            tables[name] = frozenset((n,) for n, (_, e) in enumerate(entries) if e.kind is kind)
        return tables

    def checkpoint_tables(self) -> dict[str, Relation]:
        snapshots = list(enumerate(self.found.checkpoints))
        instances = self.number["Instance"]
        return {
            "is_stable": frozenset((n,) for n, one in snapshots if one.stable),
            "whole_task": frozenset((n,) for n, one in snapshots if one.scope is Scope.TASK),
            "owned_by": frozenset((n, instances[i]) for n, one in snapshots for i in one.owners),
            "true_owner": frozenset((n, instances[t]) for n, one in snapshots if (t := one.truth)),
        }

    def failure_tables(self) -> dict[str, Relation]:
        failures = list(enumerate(self.found.failures))
        instances, made = self.number["Instance"], self.number["Entry"]
        doubted = set()
        for state in self.run[self.now :]:
            for failure in state.failures:
                if failure.suspect is not None:
                    owner, index = failure.suspect
                    entry = Made(owner, state.log[owner][index - 1].attempt, index)
                    doubted.add((self.number["Failure"][failure.at], made[entry]))
        return {
            "candidate": frozenset((n, instances[i]) for n, f in failures for i in f.candidates),
            "true_culprit": frozenset((n, instances[t]) for n, f in failures if (t := f.truth)),
            "in_doubt": frozenset(doubted),
        }

    def contract_tables(self) -> dict[str, Relation]:
        contract, instances = self.found.contract, list(enumerate(self.found.instances()))
        key, state = self.number["Key"], self.number["FsmState"]
        reviewed = {n: skeleton_of(contract, i.skeleton) for n, i in instances}
        tables: dict[str, Relation] = {}
        for name, kind in OPENED.items():
            tables[name] = frozenset((n,) for n, s in reviewed.items() if kind in s.rollback_to)
        for name, effect_class in CLASSES.items():
            tables[name] = frozenset(
                (n, number)
                for n, s in reviewed.items()
                for x, number in self.number["Effect"].items()
                if s.effects.get(x) is effect_class  # type: ignore[call-overload]
            )
        for word, place in (("commit", 0), ("exit", 1)):
            asked = {n: (i, claims_of(contract, i)[place]) for n, i in instances}
            tables[f"{word}_asks_state"] = frozenset(
                (n,) for n, (_, p) in asked.items() if p.states is not None
            )
            tables[f"{word}_state"] = frozenset(
                (n, state[s]) for n, (_, p) in asked.items() for s in p.states or ()
            )
            tables[f"{word}_key"] = frozenset(
                (n, key[bind(k, i.entity)]) for n, (i, p) in asked.items() for k in p.writes or ()
            )
        return tables

    def state_tables(self) -> dict[str, Relation]:
        state, made = self.run[self.now], self.number["Entry"]
        standing = {
            Made(i, e.attempt, n)
            for i, log in state.log.items()
            for n, e in enumerate(log, start=1)
        }
        seen = {m for m, e in self.found.entries.items() if e.at <= state.clock}
        return {
            "alive": frozenset((made[m],) for m in standing),
            "gone": frozenset((made[m],) for m in seen - standing),
            "there": frozenset(
                (self.number["Checkpoint"][c.at],) for c in state.checkpoints.values()
            ),
            "pending": frozenset((self.number["Failure"][f.at],) for f in state.failures),
        }

    def functions(self) -> dict[str, Function]:
        state, following = self.run[self.now], self.run[min(self.now + 1, len(self.run) - 1)]
        instances = list(enumerate(self.found.instances()))
        number = self.number["Instance"]
        entries = list(enumerate(self.found.entries))
        snapshots = list(enumerate(self.found.checkpoints))
        return {
            "owner": {(n,): number[made.instance] for n, made in entries},
            "place": {(n,): made.index for n, made in entries},
            "made_in": {(n,): made.attempt for n, made in entries},
            "cut": {(n, j): one.cut.get(i, 0) for n, one in snapshots for j, i in instances},
            "attempt": {(n,): state.attempt.get(i, 1) for n, i in instances},
            "attempt_after": {(n,): following.attempt.get(i, 1) for n, i in instances},
        }


def encode(run: Sequence[History], now: int = -1) -> Encoded:
    """The state `now` of the run; what comes after it is there as individuals to come."""
    now %= len(run)
    found = universe_of(run, now)
    individuals: dict[str, Sequence[object]] = {
        "Instance": found.instances(),
        "Entry": list(found.entries),
        "Place": range(1 + max((made.index for made in found.entries), default=1)),
        "Attempt": range(
            1 + max((n for one in run[now:] for n in one.attempt.values()), default=1)
        ),
        "Key": found.keys(),
        "Effect": sorted({x for e in found.entries.values() for x in e.effects}),
        "FsmState": found.fsm_states(),
        "Checkpoint": [one.at for one in found.checkpoints],
        "Failure": [one.at for one in found.failures],
    }
    number = {
        sort: {thing: n for n, thing in enumerate(things)} for sort, things in individuals.items()
    }
    made = _Tables(run, now, found, number)
    relations = (
        made.entry_tables()
        | made.checkpoint_tables()
        | made.failure_tables()
        | made.contract_tables()
        | made.state_tables()
    )
    for name, sort in (("before", "Place"), ("earlier", "Entry"), ("saved_earlier", "Checkpoint")):
        relations[name] = _pairs_in_order(len(individuals[sort]))
    structure = Structure(
        sizes={sort: len(things) for sort, things in individuals.items()},
        relations=relations,
        functions=made.functions(),
        constants={"zero": 0, "one": 1, "compensate": found.contract.compensate},
    )
    return Encoded(
        structure=structure,
        instances=found.instances(),
        entries=list(found.entries),
        checkpoints=found.checkpoints,
        failures=found.failures,
        keys=found.keys(),
        individuals=individuals,
    )
