from __future__ import annotations

from collections.abc import Mapping

import pytest

from dart_core import Boundary
from dart_runtime.domain import DOMAINS, Domain, load_domain
from dart_runtime.programs import ActStep, CommitStep, DomainError, ExitStep, step_of

Domains = Mapping[str, Domain]


@pytest.mark.parametrize("name", DOMAINS)
def test_contract_and_controller_agree(domains: Domains, name: str) -> None:
    domain = domains[name]
    assert set(domain.programs) == set(domain.contract.skeletons)
    for skeleton, program in domain.programs.items():
        reviewed = domain.contract.skeletons[skeleton]
        acts = [step for step in program.steps if isinstance(step, ActStep)]
        states = {program.entry, *(step.state for step in acts)}
        states |= {step.commit for step in program.steps if isinstance(step, CommitStep)}
        states |= {step.exit for step in program.steps if isinstance(step, ExitStep)}
        assert states == reviewed.states, skeleton
        assert [step.act for step in acts] == list(reviewed.tools), skeleton
        assert {key for step in acts for key in step.writes} == reviewed.writes, skeleton
        assert {effect for step in acts for effect in step.effects} == set(reviewed.effects)
        assert set(program.back) <= states, skeleton
        assert program.entry in program.back
        assert Boundary.ENTRY in reviewed.rollback_to


@pytest.mark.parametrize("name", DOMAINS)
def test_acts_read_what_is_reviewed(domains: Domains, name: str) -> None:
    domain = domains[name]
    for skeleton, program in domain.programs.items():
        reviewed = domain.contract.skeletons[skeleton].reads
        for step in program.steps:
            for key in step.reads if isinstance(step, ActStep) else ():
                stem = key.removesuffix("*")
                assert any(one.startswith(stem) for one in reviewed), (skeleton, key)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_tool_and_external_value_is_used(domains: Domains, name: str) -> None:
    domain = domains[name]
    steps = [step for program in domain.programs.values() for step in program.steps]
    assert {step.act for step in steps if isinstance(step, ActStep)} == set(domain.tools)
    assert domain.contract.external == frozenset(domain.external)


def test_unknown_domain_is_refused() -> None:
    with pytest.raises(DomainError, match="domain cooking"):
        load_domain("cooking")


def test_step_of_rejects_two_kinds() -> None:
    with pytest.raises(DomainError, match="a step is one of act, commit, exit, save"):
        step_of({"act": "a", "commit": "b"})
