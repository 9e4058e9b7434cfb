"""
The full form of a decision: each checkpoint, each guard, and a witness for each false one.

It costs what it yields, times the logarithm of what it searches.
"""

from __future__ import annotations

from bisect import bisect_right

from attrs import define

from dart_core.admit import Guards
from dart_core.contract import EffectClass
from dart_core.decide import Judged, Performed, Witness
from dart_core.monitor.track import Saved, Track, since
from dart_core.monitor.trail import Trail

__all__ = ["Evidence"]


@define
class Evidence:
    """What is said of the checkpoints of the failed instance; `suspect` is an event's number."""

    track: Track
    trail: Trail
    suspect: int | None

    def judge(self, saved: Saved) -> Judged:
        """The checkpoint with its guards and witnesses."""
        at = saved.at
        cut = self.track.length(at)
        kind = self.track.boundary(cut)
        committed, live = self._conflicts(cut)
        found: dict[str, list[Witness]] = {
            "stable": [] if saved.stable else [Witness(guard="stable")],
            "decidable": self._undecided(saved),
            "closed": [
                Witness(guard="closed", key=version.key, written_at=version.at)
                for version in self.track.open_writes(at)
            ],
            "separable": self._overrun(saved),
            "controllable": []
            if kind in self.track.plan.opened
            else [Witness(guard="controllable", kind=kind)],
            "repairs": self._unrepaired(at),
            "no_committed_conflict": committed,
            "no_live_conflict": live,
            "effect_allowed": self._fixed(at),
        }
        return Judged(
            id=saved.id,
            kind=kind,
            guards=Guards(**{guard: not witnesses for guard, witnesses in found.items()}),
            witnesses=tuple(one for witnesses in found.values() for one in witnesses),
        )

    def _undecided(self, saved: Saved) -> list[Witness]:
        if len(saved.owners) == 1:
            return []
        owners = tuple(sorted(owner.instance for owner in saved.owners))
        return [Witness(guard="decidable", owners=owners)]

    def _overrun(self, saved: Saved) -> list[Witness]:
        if not saved.task:
            return []
        return [
            Witness(
                guard="separable",
                instance=other.instance,
                at=other.entries[bisect_right(other.entries, saved.at)],
            )
            for other in self.trail.others_since(self.track, saved.at)
        ]

    def _unrepaired(self, at: int) -> list[Witness]:
        if self.suspect is None or at < self.suspect:
            return []
        return [Witness(guard="repairs", instance=self.track.instance, at=self.suspect)]

    def _conflicts(self, cut: int) -> tuple[list[Witness], list[Witness]]:
        versions = self.track.read_by
        first = bisect_right(versions, cut, key=lambda version: version.index)
        found = sorted(
            (reader.key, at, version.key, reader, version)
            for version in versions[first:]
            for at, reader in version.readers
        )
        committed: list[Witness] = []
        live: list[Witness] = []
        for _, at, key, reader, version in found:
            is_committed = reader.committed(at)
            witness = Witness(
                guard="no_committed_conflict" if is_committed else "no_live_conflict",
                key=key,
                written_at=version.at,
                reader=reader.instance,
                read_at=at,
            )
            (committed if is_committed else live).append(witness)
        return committed, live

    def _fixed(self, at: int) -> list[Witness]:
        classes = self.track.plan.classes
        return [
            Witness(
                guard="effect_allowed",
                effect=effect,
                effect_class=classes.get(effect, EffectClass.IRREVERSIBLE),
                at=number,
            )
            for number, effect in since(self.track.fixed, at)
        ]

    def compensations(self, saved: Saved) -> tuple[Performed, ...]:
        """The compensable effects that restoring the checkpoint undoes."""
        return tuple(
            Performed(instance=self.track.instance, effect=effect, at=number)
            for number, effect in since(self.track.compensable, saved.at)
        )
