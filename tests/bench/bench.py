"""
The benchmarks: `tox run -e bench`.

Every figure is a ratio of things that were measured in the same run, one after the other and
several times over, by the time of the processor; the least of the times counts.
No time is asserted: a machine's load is not a bug.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter, perf_counter_ns, process_time

from attrs import frozen

from dart_core import Act, Commit, Contract, Enter, Fail, FrozenMap, InstanceId, Save, Skeleton, Tag
from dart_core.monitor import Monitor
from dart_core.monitor.track import Saved, Track
from dart_tools.codec import Header, encode_event, encode_header, encode_trace, read_trace
from dart_tools.generate import Shape, random_trace
from dart_tools.graphs import UNCHECKED
from dart_tools.model import generated, read_model
from dart_tools.shared_search import count
from dart_tools.spread import uncollected
from dart_tools.stream import Stream, judged
from dart_tools.tlc import TlcRun, run_tlc
from dart_tools.validate import claim_of, validate
from dart_tools.workload import CONTRACT, Workload, workload_events

HERE = Path(__file__).parent
EVENTS_OF_INSTANCE = 10
FAILURES = 0.01
ROUNDS = 3
TURNS = 10
CALLS = 200
CHECKPOINTS = 5000
SHORT = 300
MODELS = ("MCScope", "MCWide")
SEARCHES = 2
SPECIFICATION = HERE.parents[1] / "spec_tla"


@frozen
class Row:
    """One line of the table."""

    what: str
    against: str
    found: str
    target: str


@frozen
class Used:
    """What a process took: seconds of the processor, and bytes at its peak."""

    seconds: float
    peak: int


def used(*words: str) -> Used:
    """Run the command to its end."""
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, *words],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{words} ended with {status}")
    return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def write_trace(path: Path, events: int) -> Path:
    """A generated trace of about so many events."""
    workload = Workload(instances=events // EVENTS_OF_INSTANCE, concurrency=64, failures=FAILURES)
    rng = Random(events)  # noqa: S311 (a seed is wanted)
    with path.open("wb") as file:
        file.write(encode_header(Header(name=f"{events} events", contract=CONTRACT)) + b"\n")
        for event in workload_events(rng, workload):
            file.write(encode_event(event) + b"\n")
    return path


def least(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The least seconds of the processor that the action took."""
    times = []
    for _ in range(rounds):
        with uncollected():
            start = process_time()
            action()
            times.append(process_time() - start)
    return min(times)


def audit_rows(folder: Path, events: int) -> Iterator[Row]:
    """The audit of one long trace as a whole process, against decoding its lines."""
    path = str(write_trace(folder / "long.jsonl", events))
    audits, decodings = [], []
    for _ in range(ROUNDS):
        decodings.append(used(str(HERE / "baselines.py"), "decoded", path))
        audits.append(used("-m", "dart_tools.cli", "audit", path))
    start = used("-m", "dart_tools.cli", "audit", "--help")
    seconds = min(one.seconds for one in audits)
    decoding = min(one.seconds for one in decodings)
    yield Row(
        f"audit of {events:,} events, whole process",
        "decoding the same lines",
        f"{seconds / decoding:.1f} times ({seconds:.2f} s, of it {start.seconds:.2f} s to start; "
        f"{decoding:.2f} s)",
        "3 times",
    )
    peak = max(one.peak for one in audits)
    yield Row("its peak memory", "the limit", f"{peak / 1e6:,.0f} MB", "under 1,000 MB")
    yield folded_row(folder, peak / events)


def folded_row(folder: Path, bytes_of_event: float) -> Row:
    """The memory that an event takes, against a fold by the definition of as much as it bears."""
    size = 4000
    path = write_trace(folder / "folded.jsonl", size)
    words = [sys.executable, str(HERE / "baselines.py"), "folded", str(path)]
    with os.popen(" ".join(words)) as told:  # noqa: S605 (our own words)
        folded = int(told.read()) / size
    return Row(
        "memory of an event",
        f"the definition's fold of {size:,} events",
        f"{bytes_of_event:,.0f} bytes to {folded:,.0f}",
        "the living part alone",
    )


def _pending(monitor: Monitor, tracks: list[Track], rng: Random) -> None:
    """Let an instance fail, with nothing else pending."""
    monitor.recovered()
    skeleton, entity, ordinal = rng.choice(tracks).key
    monitor.observe(Fail(tag=Tag(skeleton=skeleton, entity=entity, ordinal=ordinal)))


def decision_rows(sizes: list[int]) -> Iterator[Row]:
    """
    One decision in histories of growing length, which take turns, so that all meet the same load.

    The first of an instance finds its part of the memory cold, the second warm: their difference
    is the machine's, and not the monitor's.
    """
    monitors = {size: _observed(size) for size in sizes}
    times: dict[int, list[tuple[int, int]]] = {size: [] for size in sizes}
    rng = Random(0)  # noqa: S311 (a seed is wanted)
    with uncollected():
        for _ in range(TURNS):
            for size, monitor in monitors.items():
                times[size] += _timed(monitor, list(monitor.tracks.values()), rng)
    base: tuple[float, float] | None = None
    for size in sizes:
        first, second = (sorted(side) for side in zip(*times[size], strict=True))
        middle = median(first), median(second)
        base = base or middle
        yield Row(
            f"one decision in a history of {size:,} events",
            f"one of {sizes[0]:,}",
            f"{middle[0] / base[0]:.2f} times, {middle[1] / base[1]:.2f} where asked again "
            f"(median {middle[0] / 1000:.1f} and {middle[1] / 1000:.1f} µs, "
            f"p99 {quantiles(first, n=100)[-1] / 1000:.1f} µs)",
            "2 times, p99 50 µs",
        )


