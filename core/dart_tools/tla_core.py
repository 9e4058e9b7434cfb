"""
The specification's values to the core's: contracts, events and states.

Both sides use the same names; keys are sequences of parts there and strings here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dart_core as core
from dart_core import FrozenMap

__all__ = ["contract_of", "event_of", "history_of", "instance_of"]

# Values that the parser yields have no static type: each converter knows what it is given.
Value = Any


def _map(value: Value) -> Mapping[Value, Value]:
    # TLC prints the empty function as the empty sequence.
    return {} if value == () else value


def _key(parts: Value) -> str:
    return "".join(parts)


def _keys(value: Value) -> frozenset[str]:
    return frozenset(map(_key, value))


def instance_of(value: Value) -> core.InstanceId:
    """The instance."""
    return core.InstanceId(**value)


def _optional_instance(value: Value) -> core.InstanceId | None:
    return None if value is None else instance_of(value)


def _predicate(value: Value) -> core.Predicate:
    writes = value["writes"]
    return core.Predicate(value["states"], None if writes is None else _keys(writes))


def _skeleton(value: Value) -> core.Skeleton:
    return core.Skeleton(
        reads=_keys(value["reads"]),
        writes=_keys(value["writes"]),
        states=value["states"],
        tools=FrozenMap(_map(value["tools"])),
        commit=_predicate(value["commit"]),
        exit=_predicate(value["exit"]),
        rollback_to=frozenset(map(core.Boundary, value["rollback_to"])),
        effects=FrozenMap(
            (name, core.EffectClass(kind)) for name, kind in _map(value["effects"]).items()
        ),
    )


def contract_of(value: Value) -> core.Contract:
    """The contract."""
    external = value["external"]
    return core.Contract(
        skeletons=FrozenMap(
            (name, _skeleton(skeleton)) for name, skeleton in _map(value["skeletons"]).items()
        ),
        compensate=value["compensate"],
        fallback=core.Fallback(value["fallback"]),
        external=None if external is None else _keys(external),
    )


def event_of(kind: str, value: Value) -> core.Event:
    """The event of this kind: `enter`, `act`, `commit`, `exit`, `save` or `fail`."""
    match kind:
        case "enter":
            return core.Enter(instance_of(value["instance"]), value["state"])
        case "commit":
            return core.Commit(instance_of(value["instance"]), value["state"])
        case "exit":
            return core.Exit(instance_of(value["instance"]), value["state"])
        case "act":
            reads = value["reads"]
            return core.Act(
                instance=instance_of(value["instance"]),
                id=value["id"],
                state=value["state"],
                reads=None if reads is None else _keys(reads),
                writes=_keys(value["writes"]),
                effects=value["effects"],
            )
        case "save":
            return _save(value)
        case "fail":
            return _fail(value)
        case _:
            raise ValueError(kind)


def _save(value: Value) -> core.Save:
    return core.Save(
        id=value["id"],
        tag=core.Tag(**value["tag"]),
        scope=core.Scope(value["scope"]),
        stable=value["stable"],
        truth=_optional_instance(value["truth"]),
    )


def _fail(value: Value) -> core.Fail:
    return core.Fail(
        tag=core.Tag(**value["tag"]),
        suspect=value["suspect"],
        state=value["state"],
        tool=value["tool"],
        args=FrozenMap(_map(value["args"])),
        truth=_optional_instance(value["truth"]),
    )


def _version(value: Value) -> core.Version:
    return core.Version(
        writer=instance_of(value["writer"]), attempt=value["attempt"], index=value["index"]
    )


def _read(value: Value) -> core.Read:
    version = value["version"]
    return core.Read(_key(value["key"]), None if version is None else _version(version))


def _entry(value: Value) -> core.Entry:
    return core.Entry(
        kind=core.EntryKind(value["kind"]),
        attempt=value["attempt"],
        state=value["state"],
        id=value["id"],
        reads=tuple(sorted(map(_read, value["reads"]), key=lambda read: read.key)),
        writes=tuple(sorted(_keys(value["writes"]))),
        effects=tuple(sorted(value["effects"])),
    )


def _checkpoint(value: Value) -> core.Checkpoint:
    return core.Checkpoint(
        id=value["id"],
        tag=core.Tag(**value["tag"]),
        owners=frozenset(map(instance_of, value["owners"])),
        cut=FrozenMap((instance_of(i), n) for i, n in _map(value["cut"]).items()),
        scope=core.Scope(value["scope"]),
        stable=value["stable"],
        truth=_optional_instance(value["truth"]),
    )


def _failure(value: Value) -> core.Failure:
    suspect = value["suspect"]
    return core.Failure(
        observed=_fail(value["observed"]),
        candidates=frozenset(map(instance_of, value["candidates"])),
        suspect=None if suspect is None else (instance_of(suspect[0]), suspect[1]),
        truth=_optional_instance(value["truth"]),
    )


def _effect(value: Value) -> core.Effect:
    return core.Effect(
        epoch=value["epoch"],
        instance=instance_of(value["instance"]),
        attempt=value["attempt"],
        index=value["index"],
        name=value["name"],
    )


def _acts(
    log: FrozenMap[core.InstanceId, tuple[core.Entry, ...]],
) -> FrozenMap[str, tuple[core.InstanceId, int]]:
    return FrozenMap(
        (entry.id, (instance, index))
        for instance, entries in log.items()
        for index, entry in enumerate(entries, start=1)
        if entry.id is not None
    )


def history_of(contract: core.Contract, state: Mapping[str, Value]) -> core.History:
    """The state; labels, which the specification does not have, are 0."""
    log = FrozenMap(
        (instance_of(i), tuple(map(_entry, entries))) for i, entries in _map(state["log"]).items()
    )
    return core.History(
        contract=contract,
        log=log,
        attempt=FrozenMap((instance_of(i), n) for i, n in _map(state["attempt"]).items()),
        store=FrozenMap(
            (_key(key), tuple(map(_version, versions)))
            for key, versions in _map(state["store"]).items()
        ),
        checkpoints=FrozenMap(
            (name, _checkpoint(one)) for name, one in _map(state["checkpoints"]).items()
        ),
        saved=FrozenMap((instance_of(i), names) for i, names in _map(state["saved"]).items()),
        failures=tuple(map(_failure, state["failures"])),
        epoch=state["epoch"],
        world=frozenset(map(_effect, state["world"])),
        acts=_acts(log),
        written=_keys(state["written"]),
    )
