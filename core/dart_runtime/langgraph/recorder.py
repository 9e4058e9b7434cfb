"""
The record of one thread: what its nodes do becomes a history, and a failure a decision.

A node's run reads what LangGraph's state at its checkpoint was made of, which need not be what was
recorded last: branches run side by side, and a restored instance runs again beside what stands.
So each write has a key of its own, `channel@act`, and a read names the keys that it read.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any

from langgraph.errors import GraphBubbleUp
from attrs import define, evolve, field, frozen

import dart_core as core
from dart_core import Act, Boundary, Decision, Event, History, InstanceId, Verdict
from dart_runtime.langgraph.book import Call, Execution, Link, Place
from dart_runtime.langgraph.declare import Node, Shape, predicate_keys, received, written
from dart_runtime.langgraph.errors import DoubtError, GuardError, RestoreRefusedError
from dart_runtime.langgraph.keeping import Packer, packed_execution, packed_link, unpack_book
from dart_runtime.langgraph.reasons import because, first_undone
from dart_runtime.ledger import Kind
from dart_runtime.registry import next_ordinal, tag_of
from dart_runtime.sidecar import NothingDoneError, Sidecar
from dart_runtime.store import Store
from dart_tools.codec import encode_event

__all__ = ["Recorder", "Run", "Site"]


@frozen(kw_only=True)
class Site:
    """A node where it stands: its name, its declaration, and the shape of its graph."""

    name: str
    node: Node
    shape: Shape

    @property
    def skeleton(self) -> str:
        """The kind of subtask that the node is part of."""
        return self.node.skeleton or self.name


@define(kw_only=True)
class Run:
    """
    One run of a node under way.

    `reads` are the keys of what it received; `announced` is its own act, where it has effects.
    `raised` is an act within it that raised, and what.
    """

    site: Site
    place: Place
    execution: Execution
    reads: frozenset[str]
    announced: Act | None = None
    raised: tuple[str, BaseException] | None = None
    answered: set[str] = field(factory=set)


class Recorder(Sidecar):
    """The sidecar of one thread, with the book of what ran where."""

    def __init__(self, store: Store, packer: Packer) -> None:
        super().__init__(store)
        self.packer = packer
        self.lock = RLock()
        self.permitted: set[str] = set()
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
            self._pass(execution, self._live(site, entity))
            if execution is None:
                execution = self._new(site, entity, place)
            self.book.ran(execution, place.bases, place.task)
            return self._announced(
                Run(
                    site=site,
                    place=place,
                    execution=execution,
                    reads=self._reads(site, state, place),
                )
            )

    def _live(self, site: Site, entity: str) -> InstanceId | None:
        node = site.node
        if node.opens:
            return None
        live = [
            one
            for one in self.history.log
            if (one.skeleton, one.entity) == (site.skeleton, entity)
            and core.live(self.history, one)
        ]
        return max(live, default=None)

    def _new(self, site: Site, entity: str, place: Place) -> Execution:
        instance = self._live(site, entity)
        if instance is None:
            ordinal = next_ordinal(self.history, site.skeleton, entity)
            instance = InstanceId(skeleton=site.skeleton, entity=entity, ordinal=ordinal)
            self.tell(core.Enter(instance, site.name), self._save(instance))
        return Execution(
            id=self.book.next_id(),
            node=site.name,
            names=place.names,
            path=place.path,
            epoch=self.history.epoch,
            instance=instance,
            bases=dict(place.bases),
        )

    def _save(self, instance: InstanceId) -> core.Save:
        return core.Save(id=f"c{self.ledger.number + 1}", tag=tag_of(instance))

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

    def _reads(self, site: Site, state: object, place: Place) -> frozenset[str]:
        channels = received(site.node.given(state))
        keys = self.book.keys_of(channels, place, site.shape)
        return keys | self.book.choices(site.name, place, site.shape)

    def _act(self, run: Run, tool: str, effects: frozenset[str]) -> Act:
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
            act = self._act(run, run.site.name, run.site.node.effects)
            run.announced = self.announce(act)
        return run

    def finish(self, run: Run, output: object) -> None:
        """Record that the node returned: what it wrote, and the boundary that it claims."""
        with self.lock:
            execution, site = run.execution, run.site
            act = run.announced or self._act(run, site.name, site.node.effects)
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
            closing = _closing(site.node.closes, execution.instance, site.name)
            self._told(run, evolve(act, writes=frozenset(keys)), *closing)

    def _told(self, run: Run, act: Act, *more: Event) -> None:
        """Record an act, what follows it, and a checkpoint, with the execution beside it."""
        save = self._save_after(run.execution.instance, 1 + len(more))
        snapshot = packed_execution(run.execution)
        try:
            self.tell(act, *more, save, snapshot=snapshot)
        finally:
            self._ended(run, act)

    def _save_after(self, instance: InstanceId, events: int) -> core.Save:
        return core.Save(id=f"c{self.ledger.number + events + 1}", tag=tag_of(instance))

    def _ended(self, run: Run, act: Act) -> None:
        if run.announced is not None and run.announced.id == act.id:
            run.announced = None
            self.store.presence.end_act()

    def stopped(self, run: Run, error: BaseException, *, interrupted: bool) -> None:
        """
        Record that the node raised: a failure, with the act in doubt as its suspect.

        An interrupt is none, and neither is being cancelled, where nothing was done.
        """
        with self.lock:
            harmless = isinstance(error, NothingDoneError | DoubtError)
            raised = run.raised[0] if run.raised and run.raised[1] is error else None
            doubtful = run.site.node.effects and not harmless
            if interrupted or (_cancelled(error) and not doubtful and raised is None):
                self.dropped(run)
                return
            culprit = self._culprit(run, error)
            owner = run.execution.instance if culprit is None else self.history.acts[culprit][0]
            if owner != run.execution.instance:
                self.dropped(run)
            elif raised is None:
                raised = self._failed_act(run, harmless=harmless)
            self.fail(owner, suspect=culprit or raised, state=run.site.name)

    def _culprit(self, run: Run, error: BaseException) -> str | None:
        """The act that wrote what a node found wrong; None where the node itself is in doubt."""
        if not isinstance(error, DoubtError):
            return None
        keys = self.book.keys_of([error.key], run.place, run.site.shape)
        acts = [key.rsplit("@", 1)[1] for key in keys]
        standing = [act for act in acts if act in self.history.acts]
        return max(standing, key=lambda act: int(act.split(".")[1]), default=None)

    def _failed_act(self, run: Run, *, harmless: bool) -> str | None:
        act = run.announced or self._act(run, run.site.name, run.site.node.effects)
        if harmless:
            act = evolve(act, effects=frozenset())
        run.execution.acts.append(act.id or "")
        try:
            self.tell(act)
        finally:
            self._ended(run, act)
        return act.id

    def dropped(self, run: Run) -> None:
        """Record that the node did not act after all."""
        if run.announced is not None:
            self._forget(run.announced)
            self._ended(run, run.announced)

    @contextmanager
    def calling(self, run: Run, tool: str, effects: frozenset[str]) -> Iterator[Act]:
        """Announce one act within a node, and let the block run it and end it by `called`."""
        with self.lock:
            act = self.announce(self._act(run, tool, effects))
        try:
            yield act
        except BaseException as error:
            with self.lock:
                self._call_raised(run, act, error)
            raise
        finally:
            self.store.presence.end_act()

    def _call_raised(self, run: Run, act: Act, error: BaseException) -> None:
        if isinstance(error, GraphBubbleUp) or (_cancelled(error) and not act.effects):
            self._forget(act)
            return
        if isinstance(error, NothingDoneError):
            act = evolve(act, effects=frozenset())
        elif act.effects:
            run.execution.calls.append(Call(act=act.id or "", tool=act.tool or "", arguments=b""))
        run.execution.acts.append(act.id or "")
        run.raised = (act.id or "", error)
        self.tell(act)

    def _forget(self, act: Act) -> None:
        with self._writing() as draft:
            draft.put(Kind.WITHDRAW, act.id or "", b"")

    def called(self, run: Run, act: Act, arguments: bytes, result: object) -> None:
        """Record that the act returned, with its result, and a checkpoint after it."""
        with self.lock:
            call = Call(
                act=act.id or "",
                tool=act.tool or "",
                arguments=arguments,
                result=self.packer.pack(result),
            )
            run.execution.calls.append(call)
            run.execution.acts.append(call.act)
            run.answered.add(call.act)
            save = self._save_after(act.instance, 1)
            self.tell(act, save, snapshot=packed_execution(run.execution))

    def saved(self, link: Link) -> None:
        """
        Record one of LangGraph's checkpoints, once: a snapshot of the whole task.

        Some checkpointers put by their other way to put.
        """
        with self.lock:
            if link.checkpoint in self.history.checkpoints:
                return
            if link.source == "loop" and link.parent is not None:
                link = evolve(link, ran=tuple(self.book.under.get(link.parent, ())))
            self.book.saved(link)
            save = core.Save(id=link.checkpoint, tag=core.Tag(), scope=core.Scope.TASK)
            self.tell(save, snapshot=packed_link(link))

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


def _cancelled(error: BaseException) -> bool:
    return isinstance(error, CancelledError) or not isinstance(error, Exception)


def _closing(closes: Boundary | None, instance: InstanceId, state: str) -> list[Event]:
    match closes:
        case Boundary.COMMIT:
            return [core.Commit(instance, state)]
        case Boundary.EXIT:
            return [core.Exit(instance, state)]
        case _:
            return []
