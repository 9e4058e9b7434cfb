"""
The task runner: an explicit controller that carries out a schedule and recovers from a fault.

The core's history says what happened; the task (`task.py`) is what really is.
Every event goes to `record` before the run goes on, so a recorder may keep it durably.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from attrs import evolve

from dart_core import (
    Act,
    Checkpoint,
    Commit,
    Enter,
    Event,
    Exit,
    FrozenMap,
    InstanceId,
    Refusal,
    Rerun,
    Restore,
    Save,
    Scope,
    Verdict,
    Version,
    apply,
    bind,
    initial,
    is_full,
)
from dart_runtime.calls import Call, Reply
from dart_runtime.domain import Domain
from dart_runtime.faults import blamed, damaged, failure, seen_tag
from dart_runtime.outcome import Outcome, Recovery
from dart_runtime.policies import ArgumentPolicy, Question, scripted
from dart_runtime.programs import (
    ActStep,
    CommitStep,
    DomainError,
    ExitStep,
    Program,
    SaveStep,
    Step,
)
from dart_runtime.rows import Fault, Row, Turn, instance_of, place_of, turn_of
from dart_runtime.strategies import DART, Strategy
from dart_runtime.task import Memory, Running, Task

__all__ = ["Runner", "run"]


class Runner:
    """One run of a row; `record` is told every event, in order."""

    def __init__(
        self,
        domain: Domain,
        row: Row,
        strategy: Strategy = DART,
        *,
        policy: ArgumentPolicy = scripted,
        record: Callable[[Event], object] | None = None,
    ) -> None:
        self.domain = domain
        self.row = row
        self.strategy = strategy
        self.policy = policy
        self.record = record
        self.goals = tuple(self._goal(turn_of(text)) for text in row.schedule)
        self.fault: Fault | None = row.fault
        self.task = Task(domain.contract, domain.external)
        self.history = initial(domain.contract)
        self.events: list[Event] = []
        self.recoveries: list[Recovery] = []
        self.calls: Counter[tuple[InstanceId, str]] = Counter()
        self.stopped: str | None = None

    def run(self) -> Outcome:
        """Run to the end of the schedule, or to where nothing leads on."""
        instance = self._due()
        while instance is not None and self.stopped is None:
            self._advance(instance)
            instance = self._due()
        return Outcome(
            final=self.task.final(finished=instance is None),
            world=tuple(self.task.deeds),
            history=self.history,
            events=tuple(self.events),
            recoveries=tuple(self.recoveries),
            calls=dict(self.calls),
            stopped=self.stopped,
        )

    def _due(self) -> InstanceId | None:
        # A function of what is done: after a restore, the turns before it are due again.
        for instance, steps in self.goals:
            running = self.task.running.get(instance)
            if running is None or running.step < steps:
                return instance
        return None

    def _program(self, instance: InstanceId) -> Program:
        program = self.domain.programs.get(instance.skeleton)
        if program is None:
            message = f"{self.domain.name} has no skeleton {instance.skeleton}"
            raise DomainError(message)
        return program

    def _goal(self, turn: Turn) -> tuple[InstanceId, int]:
        steps = self._program(turn.instance).steps
        if turn.until is None:
            return turn.instance, len(steps)
        names = [step.name for step in steps]
        if turn.until not in names:
            message = f"{turn.instance} has no step {turn.until}"
            raise DomainError(message)
        return turn.instance, names.index(turn.until) + 1

    def _emit(self, event: Event) -> None:
        after = apply(self.history, event)
        if isinstance(after, Refusal):
            message = f"the history does not allow {event}: {after}"
            raise DomainError(message)
        if self.record is not None:
            self.record(event)
        self.events.append(event)
        self.history = after

    def _advance(self, instance: InstanceId) -> None:
        running = self.task.running.get(instance)
        if running is None:
            entry = self._program(instance).entry
            self._emit(Enter(instance, entry))
            self.task.running[instance] = Running(0, entry, Memory())
            return
        step = self._program(instance).steps[running.step]
        if self._skips(step):
            running.step += 1
            return
        match step:
            case ActStep():
                self._act(instance, running, step)
            case CommitStep():
                running.step, running.state = running.step + 1, step.commit
                self._emit(Commit(instance, step.commit))
            case ExitStep():
                running.step, running.state = running.step + 1, step.exit
                self._emit(Exit(instance, step.exit))
            case SaveStep():
                running.step += 1
                self._save(instance, step)

    def _skips(self, step: Step) -> bool:
        kept = self.row.saves
        return (step.when is not None and step.when not in self.row.flags) or (
            isinstance(step, SaveStep) and kept is not None and step.save not in kept
        )

    def _save(self, instance: InstanceId, step: SaveStep) -> None:
        name = self._unused(f"{instance}@{step.save}")
        tag = seen_tag(instance, step.seen)
        scope = Scope(step.scope)
        truth = None if is_full(tag) else instance
        self._emit(Save(id=name, tag=tag, scope=scope, stable=step.stable, truth=truth))
        self.task.save(name, instance, scope)

    def _unused(self, name: str) -> str:
        # A snapshot of the whole task that was saved first does not undo the saves after it.
        while name in self.history.checkpoints:
            stem, _, number = name.partition("~")
            name = f"{stem}~{int(number or 1) + 1}"
        return name

    def _keys(self, keys: tuple[str, ...], instance: InstanceId) -> list[str]:
        found: list[str] = []
        for key in (bind(key, instance.entity) for key in keys):
            stem = key.removesuffix("*")
            written = sorted(one for one in self.task.store if one.startswith(stem))
            found += [key] if stem == key else written
        return found

    def _call(self, instance: InstanceId, running: Running, step: ActStep) -> Call:
        reads = {key: self.task.read(key) for key in self._keys(step.reads, instance)}
        question = Question(
            skeleton=instance.skeleton,
            entity=instance.entity,
            tool=step.act,
            options=step.choose,
            seen={**running.memory, **{key: one.value for key, one in reads.items()}},
        )
        return Call(
            entity=instance.entity,
            args={**self._binding(instance, step), **self.policy(question)},
            memory=running.memory,
            reads=reads,
            session=Version(writer=instance, attempt=self.history.attempt[instance], index=0),
        )

    def _binding(self, instance: InstanceId, step: ActStep) -> dict[str, str]:
        argument = self.domain.contract.skeletons[instance.skeleton].tools[step.act]
        return {} if argument is None else {argument: instance.entity}

    def _act(self, instance: InstanceId, running: Running, step: ActStep) -> None:
        fault = self._strikes(instance, step)
        if fault is not None and fault.how == "refused":
            self._fail(fault, instance, step)
            return
        call = self._call(instance, running, step)
        reply = self._reply(instance, step, call)
        name = self._perform(instance, step, call, reply)
        running.step, running.state = running.step + 1, step.state
        if fault is None:
            running.memory.update(reply.memory)
        else:
            self._fail(fault, instance, step, name)

    def _strikes(self, instance: InstanceId, step: ActStep) -> Fault | None:
        fault = self.fault
        if fault is None or (instance_of(fault.instance), fault.act) != (instance, step.act):
            return None
        self.fault = None
        return fault

    def _reply(self, instance: InstanceId, step: ActStep, call: Call) -> Reply:
        reply = self.domain.tools[step.act](call)
        writes = {bind(key, instance.entity) for key in step.writes}
        if set(reply.writes) != writes or set(reply.effects) != set(step.effects):
            message = f"{step.act} did what its step does not say: {reply}"
            raise DomainError(message)
        spoilt = None if self.fault is None else self.fault.damage
        if spoilt is None or place_of(spoilt) != (instance, step.act):
            return reply
        return evolve(reply, writes=damaged(reply.writes), effects=damaged(reply.effects))

    def _perform(self, instance: InstanceId, step: ActStep, call: Call, reply: Reply) -> str:
        made = self.calls[instance, step.act]
        name = f"{instance}/{step.act}" + (f"~{made + 1}" if made else "")
        self.calls[instance, step.act] += 1
        self._emit(
            Act(
                instance=instance,
                id=name,
                tool=step.act,
                state=step.state,
                reads=frozenset(call.reads),
                writes=frozenset(reply.writes),
                effects=frozenset(reply.effects),
            )
        )
        version = Version(
            writer=instance,
            attempt=self.history.attempt[instance],
            index=len(self.history.log[instance]),
        )
        self.task.write(version, reply.writes)
        self.task.perform(version, reply.effects)
        return name

    def _fail(
        self, fault: Fault, caller: InstanceId, step: ActStep, lost: str | None = None
    ) -> None:
        if fault.crash:
            self.task.crash(self.history.checkpoints)
        seen = failure(self.history, fault, lost)
        failed = blamed(fault)
        if "state" in fault.seen:
            seen = evolve(seen, state=self.task.running[failed].state)
        if "tool" in fault.seen:
            seen = evolve(seen, tool=step.act)
        if "args" in fault.seen:
            seen = evolve(seen, args=FrozenMap(self._binding(caller, step)))
        self._emit(seen)
        self._recover()

    def _recover(self) -> None:
        plan = self.strategy.plan(self.history)
        self.recoveries.append(
            Recovery(
                before=self.history,
                verdict=plan.verdict,
                checkpoint=plan.checkpoint,
                calls=dict(self.calls),
            )
        )
        if plan.verdict is Verdict.ESCALATE:
            self.stopped = "a person was asked"
        elif plan.checkpoint is None:
            self._emit(Rerun())
            self.task.begin_again()
        elif not self._leads_to(plan.checkpoint):
            self.stopped = f"the controller has no edge back to {plan.checkpoint.id}"
        else:
            self._emit(Restore(plan.checkpoint.id))
            self.task.put_back(plan.checkpoint)

    def _leads_to(self, checkpoint: Checkpoint) -> bool:
        # A snapshot of the whole task replaces the controller's own state too.
        if checkpoint.scope is Scope.TASK:
            return True
        snapshot = self.task.snapshots[checkpoint.id]
        source = self.task.running[snapshot.owner].state
        target = snapshot.running[snapshot.owner].state
        return self._program(snapshot.owner).leads_back(source, target)


def run(
    domain: Domain,
    row: Row,
    strategy: Strategy = DART,
    *,
    policy: ArgumentPolicy = scripted,
    record: Callable[[Event], object] | None = None,
) -> Outcome:
    """What comes of the row under the strategy."""
    return Runner(domain, row, strategy, policy=policy, record=record).run()
