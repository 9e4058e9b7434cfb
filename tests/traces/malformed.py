"""
The malformed traces of the reference set: one for each way that the format names.

Each is a good trace with one line replaced; the line that is wrong is what must be named.
"""

from __future__ import annotations

from attrs import frozen

__all__ = ["MALFORMED", "Malformed"]


@frozen
class Malformed:
    """A trace that is none; `line` is where, `cause` a part of what must be said."""

    name: str
    data: bytes
    line: int
    cause: str


HEADER = (
    b'{"dart_trace":1,"name":"malformed","contract":{"skeletons":{"make":{"reads":["order"]}}}}'
)
M = b'{"skeleton":"make","entity":"m","ordinal":1}'
GOOD = (
    HEADER,
    b'{"event":"enter","instance":' + M + b"}",
    b'{"event":"checkpoint","id":"c1","instance":' + M + b"}",
    b'{"event":"act","instance":' + M + b',"id":"a1","reads":["order"],"writes":["part"]}',
    b'{"event":"commit","instance":' + M + b"}",
    b'{"event":"fail","instance":' + M + b"}",
    b'{"event":"restore","checkpoint":"c1"}',
)


def _replaced(name: str, line: int, text: bytes, cause: str) -> Malformed:
    lines = [*GOOD[: line - 1], text, *GOOD[line:]]
    return Malformed(name, b"".join(one + b"\n" for one in lines), line, cause)


def _header(name: str, fields: bytes, cause: str) -> Malformed:
    return _replaced(name, 1, b"{" + fields + b"}", cause)


def _contract(name: str, fields: bytes, cause: str) -> Malformed:
    return _header(name, b'"dart_trace":1,"name":"x","contract":{' + fields + b"}", cause)


def _skeleton(name: str, fields: bytes, cause: str) -> Malformed:
    return _contract(name, b'"skeletons":{"make":{' + fields + b"}}", cause)


def _act(name: str, fields: bytes, cause: str) -> Malformed:
    return _replaced(name, 4, b'{"event":"act","instance":' + M + b"," + fields + b"}", cause)


def _added(name: str, lines: list[bytes], cause: str, *, after: int) -> Malformed:
    """The good trace up to line `after`, then these lines, the last of which is wrong."""
    kept = [*GOOD[:after], *lines]
    return Malformed(name, b"".join(one + b"\n" for one in kept), len(kept), cause)


