import pickle

import pytest

from dart_core import FrozenMap


def test_equal_maps_hash_equal_in_any_order() -> None:
    one, other = FrozenMap({"a": 1, "b": 2}), FrozenMap([("b", 2), ("a", 1)])
    assert one == other
    assert hash(one) == hash(other)
    assert hash(one) == hash(one)
    assert one != FrozenMap({"a": 1})
    assert one != {"a": 1, "b": 2}


def test_update_leaves_the_old_map_as_it_was() -> None:
    old = FrozenMap({"a": 1})
    assert old.put("b", 2) == FrozenMap({"a": 1, "b": 2})
    assert old.put("a", 2) == FrozenMap({"a": 2})
    assert old.update([("a", 3), ("a", 4)]) == FrozenMap({"a": 4})
    assert old.without(["a", "never there"]) == FrozenMap()
    assert old == FrozenMap({"a": 1})


def test_reads_like_a_mapping() -> None:
    found = FrozenMap({"a": 1})
    assert (found["a"], found.get("b", 7), len(found), list(found), "a" in found) == (
        1,
        7,
        1,
        ["a"],
        True,
    )
    assert "b" not in found
    assert repr(found) == "FrozenMap({'a': 1})"
    with pytest.raises(KeyError):
        found["b"]


def test_pickling_forgets_the_hash() -> None:
    found = FrozenMap({"a": 1})
    hash(found)
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert copy == found
    assert copy._hash is None


def test_different_maps_need_not_collide() -> None:
    assert len({hash(FrozenMap({"a": number})) for number in range(10)}) > 1
