from __future__ import annotations

import doctest
from importlib.resources import as_file, files


def test_readme_example_runs() -> None:
    with as_file(files("dart_runtime") / "README.md") as path:
        found = doctest.testfile(str(path), module_relative=False)
    assert found.attempted >= 15
    assert found.failed == 0