def _observed(size: int) -> Monitor:
    rng = Random(size)  # noqa: S311 (a seed is wanted)
    workload = Workload(instances=size // EVENTS_OF_INSTANCE, concurrency=64)
    monitor = Monitor(CONTRACT)
    with uncollected():
        for event in workload_events(rng, workload):
            monitor.observe(event)
    return monitor


def _timed(monitor: Monitor, tracks: list[Track], rng: Random) -> Iterator[tuple[int, int]]:
    for _ in range(CALLS):
        _pending(monitor, tracks, rng)
        start = perf_counter_ns()
        monitor.rule()
        middle = perf_counter_ns()
        monitor.rule()
        yield middle - start, perf_counter_ns() - middle


def checkpoint_row() -> Row:
    """One decision for an instance with many checkpoints, against a scan of them."""
    one = InstanceId(skeleton="work", entity="e", ordinal=1)
    tag = Tag(skeleton="work", entity="e", ordinal=1)
    monitor = Monitor(Contract(skeletons=FrozenMap({"work": Skeleton()})))
    monitor.observe(Enter(one))
    for number in range(CHECKPOINTS):
        monitor.observe(Act(instance=one, id=f"a{number}", writes=frozenset({f"k{number}"})))
        monitor.observe(Commit(one))
        monitor.observe(Save(id=f"c{number}", tag=tag))
    monitor.observe(Fail(tag=tag, suspect=f"a{CHECKPOINTS // 2}"))
    (track,) = monitor.tracks.values()
    suspect = monitor.failures[0].suspect or 0

    def scan() -> Saved | None:
        found = None
        for saved in track.saved:
            if saved.certified and saved.at < suspect:
                found = saved
        return found

    ruling, scanned = monitor.rule(), scan()
    assert ruling is not None
    assert scanned is not None
    assert ruling.checkpoint == scanned.id
    quick = least(lambda: [monitor.rule() for _ in range(200)]) / 200
    slow = least(lambda: [scan() for _ in range(20)]) / 20
    return Row(
        f"one decision for an instance with {CHECKPOINTS:,} checkpoints",
        "a scan over them",
        f"{slow / quick:.0f} times faster ({quick * 1e6:.1f} µs, {slow * 1e6:.0f} µs)",
        "20 times",
    )


def event_rows(folder: Path, sizes: list[int]) -> Iterator[Row]:
    """The cost of an event as traces grow."""
    costs = {}
    for size in sizes:
        path = str(write_trace(folder / f"{size}.jsonl", size))
        times = max(1, 10_000 // size)

        def audit(path: str = path, times: int = times) -> None:
            for _ in range(times):
                for _ in judged(Stream(path, Monitor.rule)):
                    pass

        costs[size] = least(audit) / times / size
        yield Row(
            f"an event of a trace of {size:,}",
            f"one of {sizes[0]:,}",
            f"{costs[size] / costs[sizes[0]]:.2f} times ({costs[size] * 1e6:.2f} µs)",
            "1.2 times",
        )


def short_rows(folder: Path) -> Iterator[Row]:
    """Traces of twenty events judged a second, against TLC on the same ones."""
    paths = []
    for seed in range(SHORT):
        rng = Random(seed)  # noqa: S311 (a seed is wanted)
        contract, events = random_trace(rng, Shape(events=20))
        path = folder / f"short-{seed}.jsonl"
        path.write_bytes(encode_trace(Header(name="short", contract=contract), events))
        paths.append(str(path))

    def audit() -> None:
        for path in paths:
            for _ in judged(Stream(path, Monitor.rule)):
                pass

    rate = SHORT / least(audit)
    yield Row("traces of 20 events judged", "a second", f"{rate:,.0f}", "")
    claims = [claim_of(read_trace(path)) for path in paths]
    before = children()
    stops = validate(SPECIFICATION, claims)
    by_tlc = SHORT / (children() - before)
    assert stops == []
    found = f"{rate / by_tlc:,.0f} times (TLC {by_tlc:,.1f} a second)"
    yield Row("the same", "TLC validating them", found, "300 times")


def children() -> float:
    """The seconds of the processor that ended processes have taken."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def search_rows(models: tuple[str, ...]) -> Iterator[Row]:
    """States a second of the core's own search, against TLC; neither checks anything of them."""
    for name in models:
        model = read_model(SPECIFICATION, name)
        rates = []
        with generated(SPECIFICATION, name, UNCHECKED) as folder:
            run = TlcRun(folder=folder, model="Generated", workers=2)
            for _ in range(SEARCHES):
                start = perf_counter()
                distinct = run_tlc(run).distinct
                middle = perf_counter()
                states = count(model, 2).states
                assert states == distinct
                rates.append((states / (perf_counter() - middle), distinct / (middle - start)))
        ours, theirs = (max(side) for side in zip(*rates, strict=True))
        yield Row(
            f"{states:,} states of {name}, 2 processes",
            "TLC with 2 workers",
            f"{ours / theirs:.2f} times ({ours:,.0f}, {theirs:,.0f} a second)",
            "1 time",
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000, help="of the longest trace")
    most = parser.parse_args().events
    sizes = [size for size in (1000, 10_000, 100_000, 1_000_000) if size <= most]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rows in (
            audit_rows(folder, most),
            decision_rows(sizes),
            [checkpoint_row()],
            event_rows(folder, sizes),
            short_rows(folder),
            search_rows(MODELS),
        ):
            for row in rows:
                print(f"| {row.what} | {row.against} | {row.found} | {row.target} |", flush=True)


if __name__ == "__main__":
    main()
