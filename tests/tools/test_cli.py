"""The command line, as a process: output, errors and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from catalogue import CATALOGUE
from dart_tools.cli import COMMANDS, main
from dart_tools.codec import Header, encode_trace
from malformed import MALFORMED

GOOD = {
    case.name: encode_trace(Header(name=case.name, contract=case.contract), case.events)
    for case in CATALOGUE
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("recoveries/two-in-a-row", "recoveries/early", "recoveries/missed"):
        (tmp_path / f"{name.split('/')[1]}.jsonl").write_bytes(GOOD[name])
    (tmp_path / "deeper").mkdir()
    for name in ("recoveries/unsafe", "recoveries/escalation-unidentified", "kinds/entry"):
        (tmp_path / "deeper" / f"{name.split('/')[1]}.jsonl").write_bytes(GOOD[name])
    (bad,) = [bad for bad in MALFORMED if bad.name == "line-not-json"]
    (tmp_path / "bad.jsonl").write_bytes(bad.data)
    (tmp_path / "notes.txt").write_text("no trace")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_decide_json_prints_one_decision_a_line_in_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("decide", "--json", "two-in-a-row.jsonl", "deeper/entry.jsonl")
    code, out, err = run(capsys, *words)
    found = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [(one["trace"], one["failure"]) for one in found] == [
        ("two-in-a-row.jsonl", 7),
        ("two-in-a-row.jsonl", 10),
        ("deeper/entry.jsonl", 4),
    ]
    assert folder.is_dir()


@pytest.mark.usefixtures("folder")
def test_decide_decides_the_good_ones_beside_a_bad_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "decide", "bad.jsonl", "early.jsonl", "never.jsonl")
    assert code == 2
    assert out == (
        "early.jsonl: failure at event 7: restore c2 of make[m]#1; 1 act of it run again, "
        "0 completed instances kept\n"
    )
    first, second = err.splitlines()
    assert first.startswith("dart-core: bad.jsonl:3: the line is not JSON")
    assert second.startswith("dart-core: never.jsonl: cannot be read: ")


@pytest.mark.usefixtures("folder")
def test_decide_decides_nothing_of_a_trace_that_is_bad_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("late.jsonl").write_bytes(GOOD["recoveries/two-in-a-row"] + b'{"event":"rerun"}\n')
    code, out, err = run(capsys, "decide", "--json", "late.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("dart-core: late.jsonl:15: no failure is pending")


@pytest.mark.usefixtures("folder")
def test_audit_json_judges_each_recovery_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "audit", "--json", ".")
    *found, last = [json.loads(line) for line in out.splitlines()]
    judgements = [(one["trace"], one["judgement"], one["breaks"]) for one in found]
    assert judgements == [
        ("deeper/entry.jsonl", "pending", []),
        ("deeper/escalation-unidentified.jsonl", "hazardous", []),
        ("deeper/unsafe.jsonl", "unsafe", ["no_committed_conflict"]),
        ("early.jsonl", "early", []),
        ("missed.jsonl", "missed", []),
        ("two-in-a-row.jsonl", "agrees", []),
        ("two-in-a-row.jsonl", "agrees", []),
    ]
    assert last == {
        "totals": {
            "traces": 7,
            "recoveries": 7,
            "admitted": 5,
            "blocked": 2,
            "agrees": 2,
            "early": 1,
            "unsafe": 1,
            "missed": 1,
            "hazardous": 1,
            "pending": 1,
            "expectation_differs": 0,
            "invalid": 1,
        }
    }
    assert err.startswith("dart-core: bad.jsonl:3: ")
    assert code == 2


@pytest.mark.parametrize(
    ("paths", "plain", "strict"),
    [
        (["two-in-a-row.jsonl"], 0, 0),
        (["deeper/entry.jsonl"], 0, 0),
        (["early.jsonl"], 0, 1),
        (["missed.jsonl"], 0, 1),
        (["deeper/unsafe.jsonl"], 1, 1),
        (["deeper/escalation-unidentified.jsonl"], 1, 1),
        (["deeper/unsafe.jsonl", "bad.jsonl"], 2, 2),
        (["never.jsonl"], 2, 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_audit_exit_code(
    capsys: pytest.CaptureFixture[str], paths: list[str], plain: int, strict: int
) -> None:
    assert run(capsys, "audit", *paths)[0] == plain
    assert run(capsys, "audit", "--strict", *paths)[0] == strict


@pytest.mark.parametrize(
    ("expect", "count"),
    [
        (b'[{"checkpoint":"c2"}]', 0),
        (b'[{"checkpoint":"c1"}]', 1),
        (b'[{"checkpoints":[{"id":"c2","guards":{"closed":true}},{"id":"c1"}]}]', 0),
        (b'[{"checkpoints":[{"id":"c2","guards":{"closed":false}},{"id":"c1"}]}]', 1),
        (b'[{"checkpoints":[{"id":"c2"}]}]', 1),
        (b'[{"reason":null,"instance":{"skeleton":"make","entity":"m","ordinal":1}}]', 0),
        (b"[]", 1),
        (b'[{},{"verdict":"rerun"},{}]', 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_audit_compares_the_expected_fields_alone(
    capsys: pytest.CaptureFixture[str], expect: bytes, count: int
) -> None:
    header, rest = GOOD["recoveries/early"].split(b"\n", 1)
    Path("e.jsonl").write_bytes(header[:-1] + b',"expect":' + expect + b"}\n" + rest)
    code, out, _ = run(capsys, "audit", "--json", "e.jsonl")
    assert json.loads(out.splitlines()[-1])["totals"]["expectation_differs"] == count
    assert code == (1 if count else 0)


@pytest.mark.usefixtures("folder")
def test_audit_prints_a_table_and_totals(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "audit", "deeper")
    assert "no_committed_conflict" in out
    assert "traces 3  recoveries 3  admitted 1  blocked 2" in out


@pytest.mark.usefixtures("folder")
def test_audit_rejects_a_folder_without_traces(capsys: pytest.CaptureFixture[str]) -> None:
    Path("none").mkdir()
    code, out, err = run(capsys, "audit", "none")
    assert (code, out, err) == (2, "", "dart-core: no trace (*.jsonl) in none\n")


@pytest.mark.usefixtures("folder")
def test_explain_says_what_stood_against_each_checkpoint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(capsys, "explain", "deeper/unsafe.jsonl")
    assert code == 0
    assert out == (
        "deeper/unsafe.jsonl: recoveries/unsafe\n"
        "make[m]#1 failed (seen at event 8).\n"
        "Decision: rerun the whole task; no checkpoint of make[m]#1 may be restored.\n"
        "  c1, at its entry:\n"
        "    - Restoring c1 would undo act 3, whose `m.part` was read by use[u]#1 (event 6), "
        "which has committed.\n"
        "The runtime restored c1 (event 9). That is unsafe: it breaks no_committed_conflict.\n"
    )


@pytest.mark.parametrize("case", CATALOGUE, ids=lambda case: case.name)
def test_explain_explains_every_case(
    case: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD[case.name])  # type: ignore[attr-defined]
    code, out, err = run(capsys, "explain", str(path))
    assert (code, err) == (0, "")
    assert "None" not in out


@pytest.mark.usefixtures("folder")
def test_explain_rejects_a_bad_trace(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "explain", "bad.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("dart-core: bad.jsonl:3: ")


def test_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "schema")[0] == 0
    code, out, _ = run(capsys, "schema", "--only", "decision")
    assert code == 0
    assert json.loads(out)["$ref"] == "#/$defs/Decision"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert f"dart-core {name}" in capsys.readouterr().out


def test_version_and_wrong_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("dart-core 0.")
    with pytest.raises(SystemExit) as caught:
        main(["divine"])
    assert caught.value.code == 2


@pytest.mark.usefixtures("folder")
def test_a_closed_pipe_is_no_traceback() -> None:
    words = [sys.executable, "-m", "dart_tools.cli", "decide", "--json", *["early.jsonl"] * 2000]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.usefixtures("folder")
def test_progress_stays_quiet_in_a_pipe() -> None:
    words = [sys.executable, "-m", "dart_tools.cli", "audit", *["early.jsonl"] * 50]
    found = subprocess.run(words, capture_output=True, check=True)  # noqa: S603
    assert found.stderr == b""
