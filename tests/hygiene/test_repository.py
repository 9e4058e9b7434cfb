"""The project's places and words."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOP = {
    ".ci",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "core",
    "proofs",
    "pyproject.toml",
    "reference_traces",
    "spec_tla",
    "tests",
    "tox.ini",
}


def tracked() -> list[str]:
    words = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if found.returncode:
        pytest.skip("this is no git checkout")
    return [path for path in found.stdout.splitlines() if (ROOT / path).exists()]


def test_top_level_holds_what_it_should() -> None:
    assert {path.split("/")[0] for path in tracked()} <= TOP


def test_text_names_no_machine() -> None:
    places = "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me", "us" + "r/loc" + "al", "Us" + "ers"])
    pattern = re.compile(rf"(?<![\w.}}])/({places})/")
    for path in tracked():
        file = ROOT / path
        if file.suffix in (".py", ".md", ".toml", ".ini", ".json", ".tla", ".cfg", ".jsonl"):
            text = file.read_bytes().decode("utf-8", "replace")
            assert pattern.search(text) is None, path


def test_no_binary_is_committed() -> None:
    suffixes = {Path(path).suffix for path in tracked()}
    assert suffixes & {".jar", ".class", ".so", ".whl", ".zip", ".gz", ".pyc", ".db"} == set()


def test_readme_names_the_envs_that_there_are() -> None:
    readme = (ROOT / "README.md").read_text()
    tox = (ROOT / "tox.ini").read_text()
    envs = set(re.findall(r"^\[testenv:([\w-]+)\]", tox, re.MULTILINE))
    named = set(re.findall(r"tox (?:run )?-e ([\w-]+)", readme))
    assert named <= envs
    sections = re.split(r"^\[testenv", tox, flags=re.MULTILINE)[1:]
    assert all("description =" in section for section in sections)
