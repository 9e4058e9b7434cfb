"""What the nodes of a case did, whatever any record says of it."""

from __future__ import annotations

from collections import Counter
from random import Random
from threading import Lock

from attrs import define, field

__all__ = ["Done", "World"]

SLOTS = range(8 * 60, 18 * 60, 15)  # minutes of the day


@define(frozen=True)
class Done:
    """An irreversible thing that was done to the world for an entity, and on what it relies."""

    effect: str
    entity: str
    relies_on: str


@define
class World:
    """
    One task's world.

    `ran` lists the acts in the order in which they began, and `done` what cannot be undone.
    The seed says which slots there are; each proposal takes the next one.
    In a calm world nothing fails.
    """

    seed: int
    calm: bool = False
    ran: list[str] = field(factory=list)
    done: list[Done] = field(factory=list)
    failed: set[str] = field(factory=set)
    _lock: Lock = field(factory=Lock)

    def begin(self, act: str) -> int:
        """How often the act has begun, this time among them."""
        with self._lock:
            self.ran.append(act)
            return self.ran.count(act)

    def do(self, effect: str, entity: str, relies_on: str) -> None:
        """Do what cannot be undone."""
        with self._lock:
            self.done.append(Done(effect, entity, relies_on))

    def first_time(self, what: str) -> bool:
        """Whether this is asked of `what` for the first time."""
        with self._lock:
            fresh = what not in self.failed
            self.failed.add(what)
            return fresh and not self.calm

    def taken(self, slot: str, number: int) -> bool:
        """Whether the slot is the one of the proposal of this number, which is no longer free."""
        return not self.calm and slot == self.slot(number)

    def slot(self, number: int) -> str:
        """The slot that the proposal of this number is for."""
        slots = Random(self.seed).sample(SLOTS, len(SLOTS))  # noqa: S311 (no secret)
        minutes = slots[(number - 1) % len(slots)]
        return f"{minutes // 60:02}:{minutes % 60:02}"

    def repeated(self) -> int:
        """How many irreversible things were done once more for the same entity."""
        done = Counter((one.effect, one.entity) for one in self.done)
        return sum(times - 1 for times in done.values())

    def dangling(self, entities: frozenset[str], standing: frozenset[str]) -> int:
        """How many irreversible things for the entities rely on what does not stand at the end."""
        return sum(one.entity in entities and one.relies_on not in standing for one in self.done)
