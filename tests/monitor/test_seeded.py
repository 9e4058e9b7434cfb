"""Each bug that is seeded into the monitor is found by the comparison with the definition."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import pytest

import dart_core.monitor.monitor as monitor_module
from dart_core import Boundary, decide
from dart_core.dart import RefusalReason
from dart_core.monitor import rewind
from dart_core.monitor.living import Living
from dart_core.monitor.monitor import Monitor
from dart_core.monitor.state import State
from dart_core.monitor.track import Saved, Track, Version
from dart_core.monitor.trail import Trail
from monitor.histories import STALE_AT_THE_CUT, Step, follow, told, walk

Patch = Callable[[pytest.MonkeyPatch], None]


def _set(owner: Any, name: str, value: Any) -> Patch:
    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(owner, name, value)

    return patch


def _forgets_stale_reads(state: State, track: Track, version: Version) -> None:
    sound_unwrite(state, track, version)
    for at, reader in list(version.readers):
        reader.reads.remove((at, version))
        version.unread(at)


def _keeps_epoch_hazards(state: State) -> None:
    sound_rerun(state)
    state.world.clear()


def _keeps_snapshots(state: State, saved: Saved) -> None:
    if not saved.task:
        sound_forget(state, saved)


def _at_the_suspect(certified: list[Saved], at: int | None) -> Saved | None:
    end = len(certified) if at is None else bisect_left(certified, at, key=attrgetter("at")) + 1
    return certified[end - 1] if 0 < end <= len(certified) else None


def _still_suspended(state: State) -> None:
    state.failures.clear()


def _open_certified(track: Track, saved: Saved) -> None:
    saved.cut = len(track.entries)
    if track.boundary(saved.cut) in track.plan.opened:
        saved.certified = True
        (track.snapshots if saved.task else track.own).append(saved)


def _no_exit_boundary(track: Track, cut: int) -> Boundary:
    del track
    return Boundary.ENTRY if cut == 1 else Boundary.COMMIT


def _dead_stay(living: Living, track: Track) -> None:
    del living, track


def _first_reader_only(version: Version, reader: Track, at: int) -> None:
    if not version.readers:
        sound_read(version, reader, at)


def _rewinds_one(trail: Trail, at: int) -> list[Track]:
    return sound_take_back(trail, at)[:1]


sound_unwrite = rewind._unwrite
sound_forget = rewind._forget
sound_rerun = rewind.rerun
sound_read = Version.read
sound_take_back = Trail.take_back

BUGS: dict[str, Patch] = {
    "a stale read is forgotten": _set(rewind, "_unwrite", _forgets_stale_reads),
    "a rerun forgets the hazards": _set(rewind, "rerun", _keeps_epoch_hazards),
    "a snapshot outlives what it covers": _set(rewind, "_forget", _keeps_snapshots),
    "a snapshot rewinds one instance": _set(Trail, "take_back", _rewinds_one),
    "the suspect may stand": _set(monitor_module, "last_before", _at_the_suspect),
    "the pin may be undone": _set(monitor_module, "within", lambda cut, pin: pin <= cut + 1),
    "the cut has to be past the pin": _set(monitor_module, "within", lambda cut, pin: pin < cut),
    "a snapshot is always separable": _set(Trail, "overrun", lambda *_: False),
    "a snapshot is never separable": _set(Trail, "overrun", lambda *_: True),
    "a recovery leaves the instance suspended": _set(State, "recovered", _still_suspended),
    "an open handoff is certified": _set(Track, "certify", _open_certified),
    "an exit is no boundary": _set(Track, "boundary", _no_exit_boundary),
    "a claim always closes": _set(Track, "closes", lambda *_: True),
    "what has exited is a candidate": _set(Living, "remove", _dead_stay),
    "a second reader is not seen": _set(Version, "read", _first_reader_only),
    "an exited instance may act": _set(
        Track, "exited", property(lambda track: track.stopped is RefusalReason.SUSPENDED)
    ),
    "every read is committed": _set(Track, "committed", lambda *_: True),
    "replay counts commits": _set(
        Track, "acts_after", lambda track, cut, _: len(track.entries) - cut
    ),
    "the epoch is not counted": _set(Monitor, "epoch", property(lambda _: 1, lambda *_: None)),
}


def _differs(steps: Iterator[Step]) -> bool:
    try:
        return any(told(monitor.decide()) != told(decide(history)) for _, history, monitor in steps)
    except (AssertionError, LookupError):
        return True


def _histories(count: int) -> Iterator[Iterator[Step]]:
    yield follow(*STALE_AT_THE_CUT)
    yield from (walk(seed) for seed in range(count))


@pytest.mark.parametrize("bug", BUGS)
def test_seeded_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BUGS[bug](monkeypatch)
    assert any(_differs(steps) for steps in _histories(1500))


def test_nothing_is_found_where_no_bug_is_seeded() -> None:
    assert not any(_differs(steps) for steps in _histories(300))
