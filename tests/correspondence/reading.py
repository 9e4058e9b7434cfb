"""What the specification and the core say of their operators, read without running either."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec_tla"
CORE = ROOT / "core" / "dart_core"

MODULES = (
    "contract",
    "history",
    "localize",
    "certify",
    "align",
    "admit",
    "decide",
    "valid",
    "baselines",
    "dart",
)

_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_DEFINITION = re.compile(r"^(\w+)(?:\(([^=]*?)\))?\s*==", re.MULTILINE)
_BACK_POINTER = re.compile(r"^\\\* core: (\w+)\.(\w+)$")
_MIRRORS = re.compile(r"^\s*Mirrors: (\w+)!(\w+)$", re.MULTILINE)


@frozen
class Operator:
    """An operator of the specification with the core's function that its comment names."""

    name: str
    parameters: tuple[str, ...]
    core: str | None


@frozen
class Function:
    """A function of the core with the operator that its docstring names."""

    name: str
    parameters: tuple[str, ...]
    mirrors: str | None


def spec_name(module: str) -> str:
    """The specification's name of the core's module."""
    return "DART" if module == "dart" else module.capitalize()


def operators(text: str) -> list[Operator]:
    """The operators that the text defines, in its order."""
    text = _COMMENT.sub("", text)
    found = []
    for match in _DEFINITION.finditer(text):
        before = text[: match.start()].rstrip("\n").rsplit("\n", 1)[-1]
        pointer = _BACK_POINTER.match(before)
        parameters = tuple(part.strip() for part in (match[2] or "").split(",") if part.strip())
        named = f"{pointer[1]}.{pointer[2]}" if pointer else None
        found.append(Operator(match[1], parameters, named))
    return found


def functions(text: str) -> list[Function]:
    """The functions that the text defines at its top, in its order."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            mirrors = _MIRRORS.search(ast.get_docstring(node) or "")
            arguments = tuple(argument.arg for argument in node.args.args)
            named = f"{mirrors[1]}!{mirrors[2]}" if mirrors else None
            found.append(Function(node.name, arguments, named))
    return found
