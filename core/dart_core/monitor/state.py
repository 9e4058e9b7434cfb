"""
What the monitor keeps of the task, and what each event that goes forward brings to it.

An event is taken by its parts, so that a reader of lines need not build an event first.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import define, field

from dart_core.contract import Contract, EffectClass, Predicate
from dart_core.dart import Refusal, RefusalReason
from dart_core.history import Fail
from dart_core.monitor.living import Living
from dart_core.monitor.track import Key, Named, Plan, Saved, Tagged, Track, Version, full_key
from dart_core.monitor.trail import Trail

__all__ = ["Pending", "State"]


@define(eq=False, weakref_slot=False)
class Pending:
    """A pending failure; `suspect` is the number of the event of the act in doubt."""

    at: int
    candidates: list[Track]
    suspect: int | None


@define(eq=False)
class State:
    """
    The state of one task.

    `acts` leads from the names of surviving acts to their owners, `store` to the last version of
    each key; `snapshots` are the checkpoints of scope `task`, oldest first.
    `world` holds the irreversible effects: epoch, instance, number of the event, name.
    `clock` counts the events so far, `performed` the surviving acts, `exited` the instances.
    """

    contract: Contract
    clock: int = field(init=False, default=0)
    epoch: int = field(init=False, default=1)
    tracks: dict[Key, Track] = field(init=False, factory=dict)
    store: dict[str, Version] = field(init=False, factory=dict)
    acts: dict[str, Track] = field(init=False, factory=dict)
    checkpoints: dict[str, Saved] = field(init=False, factory=dict)
    snapshots: list[Saved] = field(init=False, factory=list)
    trail: Trail = field(init=False, factory=Trail)
    living: Living | None = field(init=False, default=None)
    failures: list[Pending] = field(init=False, factory=list)
    suspended: set[Track] = field(init=False, factory=set)
    world: list[tuple[int, Key, int, str]] = field(init=False, factory=list)
    external: frozenset[str] | None = field(init=False)
    written: set[str] = field(init=False, factory=set)
    plans: dict[str, Plan] = field(init=False, factory=dict)
    performed: int = field(init=False, default=0)
    exited: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self.external = self.contract.external

    def refusal(self, reason: RefusalReason, subject: str) -> Refusal:
        """Why the next event is not enabled."""
        return Refusal(reason, subject, self.clock + 1)

    def enter(self, named: Named, state: str | None) -> Refusal | None:
        """The instance begins its log."""
        skeleton, entity, ordinal = key = (named.skeleton, named.entity, named.ordinal)
        tracks = self.tracks
        if key in tracks or not (ordinal == 1 or (skeleton, entity, ordinal - 1) in tracks):
            return self.refusal(RefusalReason.NOT_NEXT_ORDINAL, _text(named))
        self.clock = now = self.clock + 1
        plan = self.plans.get(skeleton)
        if plan is None:
            plan = self.plans[skeleton] = Plan.of(self.contract, skeleton)
        track = tracks[key] = Track(key, plan, [now], [now])
        if state is not None and plan.asks_states:
            track.states.append((now, state))
        if self.living is not None:
            self.living.add(track)
        if self.snapshots:
            self.trail.record(track, now)
        return None

    def act(  # noqa: C901, PLR0913, PLR0917 (most events are acts: no call that can be spared)
        self,
        named: Named,
        name: str | None,
        state: str | None,
        reads: Collection[str] | None,
        writes: Collection[str],
        effects: Collection[str],
    ) -> Refusal | None:
        """The act reads the last version of each key, then writes its own, and has its effects."""
        track = self.tracks.get((named.skeleton, named.entity, named.ordinal))
        if track is None or track.stopped is not None:
            return self._cannot_step(named, track)
        if name is not None and name in self.acts:
            return self.refusal(RefusalReason.ACT_ID_IN_USE, name)
        plan = track.plan
        if reads is None:
            reads = plan.default_reads(track.key[1])
        if self.external is not None:
            missing = set(reads) - self.external - self.written
            if missing:
                return self.refusal(RefusalReason.UNWRITTEN_KEY, min(missing))
            self.written.update(writes)
        self.clock = now = self.clock + 1
        self.performed += 1
        track.entries.append(now)
        if state is not None and plan.asks_states:
            track.states.append((now, state))
        if self.snapshots:
            self.trail.record(track, now)
        if name is not None:
            self.acts[name] = track
            track.ids[name] = now
        store = self.store
        for key in reads:
            version = store.get(key)
            if version is not None and version.writer is not track:
                version.read(track, now)
        for key in writes if len(writes) == 1 else sorted(writes):
            older = store.get(key)
            version = store[key] = Version(track, len(track.entries), now, key, older)
            if older is not None:
                older.newer = version
            track.writes.append(version)
            if plan.asks_writes:
                track.wrote.setdefault(key, now)
        for effect in effects:
            if effect not in plan.harmless:
                self._perform(track, effects, now)
                break
        return None

    def _cannot_step(self, named: Named, track: Track | None) -> Refusal:
        reason = None if track is None else track.stopped
        return self.refusal(reason or RefusalReason.NOT_ENTERED, _text(named))

    def _perform(self, track: Track, effects: Collection[str], now: int) -> None:
        for effect in sorted(effects):
            found = track.plan.classes.get(effect, EffectClass.IRREVERSIBLE)
            if found is EffectClass.IRREVERSIBLE:
                self.world.append((self.epoch, track.key, now, effect))
                track.fixed.append((now, effect))
            elif found is EffectClass.COMPENSABLE:
                track.compensable.append((now, effect))
                if not self.contract.compensate:
                    track.fixed.append((now, effect))

    def commit(self, named: Named, state: str | None) -> Refusal | None:
        """The instance claims a commit."""
        track = self.tracks.get((named.skeleton, named.entity, named.ordinal))
        if track is None or track.stopped is not None:
            return self._cannot_step(named, track)
        self._claim(track, state, track.plan.commit)
        return None

    def exit(self, named: Named, state: str | None) -> Refusal | None:
        """The instance claims to be done."""
        track = self.tracks.get((named.skeleton, named.entity, named.ordinal))
        if track is None or track.stopped is not None:
            return self._cannot_step(named, track)
        self._claim(track, state, track.plan.exit)
        track.stopped = RefusalReason.EXITED
        self.exited += 1
        if self.living is not None:
            self.living.remove(track)
        return None

    def _claim(self, track: Track, state: str | None, predicate: Predicate) -> None:
        self.clock = now = self.clock + 1
        track.entries.append(now)
        track.claims.append(now)
        if state is not None and track.plan.asks_states:
            track.states.append((now, state))
        if self.snapshots:
            self.trail.record(track, now)
        if track.closes(predicate):
            track.closings.append(now)

    def save(self, name: str, tag: Tagged, *, task: bool, stable: bool) -> Refusal | None:
        """The checkpoint is saved, with its owners."""
        if name in self.checkpoints:
            return self.refusal(RefusalReason.CHECKPOINT_ID_IN_USE, name)
        key = full_key(tag)
        if key is None:
            free = self.seen_in_part().matching(tag)
            owners = tuple(track for track in free if track not in self.suspended)
        else:
            track = self.tracks.get(key)
            if track is None:
                return self.refusal(RefusalReason.NOT_ENTERED, _text(tag))
            if track in self.suspended:
                return self.refusal(RefusalReason.SUSPENDED, _text(tag))
            owners = (track,)
        self.clock = now = self.clock + 1
        saved = self.checkpoints[name] = Saved(name, now, task, stable, owners)
        if task:
            self.snapshots.append(saved)
        for owner in owners:
            owner.saved.append(saved)
        if stable and len(owners) == 1:
            owners[0].certify(saved)
        return None

    def fail(self, event: Fail) -> Refusal | None:
        """The failure is pending, with the candidates that it has now; it is never refused."""
        self.clock = now = self.clock + 1
        candidates, suspect = self._candidates(event)
        self.failures.append(Pending(now, candidates, suspect))
        if len(candidates) == 1:
            only = candidates[0]
            self.suspended.add(only)
            only.stopped = only.stopped or RefusalReason.SUSPENDED
        return None

    def _candidates(self, event: Fail) -> tuple[list[Track], int | None]:
        tag = event.tag
        if event.suspect is not None:
            track = self.acts.get(event.suspect)
            if track is None or not _matches(tag, track.key):
                return [], None
            return [track], track.ids[event.suspect]
        key = full_key(tag)
        if key is None:
            return list(self.seen_in_part().fitting(self.contract, event)), None
        track = self.tracks.get(key)
        return [] if track is None else [track], None

    def seen_in_part(self) -> Living:
        """The live instances by parts of their names: kept only once one is seen in part."""
        if self.living is None:
            self.living = Living()
            for track in self.tracks.values():
                if not track.exited:
                    self.living.add(track)
        return self.living

    def recovered(self) -> None:
        """No failure is pending any more."""
        for track in self.suspended:
            if not track.exited:
                track.stopped = None
        self.suspended.clear()
        self.failures.clear()


def _matches(tag: Tagged, key: Key) -> bool:
    parts = (tag.skeleton, tag.entity, tag.ordinal)
    return all(seen is None or seen == part for seen, part in zip(parts, key, strict=True))


def _text(named: Named | Tagged) -> str:
    return f"{named.skeleton}[{named.entity}]#{named.ordinal}"
