"""
What ran under which of LangGraph's checkpoints.

An execution is one run of a node.
LangGraph's state at a checkpoint is what the executions before it wrote; the history says which
executions stand.
Where the two differ, as after a restore of one instance among several, the standing executions
that a checkpoint does not include are not run again: their record answers for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field, frozen

from dart_core import History, InstanceId, live, log_of
from dart_runtime.langgraph.declare import Shape

__all__ = ["Book", "Call", "Execution", "Link", "Place", "segments"]


@frozen(kw_only=True)
class Place:
    """
    Where a task runs.

    `names` is the path of nodes from the root graph to it, `path` LangGraph's own path of the task,
    `bases` the checkpoint that each graph on the way was at, the root's under "", and `task` its
    id, which is another one after each restore.
    """

    names: str
    path: str
    bases: Mapping[str, str]
    task: str = ""

    @property
    def base(self) -> str:
        """The checkpoint that the task's own graph was at."""
        return self.bases[max(self.bases, key=segments)]


@frozen(kw_only=True)
class Link:
    """
    One of LangGraph's checkpoints as it is saved.

    `ancestors` are the checkpoints that the graphs around its own were at, `source` is LangGraph's,
    and `ran` are the executions of the step that it ends.
    """

    namespace: str
    checkpoint: str
    parent: str | None
    source: str
    ancestors: Mapping[str, str]
    ran: tuple[str, ...]


def segments(namespace: str) -> int:
    """How deep the namespace is; the root's is 0."""
    return len(namespace.split("|")) if namespace else 0


@define(kw_only=True)
class Call:
    """
    One act within an execution that is not to be made again, with its result (encoded).

    None where it raised and may have done something all the same.
    """

    act: str
    tool: str
    arguments: bytes = b""
    result: bytes | None = None


@define(kw_only=True)
class Execution:
    """
    One run of a node.

    `uses` are the channels that it depends on.
    `acts` are all its acts, in order; `act` is the one that ended it, `output` (encoded) what the
    node returned.
    `wrote` are pairs of a channel and the key under which the history has what was written there;
    `chose` is the key of its choice of where to go, where it made one.
    `into` is the checkpoint that the host wrote into, where no node ran but the host did.
    """

    id: str
    node: str
    names: str
    path: str
    epoch: int
    instance: InstanceId
    bases: dict[str, str]
    uses: list[str] = field(factory=list)
    acts: list[str] = field(factory=list)
    calls: list[Call] = field(factory=list)
    act: str | None = None
    output: bytes = b""
    wrote: list[tuple[str, str]] = field(factory=list)
    chose: str | None = None
    into: str | None = None
    task: str = ""

    @property
    def top(self) -> str:
        """The task of the root graph that the node ran in."""
        return f"{self.names.split('|')[0]} {self.path if '|' not in self.names else ''}"

    def stands(self, history: History) -> bool:
        """Whether the execution has ended, and the act that ended it is not undone."""
        return self.act in history.acts and self.epoch == history.epoch

    def acted(self, history: History) -> bool:
        """Whether some act of it stands."""
        return self.epoch == history.epoch and any(act in history.acts for act in self.acts)


