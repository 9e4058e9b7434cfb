"""
A bounded model of the specification as the core knows it.

TLC evaluates the model's constants: they are written once, in TLA+.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import frozen

import dart_core as core
from dart_core import FrozenMap
from dart_tools.errors import DartError
from dart_tools.tla_core import contract_of, event_of, instance_of
from dart_tools.tlc import TlcResult, TlcRun, run_tlc

__all__ = [
    "Bounds",
    "Model",
    "data_of_model",
    "demand_graph",
    "generated",
    "model_of",
    "read_model",
]


@frozen(kw_only=True)
class Bounds:
    """The bounds of a model: entries of each log, attempts, pending failures, epochs."""

    log: FrozenMap[core.InstanceId, int]
    attempts: int
    pending: int
    epochs: int


@frozen(kw_only=True)
class Model:
    """
    A bounded model: the events that may happen, and who decides about restores.

    `menu` is without recoveries and without hidden truth.
    `policy` is None where any checkpoint that is there may be restored.
    """

    name: str
    contract: core.Contract
    menu: tuple[core.Event, ...]
    checkpoint_ids: tuple[str, ...]
    bounds: Bounds
    policy: core.Policy | None
    without: str | None

    def permitted(self, history: core.History) -> frozenset[core.Checkpoint]:
        """The checkpoints that the model's policy may restore now."""
        if self.policy is None:
            return frozenset(history.checkpoints.values())
        if self.without is not None:
            return core.dart_without(history, self.without)
        return core.choice(history, self.policy)


def _configuration(specification: Path, name: str) -> dict[str, str]:
    """The sections of the model's configuration."""
    path = specification / f"{name}.cfg"
    if not path.exists():
        known = ", ".join(sorted(one.stem for one in specification.glob("*.cfg")))
        message = f"there is no model {name} in {specification}; there are: {known}"
        raise DartError(message)
    text = re.sub(r"\\\*.*", "", path.read_text(encoding="utf-8"))
    found = re.findall(r"^([A-Z_]+)\b(.*?)(?=^[A-Z_]+\b|\Z)", text, re.DOTALL | re.MULTILINE)
    return {section: body.strip() for section, body in found}


def demand_graph(specification: Path, name: str) -> None:
    """DartError where the model has no graph of its own: not all of Next, or other bounds."""
    sections = _configuration(specification, name)
    whole = (sections.get("INIT"), sections.get("NEXT")) == ("Init", "Next")
    if not (whole or sections.get("SPECIFICATION") == "Spec") or "CONSTRAINT" in sections:
        message = f"{name} is no model of all that Next allows: it has no graph of its own"
        raise DartError(message)
    if sections.get("ACTION_CONSTRAINT") != "Within":
        message = f"{name} is not bounded by Within"
        raise DartError(message)


@contextmanager
def generated(
    specification: Path,
    name: str,
    behaviour: str,
    module: str = "",
) -> Iterator[Path]:
    """
    A folder with the specification's modules and, as `Generated`, the model as it is to be run.

    `behaviour` goes into its configuration, `module` into the module.
    """
    constants = f"CONSTANTS\n    {_configuration(specification, name)['CONSTANTS']}"
    with TemporaryDirectory(prefix="dart-") as place:
        folder = Path(place)
        for path in specification.glob("*.tla"):
            shutil.copy(path, folder)
        (folder / "Generated.cfg").write_text(f"{behaviour}\n{constants}", encoding="utf-8")
        (folder / "Generated.tla").write_text(
            f"---- MODULE Generated ----\nEXTENDS {name}\n{module}\n====\n",
            encoding="utf-8",
        )
        yield folder


def data_of_model(specification: Path, name: str) -> TlcResult:
    """A run of the model in which nothing happens but that it prints its data."""
    still = "Still == FALSE /\\ UNCHANGED vars"
    with generated(specification, name, "INIT Init\nNEXT Still", still) as folder:
        return run_tlc(TlcRun(folder=folder, model="Generated"))


def read_model(specification: Path, name: str) -> Model:
    """The model of that name in the folder of the specification."""
    demand_graph(specification, name)
    return model_of(name, data_of_model(specification, name))


def model_of(name: str, result: TlcResult) -> Model:
    """The model whose data TLC has printed; DartError where it has printed none."""
    found: Any = result.data
    if not isinstance(found, FrozenMap):
        message = f"{name} prints no data of itself"
        raise DartError(message)
    policy = found["policy"]
    menu = (event_of(kind, one) for kind, events in found["menu"].items() for one in events)
    return Model(
        name=name,
        contract=contract_of(found["contract"]),
        menu=tuple(sorted(menu, key=repr)),
        checkpoint_ids=found["ids"],
        bounds=_bounds(found["bounds"]),
        policy=None if policy == "any" else core.Policy(policy),
        without=found["without"],
    )


def _bounds(value: Any) -> Bounds:  # noqa: ANN401
    return Bounds(
        log=FrozenMap((instance_of(one), most) for one, most in value["log"].items()),
        attempts=value["attempts"],
        pending=value["pending"],
        epochs=value["epochs"],
    )
