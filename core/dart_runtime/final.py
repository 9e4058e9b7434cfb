"""
The final state of a run, and when two of them are equal.

Version ids differ between a run and its recovery; what quotes what must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from dart_core import EffectClass, InstanceId, Version

__all__ = [
    "DAMAGED",
    "LOST",
    "Deed",
    "Final",
    "Remembered",
    "canonical",
    "marks",
    "quoted",
    "stale",
]

LOST = "(lost)"
DAMAGED = "(damaged)"


@frozen(kw_only=True)
class Deed:
    """One effect on the world; `undone` where a recovery took it back."""

    epoch: int
    version: Version
    effect: str
    effect_class: EffectClass
    payload: Any
    undone: bool = False


@frozen
class Remembered:
    """The FSM state that an instance is in, and what it remembers."""

    state: str
    memory: Mapping[str, Any]


@frozen(kw_only=True)
class Final:
    """
    What a run leaves behind.

    `store` holds the surviving versions of each key with their values, oldest first; `deeds` what
    the last epoch did to the world and nobody undid.
    """

    finished: bool
    store: Mapping[str, tuple[tuple[Version, Any], ...]]
    instances: Mapping[InstanceId, Remembered]
    deeds: tuple[Deed, ...]

    def value(self, key: str) -> Any:  # noqa: ANN401
        """The living value under the key; LOST where there is none."""
        versions = self.store.get(key, ())
        return versions[-1][1] if versions else LOST

    def stands(self, version: Version) -> bool:
        """Whether the version has survived under some key."""
        return any(version == one for versions in self.store.values() for one, _ in versions)


def _leaves(value: Any) -> Iterator[Any]:  # noqa: ANN401
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def quoted(value: Any) -> list[Version]:  # noqa: ANN401
    """The versions that the value quotes, in order."""
    return [leaf for leaf in _leaves(value) if isinstance(leaf, Version)]


def marks(final: Final) -> list[str]:
    """The keys and instances that hold something lost or damaged."""
    places = {
        **{key: versions[-1][1] for key, versions in final.store.items()},
        **{str(instance): seen.memory for instance, seen in final.instances.items()},
    }
    return [
        place
        for place, value in sorted(places.items())
        if any(leaf in (LOST, DAMAGED) for leaf in _leaves(value))
    ]


def _renamed(value: Any, numbers: dict[Version, int]) -> Any:  # noqa: ANN401
    if isinstance(value, Version):
        return {"version": numbers.setdefault(value, len(numbers))}
    if isinstance(value, Mapping):
        return {str(key): _renamed(value[key], numbers) for key in sorted(value)}
    if isinstance(value, Remembered):
        return [value.state, _renamed(value.memory, numbers)]
    if isinstance(value, list | tuple):
        return [_renamed(one, numbers) for one in value]
    return value


def canonical(final: Final) -> Any:  # noqa: ANN401
    """
    The final state with each version id replaced by the order in which it is met first.

    An effect that was had more than once counts once: what may not be repeated, `broken` says.
    """
    numbers: dict[Version, int] = {}
    store, instances = _renamed(final.store, numbers), _renamed(final.instances, numbers)
    deeds: list[Any] = []
    for deed in sorted(final.deeds, key=lambda deed: (deed.version.writer, deed.effect)):
        done = [str(deed.version.writer), deed.effect, _renamed(deed.payload, numbers)]
        if done not in deeds:
            deeds.append(done)
    return {"finished": final.finished, "store": store, "instances": instances, "deeds": deeds}


def stale(final: Final, prefix: str, what: str) -> list[str]:
    """The keys with this prefix whose living value quotes a version that is gone."""
    return [
        f"{key} quotes {what} that is gone"
        for key, versions in sorted(final.store.items())
        if key.startswith(prefix) and not all(map(final.stands, quoted(versions[-1][1])))
    ]