@define
class Book:
    """
    The executions of one thread, and how LangGraph's checkpoints hang together.

    `included` gives what a checkpoint's state holds, `under` what ran at it, `before` its parent.
    `ancestors` are the checkpoints of the graphs around it, `heads` the latest of each namespace.
    `inputs` are those that the task's inputs were saved in, and `count` numbers the executions.
    """

    executions: dict[str, Execution] = field(factory=dict)
    included: dict[str, tuple[str, ...]] = field(factory=dict)
    under: dict[str, list[str]] = field(factory=dict)
    before: dict[str, str | None] = field(factory=dict)
    heads: dict[str, str] = field(factory=dict)
    ancestors: dict[str, tuple[str, ...]] = field(factory=dict)
    inputs: list[str] = field(factory=list)
    count: int = 0

    def next_id(self) -> str:
        """An execution's id that no other has had."""
        self.count += 1
        return f"x{self.count}"

    def kept(self, execution: Execution) -> None:
        """The execution was recorded, in this process or in one before."""
        self.ran(execution, execution.bases)
        if execution.into is not None and execution.id not in self.included[execution.into]:
            self.included[execution.into] += (execution.id,)

    def ran(self, execution: Execution, bases: Mapping[str, str], task: str = "") -> None:
        """The execution runs, or its record answers, for the task at these checkpoints."""
        self.executions[execution.id] = execution
        execution.bases = dict(bases)
        execution.task = task
        for base in bases.values():
            ran = self.under.setdefault(base, [])
            if execution.id not in ran:
                ran.append(execution.id)

    def saved(self, link: Link) -> None:
        """LangGraph saves a checkpoint: after a step it includes what ran in it."""
        known = [base for name, base in link.ancestors.items() if name != link.namespace]
        known += () if link.parent is None else (link.parent,)
        ids = [name for base in known for name in self.included.get(base, ())]
        self.included[link.checkpoint] = tuple(dict.fromkeys([*ids, *link.ran]))
        self.before[link.checkpoint] = link.parent
        self.ancestors[link.checkpoint] = tuple(link.ancestors.values())
        self.heads[link.namespace] = link.checkpoint
        if link.source == "input" and not link.namespace:
            self.inputs.append(link.checkpoint)

    def ended_at(self, history: History, checkpoint: str | None) -> tuple[str, ...]:
        """What ran at the checkpoint and stands."""
        ran = self.under.get(checkpoint or "", ())
        return tuple(name for name in ran if self.executions[name].stands(history))

    def recorded(self, history: History, place: Place, entity: str) -> Execution | None:
        """The standing execution that answers for the task; None where it has to run."""
        same = self._same(history, place, entity)
        return next((execution for execution in same if execution.stands(history)), None)

    def begun(self, history: History, place: Place, entity: str) -> Execution | None:
        """The execution that the task goes on with, or runs again; None where it is a new one."""
        same = [
            execution
            for execution in self._same(history, place, entity)
            if not execution.stands(history) and live(history, execution.instance)
        ]
        return same[-1] if same else None

    def _same(self, history: History, place: Place, entity: str) -> list[Execution]:
        included = set(self.included.get(place.base, ()))
        return [
            one
            for one in self.executions.values()
            if one.id not in included
            and one.epoch == history.epoch
            and (one.names, one.path, one.instance.entity) == (place.names, place.path, entity)
        ]

    def missing(self, history: History, base: str) -> list[Execution]:
        """The executions that stand, in part or whole, and that the checkpoint does not include."""
        included = set(self.included.get(base, ()))
        found = (one for name, one in self.executions.items() if name not in included)
        return [execution for execution in found if execution.acted(history)]

    def keys_of(self, channels: Iterable[str], place: Place, shape: Shape) -> frozenset[str]:
        """
        The keys under which the history has what the channels hold at the place.

        What a channel that grows has of several executions, it has under several keys.
        """
        wanted, keys = set(channels), list[str]()
        for name in reversed(self.included.get(place.base, ())):
            for channel, key in self.executions[name].wrote:
                if channel in wanted:
                    keys.append(key)
                    wanted -= set() if channel in shape.growing else {channel}
        return frozenset(keys)

    def choices(self, node: str, place: Place, shape: Shape) -> frozenset[str]:
        """The keys of the choices that may have brought the task about: each router's last."""
        steps: dict[str, str] = {}
        keys = []
        for name in reversed(self.included.get(place.base, ())):
            one = self.executions[name]
            if one.chose is not None and shape.may_choose(one.node, node):
                step = one.bases[max(one.bases, key=segments)]
                if steps.setdefault(one.node, step) == step:
                    keys.append(one.chose)
        return frozenset(keys)

    def of_act(self, act: str | None) -> Execution | None:
        """The execution that the act belongs to, as its id says."""
        return None if act is None else self.executions.get(act.split(".", 1)[0])

    def first_missing(self, history: History, base: str, instance: InstanceId) -> str | None:
        """The instance's first act that the checkpoint does not include; None of none."""
        missing = {execution.id for execution in self.missing(history, base)}
        acts = [entry.id for entry in log_of(history, instance) if entry.id is not None]
        return next((act for act in acts if act.split(".", 1)[0] in missing), None)

    def distance(self, checkpoint: str, later: str) -> int:
        """How many checkpoints later the other one is; as good as never where it is on no way."""
        steps, at = 0, later
        while at != checkpoint:
            before = self.before.get(at)
            if before is None:
                return len(self.before) + 1
            steps, at = steps + 1, before
        return steps

    def base(self, history: History) -> tuple[str | None, bool]:
        """
        The latest checkpoint on the way to the head that still stands, and whether to go back.

        None where there is none: the task has not begun, or begins again.
        """
        head = self.heads.get("")
        base = head
        while base is not None and base not in history.checkpoints:
            base = self.before.get(base)
        if base is None and self.inputs:
            return self.inputs[0], True
        inner = [one for name, one in self.heads.items() if name and self._within(one, base)]
        return base, base != head or any(one not in history.checkpoints for one in inner)

    def _within(self, checkpoint: str, base: str | None) -> bool:
        return base is not None and base in self.ancestors.get(checkpoint, ())
