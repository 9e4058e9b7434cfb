"""
Write the reference traces that this folder describes, the schema, and the manifest.

`python tests/traces/regenerate.py` writes them in place; the tests compare bytes.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from catalogue import CATALOGUE, Case
from dart_tools import wire
from dart_tools.codec import Header, encode_trace, parse_trace
from dart_tools.errors import TraceError
from dart_tools.judge import judge_trace
from dart_tools.schema import schema
from malformed import MALFORMED

ROOT = Path(__file__).parents[2] / "reference_traces"


def case_bytes(case: Case) -> bytes:
    """The trace of the case."""
    header = Header(
        name=case.name,
        contract=case.contract,
        notes=case.notes,
        expect=tuple(msgspec.convert(one, wire.Expectation) for one in case.expect),
    )
    return encode_trace(header, case.events)


def generated() -> dict[str, bytes]:
    """Every file that is made here, by its path below `reference_traces`."""
    files = {f"v1/{case.name}.jsonl": case_bytes(case) for case in CATALOGUE}
    files |= {f"v1/invalid/{bad.name}.jsonl": bad.data for bad in MALFORMED}
    files["schema/trace-1.schema.json"] = (json.dumps(schema(), indent=2) + "\n").encode()
    return files


def entry(path: str, data: bytes) -> dict[str, Any]:
    """What the manifest says of a trace: its digest, and its decisions or its error."""
    digest = sha256(data).hexdigest()
    try:
        judged = judge_trace(parse_trace(data, path))
    except TraceError as error:
        return {"sha256": digest, "invalid": {"line": error.line}}
    return {
        "sha256": digest,
        "recoveries": [
            {
                "failure": one.decision.failure,
                "verdict": one.decision.verdict.value,
                "reason": one.decision.reason and one.decision.reason.value,
                "checkpoint": one.decision.checkpoint,
                "judgement": one.judgement.value,
            }
            for one in judged.recoveries
        ],
    }


def manifest(root: Path) -> bytes:
    """The manifest of all traces that stand below `root`."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.glob("v1/**/*.jsonl"))
    entries = {path: entry(path, (root / path).read_bytes()) for path in paths}
    return (json.dumps({"format": 1, "traces": entries}, indent=1) + "\n").encode()


def main() -> None:
    """Write the files, then the manifest of all that is there."""
    for path, data in generated().items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (ROOT / "manifest.json").write_bytes(manifest(ROOT))


if __name__ == "__main__":
    main()
