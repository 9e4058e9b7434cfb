"""What the monitor keeps, recomputed from the definition's state after every event."""

from __future__ import annotations

import gc
from random import Random

from dart_core import (
    Fail,
    History,
    InstanceId,
    Rerun,
    Restore,
    Scope,
    Tag,
    fixed_effects,
    last_commit,
    live,
    log_of,
    others,
)
from dart_core.monitor import Monitor
from dart_core.monitor.track import Track
from dart_tools.generate import Shape, random_contract, random_events
from monitor.histories import walk


def pin(history: History, instance: InstanceId) -> int:
    """The last act that must survive, looked for in every log."""
    read = [
        version.version.index
        for other in others(history, instance)
        for entry in log_of(history, other)
        for version in entry.reads
        if version.version is not None and version.version.writer == instance
    ]
    fixed = [index for index, _ in fixed_effects(history, instance, 0)]
    return max([*read, *fixed], default=0)


def kept_pin(track: Track) -> int:
    read = track.read_by[-1].index if track.read_by else 0
    fixed = track.length(track.fixed[-1][0]) if track.fixed else 0
    return max(read, fixed)


def _of(monitor: Monitor, instance: InstanceId) -> Track:
    return monitor.tracks[instance.skeleton, instance.entity, instance.ordinal]


def test_pin_is_what_a_scan_of_every_log_finds() -> None:
    for seed in range(400):
        for event, history, monitor in walk(seed):
            for instance in history.log:
                assert kept_pin(_of(monitor, instance)) == pin(history, instance), (seed, event)


def test_logs_are_the_definitions() -> None:
    for seed in range(200):
        for event, history, monitor in walk(seed):
            assert {track.instance for track in monitor.tracks.values()} == set(history.log)
            for instance, log in history.log.items():
                track = _of(monitor, instance)
                assert track.entries == [entry.at for entry in log], (seed, event)
                committed = [entry.at for entry in log[: last_commit(history, instance)]]
                assert committed == [at for at in track.entries if track.committed(at)]
                assert track.exited is not live(history, instance)
                assert [one.id for one in track.saved] == list(history.saved.get(instance, ()))


def test_last_versions_are_the_definitions() -> None:
    for seed in range(200):
        for event, history, monitor in walk(seed):
            tops = {
                key: (versions[-1].at, len(versions)) for key, versions in history.store.items()
            }
            kept = {}
            for key, version in monitor.store.items():
                chain = [version]
                while chain[-1].older is not None:
                    assert chain[-1].older.newer is chain[-1]
                    chain.append(chain[-1].older)
                kept[key] = (version.at, len(chain))
            assert kept == tops, (seed, event)


def test_cuts_are_the_definitions() -> None:
    for seed in range(200):
        for event, history, monitor in walk(seed):
            assert set(monitor.checkpoints) == set(history.checkpoints)
            for name, checkpoint in history.checkpoints.items():
                at = monitor.checkpoints[name].at
                cut = {i: _of(monitor, i).length(at) for i in checkpoint.cut}
                assert cut == dict(checkpoint.cut), (seed, event)
                if checkpoint.scope is Scope.TASK:
                    later = [i for i in history.log if i not in checkpoint.cut]
                    assert all(_of(monitor, i).length(at) == 0 for i in later)


def _links(monitor: Monitor) -> tuple[int, ...]:
    tracks = monitor.tracks.values()
    return (
        sum(len(track.writes) for track in tracks),
        sum(len(track.reads) for track in tracks),
        sum(len(version.readers) for track in tracks for version in track.read_by),
        sum(len(track.ids) for track in tracks),
        sum(len(track.saved) for track in tracks),
    )


def test_memory_holds_surviving_entries_only() -> None:
    for seed in range(200):
        for event, history, monitor in walk(seed):
            entries = [entry for log in history.log.values() for entry in log]
            foreign = sum(
                read.version is not None and read.version.writer != reader
                for reader, log in history.log.items()
                for entry in log
                for read in entry.reads
            )
            assert _links(monitor) == (
                sum(len(entry.writes) for entry in entries),
                foreign,
                foreign,
                len(history.acts),
                sum(len(saved) for saved in history.saved.values()),
            ), (seed, event)
            assert len(monitor.acts) == len(history.acts)


def test_trail_stays_short_where_instances_are_rewound_again_and_again() -> None:
    contract = random_contract(Random(1), Shape())  # noqa: S311 (a seed is wanted)
    monitor = Monitor(contract)
    names = [InstanceId(skeleton="s0", entity=f"e{number}", ordinal=1) for number in range(2)]
    for name in names:
        assert monitor.enter(name, None) is None
        assert monitor.save(f"entry of {name}", _tag_of(name), task=False, stable=True) is None
    assert monitor.save("whole", _tag_of(names[0]), task=True, stable=True) is None
    for _ in range(1000):
        for name in names:
            assert monitor.act(name, None, None, (), (), ()) is None
        for name in names:
            assert monitor.observe(Fail(tag=_tag_of(name))) is None
            assert monitor.observe(Restore(f"entry of {name}")) is None
    assert len(monitor.trail.runs) < 200


def _tag_of(name: InstanceId) -> Tag:
    return Tag(skeleton=name.skeleton, entity=name.entity, ordinal=name.ordinal)


def test_what_is_undone_is_freed_without_a_collector() -> None:
    rng = Random(7)  # noqa: S311 (a seed is wanted)
    shape = Shape(events=400, lawful=False)
    contract = random_contract(rng, shape)
    events = list(random_events(rng, contract, shape))
    gc.collect()
    gc.disable()
    try:
        monitor = Monitor(contract)
        for event in (*events, Fail(), Rerun()):
            assert monitor.observe(event) is None
        assert gc.collect() == 0
    finally:
        gc.enable()
