"""
The record of one thread: what its nodes do becomes a history, and a failure a decision.

A node's run reads what LangGraph's state at its checkpoint was made of, which need not be what was
recorded last: branches run side by side, and a restored instance runs again beside what stands.
So each write has a key of its own, `channel@act`, and a read names the keys that it read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from attrs import evolve

import dart_core as core
from dart_core import Act, Boundary, Event, InstanceId
from dart_runtime.langgraph.book import Execution, Link, Place
from dart_runtime.langgraph.declare import predicate_keys, written
from dart_runtime.langgraph.errors import GuardError, RestoreRefusedError
from dart_runtime.langgraph.keeping import Packer, packed_execution, packed_link, unpack_book
from dart_runtime.langgraph.reasons import because, first_undone
from dart_runtime.langgraph.runs import Run, Site, Stop
from dart_runtime.ledger import Kind
from dart_runtime.registry import next_ordinal, tag_of
from dart_runtime.sidecar import Sidecar
from dart_runtime.store import Store

__all__ = ["Recorder"]


class Recorder(Sidecar):
    """The sidecar of one thread, with the book of what ran where."""

    def __init__(self, store: Store, packer: Packer) -> None:
        super().__init__(store)
        self.packer = packer
        self.lock = RLock()
        self.permitted: set[str] = set()
        self.stops: list[tuple[Run, Stop]] = []
        self._takes_pending = False
        self.book = unpack_book(self)

    def begin(self, site: Site, state: object, place: Place) -> Run | Execution:
        """The run of a node that begins, or the execution whose record answers for it."""
        with self.lock:
            entity = _entity(site, state)
            done = self.book.recorded(self.history, place, entity)
            if done is not None:
                self.book.ran(done, place.bases, place.task)
                return done
            execution = self.book.begun(self.history, place, entity)
            if any(run.execution is execution for run, _ in self.stops):
                self.settle(failed=True)
            self._pass(execution, self._live(site, entity))
            if execution is None:
                execution = self._new(site, entity, place)
            self.book.ran(execution, place.bases, place.task)
            execution.uses = sorted(site.node.uses(state))
            return self._announced(
                Run(
                    site=site,
                    place=place,
                    execution=execution,
                    reads=self._reads(site, execution, place),
                )
            )

    def _live(self, site: Site, entity: str) -> InstanceId | None:
        if site.opens:
            return None
        live = [
            one
            for one in self.history.log
            if (one.skeleton, one.entity) == (site.skeleton, entity)
            and core.live(self.history, one)
        ]
        return max(live, default=None)

    def _new(self, site: Site, entity: str, place: Place) -> Execution:
        live = self._live(site, entity)
        ordinal = next_ordinal(self.history, site.skeleton, entity)
        instance = live or InstanceId(skeleton=site.skeleton, entity=entity, ordinal=ordinal)
        execution = Execution(
            id=self.book.next_id(),
            node=site.name,
            names=place.names,
            path=place.path,
            epoch=self.history.epoch,
            instance=instance,
            bases=dict(place.bases),
        )
        if live is None:
            enter, save = core.Enter(instance, site.name), self.save_after(instance, 1)
            self.tell(enter, save, snapshot=packed_execution(execution))
        return execution

    def _pass(self, execution: Execution | None, live: InstanceId | None) -> None:
        """Let the run of a suspended instance pass only where the decision begins with it."""
        instance = live if execution is None else execution.instance
        pending = self.history.failures
        if not any(instance in failure.candidates for failure in pending):
            return
        decision = self.decide()
        first = self.book.of_act(first_undone(self.history, decision))
        if execution is None or first is None or first.id != execution.id:
            raise RestoreRefusedError(f"running {instance} again", because(decision), decision)
        self.carry_out()

    def carry_out(self) -> None:
        """Record what was decided; LangGraph's checkpoint and the record put the state back."""
        with self.recovering():
            pass

    def _reads(self, site: Site, execution: Execution, place: Place) -> frozenset[str]:
        keys = self.book.keys_of(execution.uses, place, site.shape)
        return keys | self.book.choices(site.name, place, site.shape)

    def act_of(self, run: Run, tool: str, effects: frozenset[str]) -> Act:
        """The run's next act, with an id that no other has had."""
        return Act(
            instance=run.execution.instance,
            id=f"{run.execution.id}.{self.ledger.number + 1}",
            tool=tool,
            state=run.site.name,
            reads=run.reads,
            effects=effects,
        )

    def _announced(self, run: Run) -> Run:
        if run.site.node.effects:
            act = self.act_of(run, run.site.name, run.site.node.effects)
            run.announced = self.announce(act)
        return run

    def finish(self, run: Run, output: object) -> None:
        """Record that the node returned: what it wrote, and the boundary that it claims."""
        with self.lock:
            execution, site = run.execution, run.site
            act = run.announced or self.act_of(run, site.name, site.node.effects)
            channels, chooses = written(output)
            execution.wrote = [(channel, f"{channel}@{act.id}") for channel in sorted(channels)]
            chooses = chooses or site.name in site.shape.routers
            execution.chose = f"choice:{site.name}@{act.id}" if chooses else None
            keys = {key for _, key in execution.wrote}
            keys |= {execution.chose} if execution.chose else set()
            keys |= channels & predicate_keys(
                self.contract, site.skeleton, execution.instance.entity
            )
            execution.act, execution.output = act.id, self.packer.pack(output)
            execution.acts.append(act.id or "")
            more = _closing(site.node.closes, execution.instance, site.name)
            more.append(self.save_after(execution.instance, 1 + len(more)))
            ended = evolve(act, writes=frozenset(keys))
            self.told(run, ended, *more, snapshot=packed_execution(execution))

    def save_after(self, instance: InstanceId, events: int) -> core.Save:
        """A checkpoint of the instance, to be recorded after so many events more."""
        return core.Save(id=f"c{self.ledger.number + events + 1}", tag=tag_of(instance))

    def stop(self, run: Run, stop: Stop) -> None:
        """
        Keep in mind that the node stopped, until all that runs beside it has ended.

        Its act stays announced so long, where it has effects: if the process dies, it is in doubt.
        """
        with self.lock:
            self.stops.append((run, stop))

    def settle(self, *, failed: bool) -> None:
        """
        Record the nodes that stopped: as failures, or as acts alone where somebody handled them.

        Those that run beside a failed node are not suspended in their midst: LangGraph lets them
        end or cancels them, and what they did is recorded first.
        """
        with self.lock:
            stops, self.stops = self.stops, []
            for run, stop in stops:
                if stop.act is not None:
                    self.told(run, stop.act)
            for run, stop in stops:
                if failed:
                    self.fail(stop.owner, suspect=stop.suspect, state=run.site.name)

    def told(self, run: Run, act: Act, *more: Event, snapshot: bytes | None = None) -> None:
        """Record an act of the run, and what follows it."""
        try:
            self.tell(act, *more, snapshot=snapshot)
        finally:
            self._ended(run, act)

    def _ended(self, run: Run, act: Act) -> None:
        if run.announced is not None and run.announced.id == act.id:
            run.announced = None
            self.store.presence.end_act()

    def dropped(self, run: Run) -> None:
        """Record that the node did not act after all."""
        with self.lock:
            if run.announced is not None:
                self.forget(run.announced)
                self._ended(run, run.announced)

    def forget(self, act: Act) -> None:
        """Record that an announced act did nothing."""
        with self._writing() as draft:
            draft.put(Kind.WITHDRAW, act.id or "", b"")

    def saved(self, link: Link) -> None:
        """
        Record one of LangGraph's checkpoints, once: a snapshot of the whole task.

        Some checkpointers put by their other way to put.
        """
        with self.lock:
            if link.checkpoint in self.history.checkpoints:
                return
            if link.source == "loop" or self._takes_pending:
                link = evolve(link, ran=self.book.ended_at(self.history, link.parent))
            self.book.saved(link)
            save = core.Save(id=link.checkpoint, tag=core.Tag(), scope=core.Scope.TASK)
            self.tell(save, snapshot=packed_link(link))

    @contextmanager
    def updating(self, *, ends: bool) -> Iterator[None]:
        """Let the host write into the state; where it ends the task, that takes up what has run."""
        self._takes_pending = ends
        try:
            yield
        finally:
            self._takes_pending = False

    def doubt(self) -> None:
        """Record the acts that a process that died left unfinished."""
        with self.store.presence.alone():
            self._doubt()


def _entity(site: Site, state: object) -> str:
    try:
        return site.node.entity_in(state)
    except (LookupError, AttributeError) as error:
        message = f"the input of {site.name} does not name its entity ({error!r})"
        raise GuardError(message) from error


def _closing(closes: Boundary | None, instance: InstanceId, state: str) -> list[Event]:
    match closes:
        case Boundary.COMMIT:
            return [core.Commit(instance, state)]
        case Boundary.EXIT:
            return [core.Exit(instance, state)]
        case _:
            return []
