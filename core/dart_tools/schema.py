"""The JSON Schema of trace format 1, made from the classes that decode it."""

from __future__ import annotations

from typing import Any

import msgspec

from dart_tools import wire

__all__ = ["schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(only: str | None = None) -> dict[str, Any]:
    """The schema of a header, an event and a decision, each a definition; or of one of them."""
    (header, event, decision), definitions = msgspec.json.schema_components(
        (wire.Header, wire.Event, wire.Decision), ref_template="#/$defs/{name}"
    )
    roots = {"header": header, "event": event, "decision": decision}
    root = {"anyOf": list(roots.values())} if only is None else roots[only]
    return {"$schema": DIALECT, "title": "DART trace format 1", **root, "$defs": definitions}
