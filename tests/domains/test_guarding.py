"""The sidecar beside the runner: it lets every recovery of dart pass, and no unsafe one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dart_core import Event, Rerun, Restore
from dart_runtime.domain import DOMAINS, Domain, load_domain
from dart_runtime.runner import run
from dart_runtime.sidecar import Sidecar
from dart_runtime.store import Store
from dart_runtime.strategies import STRATEGIES
from domains.rows import FAILING
from domains.test_guards import NEEDED

Domains = Mapping[str, Domain]
DOMAIN_OF = {row: name for name in DOMAINS for row in load_domain(name).rows}


class OtherwiseDecidedError(Exception):
    """The sidecar does not decide what the runner is about to do."""


def guarded(sidecar: Sidecar) -> Callable[[Event], None]:
    def record(event: Event) -> None:
        if not isinstance(event, Restore | Rerun):
            sidecar.tell(event)
            return
        decision = sidecar.recover(restore=lambda _: None, rerun=lambda _: None)
        wanted = event.checkpoint if isinstance(event, Restore) else None
        if decision is None or decision.checkpoint != wanted:
            raise OtherwiseDecidedError

    return record


@pytest.mark.parametrize(("domain", "row"), FAILING)
def test_sidecar_carries_out_what_dart_does(domains: Domains, domain: str, row: str) -> None:
    sidecar = Sidecar(Store.in_memory(domains[domain].contract, name=row))
    outcome = run(domains[domain], domains[domain].rows[row], record=guarded(sidecar))
    assert sidecar.history == outcome.history


@pytest.mark.parametrize(
    ("guard", "row"), [(guard, row) for guard, rows in NEEDED.items() for row in rows]
)
def test_sidecar_does_not_carry_out_what_is_unsafe(domains: Domains, guard: str, row: str) -> None:
    domain = domains[DOMAIN_OF[row]]
    sidecar = Sidecar(Store.in_memory(domain.contract, name=row))
    strategy = STRATEGIES[f"dart_without_{guard}"]
    with pytest.raises(OtherwiseDecidedError):
        run(domain, domain.rows[row], strategy, record=guarded(sidecar))


@pytest.mark.parametrize("row", ["sch-cs", "trv-two-itineraries"])
def test_run_is_kept_in_a_file(domains: Domains, tmp_path: Path, row: str) -> None:
    domain = domains[DOMAIN_OF[row]]
    path = tmp_path / "task.dart"
    with Store.create(path, domain.contract, name=row) as store:
        outcome = run(domain, domain.rows[row], record=guarded(Sidecar(store)))
    with Store.open(path, domain.contract) as store:
        assert Sidecar(store).history == outcome.history
