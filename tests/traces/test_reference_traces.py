"""The reference traces are what the catalogue says, decide as expected, and cover the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dart_core as d
from catalogue import CATALOGUE, Case
from dart_tools.codec import parse_trace, read_trace
from dart_tools.errors import TraceError
from dart_tools.judge import Judgement, judge_trace
from dart_tools.schema import schema
from malformed import MALFORMED, Malformed
from regenerate import ROOT, generated, manifest

FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("v1/**/*.jsonl"))
VALID = [path for path in FILES if not path.startswith("v1/invalid/")]


def judged(path: str) -> list[Any]:
    return list(judge_trace(read_trace(str(ROOT / path))).recoveries)


@pytest.mark.parametrize("path", generated())
def test_generated_files_are_equal_to_the_byte(path: str) -> None:
    assert (ROOT / path).read_bytes() == generated()[path]


def test_no_file_stands_beside_the_generated_ones() -> None:
    folders = {path.rsplit("/", 1)[0] for path in generated() if path.startswith("v1/")}
    strays = [path for path in FILES if path.rsplit("/", 1)[0] in folders]
    assert sorted(set(strays) - set(generated())) == ["v1/invalid/b13-dbos.jsonl"]


def test_manifest_tells_of_every_trace() -> None:
    assert (ROOT / "manifest.json").read_bytes() == manifest(ROOT)


@pytest.mark.parametrize("path", VALID)
def test_expected_decisions(path: str) -> None:
    found = judge_trace(read_trace(str(ROOT / path)))
    assert [one.differs for one in found.recoveries if one.differs] == []
    assert found.unmatched == 0


def test_every_trace_says_what_it_expects() -> None:
    silent = [path for path in VALID if read_trace(str(ROOT / path)).header.expect is None]
    assert silent == []


@pytest.mark.parametrize("bad", MALFORMED, ids=lambda bad: bad.name)
def test_malformed_rejects(bad: Malformed) -> None:
    with pytest.raises(TraceError) as caught:
        judge_trace(parse_trace(bad.data, "some/path"))
    assert (caught.value.path, caught.value.line) == ("some/path", bad.line)
    assert bad.cause in caught.value.cause
    assert str(caught.value).startswith(f"some/path:{bad.line}: ")
    assert "\n" not in str(caught.value)


def test_public_case_that_is_no_trace_is_refused_with_its_line() -> None:
    with pytest.raises(TraceError) as caught:
        judged("v1/invalid/b13-dbos.jsonl")
    assert caught.value.line == 5


@pytest.mark.parametrize("guard", d.GUARDS)
def test_each_guard_alone_blocks_somewhere(guard: str) -> None:
    alone = [
        path
        for path in VALID
        for recovery in judged(path)
        for one in recovery.decision.checkpoints
        if [name for name in d.GUARDS if not getattr(one.guards, name)] == [guard]
    ]
    assert alone


def test_every_verdict_reason_kind_scope_and_judgement_occurs() -> None:
    found: set[object] = set()
    for path in VALID:
        for recovery in judged(path):
            decision = recovery.decision
            found |= {decision.verdict, decision.reason, recovery.judgement}
            found |= {one.kind for one in decision.checkpoints}
        trace = read_trace(str(ROOT / path))
        found |= {event.scope for event in trace.events if isinstance(event, d.Save)}
    wanted = {*d.Verdict, *d.Reason, None, *Judgement, *d.Boundary, *d.Scope}
    assert wanted - found == set()


def test_names_in_the_catalogue_are_given_once() -> None:
    names = [case.name for case in CATALOGUE]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("case", CATALOGUE, ids=lambda case: case.name)
def test_catalogue_says_what_is_decided(case: Case) -> None:
    """An expectation that says nothing would be met by anything."""
    assert all(case.expect) or not case.expect


def test_schema_accepts_every_good_line() -> None:
    header = jsonschema.Draft202012Validator(schema("header"))
    event = jsonschema.Draft202012Validator(schema("event"))
    for path in VALID:
        first, *rest = [json.loads(line) for line in (ROOT / path).read_bytes().splitlines()]
        header.validate(first)
        for line in rest:
            event.validate(line)


@pytest.mark.parametrize(
    "name",
    ["unknown-field", "reads-twice", "ordinal-zero", "unknown-event", "fail-args-no-strings"],
)
def test_schema_rejects(name: str) -> None:
    (bad,) = [bad for bad in MALFORMED if bad.name == name]
    line = json.loads(bad.data.splitlines()[bad.line - 1])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("event")).validate(line)


def test_paths_are_names() -> None:
    """What a case is called in its file is where it stands, but for the public cases."""
    for case in CATALOGUE:
        assert read_trace(str(ROOT / "v1" / f"{case.name}.jsonl")).header.name == case.name
    assert Path(ROOT / "v1" / "cases").is_dir()