MALFORMED: tuple[Malformed, ...] = (
    Malformed("empty-file", b"", 1, "header is missing"),
    _replaced("header-missing", 1, GOOD[1], "header is missing"),
    _header(
        "header-unknown-version",
        b'"dart_trace":2,"name":"x","contract":{"skeletons":{}}',
        "not known",
    ),
    _header(
        "header-version-not-a-number",
        b'"dart_trace":"1","name":"x","contract":{"skeletons":{}}',
        "known",
    ),
    _header(
        "header-version-true",
        b'"dart_trace":true,"name":"x","contract":{"skeletons":{}}',
        "not known",
    ),
    _header("header-without-name", b'"dart_trace":1,"contract":{"skeletons":{}}', "name"),
    _header("header-without-contract", b'"dart_trace":1,"name":"x"', "contract"),
    _header(
        "header-unknown-field", b'"dart_trace":1,"name":"x","contract":{"skeletons":{}},"y":1', "y"
    ),
    _header(
        "header-expect-no-list",
        b'"dart_trace":1,"name":"x","contract":{"skeletons":{}},"expect":{}',
        "array",
    ),
    _header(
        "header-expect-unknown-verdict",
        b'"dart_trace":1,"name":"x","contract":{"skeletons":{}},"expect":[{"verdict":"skip"}]',
        "skip",
    ),
    _contract("contract-without-skeletons", b'"compensate":true', "skeletons"),
    _contract("contract-unknown-field", b'"skeletons":{},"skeleton":{}', "skeleton"),
    _contract("contract-unknown-fallback", b'"skeletons":{},"fallback":"retry"', "retry"),
    _contract("contract-compensate-no-boolean", b'"skeletons":{},"compensate":1', "bool"),
    _contract("contract-external-no-list", b'"skeletons":{},"external":"a"', "array"),
    _contract("contract-skeleton-twice", b'"skeletons":{"make":{},"make":{}}', "twice"),
    _skeleton("skeleton-unknown-field", b'"read":["order"]', "read"),
    _skeleton("skeleton-unknown-boundary", b'"rollback_to":["start"]', "start"),
    _skeleton("skeleton-unknown-effect-class", b'"effects":{"ship":"final"}', "final"),
    _skeleton("skeleton-predicate-unknown-field", b'"commit":{"state":["made"]}', "state"),
    _skeleton("skeleton-tool-binds-a-number", b'"tools":{"cut":1}', "str"),
    _replaced("line-not-json", 3, b'{"event":"checkpoint"', "not JSON"),
    _replaced("line-empty", 3, b"", "empty"),
    _replaced("line-two-values", 3, GOOD[2] + b" " + GOOD[2], "not JSON"),
    _replaced("line-no-object", 3, b'["enter"]', "object"),
    _replaced(
        "line-not-utf8", 3, b'{"event":"checkpoint","id":"\xff","instance":' + M + b"}", "JSON"
    ),
    _replaced("line-byte-order-mark", 1, b"\xef\xbb\xbf" + HEADER, "JSON"),
    _replaced("line-not-a-number", 2, GOOD[1].replace(b"1}", b"NaN}"), "JSON"),
    _replaced("line-nested-deeply", 3, b'{"event":' * 100_000, "nested"),
    _act("name-twice", b'"id":"a1","id":"a2"', "twice"),
    _act("name-twice-escaped", b'"id":"a1","\\u0069d":"a2"', "twice"),
    _act("lone-surrogate", b'"id":"\\ud800x"', "JSON"),
    _act("unknown-field", b'"read":["order"]', "read"),
    _act("null-where-a-string-is-due", b'"state":null', "null"),
    _act("reads-no-list", b'"reads":"order"', "array"),
    _act("reads-twice", b'"reads":["order","order"]', "twice"),
    _act("writes-twice", b'"writes":["part","part"]', "twice"),
    _act("effects-no-strings", b'"effects":[1]', "str"),
    _replaced("unknown-event", 3, b'{"event":"save","id":"c1","instance":' + M + b"}", "save"),
    _replaced("event-missing", 3, b'{"id":"c1","instance":' + M + b"}", "event"),
    _replaced("rerun-with-a-field", 7, b'{"event":"rerun","checkpoint":"c1"}', "checkpoint"),
    _replaced("ordinal-zero", 2, GOOD[1].replace(b"1}", b"0}"), "ordinal"),
    _replaced("ordinal-negative", 2, GOOD[1].replace(b"1}", b"-1}"), "ordinal"),
    _replaced("ordinal-fraction", 2, GOOD[1].replace(b"1}", b"1.0}"), "ordinal"),
    _replaced("ordinal-true", 2, GOOD[1].replace(b"1}", b"true}"), "ordinal"),
    _replaced("ordinal-string", 2, GOOD[1].replace(b"1}", b'"1"}'), "ordinal"),
    _replaced(
        "instance-part-missing",
        2,
        b'{"event":"enter","instance":{"skeleton":"make","entity":"m"}}',
        "ordinal",
    ),
    _replaced(
        "instance-part-null",
        2,
        b'{"event":"enter","instance":{"skeleton":"make","entity":null,"ordinal":1}}',
        "null",
    ),
    _replaced("instance-missing", 5, b'{"event":"commit"}', "instance"),
    _replaced("checkpoint-without-id", 3, b'{"event":"checkpoint","instance":' + M + b"}", "id"),
    _replaced("checkpoint-without-instance", 3, b'{"event":"checkpoint","id":"c1"}', "instance"),
    _replaced(
        "checkpoint-unknown-scope",
        3,
        b'{"event":"checkpoint","id":"c1","scope":"all","instance":' + M + b"}",
        "all",
    ),
    _replaced(
        "checkpoint-stable-no-boolean",
        3,
        b'{"event":"checkpoint","id":"c1","stable":"yes","instance":' + M + b"}",
        "bool",
    ),
    _replaced("fail-args-no-strings", 6, b'{"event":"fail","args":{"who":1}}', "str"),
    _replaced("fail-truth-partial", 6, b'{"event":"fail","truth":{"skeleton":"make"}}', "truth"),
    _replaced("restore-without-checkpoint", 7, b'{"event":"restore"}', "checkpoint"),
    _added("enter-not-the-next-ordinal", [GOOD[1]], "ordinal", after=2),
    _added("enter-skips-an-ordinal", [GOOD[1].replace(b"1}", b"2}")], "ordinal", after=1),
    _added("act-not-entered", [GOOD[3]], "not entered", after=1),
    _added("act-after-exit", [GOOD[4].replace(b"commit", b"exit"), GOOD[3]], "exited", after=3),
    _added("act-id-in-use", [GOOD[3]], "id of an act", after=4),
    _added("act-suspended", [GOOD[3].replace(b"a1", b"a2")], "suspended", after=6),
    _added("commit-suspended", [GOOD[4]], "suspended", after=6),
    _added("commit-not-entered", [GOOD[4]], "not entered", after=1),
    _added("checkpoint-not-entered", [GOOD[2]], "not entered", after=1),
    _added("checkpoint-suspended", [GOOD[2].replace(b"c1", b"c2")], "suspended", after=6),
    _added("checkpoint-id-in-use", [GOOD[2]], "id of a checkpoint", after=3),
    _added("restore-without-failure", [GOOD[6]], "no failure", after=3),
    _added(
        "restore-unknown-checkpoint", [GOOD[6].replace(b"c1", b"c2")], "not a checkpoint", after=6
    ),
    _added("rerun-without-failure", [b'{"event":"rerun"}'], "no failure", after=3),
    Malformed(
        "read-gap",
        HEADER.replace(b'"skeletons"', b'"external":[],"skeletons"')
        + b"\n"
        + b"".join(one + b"\n" for one in GOOD[1:]),
        4,
        "gap",
    ),
)
