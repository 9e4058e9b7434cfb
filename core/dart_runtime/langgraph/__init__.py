"""LangGraph behind the guard: a graph's runs recorded, its restores decided by the core."""

from __future__ import annotations

from dart_runtime.langgraph.declare import Node
from dart_runtime.langgraph.errors import (
    DivergedError,
    DoubtError,
    GuardError,
    RestoreRefusedError,
)
from dart_runtime.langgraph.guarded import Guarded, guard
from dart_runtime.langgraph.nodes import act

__all__ = [
    "DivergedError",
    "DoubtError",
    "GuardError",
    "Guarded",
    "Node",
    "RestoreRefusedError",
    "act",
    "guard",
]
