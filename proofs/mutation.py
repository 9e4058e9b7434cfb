"""
Mutate the definition and see that the unit tests notice.

`python proofs/mutation.py FOLDER` stages a copy in FOLDER, runs mutmut there, and compares the
survivors with those that `mutation.md` explains: each survivor must be, and nothing else may be.
At least 95 of 100 mutants must be killed.

The monitor, and `verify` with its `tape`, are no part of the definition: they are held against it,
with planted mistakes, in `tests/monitor`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPLAINED = Path(__file__).parent / "mutation.md"
LEAST = 95
CONFIGURATION = """\
[tool.mutmut]
source_paths = ["dart_core"]
do_not_mutate = ["dart_core/monitor/*", "dart_core/tape.py", "dart_core/verify.py"]
also_copy = ["dart_tools", "tests"]
pytest_add_cli_args_test_selection = ["tests/unit"]

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib"]
pythonpath = [".", "tests"]
"""


def stage(folder: Path) -> Path:
    """A copy of the definition and of its tests, in which mutmut may write."""
    target = folder / "mutation"
    shutil.rmtree(target, ignore_errors=True)
    for source in ("core/dart_core", "core/dart_tools", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / source, target / Path(source).name, ignore=ignored)
    (target / "pyproject.toml").write_text(CONFIGURATION)
    return target


def mutmut(target: Path, *words: str) -> str:
    """What mutmut prints for the command."""
    command = [sys.executable, "-m", "mutmut", *words]
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, check=False)
    return done.stdout


def outcomes(target: Path) -> dict[str, str]:
    """What became of each mutant."""
    lines = mutmut(target, "results", "--all", "true").splitlines()
    found = (re.fullmatch(r"\s*(\S+__mutmut_\d+): (.+)", line) for line in lines)
    return {match[1]: match[2].strip() for match in found if match}


def explained() -> set[str]:
    """The survivors that the list explains."""
    return set(re.findall(r"`(\S+__mutmut_\d+)`", EXPLAINED.read_text(encoding="utf-8")))


def main(folder: str) -> int:
    """Run it all; 0 where enough is killed, and the explained survivors are the survivors."""
    target = stage(Path(folder))
    mutmut(target, "run", "--max-children", "2")
    found = outcomes(target)
    alive = {name for name, outcome in found.items() if outcome not in ("killed", "timeout")}
    share = 100 * (len(found) - len(alive)) / max(len(found), 1)
    print(f"{len(found)} mutants, {share:.1f} % killed; {dict(Counter(found.values()))}")
    for name in sorted(alive - explained()):
        print(f"not explained: {name}\n{mutmut(target, 'show', name)}")
    for name in sorted(explained() - alive):
        print(f"explained, but not alive: {name}")
    return 0 if found and share >= LEAST and alive == explained() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
