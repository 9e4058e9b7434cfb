"""
Step 3: the checkpoints of an instance.

Mirrors: Align (spec_tla/Align.tla); semantics: section 5, step 3.
"""

from __future__ import annotations

from dart_core.history import Checkpoint, History, InstanceId

__all__ = ["aligned"]


def aligned(history: History, instance: InstanceId) -> tuple[Checkpoint, ...]:
    """
    The checkpoints that have the instance among their owners, latest saved first.

    Mirrors: Align!Aligned
    """
    saved = history.saved.get(instance, ())
    return tuple(history.checkpoints[name] for name in reversed(saved))
