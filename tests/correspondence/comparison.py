"""The differences between a module of the specification and one of the core."""

from __future__ import annotations

import re

from divergences import CLAIM, NAMES, ONLY_CORE, ONLY_SPEC, PARAMETERS, STATE, WORDS
from reading import Function, Operator, functions, operators, spec_name


def expected_name(module: str, function: Function) -> str:
    """The name that the function's operator must have."""
    camel = "".join(word.capitalize() for word in function.name.split("_"))
    return NAMES.get(f"{module}.{function.name}", camel)


def expected_parameters(module: str, function: Function) -> tuple[str, ...]:
    """The parameters that the function's operator must have."""
    key = f"{module}.{function.name}"
    if key in PARAMETERS:
        return PARAMETERS[key]
    rest = [name for name in function.parameters if name not in STATE]
    return tuple(WORDS.get(name, name) for name in rest)


def _of_function(module: str, function: Function, operator: Operator | None) -> list[str]:
    key, name = f"{module}.{function.name}", expected_name(module, function)
    if operator is None:
        return [f"{key}: no operator points to it"]
    found = []
    if operator.name != name or function.mirrors != f"{spec_name(module)}!{name}":
        found.append(f"{key}: {operator.name}, {function.mirrors} and not {name}")
    if operator.parameters != expected_parameters(module, function):
        wanted = expected_parameters(module, function)
        found.append(f"{key}: parameters {operator.parameters} and not {wanted}")
    return found


def _unpointed(module: str, spec: list[Operator]) -> list[str]:
    allowed = ONLY_SPEC.get(spec_name(module), {})
    return [
        f"{operator.name}: no function mirrors it"
        for operator in spec
        if operator.core is None
        and operator.name not in allowed
        and not re.fullmatch(CLAIM, operator.name)
    ]


def differences(module: str, spec: str, core: str) -> list[str]:
    """One line for each difference between the texts of the two modules."""
    operators_here = operators(spec)
    public = [
        function
        for function in functions(core)
        if not function.name.startswith("_") and f"{module}.{function.name}" not in ONLY_CORE
    ]
    pointed = {operator.core: operator for operator in operators_here if operator.core}
    found = [
        difference
        for function in public
        for difference in _of_function(module, function, pointed.get(f"{module}.{function.name}"))
    ]
    order = [operator.core for operator in operators_here if operator.core]
    wanted = [f"{module}.{function.name}" for function in public]
    if order != wanted:
        found.append(f"order {order} and not {wanted}")
    return found + _unpointed(module, operators_here)
