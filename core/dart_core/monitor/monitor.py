"""
The monitor itself: it observes each event once and can decide after any of them.

An event costs what it brings, a restore or a rerun what it removes, the quick form of a decision
the logarithm of the failed instance's checkpoints.
Memory holds the surviving logs of this epoch, and the irreversible effects of all.
"""

from __future__ import annotations

from typing import assert_never

from attrs import define

from dart_core.contract import Fallback
from dart_core.dart import Refusal, RefusalReason
from dart_core.decide import Decision, Judged, Performed, Reason, Target, Verdict
from dart_core.history import (
    Act,
    Commit,
    Enter,
    Event,
    Exit,
    Fail,
    InstanceId,
    Rerun,
    Restore,
    Save,
    Scope,
)
from dart_core.monitor import rewind
from dart_core.monitor.evidence import Evidence
from dart_core.monitor.ruling import Ruling, last_before, within
from dart_core.monitor.state import State
from dart_core.monitor.track import Saved, Track

__all__ = ["Monitor"]


@define(eq=False)
class Monitor(State):
    """The state of one task, kept for decisions; `contract` is all that it is made from."""

    def observe(self, event: Event) -> Refusal | None:
        """Take the event in; a refusal where it is not enabled, which changes nothing."""
        match event:
            case Act():
                return self.act(
                    event.instance, event.id, event.state, event.reads, event.writes, event.effects
                )
            case Enter():
                return self.enter(event.instance, event.state)
            case Commit():
                return self.commit(event.instance, event.state)
            case Exit():
                return self.exit(event.instance, event.state)
            case Save():
                task = event.scope is Scope.TASK
                return self.save(event.id, event.tag, task=task, stable=event.stable)
            case Fail():
                return self.fail(event)
            case Restore() | Rerun():
                return self.recover(event)
            case _ as never:
                assert_never(never)

    def recover(self, event: Restore | Rerun) -> Refusal | None:
        """The runtime restores a checkpoint or reruns the task; no failure is pending then."""
        name = event.checkpoint if isinstance(event, Restore) else ""
        if not self.failures:
            return self.refusal(RefusalReason.NO_PENDING_FAILURE, name)
        if isinstance(event, Rerun):
            rewind.rerun(self)
        elif name in self.checkpoints:
            rewind.restore(self, self.checkpoints[name])
        else:
            return self.refusal(RefusalReason.NO_SUCH_CHECKPOINT, name)
        self.clock += 1
        self.recovered()
        return None

    @property
    def _failed(self) -> Track | None:
        """The failed instance, where it is identified."""
        if len(self.failures) != 1 or len(self.failures[0].candidates) != 1:
            return None
        return self.failures[0].candidates[0]

    def _latest(self, track: Track) -> Saved | None:
        """
        The latest admissible checkpoint of the failed instance.

        Only the latest certified one before the suspect has to be looked at: what bars it bars
        all that are earlier.
        """
        suspect = self.failures[0].suspect
        own = last_before(track.own, suspect)
        whole = last_before(track.snapshots, suspect)
        if whole is not None and (own is None or own.at < whole.at):
            own = own if self.trail.overrun(track, whole.at) else whole
        if own is None or (track.fixed and track.fixed[-1][0] > own.at):
            return None
        pin = track.read_by[-1].index if track.read_by else 0
        return own if within(own.cut, pin) else None

    def rule(self) -> Ruling | None:
        """The decision about the pending failures without its evidence; None where none is due."""
        if not self.failures:
            return None
        track = self._failed
        chosen = None if track is None else self._latest(track)
        if track is None or chosen is None:
            own = 0 if track is None else track.acts()
            return self._ruling(track, None, self.performed, self.performed - own, 0)
        undone = track.exited and chosen.cut < len(track.entries)
        return self._ruling(
            track, chosen, track.acts_after(chosen.cut, chosen.at), 0, self.exited - int(undone)
        )

    def _ruling(
        self, track: Track | None, chosen: Saved | None, replay: int, upstream: int, preserved: int
    ) -> Ruling:
        verdict, reason = Verdict.RESTORE, None
        if chosen is None:
            escalates = self.contract.fallback is Fallback.ESCALATE and self.world
            verdict = Verdict.ESCALATE if escalates else Verdict.RERUN
            reason = Reason.NO_ADMISSIBLE_CHECKPOINT if track else Reason.NOT_IDENTIFIED
        return Ruling(
            failure=self.failures[0].at,
            verdict=verdict,
            reason=reason,
            instance=None if track is None else track.instance,
            checkpoint=None if chosen is None else chosen.id,
            replay=replay,
            upstream_replay=upstream,
            preserved=preserved,
        )

    def judge(self, name: str) -> Judged | None:
        """
        One checkpoint of the failed instance with its guards and witnesses.

        None where it is not known who failed, or the checkpoint is not of that instance.
        """
        track, saved = self._failed, self.checkpoints.get(name)
        if track is None or saved is None or track not in saved.owners:
            return None
        return Evidence(track, self.trail, self.failures[0].suspect).judge(saved)

    def hazards(self) -> tuple[Performed, ...]:
        """The irreversible effects performed so far, in every epoch."""
        self.world.sort()
        return tuple(
            Performed(
                instance=InstanceId(skeleton=key[0], entity=key[1], ordinal=key[2]),
                effect=effect,
                at=at,
            )
            for _, key, at, effect in self.world
        )

    def decide(self) -> Decision | None:
        """The decision about the pending failures with its whole evidence, as the definition's."""
        ruling = self.rule()
        if ruling is None:
            return None
        judged: tuple[Judged, ...] = ()
        target: tuple[Target, ...] = ()
        compensations: tuple[Performed, ...] = ()
        track = self._failed
        if track is not None:
            evidence = Evidence(track, self.trail, self.failures[0].suspect)
            judged = tuple(evidence.judge(saved) for saved in reversed(track.saved))
            if ruling.checkpoint is not None:
                target = (Target(track.instance, ruling.checkpoint),)
                compensations = evidence.compensations(self.checkpoints[ruling.checkpoint])
        candidates = {one for failure in self.failures for one in failure.candidates}
        return Decision(
            failure=ruling.failure,
            verdict=ruling.verdict,
            reason=ruling.reason,
            instance=ruling.instance,
            candidates=tuple(sorted(one.instance for one in candidates)),
            checkpoint=ruling.checkpoint,
            restore=target,
            replay=ruling.replay,
            upstream_replay=ruling.upstream_replay,
            preserved=ruling.preserved,
            checkpoints=judged,
            hazards=self.hazards(),
            compensations=compensations,
        )
