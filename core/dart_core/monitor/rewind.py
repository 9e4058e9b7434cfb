"""What a restore or a rerun takes back: it costs what it removes."""

from __future__ import annotations

from dart_core.monitor.state import State
from dart_core.monitor.track import Saved, Track, Version, pop_after
from dart_core.monitor.trail import Trail

__all__ = ["rerun", "restore"]


def restore(state: State, saved: Saved) -> None:
    """Cut the logs; what the undone acts wrote is gone, and so are checkpoints that covered it."""
    if saved.task:
        rewound = state.trail.take_back(saved.at)
    else:
        rewound = list(saved.owners) if len(saved.owners) == 1 else []
    firsts = [first for track in rewound if (first := _rewind(state, track, saved.at))]
    snapshots = state.snapshots
    while firsts and snapshots and snapshots[-1].at > min(firsts):
        _forget(state, snapshots.pop())
    if not snapshots:
        state.trail = Trail()


def _rewind(state: State, track: Track, at: int) -> int:
    """Cut the log to what it has up to event `at`; yields the first event that is cut, or 0."""
    length = track.length(at)
    if length == len(track.entries):
        return 0
    first = track.entries[length]
    state.performed -= track.acts_after(length, at) if length else track.acts()
    if track.exited:
        track.stopped = None
        state.exited -= 1
        if state.living is not None:
            state.living.add(track)
    del track.entries[length:]
    _pop_items(state, track, at)
    for saved in track.saved_after(first):
        if not saved.task:
            _forget(state, saved)
    if not length:
        del state.tracks[track.key]
        if state.living is not None:
            state.living.remove(track)
    return first


def _pop_items(state: State, track: Track, at: int) -> None:
    for stack in (track.claims, track.closings):
        while stack and stack[-1] > at:
            stack.pop()
    for stamped in (track.fixed, track.compensable, track.states):
        pop_after(stamped, at)
    while track.ids:
        name, number = track.ids.popitem()
        if number <= at:
            track.ids[name] = number
            break
        del state.acts[name]
    while track.reads and track.reads[-1][0] > at:
        number, version = track.reads.pop()
        version.unread(number)
    while track.writes and track.writes[-1].at > at:
        _unwrite(state, track, track.writes.pop())


def _unwrite(state: State, track: Track, version: Version) -> None:
    older, newer = version.older, version.newer
    if older is not None:
        older.newer = newer
    if newer is not None:
        newer.older = older
    elif older is not None:
        state.store[version.key] = older
    else:
        del state.store[version.key]
    version.older = version.newer = None
    if track.wrote.get(version.key) == version.at:
        del track.wrote[version.key]


def _forget(state: State, saved: Saved) -> None:
    del state.checkpoints[saved.id]
    for owner in saved.owners:
        owner.unsave(saved)
    if saved.certified:
        owner = saved.owners[0]
        (owner.snapshots if saved.task else owner.own).pop()


def rerun(state: State) -> None:
    """Clear all but the world, which remembers, and what was ever written."""
    for track in state.tracks.values():
        track.release()
    state.epoch += 1
    state.tracks = {}
    state.store = {}
    state.acts = {}
    state.checkpoints = {}
    state.snapshots = []
    state.trail = Trail()
    state.living = None
    state.performed = state.exited = 0
