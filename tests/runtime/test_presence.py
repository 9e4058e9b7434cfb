from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from dart_runtime.errors import UnderWayError
from dart_runtime.presence import Presence


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Presence, Presence]]:
    pair = (Presence(str(tmp_path / "live"), 0), Presence(str(tmp_path / "live"), 0))
    yield pair
    for one in pair:
        one.close()


def test_acts_go_on_beside_each_other(two: tuple[Presence, Presence]) -> None:
    one, other = two
    one.begin_act()
    one.begin_act()
    other.begin_act()
    one.end_act()
    other.end_act()
    for presence in two:
        with pytest.raises(UnderWayError), presence.alone():
            pass
    one.end_act()
    with other.alone():
        pass


def test_a_recovery_is_alone(two: tuple[Presence, Presence]) -> None:
    one, other = two
    with one.alone():
        for presence in two:
            with pytest.raises(UnderWayError), presence.alone():
                pass
            with pytest.raises(UnderWayError):
                presence.begin_act()
    with other.alone():
        pass
    one.begin_act()


def test_a_recovery_that_raises_frees_the_lock(two: tuple[Presence, Presence]) -> None:
    one, other = two
    with pytest.raises(KeyError), one.alone():
        raise KeyError
    with other.alone():
        pass


def test_a_closed_presence_holds_nothing(two: tuple[Presence, Presence]) -> None:
    one, other = two
    one.begin_act()
    one.close()
    with other.alone():
        pass


def test_an_act_waits_for_a_short_recovery(tmp_path: Path) -> None:
    one, other = Presence(str(tmp_path / "live"), 0), Presence(str(tmp_path / "live"), 10)
    recovery = one.alone()
    recovery.__enter__()
    ending = Timer(0.1, lambda: recovery.__exit__(None, None, None))
    ending.start()
    other.begin_act()
    ending.join()
    one.close()
    other.close()


def test_presence_without_a_file_is_the_process_own() -> None:
    one, other = Presence("", 0), Presence("", 0)
    one.begin_act()
    with other.alone():
        pass
    with pytest.raises(UnderWayError), one.alone():
        pass
