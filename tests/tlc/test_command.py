"""`dart-core tlc` shows models, counts, and counterexamples as traces."""

from __future__ import annotations

import pytest

from dart_tools.cli import main
from models import SPEC, manifest


def test_tlc_lists_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tlc", "--spec", str(SPEC)]) == 0
    assert capsys.readouterr().out.split() == sorted(manifest())


def test_tlc_shows_a_counterexample_as_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tlc", "MCCoarseState", "--spec", str(SPEC), "--workers", "1"]
    assert main(words) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "WrongInstanceProp is violated" in lines[0]
    assert '{"event":"enter",' in lines[1]
    assert lines[-1].endswith('{"event":"restore","checkpoint":"c1"}')


@pytest.mark.parametrize("words", [["tlc", "MCNone"], ["tlc", "MCDeep", "--spec", "nowhere"]])
def test_tlc_rejects_what_is_no_model(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--spec", str(SPEC)] if len(words) == 2 else words) == 2
    assert "no model" in capsys.readouterr().err


def test_tlc_says_what_is_wrong_with_a_model(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("spec")
    (folder / "MCBad.tla").write_text("---- MODULE MCBad ----\nx == y\n====\n")
    (folder / "MCBad.cfg").write_text("INIT x\nNEXT x\n")
    assert main(["tlc", "MCBad", "--spec", str(folder)]) == 2
    assert "MCBad: TLC failed" in capsys.readouterr().err
