"""The core is pure: what it imports, what it calls, and that its results do not vary."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import fields, has

import dart_core

CORE = Path(dart_core.__file__).parent
MODULES = sorted(CORE.rglob("*.py"))

ALLOWED = {
    "__future__",
    "attrs",
    "bisect",
    "collections",
    "dart_core",
    "enum",
    "operator",
    "typing",
}
# Builtins that reach outside or make a result depend on the process.
FORBIDDEN = {"breakpoint", "eval", "exec", "globals", "id", "input", "open", "print", "vars"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_imports_attrs_and_nothing_else(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= ALLOWED
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            assert node.module.split(".")[0] in ALLOWED


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_calls_nothing_that_reaches_outside(path: Path) -> None:
    tree = ast.parse(path.read_text())
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert {func.id for func in called if isinstance(func, ast.Name)} & FORBIDDEN == set()
    assert not any(isinstance(node, ast.Global | ast.Nonlocal) for node in ast.walk(tree))


def test_importing_it_loads_no_other_package() -> None:
    code = "import dart_core, sys; print(*sorted(sys.modules))"
    words = [sys.executable, "-I", "-c", code]
    loaded = subprocess.run(words, capture_output=True, check=True, text=True).stdout.split()  # noqa: S603
    assert "dart_core.decide" in loaded
    for package in ("msgspec", "rich", "dart_tools", "random", "json", "logging", "socket"):
        assert package not in loaded


@pytest.mark.parametrize("name", dart_core.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(dart_core, name)
    if callable(value):
        assert value.__doc__


def test_every_value_is_frozen() -> None:
    for name in dart_core.__all__:
        value = getattr(dart_core, name)
        if isinstance(value, type) and has(value):
            assert value.__setattr__ is not object.__setattr__
            # Keyword-only from three fields on.
            own = fields(value)
            assert len(own) < 3 or any(one.kw_only for one in own) or name in POSITIONAL


# A refusal is built in one place.
POSITIONAL = {"Refusal"}

SCRIPT = """
from random import Random
from dart_tools.codec import Header, encode_decision, encode_trace, parse_trace
from dart_tools.generate import Shape, random_trace
from dart_tools.judge import recoveries

for seed in range(60):
    contract, events = random_trace(Random(seed), Shape(lawful=seed % 2 == 0))
    data = encode_trace(Header(name="x", contract=contract), events)
    print(data.decode())
    for _, decision, _ in recoveries(parse_trace(data, "p")):
        print(encode_decision("p", decision).decode())
"""


def test_results_are_byte_equal_under_any_hash_seed() -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        words = [sys.executable, "-c", SCRIPT]
        found = subprocess.run(words, capture_output=True, check=True, env=environment)  # noqa: S603
        assert len(found.stdout) > 100_000
        outputs.add(found.stdout)
    assert len(outputs) == 1


HASHED = """
import pickle, sys
from random import Random
from dart_core import fold
from dart_tools.generate import Shape, random_trace

contract, events = random_trace(Random(7), Shape())
history = fold(contract, events)
{}
"""
SENT = HASHED.format("sys.stdout.buffer.write(pickle.dumps((hash(history), history)))")
RECEIVED = HASHED.format("""
hashed, received = pickle.loads(sys.stdin.buffer.read())
assert hash(history) != hashed, "both processes have one seed"
assert received == history and hash(received) == hash(history)
""")


def test_cached_hash_does_not_travel_to_a_process_with_another_hash_seed() -> None:
    sent = b""
    for seed, script in (("1", SENT), ("2", RECEIVED)):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        words = [sys.executable, "-c", script]
        sent = subprocess.run(  # noqa: S603
            words, capture_output=True, check=True, env=environment, input=sent
        ).stdout
