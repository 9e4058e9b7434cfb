"""A contract from a file, TOML or JSON: validated, and known by its digest."""

from __future__ import annotations

import json
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from dart_core import Contract
from dart_runtime.errors import ContractError
from dart_tools import wire
from dart_tools.codec import contract_from_wire, contract_to_wire

__all__ = ["digest", "load_contract"]


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        message = "a name is given twice in one object"
        raise ValueError(message)
    return names


def load_contract(path: str | Path) -> Contract:
    """
    The contract in the file: TOML where its name ends in `.toml`, else JSON.

    ContractError where it cannot be read, is not well formed, or says what the format does not.
    """
    place = Path(path)
    try:
        text = place.read_bytes().decode()
        raw = (
            tomllib.loads(text)
            if place.suffix == ".toml"
            else json.loads(text, object_pairs_hook=_unique_names)
        )
        return contract_from_wire(msgspec.convert(raw, wire.Contract))
    except OSError as error:
        raise ContractError(str(place), f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ContractError(str(place), str(error)) from None


def digest(contract: Contract) -> str:
    """
    The SHA-256 of the contract's canonical encoding, in hexadecimal.

    Equal contracts have equal digests, whatever files they came from.
    """
    return sha256(msgspec.json.encode(contract_to_wire(contract))).hexdigest()
