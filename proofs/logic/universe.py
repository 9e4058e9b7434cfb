"""
Runs of the core, and all that a state of a run and those after it speak of.

A run is the states of one history, one after the other. Its entries are the individuals of the
logic, those that are gone too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from dart_core import (
    Checkpoint,
    Contract,
    Entry,
    Event,
    Failure,
    History,
    InstanceId,
    Predicate,
    Refusal,
    apply,
    bind,
    closes,
    initial,
    skeleton_of,
)


@frozen
class Made:
    """An entry that was ever made, by the name that the core gives it."""

    instance: InstanceId
    attempt: int
    index: int


def run_of(contract: Contract, events: Iterable[Event]) -> list[History]:
    """The states of the history, the first one empty; an event that is refused is an error."""
    states = [initial(contract)]
    for event in events:
        after = apply(states[-1], event)
        if isinstance(after, Refusal):
            raise ValueError(after)  # noqa: TRY004 - the events are at fault, not a type
        states.append(after)
    return states


@frozen(kw_only=True, eq=False)
class Universe:
    """All that a state and those after it speak of, each kind in a fixed order."""

    contract: Contract
    entries: dict[Made, Entry]
    closing: frozenset[Made]
    checkpoints: tuple[Checkpoint, ...]
    failures: tuple[Failure, ...]

    def instances(self) -> list[InstanceId]:
        """Every instance that an entry, a checkpoint, a failure or a truth names."""
        seen = {made.instance for made in self.entries}
        for checkpoint in self.checkpoints:
            seen |= checkpoint.owners | set(checkpoint.cut)
        for failure in self.failures:
            seen |= failure.candidates
        truths = {one.truth for one in self.checkpoints} | {one.truth for one in self.failures}
        return sorted(seen | {truth for truth in truths if truth is not None})

    def keys(self) -> list[str]:
        """Every key that is read, written or asked for by a predicate."""
        asked = [
            bind(key, instance.entity)
            for instance in self.instances()
            for predicate in claims_of(self.contract, instance)
            for key in predicate.writes or ()
        ]
        read = [one.key for entry in self.entries.values() for one in entry.reads]
        written = [key for entry in self.entries.values() for key in entry.writes]
        return sorted({*asked, *read, *written})

    def fsm_states(self) -> list[str]:
        """Every FSM state that is seen or asked for by a predicate."""
        asked = [
            state
            for instance in self.instances()
            for predicate in claims_of(self.contract, instance)
            for state in predicate.states or ()
        ]
        return sorted({*asked, *(one.state for one in self.entries.values() if one.state)})


def claims_of(contract: Contract, instance: InstanceId) -> tuple[Predicate, Predicate]:
    """The predicates of the instance's commits and of its exits."""
    skeleton = skeleton_of(contract, instance.skeleton)
    return skeleton.commit, skeleton.exit


def universe_of(run: Sequence[History], now: int) -> Universe:
    """What the state `now` and those after it speak of, with all entries of its epoch."""
    entries: dict[Made, Entry] = {}
    closing: set[Made] = set()
    for state in (one for one in run if one.epoch == run[now].epoch):
        for instance, log in state.log.items():
            for index in range(len(log), 0, -1):
                made = Made(instance, log[index - 1].attempt, index)
                if made in entries:
                    break  # what stands before a known entry is known
                entries[made] = log[index - 1]
                if closes(state, instance, index):
                    closing.add(made)
    checkpoints = {one.at: one for state in run[now:] for one in state.checkpoints.values()}
    failures = {one.at: one for state in run[now:] for one in state.failures}
    return Universe(
        contract=run[now].contract,
        entries=dict(sorted(entries.items(), key=lambda item: item[1].at)),
        closing=frozenset(closing),
        checkpoints=tuple(checkpoints[at] for at in sorted(checkpoints)),
        failures=tuple(failures[at] for at in sorted(failures)),
    )
