from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from attrs import evolve

from dart_core import Contract
from dart_runtime.contracts import digest, load_contract
from dart_runtime.errors import ContractError
from dart_tools.codec import contract_to_wire
from runtime.schedule import CONTRACT, TOML

# What TOML cannot say: a tool that binds no entity.
IN_TOML = evolve(
    CONTRACT,
    skeletons=CONTRACT.skeletons.put(
        "slot",
        evolve(
            CONTRACT.skeletons["slot"], tools=CONTRACT.skeletons["slot"].tools.without(["confirm"])
        ),
    ),
)


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_load_contract_reads_toml_and_json(tmp_path: Path) -> None:
    encoded = msgspec.json.encode(contract_to_wire(CONTRACT))
    assert load_contract(written(tmp_path, "c.toml", TOML)) == IN_TOML
    assert load_contract(written(tmp_path, "c.json", encoded)) == CONTRACT


def test_digest_is_of_the_contract_and_not_of_its_file(tmp_path: Path) -> None:
    encoded = msgspec.json.encode(contract_to_wire(IN_TOML))
    from_json = load_contract(written(tmp_path, "c.json", encoded))
    from_toml = load_contract(written(tmp_path, "c.toml", TOML))
    spelled_out = load_contract(written(tmp_path, "d.toml", "compensate = false\n" + TOML))
    assert digest(from_json) == digest(from_toml) == digest(spelled_out)
    assert digest(IN_TOML) != digest(evolve(IN_TOML, compensate=True))
    assert digest(Contract()) != digest(IN_TOML)


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("c.toml", "skeletons = [", "Invalid value"),
        ("c.toml", "[skeletons.a]\n[skeletons.a]\n", "twice"),
        ("c.toml", "unknown = 1", "unknown"),
        ("c.toml", "[skeletons.a]\nread = []", "read"),
        ("c.toml", "[skeletons.a]\neffects = {e = 'mild'}", "mild"),
        ("c.toml", "fallback = 'guess'", "guess"),
        ("c.toml", "compensate = 1", "bool"),
        ("c.json", '{"skeletons": {}, "skeletons": {}}', "twice"),
        ("c.json", "{", "Expecting"),
        ("c.json", b"\xff", "decode"),
        ("c.json", "[" * 100_000, "recursion"),
    ],
)
def test_load_contract_rejects_what_is_none(
    tmp_path: Path, name: str, text: str | bytes, cause: str
) -> None:
    with pytest.raises(ContractError, match=cause) as raised:
        load_contract(written(tmp_path, name, text))
    assert str(tmp_path / name) in str(raised.value)


def test_load_contract_rejects_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="cannot be read"):
        load_contract(tmp_path / "none.toml")
