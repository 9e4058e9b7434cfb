from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import evolve

from dart_core import EffectClass
from dart_runtime.domain import Domain
from dart_runtime.evaluation.traces import trace_of, write_traces
from dart_tools.cli import main
from domains.rows import ROWS

TRACES = Path(__file__).parents[2] / "reference_traces" / "v1" / "domains"
Domains = Mapping[str, Domain]


@pytest.mark.parametrize(("domain", "row"), ROWS)
def test_trace_is_what_the_row_yields(domains: Domains, domain: str, row: str) -> None:
    assert (TRACES / domain / f"{row}.jsonl").read_bytes() == trace_of(domains[domain], row)


def test_no_trace_is_left_over(domains: Domains, tmp_path: Path) -> None:
    written = write_traces(domains.values(), tmp_path)
    found = {path.relative_to(TRACES) for path in TRACES.rglob("*") if path.is_file()}
    assert found == {path.relative_to(tmp_path) for path in written}


def test_audit_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--strict", "--json", str(TRACES)]) == 0
    totals = capsys.readouterr().out.splitlines()[-1]
    assert totals == (
        '{"totals":{"traces":54,"recoveries":47,"admitted":35,"blocked":12,"agrees":47,"early":0,'
        '"unsafe":0,"missed":0,"hazardous":0,"pending":0,"expectation_differs":0,"invalid":0}}'
    )


def test_audit_sees_a_contract_that_lies(domains: Domains, tmp_path: Path) -> None:
    domain = domains["etl"]
    skeletons = domain.contract.skeletons
    told = skeletons["transform"].effects.put("release", EffectClass.IDEMPOTENT)
    lying = evolve(
        domain.contract,
        skeletons=skeletons.put("transform", evolve(skeletons["transform"], effects=told)),
    )
    data = trace_of(evolve(domain, contract=lying), "etl-announced")
    header = (TRACES / "etl" / "etl-announced.jsonl").read_bytes().splitlines()[0]
    path = tmp_path / "etl-announced.jsonl"
    path.write_bytes(b"\n".join([header, *data.splitlines()[1:]]) + b"\n")
    assert main(["audit", str(path)]) == 1
