"""
The search by several processes, which counts and keeps no graph.

Each state belongs to one process, by its hash, which alone knows whether it was seen.
A state stays where it was found: only its hash travels, and is told apart by 64 bits, as TLC does.
Where one process has much more to go on with than another, it hands some of it over.
"""

from __future__ import annotations

import multiprocessing
import time
from array import array
from collections.abc import Iterable
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess

from attrs import frozen

from dart_core import History
from dart_tools.errors import DartError
from dart_tools.explore import Search, changes, no_collection
from dart_tools.model import Model
from dart_tools.tla_states import VARIABLES

__all__ = ["Counts", "count", "evened"]

# So many states are enough to be shared out fairly.
_SHARED_FROM = 200

_State = tuple[tuple[int, ...], History]
_Peers = dict[int, Connection]
_Handed = list[tuple[int, int, int]]


@frozen(kw_only=True)
class Counts:
    """What a search has found: distinct states, steps between them, and how long it took."""

    states: int
    steps: int
    seconds: float


def _start(search: Search) -> dict[int, _State]:
    hashes = tuple(hash(getattr(search.first, name)) for name in VARIABLES)
    return {hash(hashes): (hashes, search.first)}


class _Part:
    """What one process knows: the hashes it has met, and those that belong to it and are taken."""

    def __init__(self, search: Search, met: set[int]) -> None:
        self._search = search
        self.met = met
        self.taken = set(met)
        self.steps = 0

    def next_level(self, level: Iterable[_State]) -> dict[int, _State]:
        """The states after those of this level that this process has not met before."""
        found: dict[int, _State] = {}
        for hashes, history in level:
            for _, after in self._search.moves(history):
                self.steps += 1
                changed = list(hashes)
                for place, value in changes(history, after):
                    changed[place] = hash(value)
                state = tuple(changed)
                known = hash(state)
                if known not in self.met:
                    self.met.add(known)
                    found[known] = state, after
        return found

    def take(self, hashes: Iterable[int]) -> bytes:
        """Take the hashes, which belong to this process; 1 for each that nobody took before."""
        answer = bytearray()
        for one in hashes:
            answer.append(one not in self.taken)
            self.taken.add(one)
        return bytes(answer)


def _divide(part: _Part, me: int, peers: _Peers, found: dict[int, _State]) -> list[_State]:
    """The states of those found that are this process's to go on with: the new ones."""
    shares: dict[int, list[int]] = {other: [] for other in (me, *peers)}
    for one in found:
        shares[one % len(shares)].append(one)
    new = _new(found, shares[me], part.take(shares[me]))
    for other, peer in sorted(peers.items()):
        answer = _ask(peer, part, shares[other], first=me < other)
        new += _new(found, shares[other], answer)
    return new


def _new(found: dict[int, _State], share: list[int], answer: bytes) -> list[_State]:
    return [found[one] for one, is_new in zip(share, answer, strict=True) if is_new]


def _ask(peer: Connection, part: _Part, share: list[int], *, first: bool) -> bytes:
    """Which hashes of the share, which belong to the peer, are new; its own are answered."""
    # One of two always sends first, so that no two processes wait for each other to read.
    if first:
        peer.send_bytes(array("q", share).tobytes())
        answer = peer.recv_bytes()
    asked = array("q", peer.recv_bytes())
    peer.send_bytes(part.take(asked))
    if not first:
        peer.send_bytes(array("q", share).tobytes())
        answer = peer.recv_bytes()
    return answer


def _work(part: _Part, me: int, peers: _Peers, level: list[_State], home: Connection) -> None:
    while True:
        level = _divide(part, me, peers, part.next_level(level))
        home.send((len(level), part.steps))
        handed: _Handed | None = home.recv()
        if handed is None:
            return
        for giver, taker, number in handed:
            if me == giver:
                peers[taker].send(level[-number:])
                del level[-number:]
            elif me == taker:
                level += peers[giver].recv()


def evened(sizes: list[int], uneven: float = 0.1) -> _Handed:
    """
    Who hands how many states to whom: giver, taker, number.

    Nothing is handed over where none has more than the mean by the share `uneven` of it.
    """
    mean = sum(sizes) // len(sizes)
    handed: _Handed = []
    if max(sizes) - mean <= max(1, uneven * mean):
        return handed
    lacking = {taker: mean - size for taker, size in enumerate(sizes) if size < mean}
    for giver, size in enumerate(sizes):
        spare = size - mean
        for taker, lack in lacking.items():
            number = min(spare, lack)
            if number > 0:
                handed.append((giver, taker, number))
                spare -= number
                lacking[taker] -= number
    return handed


def count(model: Model, jobs: int = 1) -> Counts:
    """How much there is to be reached in the model, searched by so many processes."""
    began = time.perf_counter()
    search = Search(model)
    level = _start(search)
    part = _Part(search, set(level))
    states = 1
    with no_collection():
        while level and (jobs == 1 or len(level) < _SHARED_FROM):
            level = part.next_level(level.values())
            states += len(level)
        steps = part.steps
        if level:
            more, steps = _shared(part, list(level.items()), jobs)
            states += more
    return Counts(states=states, steps=steps, seconds=time.perf_counter() - began)


def _shared(part: _Part, level: list[tuple[int, _State]], jobs: int) -> tuple[int, int]:
    """How many more states and steps there are, searched from this level on."""
    # Forked processes share the hashes of strings, and all that was found so far.
    context = multiprocessing.get_context("fork")
    peers: list[_Peers] = [{} for _ in range(jobs)]
    for one in range(jobs):
        for other in range(one):
            peers[one][other], peers[other][one] = context.Pipe()
    homes, workers = [], []
    before, part.steps = part.steps, 0
    for me in range(jobs):
        here, there = context.Pipe()
        share = [state for place, (_, state) in enumerate(level) if place % jobs == me]
        arguments = (part, me, peers[me], share, there)
        workers.append(context.Process(target=_work, args=arguments, daemon=True))
        workers[-1].start()
        homes.append(here)
    states, going = 0, True
    while going:
        reports = [_report(home, worker) for home, worker in zip(homes, workers, strict=True)]
        sizes = [new for new, _ in reports]
        states += sum(sizes)
        going = any(sizes)
        for home in homes:
            home.send(evened(sizes) if going else None)
    for worker in workers:
        worker.join()
    return states, before + sum(steps for _, steps in reports)


def _report(home: Connection, worker: ForkProcess) -> tuple[int, int]:
    if home not in wait([home, worker.sentinel]):
        message = "a process of the search has died"
        raise DartError(message)
    new, steps = home.recv()
    return new, steps
