"""The example of the README: it sends one invitation, and two where nobody guards it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import dart_runtime.langgraph


def test_readme_shows_the_example_as_it_is() -> None:
    package = Path(dart_runtime.langgraph.__file__).parent
    example = package.parent / "examples" / "invitation.py"
    assert f"```python\n{example.read_text()}```" in (package / "README.md").read_text()


def test_invitation_is_sent_once(capsys: pytest.CaptureFixture[str]) -> None:
    ran = runpy.run_module("dart_runtime.examples.invitation")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["failed", "resumed", "refused", "sent"]
    assert "was read by invite[review]#1" in lines[2]
    assert ran["SENT"] == ["9:00"]


def test_invitation_is_sent_again_and_again_without_the_guard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_guard(graph: object, *_: object) -> object:
        return graph

    def no_act(*_: object, **__: object) -> object:
        return lambda function: function

    monkeypatch.setattr(dart_runtime.langgraph, "guard", no_guard)
    monkeypatch.setattr(dart_runtime.langgraph, "act", no_act)
    ran = runpy.run_module("dart_runtime.examples.invitation")
    assert ran["SENT"] == ["9:00", "9:00", "11:00"]
