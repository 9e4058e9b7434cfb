"""
A domain: its contract, its controller, its rows, its tools, and what must hold at the end.

Contract, controller and rows are files (TOML); tools and the end-to-end contract are functions.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import msgspec
from attrs import frozen
from msgspec import Struct

from dart_core import Contract
from dart_runtime.calls import Tool
from dart_runtime.contracts import load_contract
from dart_runtime.final import Final
from dart_runtime.programs import DomainError, Program, step_of
from dart_runtime.rows import Row

__all__ = ["DOMAINS", "Domain", "load_domain"]

DOMAINS = ("navigation", "schedule_form", "diagnosis", "etl", "travel")


@frozen(kw_only=True)
class Domain:
    """One domain; `broken` says what of the task's own contract a final state breaks."""

    name: str
    contract: Contract
    programs: Mapping[str, Program]
    external: Mapping[str, Any]
    rows: Mapping[str, Row]
    tools: Mapping[str, Tool]
    broken: Callable[[Final], list[str]]


class _Skeleton(Struct, forbid_unknown_fields=True):
    entry: str
    steps: list[dict[str, Any]]
    back: dict[str, tuple[str, ...]] = {}


class _Controller(Struct, forbid_unknown_fields=True):
    external: dict[str, Any]
    skeletons: dict[str, _Skeleton]


def _program(raw: _Skeleton) -> Program:
    steps = tuple(step_of(step) for step in raw.steps)
    names = [step.name for step in steps]
    if len(set(names)) < len(names):
        message = f"two steps have one name: {names}"
        raise DomainError(message)
    return Program(raw.entry, steps, raw.back)


def load_domain(name: str) -> Domain:
    """The domain; DomainError or ContractError where one of its files is not well formed."""
    folder = files("dart_runtime") / "domains" / name
    try:
        controller = msgspec.convert(
            tomllib.loads((folder / "controller.toml").read_text()), _Controller
        )
        rows = msgspec.convert(tomllib.loads((folder / "rows.toml").read_text()), dict[str, Row])
        programs = {skeleton: _program(raw) for skeleton, raw in controller.skeletons.items()}
    except (OSError, ValueError) as error:
        message = f"domain {name}: {error}"
        raise DomainError(message) from error
    module = importlib.import_module(f"dart_runtime.domains.{name}.tools")
    return Domain(
        name=name,
        contract=load_contract(str(folder / "contract.toml")),
        programs=programs,
        external=controller.external,
        rows=rows,
        tools=module.TOOLS,
        broken=module.broken,
    )
