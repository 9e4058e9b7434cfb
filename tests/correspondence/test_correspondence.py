"""The specification and the core have the same operators: names, order, parameters, pointers."""

from __future__ import annotations

import re

import pytest

from comparison import differences
from divergences import ONLY_CORE, ONLY_SPEC
from reading import CORE, MODULES, SPEC, functions, operators, spec_name


def texts(module: str) -> tuple[str, str]:
    spec = (SPEC / f"{spec_name(module)}.tla").read_text()
    return spec, (CORE / f"{module}.py").read_text()


@pytest.mark.parametrize("module", MODULES)
def test_operators_correspond(module: str) -> None:
    assert differences(module, *texts(module)) == []


@pytest.mark.parametrize("module", MODULES)
def test_exceptions_are_needed(module: str) -> None:
    spec, core = texts(module)
    defined = {operator.name for operator in operators(spec)}
    assert set(ONLY_SPEC.get(spec_name(module), {})) <= defined
    named = {f"{module}.{function.name}" for function in functions(core)}
    assert {name for name in ONLY_CORE if name.startswith(f"{module}.")} <= named


def test_every_module_of_the_core_is_compared_or_mirrors_nothing() -> None:
    others = [path for path in CORE.glob("*.py") if path.stem not in MODULES]
    assert [path.stem for path in others if "Mirrors:" in path.read_text()] == []


PLANTED = {
    "missing": (r"Closed(i, n) == OpenWrites(i, n) = {}", ""),
    "renamed": ("Overrun(c, i) ==", "Overran(c, i) =="),
    "extra": ("\n\\* The kind of boundary", "\nHelper(i) == i\n\n\\* The kind of boundary"),
    "parameters": ("Closed(i, n) == OpenWrites(i, n)", "Closed(n, i) == OpenWrites(i, n)"),
    "pointer missing": ("\\* core: certify.overrun\n", ""),
    "pointer wrong": ("\\* core: certify.overrun\n", "\\* core: certify.closed\n"),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_planted_difference_is_found(planted: str) -> None:
    spec, core = texts("certify")
    before, after = PLANTED[planted]
    assert before in spec
    assert differences("certify", spec.replace(before, after), core) != []


def test_planted_order_is_found() -> None:
    spec, core = texts("certify")
    parts = re.split(
        r"(?=^\\\* The (?:index of the last|places of the writes))", spec, flags=re.MULTILINE
    )
    head, closing, rest = parts
    writes, tail = rest.split("\n\n", 1)
    assert differences("certify", head + writes + "\n\n" + closing + tail, core) != []


def test_planted_mirror_is_found() -> None:
    spec, core = texts("certify")
    assert differences("certify", spec, core.replace("Mirrors: Certify!Overrun", "")) != []
