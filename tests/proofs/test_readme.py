"""What the list of theorems points at is there."""

import re
from pathlib import Path

import pytest

from logic.theorems import THEOREMS, obligation

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT, ROOT / "proofs", ROOT / "proofs" / "logic", ROOT / "tests" / "proofs")
README = (ROOT / "proofs" / "README.md").read_text(encoding="utf-8")
QUOTED = sorted(set(re.findall(r"`([^`\n]+)`", README)))
LISTED = [line for line in README.splitlines() if re.match(r"\| [TL]\d+ \| \*\*|\| L\d+ \|", line)]


def test_every_theorem_is_listed_once_in_order() -> None:
    assert [line.split("|")[1].strip() for line in LISTED] == list(THEOREMS)


@pytest.mark.parametrize(
    "path", [one for one in QUOTED if re.fullmatch(r"[\w./]+\.\w+|[\w]+/[\w/]+", one)]
)
def test_every_file_that_it_names_is_there(path: str) -> None:
    module, _, function = path.partition(".check_")
    if function:
        source = (ROOT / "proofs" / "contracts" / "holds" / f"{module}.py").read_text("utf-8")
        assert f"def check_{function}(" in source
    else:
        assert any((folder / path).exists() for folder in FOLDERS)


@pytest.mark.parametrize("name", [one for one in QUOTED if re.fullmatch(r"MC\w+", one)])
def test_every_model_that_it_names_is_there(name: str) -> None:
    assert (ROOT / "spec_tla" / f"{name}.tla").exists()


@pytest.mark.parametrize("name", re.findall(r"prove.py (?:--show )?(T\d+/[\w ]+?)  ", README))
def test_every_obligation_that_it_names_is_there(name: str) -> None:
    assert obligation(name).sentence
