from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")  # noqa: S108 (a kill does not tell it from a disk, and it is fast)


@pytest.fixture
def folder() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="dart-", dir=MEMORY if MEMORY.is_dir() else None))
    yield place
    shutil.rmtree(place)
