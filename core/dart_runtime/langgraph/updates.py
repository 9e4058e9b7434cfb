"""What the host writes into the state itself: recorded like the run of a node."""

from __future__ import annotations

from langgraph.types import Command

from dart_runtime.langgraph.book import Execution, Place
from dart_runtime.langgraph.declare import Node, Shape
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.langgraph.runs import Run, Site

__all__ = ["host_wrote", "replaced_output"]

HOST = "update_state"


def replaced_output(recorder: Recorder, site: Site, replaced: Execution, values: object) -> None:
    """Record the host's values as what the run that they replace returned, beside what it had."""
    before = recorder.packer.unpack(replaced.output)
    output = [
        one if isinstance(one, Command) else Command(update=one)
        for one in (before, values)
        if one is not None
    ]
    place = Place(names=replaced.names, path=replaced.path, bases=replaced.bases)
    run = Run(site=site, place=place, execution=replaced, reads=frozenset())
    recorder.finish(run, output)


def host_wrote(
    recorder: Recorder, checkpoint: str, values: object, as_node: str | None, shape: Shape
) -> None:
    """Record the host's values in the new checkpoint: nobody's output, never rolled back."""
    node = Node(skeleton=HOST, entity=lambda _: as_node or HOST)
    place = Place(names=HOST, path=checkpoint, bases={"": checkpoint})
    run = recorder.begin(Site(name=HOST, node=node, shape=shape, opens=True), None, place)
    assert isinstance(run, Run)  # noqa: S101 (no record answers for a new checkpoint)
    run.execution.into = checkpoint
    recorder.finish(run, values)
    recorder.book.kept(run.execution)
