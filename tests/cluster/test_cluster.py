"""The audit on a local cluster: its totals are those of one process, whatever happens to it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("distributed")

import fsspec
from distributed import Client, Future

from dart_tools.audit import Form, Totals, audit_trace, trace_paths
from dart_tools.cli import main
from dart_tools.cluster import Part, audit_part, audit_prefix, parts
from dart_tools.codec import Header, encode_trace
from dart_tools.errors import DartError
from dart_tools.generate import Shape, random_trace
from dart_tools.workload import CONTRACT, Workload, workload_events

TRACES = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("year")
    for seed in range(TRACES):
        rng = Random(seed)  # noqa: S311 (a seed is wanted)
        if seed % 3:
            contract, events = random_trace(rng, Shape(lawful=False))
            data = encode_trace(Header(name="x", contract=contract), events)
        else:
            work = workload_events(rng, Workload(instances=300, failures=0.2))
            data = encode_trace(Header(name="x", contract=CONTRACT), list(work))
        if seed % 40 == 39:
            data += b"{}\n"
        month = root / f"month={seed % 12:02}"
        month.mkdir(exist_ok=True)
        (month / f"{seed:04}.jsonl").write_bytes(data)
    return root


@pytest.fixture(scope="module")
def alone(folder: Path) -> Totals:
    totals = Totals()
    for path in trace_paths([str(folder)]):
        totals += audit_trace(Form(), path, lambda _: None)[0]
    return totals


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


def test_single_process_finds_something_of_each_kind(alone: Totals) -> None:
    assert alone.traces == TRACES
    assert alone.invalid == 3
    assert min(alone.agrees, alone.unsafe, alone.early, alone.blocked, alone.admitted) > 0


def test_cluster_counts_what_one_process_counts(
    client: Client, folder: Path, alone: Totals
) -> None:
    found = audit_prefix(client, str(folder), traces=7)
    assert found.totals == alone
    assert len(found.errors) == 3
    assert all("month=" in error for error in found.errors)


def test_cluster_counts_the_same_when_a_worker_is_killed_midway(
    client: Client, folder: Path, alone: Totals
) -> None:
    ended: list[Future[Part]] = []
    killed: list[int] = []

    def kill_one(task: Future[Part]) -> None:
        ended.append(task)
        if len(ended) == 3:
            # The nanny of a worker starts another in its place.
            pids = client.run(os.getpid)
            killed.append(min(pids.values()))
            os.kill(killed[0], signal.SIGKILL)

    found = audit_prefix(client, str(folder), traces=2, done=kill_one)
    assert found.totals == alone
    assert len(ended) == TRACES // 2
    assert killed[0] not in client.run(os.getpid).values()


def test_seeded_loss_of_a_part_is_found(client: Client, folder: Path, alone: Totals) -> None:
    some = list(parts(str(folder), 7))[1:]
    totals = Totals()
    for task in client.map(audit_part, some):
        totals += task.result().totals
    assert totals != alone


def test_object_store_is_read_by_its_address(folder: Path, alone: Totals) -> None:
    store = fsspec.filesystem("memory")
    for path in trace_paths([str(folder)]):
        with store.open(f"/year/{Path(path).name}", "wb") as file:
            file.write(Path(path).read_bytes())
    with Client(processes=False, n_workers=1, dashboard_address=":0") as inside:
        found = audit_prefix(inside, "memory://year")
    assert found.totals == alone
    assert found.errors[0].startswith("memory://")


def test_address_without_traces_is_an_error(client: Client, tmp_path: Path) -> None:
    with pytest.raises(DartError, match="no trace"):
        audit_prefix(client, str(tmp_path))


def test_command_prints_the_totals(
    folder: Path, alone: Totals, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["cluster", str(folder), "--workers", "1"])
    out, err = capsys.readouterr()
    assert code == 2
    assert len(err.splitlines()) == 3
    assert json.loads(out)["totals"]["traces"] == alone.traces
