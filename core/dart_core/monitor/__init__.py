"""
The monitor: the definition's decisions, event by event, at the cost of what an event changes.

It mirrors no module of the specification: tests prove it equal to the definition.
"""

from __future__ import annotations

from dart_core.monitor.monitor import Monitor
from dart_core.monitor.ruling import Ruling

__all__ = ["Monitor", "Ruling"]
