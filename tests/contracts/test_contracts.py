"""The gate: each contract that holds is confirmed, each wrong one refuted, and none is idle."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType, ModuleType

import pytest

import dart_core.admit
from contracts.gate import MODULES, contracts_of, examine
from contracts.holds import admit as holds_admit
from contracts.holds import decide as holds_decide
from dart_core import GUARDS, History, InstanceId

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def module_of(kind: str, name: str) -> ModuleType:
    return import_module(f"contracts.{kind}.{name}")


def contracts(kind: str) -> list[FunctionType]:
    return [one for name in MODULES for one in contracts_of(module_of(kind, name))]


def label(contract: FunctionType) -> str:
    return f"{contract.__module__.rsplit('.', maxsplit=1)[-1]}.{contract.__name__}"


@pytest.mark.parametrize("contract", contracts("holds"), ids=label)
def test_what_holds_is_confirmed(contract: FunctionType) -> None:
    finding = examine(contract)
    print(f"{finding.paths} paths, {finding.seconds:.1f} s")
    assert finding.confirmed, finding


@pytest.mark.parametrize("contract", contracts("refuted"), ids=label)
def test_what_is_wrong_is_refuted(contract: FunctionType) -> None:
    finding = examine(contract)
    print(*finding.messages, sep="\n")
    assert finding.refuted, finding


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_contracts_and_every_contract_a_wrong_one(name: str) -> None:
    stated = [one.__name__ for one in contracts_of(module_of("holds", name))]
    wrong = [one.__name__ for one in contracts_of(module_of("refuted", name))]
    assert stated
    assert {one for one in stated if not any(w.startswith(f"{one}_but_") for w in wrong)} == set()
    assert {w.partition("_but_")[0] for w in wrong} <= set(stated)


@pytest.mark.parametrize("guard", GUARDS)
def test_the_definition_without_a_guard_is_refuted(
    guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dart_core.admit, guard, lambda *_: True)
    assert examine(holds_admit.check_each_guard).refuted


def test_the_decision_without_identification_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_candidate(history: History) -> InstanceId | None:
        named = (one for failure in history.failures for one in failure.candidates)
        return min(named, default=None)

    monkeypatch.setattr(import_module("dart_core.decide"), "identified", first_candidate)
    assert examine(holds_decide.check_not_identified).refuted


def check_vacuous(number: int) -> bool:
    """
    pre: number > number
    post: __return__
    """
    return number > 0


def check_too_large(numbers: list[int]) -> bool:
    """
    post: __return__
    """
    return sum(number * number for number in numbers) >= 0


def check_without_postcondition(number: int) -> bool:
    return number > 0


def check_raises(number: int) -> bool:
    """
    post: __return__
    """
    return 1 // number > -number * number - 2


def check_names_nothing(number: int) -> bool:
    """
    post: __return__ == missing
    """
    return number > 0


@pytest.mark.parametrize(
    "contract",
    [
        check_vacuous,
        check_too_large,
        check_without_postcondition,
        check_raises,
        check_names_nothing,
    ],
)
def test_the_gate_takes_nothing_else_for_an_answer(contract: FunctionType) -> None:
    finding = examine(contract, seconds=3)
    assert not finding.confirmed
    assert not finding.refuted
