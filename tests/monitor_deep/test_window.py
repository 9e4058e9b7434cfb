"""CrossHair looks for a case in which the monitor chooses another checkpoint, on all paths."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("crosshair")


def differences(name: str) -> str:
    words = [sys.executable, "-m", "crosshair", "diffbehavior"]
    pair = [f"monitor_deep.window.{name}", "monitor_deep.window.by_definition"]
    found = subprocess.run(  # noqa: S603
        [*words, *pair, "--per_condition_timeout", "300"],
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout + found.stderr


def test_monitor_chooses_as_the_definition_does_on_all_paths() -> None:
    assert "All paths exhausted, functions are likely the same" in differences("by_monitor")


def test_seeded_bug_is_found() -> None:
    found = differences("by_monitor_past_the_pin")
    assert "Given: " in found
    assert "All paths exhausted" not in found
