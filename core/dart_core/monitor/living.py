"""The live instances by the parts of their names, for what is seen of them in part."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from dart_core.contract import Contract, skeleton_of
from dart_core.history import Fail
from dart_core.monitor.track import Tagged, Track

__all__ = ["Living"]


@define(eq=False)
class Living:
    """By skeleton, then entity, then ordinal."""

    tracks: dict[str, dict[str, dict[int, Track]]] = field(init=False, factory=dict)

    def add(self, track: Track) -> None:
        """The instance is live."""
        skeleton, entity, ordinal = track.key
        entities = self.tracks.get(skeleton)
        if entities is None:
            entities = self.tracks[skeleton] = {}
        ordinals = entities.get(entity)
        if ordinals is None:
            entities[entity] = {ordinal: track}
        else:
            ordinals[ordinal] = track

    def remove(self, track: Track) -> None:
        """The instance is live no more."""
        skeleton, entity, ordinal = track.key
        entities = self.tracks[skeleton]
        ordinals = entities[entity]
        del ordinals[ordinal]
        if not ordinals:
            del entities[entity]
            if not entities:
                del self.tracks[skeleton]

    def _of_skeleton(self, name: str, entity: str | None, ordinal: int | None) -> Iterator[Track]:
        entities = self.tracks[name]
        if entity is None:
            chosen = list(entities.values())
        else:
            chosen = [entities[entity]] if entity in entities else []
        for ordinals in chosen:
            if ordinal is None:
                yield from ordinals.values()
            elif ordinal in ordinals:
                yield ordinals[ordinal]

    def matching(self, tag: Tagged) -> Iterator[Track]:
        """The live instances that may be the one that was seen."""
        for name in self.tracks:
            if tag.skeleton in (None, name):
                yield from self._of_skeleton(name, tag.entity, tag.ordinal)

    def fitting(self, contract: Contract, fail: Fail) -> Iterator[Track]:
        """The live instances that all that was seen of the failure fits."""
        tag = fail.tag
        for name in self.tracks:
            skeleton = skeleton_of(contract, name)
            if tag.skeleton is None:
                fits = (fail.state is None or fail.state in skeleton.states) and (
                    fail.tool is None or fail.tool in skeleton.tools
                )
            else:
                fits = tag.skeleton == name
            if fits:
                entity = tag.entity
                argument = None if fail.tool is None else skeleton.tools.get(fail.tool)
                if entity is None and argument is not None:
                    entity = fail.args.get(argument)
                yield from self._of_skeleton(name, entity, tag.ordinal)
