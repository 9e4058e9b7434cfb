"""
The gate: what CrossHair finds of every contract, and nothing between confirmed and refuted.

Run as `python -m contracts.gate [module[.function] …]` to decide single contracts by name.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FunctionType, ModuleType
from unittest.mock import patch

from attrs import frozen
from crosshair import core_and_libs
from crosshair.options import AnalysisKind, AnalysisOptionSet
from crosshair.statespace import MessageType

__all__ = ["MODULES", "Finding", "contracts_of", "examine", "named"]

MODULES = ("localize", "certify", "admit", "decide", "restore")
REFUTING = {MessageType.POST_FAIL}


@frozen(kw_only=True)
class Finding:
    """
    What was found of one contract: a state and a message for each of its postconditions.

    `paths` counts the paths tried, `seconds` is processor time.
    """

    contract: str
    states: tuple[MessageType, ...]
    messages: tuple[str, ...]
    paths: int
    seconds: float

    @property
    def confirmed(self) -> bool:
        """Whether there is a postcondition, and each was confirmed over all paths."""
        return bool(self.states) and set(self.states) == {MessageType.CONFIRMED}

    @property
    def refuted(self) -> bool:
        """Whether a counterexample was found, and nothing but counterexamples went wrong."""
        return bool(REFUTING & set(self.states)) and set(self.states) <= {
            *REFUTING,
            MessageType.CONFIRMED,
        }


def contracts_of(module: ModuleType) -> list[FunctionType]:
    """The functions of the module that are named as contracts, in their order."""
    return [
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.startswith("check_") and function.__module__ == module.__name__
    ]


def _no_short_circuit(*_: object, **__: object) -> None:
    """Nothing is taken for its contract alone: every path runs the definition's own code."""


def examine(function: Callable[..., object], seconds: float = 300) -> Finding:
    """
    What CrossHair finds of the contract within `seconds` for each of its postconditions.

    A path that reaches no verdict, a contract that nothing satisfies and one without any
    postcondition are findings that are neither confirmed nor refuted.
    """
    stats: Counter[str] = Counter()
    options = AnalysisOptionSet(
        analysis_kind=[AnalysisKind.PEP316],
        report_all=True,
        per_condition_timeout=seconds,
        per_path_timeout=seconds,
        max_uninteresting_iterations=sys.maxsize,
        stats=stats,
    )
    start = time.process_time()
    with patch("crosshair.core.consider_shortcircuit", _no_short_circuit):
        found = core_and_libs.run_checkables(core_and_libs.analyze_function(function, options))
    return Finding(
        contract=f"{function.__module__}.{function.__name__}",
        states=tuple(one.state for one in found),
        messages=tuple(one.message for one in found),
        paths=stats["num_paths"],
        seconds=time.process_time() - start,
    )


def named(name: str) -> list[FunctionType]:
    """The contracts of a module, or the one, by the name after `contracts.`."""
    module, _, function = name.partition(".check_")
    contracts = contracts_of(import_module(f"contracts.{module}"))
    return [one for one in contracts if not function or one.__name__ == f"check_{function}"]


def main(names: Iterable[str]) -> None:
    """Print what is found of the named contracts, or of all."""
    everything = [f"{kind}.{module}" for kind in ("holds", "refuted") for module in MODULES]
    for name in list(names) or everything:
        for function in named(name):
            finding = examine(function)
            state = "confirmed" if finding.confirmed else "refuted" if finding.refuted else "OPEN"
            print(f"{state:9} {finding.seconds:6.1f} s {finding.paths:5} paths  {finding.contract}")
            if not finding.confirmed:
                print(*(f"    {message[:200]}" for message in finding.messages), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
