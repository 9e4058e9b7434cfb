"""
The order in which the instances went on, since the oldest task snapshot that is still there.

It tells whom the restore of a task snapshot would take back, without a cut of every log for
every snapshot.
"""

from __future__ import annotations

from bisect import bisect_left

from attrs import define, field

from dart_core.monitor.track import Track

__all__ = ["Run", "Trail"]

SPARE = 64


@define(eq=False, weakref_slot=False)
class Run:
    """
    A stretch of the trace, from event `start` to `end`, in which one instance alone went on.

    Of a run whose entries have been cut, the rest counts; it may be nothing.
    """

    track: Track
    start: int
    end: int


def last(track: Track) -> int:
    """The number of the instance's last event, 0 where it is gone."""
    return track.entries[-1] if track.entries else 0


def has_entries(run: Run) -> bool:
    """Whether any entry of the run survives."""
    entries = run.track.entries
    first = bisect_left(entries, run.start)
    return first < len(entries) and entries[first] <= run.end


@define(eq=False)
class Trail:
    """The runs, oldest first; nothing is recorded while no task snapshot is there."""

    runs: list[Run] = field(init=False, factory=list)
    limit: int = field(init=False, default=SPARE)

    def record(self, track: Track, at: int) -> None:
        """The instance has gone on."""
        if self.runs and self.runs[-1].track is track:
            self.runs[-1].end = at
            return
        if len(self.runs) >= self.limit:
            self._compact()
        self.runs.append(Run(track, at, at))

    def _compact(self) -> None:
        self.runs = [run for run in self.runs if has_entries(run)]
        self.limit = 2 * len(self.runs) + SPARE

    def overrun(self, track: Track, at: int) -> bool:
        """
        Whether another instance has an entry after event `at`.

        Runs that are gone are dropped on the way, and the instance's own last ones made one, so
        that each is met once.
        """
        own: Run | None = None
        found = False
        while self.runs:
            top = self.runs[-1]
            if last(top.track) >= top.start:
                if top.track is not track:
                    found = last(top.track) > at
                    break
                own = Run(track, top.start, own.end if own else top.end)
            self.runs.pop()
        if own is not None:
            self.runs.append(own)
        return found

    def others_since(self, track: Track, at: int) -> list[Track]:
        """The other instances that have an entry after event `at`, by their names."""
        found: dict[Track, None] = {}
        for run in reversed(self.runs):
            if run.end <= at:
                break
            if run.track is not track and last(run.track) > at:
                found[run.track] = None
        return sorted(found, key=lambda other: other.key)

    def take_back(self, at: int) -> list[Track]:
        """Drop what is later than event `at`; yields the instances that went on since."""
        found: dict[Track, None] = {}
        while self.runs and self.runs[-1].end > at:
            run = self.runs.pop()
            found[run.track] = None
            if run.start <= at:
                self.runs.append(Run(run.track, run.start, at))
        return list(found)
