"""What the command line offers for many and for growing traces."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from rich.console import Console

from dart_core import Decision
from dart_core.monitor import Monitor
from dart_tools.cli import main
from dart_tools.codec import Header, encode_trace
from dart_tools.progress import progress
from dart_tools.workload import CONTRACT, Workload, workload_events

COMMAND = [sys.executable, "-m", "dart_tools.cli"]


def _trace(seed: int) -> bytes:
    rng = Random(seed)  # noqa: S311 (a seed is wanted)
    events = workload_events(rng, Workload(instances=20, failures=0.3))
    return encode_trace(Header(name=f"seed {seed}", contract=CONTRACT), list(events))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for seed in range(12):
        (tmp_path / f"{seed:02}.jsonl").write_bytes(_trace(seed))
    (tmp_path / "bad.jsonl").write_bytes(_trace(0) + b'{"event":"rerun"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("words", [("audit", "--json", "."), ("audit", ".")])
@pytest.mark.usefixtures("folder")
def test_audit_says_the_same_with_many_processes(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    alone = run(capsys, *words)
    assert run(capsys, *words, "--jobs", "2") == alone
    assert alone[0] == 2


def test_decide_says_the_same_with_many_processes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = sorted(path.name for path in folder.iterdir())
    alone = run(capsys, "decide", "--json", *paths)
    assert run(capsys, "decide", "--json", "--jobs", "2", *paths) == alone


@pytest.mark.usefixtures("folder")
def test_audit_reads_standard_input() -> None:
    found = subprocess.run(  # noqa: S603
        [*COMMAND, "audit", "--json", "-"], input=_trace(3), capture_output=True, check=True
    )
    named = subprocess.run(  # noqa: S603
        [*COMMAND, "audit", "--json", "03.jsonl"], capture_output=True, check=True
    )
    assert found.stdout.replace(b'"-"', b'"03.jsonl"') == named.stdout


@pytest.mark.usefixtures("folder")
def test_standard_input_is_not_spread(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "audit", "--jobs", "2", "-", "00.jsonl")
    assert (code, out) == (2, "")
    assert err == "dart-core: standard input cannot be spread over processes\n"


@pytest.mark.usefixtures("folder")
def test_follow_takes_one_trace(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "audit", "--follow", "00.jsonl", "01.jsonl")
    assert (code, out, err) == (2, "", "dart-core: --follow takes one trace\n")


@pytest.mark.usefixtures("folder")
def test_follow_tells_each_recovery_before_the_trace_ends() -> None:
    data = _trace(3)
    process = subprocess.Popen(  # noqa: S603
        [*COMMAND, "audit", "--json", "--follow", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(data)
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        assert first["judgement"] == "agrees"
        process.stdin.close()
        *_, last = process.stdout.read().splitlines()
    assert process.returncode == 0
    assert json.loads(last)["totals"]["agrees"] > 1


def test_follow_waits_at_the_end_of_a_file_until_it_is_interrupted(folder: Path) -> None:
    path = folder / "growing.jsonl"
    lines = _trace(3).splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines, start=1) if b'"restore"' in line]
    path.write_bytes(b"".join(lines[: ends[0]]))
    process = subprocess.Popen(  # noqa: S603
        [*COMMAND, "audit", "--follow", str(path)], stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(str(path).encode())
        with path.open("ab") as file:
            file.write(b"".join(lines[ends[0] :]))
        for _ in ends[1:]:
            assert b"agrees" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().decode()
    assert f"agrees {len(ends)}" in rest
    assert process.returncode == 0


@pytest.mark.usefixtures("folder")
def test_verify_confirms_what_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("audit", "--json", *(f"{seed:02}.jsonl" for seed in range(12)))
    assert run(capsys, *words, "--verify") == run(capsys, *words)


@pytest.mark.usefixtures("folder")
def test_verify_refuses_a_decision_that_is_not_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = Monitor.decide

    def altered(monitor: Monitor) -> Decision | None:
        decision = sound(monitor)
        return decision and evolve(decision, replay=decision.replay + 1)

    monkeypatch.setattr(Monitor, "decide", altered)
    code, out, err = run(capsys, "audit", "--json", "--verify", "00.jsonl")
    assert code == 2
    assert json.loads(out)["totals"]["invalid"] == 1
    assert "a decision is not what the checker finds: replay: told " in err


def test_progress_shows_rate_and_remaining_time_on_a_terminal_only(folder: Path) -> None:
    paths = [str(path) for path in sorted(folder.iterdir())]
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=120)
    with progress(paths, console) as advance:
        for path in paths:
            advance(Path(path).stat().st_size, 100)
            time.sleep(0.05)
    assert "events/s" in shown.getvalue()
    assert "0:00:" in shown.getvalue()
    plain = io.StringIO()
    with progress(paths, Console(file=plain)) as advance:
        advance(1, 1)
    assert plain.getvalue() == ""


def test_generate_gives_the_same_trace_for_the_same_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("generate", "--instances", "40", "--failures", "0.3", "--fan-out", "2")
    code, out, err = run(capsys, *words, "--seed", "4")
    assert (code, err) == (0, "")
    assert run(capsys, *words, "--seed", "4")[1] == out
    assert run(capsys, *words, "--seed", "5")[1] != out


@pytest.mark.parametrize("density", ["1.0", "0.3"])
def test_generated_traces_are_sound(
    density: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--instances", "150", "--failures", "0.5", "--sends", "0.5", "--density", density)
    path = tmp_path / "generated.jsonl"
    path.write_text(run(capsys, "generate", *words)[1])
    code, out, _ = run(capsys, "audit", "--strict", "--verify", "--json", str(path))
    totals = json.loads(out.splitlines()[-1])["totals"]
    assert code == 0
    assert totals["agrees"] == totals["recoveries"] > 10
    assert (totals["blocked"] > 0) is (density == "0.3")


def test_broken_pipe_is_no_error() -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(  # noqa: S603
        [*COMMAND, "generate", "--instances", "5000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
