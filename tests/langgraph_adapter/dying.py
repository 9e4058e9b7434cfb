"""A process that dies in the middle of a graph, for the tests of those that come after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dart_runtime.langgraph import Node, act
from langgraph_adapter.graphs import (
    MEETING,
    MEETING_NODES,
    THREAD,
    Meeting,
    World,
    contract,
    driver,
    guarded,
    line,
    meeting,
    skeleton,
)

DYING = 9


class WorldInFile(World):
    """A world that outlives its process; it ends the process when `dies` runs."""

    def __init__(self, path: Path, dies: str = "") -> None:
        super().__init__()
        self.path = path
        self.dies = dies
        self.ran = path.read_text().split() if path.exists() else []

    def run(self, name: str) -> None:
        with self.path.open("a") as file:
            file.write(f"{name}\n")
        super().run(name)
        if name == self.dies:
            os._exit(DYING)


def world_in(folder: Path) -> World:
    return WorldInFile(folder / "world")


def acts(world: World) -> Any:
    """One node with two acts, and something between them."""

    @act(effects=["send"])
    def send() -> str:
        world.run("send")
        return "sent"

    @act(effects=["book"])
    def book() -> str:
        world.run("book")
        return "booked"

    def invite(_: Meeting) -> Meeting:
        sent = send()
        world.run("between")
        return {"sent": f"{sent} {book()}"}

    terms = contract(invite=skeleton(send="irreversible", book="idempotent"))
    return line(Meeting, ("invite", invite)), terms, {"invite": Node(entity="meeting")}


GRAPHS: dict[str, Callable[[World], Any]] = {
    "acts": acts,
    "meeting": lambda world: (meeting(world), MEETING, MEETING_NODES),
}


def main(name: str, where: str, folder: Path) -> None:
    world = WorldInFile(folder / "world", where)
    with driver("sqlite", folder) as drive:
        builder, terms, nodes = GRAPHS[name](world)
        guarded(builder, drive, terms, nodes, folder=folder).invoke({"meeting": "m1"}, THREAD)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
