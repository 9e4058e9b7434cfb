"""An immutable, hashable mapping: what the state's functions are made of."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Generic, TypeVar, overload

__all__ = ["FrozenMap"]

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class FrozenMap(Mapping[K, V], Generic[K, V]):
    """
    A mapping that never changes and can be hashed.

    An update yields a new map and costs a copy of the old one.
    Two maps are equal when they hold the same pairs, in whatever order these were added.
    """

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._items: dict[K, V] = dict(items)
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrozenMap):
            return NotImplemented
        return self._items == other._items

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"

    def __reduce__(self) -> tuple[type[FrozenMap[K, V]], tuple[dict[K, V]]]:
        # A cached hash must not travel to a process with another hash seed.
        return (FrozenMap, (self._items,))

    def items(self) -> ItemsView[K, V]:
        """Yield the pairs, as the dictionary does: the mixin's way asks for each key anew."""
        return self._items.items()

    def values(self) -> ValuesView[V]:
        """Yield the values, as the dictionary does."""
        return self._items.values()

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | T) -> V | T: ...
    def get(self, key: K, /, default: V | T | None = None) -> V | T | None:
        """Yield what `key` leads to, or the default."""
        return self._items.get(key, default)

    def put(self, key: K, value: V) -> FrozenMap[K, V]:
        """Yield the map in which `key` leads to `value`, all else as here."""
        changed: FrozenMap[K, V] = FrozenMap(self._items)
        changed._items[key] = value
        return changed

    def update(self, changes: Iterable[tuple[K, V]]) -> FrozenMap[K, V]:
        """Yield the map with all `changes` put into it, the later ones over the earlier."""
        changed: FrozenMap[K, V] = FrozenMap(self._items)
        changed._items.update(changes)
        return changed

    def without(self, keys: Iterable[K]) -> FrozenMap[K, V]:
        """Yield the map without `keys`; a key that is not there is no error."""
        changed: FrozenMap[K, V] = FrozenMap(self._items)
        for key in keys:
            changed._items.pop(key, None)
        return changed
