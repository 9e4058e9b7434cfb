"""
A second reading of trace format 1, made from its text alone and on another plan than the core.

The trace is played onto one flat tape: a row for each enter, act, commit and exit.
Nothing is ever taken off the tape: a restore or a rerun only marks rows as dead.
The log of an instance is what is alive of its rows. A checkpoint is a position on the
tape with its owners. A version is the row that wrote it. The world is all rows.
"""

import json
from collections.abc import Iterable
from typing import Any

Who = tuple[str, str, int]
Row = dict[str, Any]


class BadTraceError(Exception):
    """A trace that cannot be judged, with the line that spoils it."""

    def __init__(self, line: int, cause: str) -> None:
        super().__init__(f"{line}: {cause}")
        self.line = line
        self.cause = cause


class RefusedError(Exception):
    """Why a line is malformed or its event not enabled."""


def need(condition: bool, cause: str) -> None:
    """Refuse a line that does not meet a condition."""
    if not condition:
        raise RefusedError(cause)


# --- JSON, strictly -------------------------------------------------------------------


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; refuse a name that occurs twice."""
    found = dict(pairs)
    need(len(found) == len(pairs), "duplicate name in an object")
    return found


def _constant(name: str) -> None:
    """Refuse the numbers that JSON does not have."""
    raise RefusedError(f"not JSON: {name}")


def _strings(value: Any) -> Iterable[str]:
    """Give every string in a value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _strings(item)


def parse(line: bytes) -> Any:
    """Read one line as JSON."""
    try:
        value = json.loads(
            line.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant
        )
        whole = not any("\ud800" <= c <= "\udfff" for t in _strings(value) for c in t)
        need(whole, "lone surrogate in a string")
    except UnicodeDecodeError as error:
        raise RefusedError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"not JSON: {error}") from error
    return value


# --- the shape of a line --------------------------------------------------------------

# A shape is str or bool, a least whole number, a set of allowed strings, a list around
# the shape of its items, a tuple of a shape and None (null too), or an object with
# the shape of each field ("?" ends the name of an optional one, "*" is any name).
KEYS = [str]
INSTANCE = {"skeleton": str, "entity": str, "ordinal": 1}
TAG = {"skeleton?": (str, None), "entity?": (str, None), "ordinal?": (1, None)}
PREDICATE = {"states?": KEYS, "writes?": KEYS}
SKELETON = {
    "reads?": KEYS,
    "writes?": KEYS,
    "states?": KEYS,
    "tools?": {"*": (str, None)},
    "commit?": PREDICATE,
    "exit?": PREDICATE,
    "rollback_to?": [{"entry", "commit", "exit"}],
    "effects?": {"*": {"reversible", "idempotent", "compensable", "irreversible"}},
}
CONTRACT = {
    "skeletons": {"*": SKELETON},
    "compensate?": bool,
    "fallback?": {"rerun", "escalate"},
    "external?": KEYS,
}
EXPECTED = {
    "trace?": str,
    "failure?": 1,
    "verdict?": {"restore", "rerun", "escalate"},
    "reason?": ({"not_identified", "no_admissible_checkpoint"}, None),
    "instance?": (INSTANCE, None),
    "candidates?": [INSTANCE],
    "checkpoint?": (str, None),
    "restore?": [{"instance": INSTANCE, "checkpoint": str}],
    "replay?": 0,
    "upstream_replay?": 0,
    "preserved?": 0,
    "checkpoints?": [{"*": object}],
    "hazards?": [{"*": object}],
    "compensations?": [{"*": object}],
}
HEADER = {"dart_trace": 1, "name": str, "contract": CONTRACT, "expect?": [EXPECTED]}
HEADER |= {"source?": str, "notes?": str}
STEP = {"event": str, "instance": INSTANCE, "state?": str}
ACT = STEP | {
    "id?": str,
    "tool?": str,
    "reads?": KEYS,
    "writes?": KEYS,
    "effects?": KEYS,
}
SAVE = {"event": str, "id": str, "instance": TAG, "scope?": {"instance", "task"}}
FAIL = {"event": str, "instance?": TAG, "suspect?": str, "state?": str, "tool?": str}
EVENTS: dict[str, Any] = {
    "enter": STEP,
    "act": ACT,
    "commit": STEP,
    "exit": STEP,
    "checkpoint": SAVE | {"stable?": bool, "truth?": INSTANCE},
    "fail": FAIL | {"args?": {"*": str}, "truth?": INSTANCE},
    "restore": {"event": str, "checkpoint": str},
    "rerun": {"event": str},
}


def check(shape: Any, value: Any) -> None:
    """Refuse a value that does not have a shape."""
    if isinstance(shape, tuple):
        if value is not None:
            check(shape[0], value)
    elif isinstance(shape, dict):
        _check_object(shape, value)
    elif isinstance(shape, list):
        need(isinstance(value, list), "expected a list")
        for item in value:
            check(shape[0], item)
    elif isinstance(shape, set):
        known = isinstance(value, str) and value in shape
        need(known, f"expected one of {', '.join(sorted(shape))}")
    elif isinstance(shape, int):
        need(type(value) is int, "expected a whole number")
        need(value >= shape, f"number out of range, the least is {shape}")
    else:
        need(isinstance(value, shape), f"expected {shape.__name__}")


def _check_object(shape: dict[str, Any], value: Any) -> None:
    """Refuse a value that is not an object with these fields."""
    need(isinstance(value, dict), "expected an object")
    for name in shape:
        need(name in value or name[-1] in "?*", f"missing field {name}")
    known = {name.rstrip("?"): inner for name, inner in shape.items()}
    for name, item in value.items():
        need(name in known or "*" in known, f"unknown field {name}")
        inner = known["*"] if "*" in known else known[name]
        try:
            check(inner, item)
        except RefusedError as refused:
            raise RefusedError(f"{name}: {refused}") from refused


def read_header(line: bytes) -> dict[str, Any]:
    """Read the first line and give the contract."""
    head = parse(line)
    need(isinstance(head, dict) and "dart_trace" in head, "missing header")
    version = head["dart_trace"]
    need(type(version) is int and version == 1, "dart_trace: unknown version")
    check(HEADER, head)
    contract: dict[str, Any] = head["contract"]
    return contract


def read_event(line: bytes) -> dict[str, Any]:
    """Read one event."""
    event: dict[str, Any] = parse(line)
    need(isinstance(event, dict) and "event" in event, "expected an event")
    check(set(EVENTS), event["event"])
    check(EVENTS[event["event"]], event)
    for name in {"reads", "writes", "effects"} & set(event):
        distinct = len(set(event[name])) == len(event[name])
        need(distinct, f"{name}: expected distinct strings")
    return event


# --- the tape -------------------------------------------------------------------------


def parts(tag: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Give the three parts of a tag, None for those that are unknown."""
    return tag.get("skeleton"), tag.get("entity"), tag.get("ordinal")


def fits(who: Who, tag: tuple[Any, Any, Any]) -> bool:
    """Tell whether an instance agrees with the known parts of a tag."""
    return all(want is None or have == want for have, want in zip(who, tag, strict=True))


class Tape:
    """All that was observed so far, and what of it is still alive."""

    def __init__(self, contract: dict[str, Any]) -> None:
        self.contract = contract
        self.rows: list[Row] = []
        self.saves: list[dict[str, Any]] = []
        self.pending: list[dict[str, Any]] = []

    def play(self, no: int, event: dict[str, Any]) -> None:
        """Let one event happen, or refuse it."""
        getattr(self, f"_on_{event['event']}")(no, event)

    # -- looking

    def skeleton(self, who: Who) -> dict[str, Any]:
        """Give the reviewed configuration of an instance, empty if there is none."""
        found: dict[str, Any] = self.contract["skeletons"].get(who[0], {})
        return found

    def keys(self, who: Who, names: Iterable[str]) -> list[str]:
        """Bind contract keys to the entity of an instance."""
        return [name.replace("{entity}", who[1]) for name in names]

    def effect_class(self, who: Who, effect: str) -> str:
        """Give the class of an effect; what policy does not list is irreversible."""
        found: str = self.skeleton(who).get("effects", {}).get(effect, "irreversible")
        return found

    def alive(self, event: str | None = None) -> list[Row]:
        """Give the rows that are alive, of one event or of all."""
        return [row for row in self.rows if row["alive"] and event in (None, row["event"])]

    def log(self, who: Who) -> list[Row]:
        """Give the log of an instance."""
        return [row for row in self.rows if row["alive"] and row["who"] == who]

    def entered(self) -> list[Who]:
        """Give the instances that are entered, exited ones too."""
        return [row["who"] for row in self.alive("enter")]

    def exited(self) -> list[Who]:
        """Give the instances that are exited."""
        return [row["who"] for row in self.alive("exit")]

    def live(self) -> list[Who]:
        """Give the instances that are entered and not exited."""
        gone = set(self.exited())
        return [who for who in self.entered() if who not in gone]

    def suspended(self) -> set[Who]:
        """Give the instances that are the only candidate of a pending failure."""
        alone = [fail["candidates"] for fail in self.pending if len(fail["candidates"]) == 1]
        return {who for candidates in alone for who in candidates}

    def act_named(self, name: str | None) -> Row | None:
        """Find the living act with an id."""
        acts = [row for row in self.alive("act") if name is not None and row["id"] == name]
        return acts[0] if acts else None

    # -- writing

    def _write(self, no: int, event: dict[str, Any], **more: Any) -> None:
        """Put one row on the tape."""
        row: Row = {"no": no, "event": event["event"], "who": parts(event["instance"])}
        row |= {"pos": len(self.rows), "alive": True, "state": event.get("state")}
        row["index"] = len(self.log(row["who"])) + 1
        row |= {"id": None, "reads": [], "writes": [], "effects": []}
        self.rows.append(row | more)

    def _need_control(self, event: dict[str, Any]) -> None:
        """Refuse an event of an instance that is not live or is suspended."""
        who = parts(event["instance"])
        need(who in self.live(), f"{event['event']}: the instance is not live")
        free = who not in self.suspended()
        need(free, f"{event['event']}: the instance is suspended")

    def _on_enter(self, no: int, event: dict[str, Any]) -> None:
        """Start an instance."""
        kind, entity, ordinal = parts(event["instance"])
        due = 1 + sum(who[:2] == (kind, entity) for who in self.entered())
        need(ordinal == due, f"enter: the next ordinal is {due}")
        self._write(no, event)

    def _on_act(self, no: int, event: dict[str, Any]) -> None:
        """Record a tool call with what it read, wrote and did."""
        self._need_control(event)
        need(not self.act_named(event.get("id")), "act: a surviving act has this id")
        who = parts(event["instance"])
        default = self.keys(who, self.skeleton(who).get("reads", []))
        reads = [(key, self._source(key)) for key in event.get("reads", default)]
        more = {name: event.get(name, []) for name in ("writes", "effects")}
        self._write(no, event, id=event.get("id"), reads=reads, **more)

    def _source(self, key: str) -> int | None:
        """Give the row that a read of a key finds, None for an external value."""
        writers = [row for row in self.rows if key in row["writes"]]
        external = self.contract.get("external")
        known = external is None or key in external or bool(writers)
        need(known, f"act: {key} is not external and nothing wrote it: the log has a gap")
        return next((row["pos"] for row in reversed(writers) if row["alive"]), None)

    def _on_commit(self, no: int, event: dict[str, Any]) -> None:
        """Record a claimed commit or an exit."""
        self._need_control(event)
        self._write(no, event)

    _on_exit = _on_commit

    def _on_checkpoint(self, no: int, event: dict[str, Any]) -> None:
        """Remember the end of the tape, and whose checkpoint it is."""
        tag, held = parts(event["instance"]), self.suspended()
        used = any(save["id"] == event["id"] for save in self.saves)
        need(not used, "checkpoint: one that is still there has this id")
        owners = {who for who in set(self.live()) - held if fits(who, tag)}
        if None not in tag:
            need(tag in self.entered(), "checkpoint: the instance is not entered")
            need(tag not in held, "checkpoint: the instance is suspended")
            owners = {tag}
        save = {"id": event["id"], "at": len(self.rows), "owners": owners}
        save |= {
            "task": event.get("scope") == "task",
            "stable": event.get("stable", True),
        }
        self.saves.append(save)

    def _on_fail(self, no: int, event: dict[str, Any]) -> None:
        """Note a failure and settle at once who may have failed."""
        suspect = self.act_named(event.get("suspect"))
        candidates = self._localize(event, suspect)
        self.pending.append({"no": no, "candidates": candidates, "suspect": suspect})

    def _localize(self, event: dict[str, Any], suspect: Row | None) -> set[Who]:
        """Give the candidates of a failure."""
        tag = parts(event.get("instance", {}))
        if "suspect" in event:
            return {suspect["who"]} if suspect and fits(suspect["who"], tag) else set()
        if None not in tag:
            return {tag} & set(self.entered())
        return {who for who in self.live() if fits(who, tag) and self._agrees(who, tag, event)}

    def _agrees(self, who: Who, tag: tuple[Any, Any, Any], event: dict[str, Any]) -> bool:
        """Tell whether an instance agrees with the rest of a failure."""
        reviewed, tool = self.skeleton(who), event.get("tool")
        tools = reviewed.get("tools", {})
        if tag[0] is None:
            if "state" in event and event["state"] not in reviewed.get("states", []):
                return False
            if tool is not None and tool not in tools:
                return False
        bound = tools.get(tool)
        if tag[1] is None and bound is not None:
            return bool(event.get("args", {}).get(bound, who[1]) == who[1])
        return True

    def _on_restore(self, no: int, event: dict[str, Any]) -> None:
        """Cut what came after a checkpoint."""
        need(bool(self.pending), "restore: no failure is pending")
        saves = [save for save in self.saves if save["id"] == event["checkpoint"]]
        need(bool(saves), "restore: the checkpoint is not there")
        save = saves[0]
        lost = [row for row in self.alive() if row["pos"] >= save["at"]]
        if not save["task"]:
            sole = len(save["owners"]) == 1
            lost = [row for row in lost if sole and row["who"] in save["owners"]]
        for row in lost:
            row["alive"] = False
        self.saves = [other for other in self.saves if not self._torn(other, lost)]
        self.pending = []

    def _torn(self, save: dict[str, Any], lost: list[Row]) -> bool:
        """Tell whether a checkpoint stands on a row that is lost."""
        under = [row["who"] for row in lost if row["pos"] < save["at"]]
        return any(save["task"] or who in save["owners"] for who in under)

    def _on_rerun(self, no: int, event: dict[str, Any]) -> None:
        """Start the whole task anew."""
        need(bool(self.pending), "rerun: no failure is pending")
        for row in self.rows:
            row["alive"] = False
        self.saves, self.pending = [], []


# --- the decision ---------------------------------------------------------------------


def named(who: Who) -> dict[str, Any]:
    """Write an instance as the format does."""
    return dict(zip(("skeleton", "entity", "ordinal"), who, strict=True))


def effects(tape: Tape, rows: Iterable[Row], kind: str) -> list[dict[str, Any]]:
    """Give the effects of one class that some rows had."""
    return [
        {"instance": named(row["who"]), "effect": effect, "at": row["no"]}
        for row in rows
        for effect in row["effects"]
        if tape.effect_class(row["who"], effect) == kind
    ]


def holds(tape: Tape, prefix: list[Row]) -> bool:
    """Tell whether the predicate of the commit or exit that ends a log prefix holds."""
    last = prefix[-1]
    predicate = tape.skeleton(last["who"]).get(last["event"], {})
    seen = [row["state"] for row in prefix if row["state"] is not None]
    if "states" in predicate and (not seen or seen[-1] not in predicate["states"]):
        return False
    written = {key for row in prefix for key in row["writes"]}
    return written.issuperset(tape.keys(last["who"], predicate.get("writes", [])))


def is_closed(tape: Tape, kept: list[Row]) -> bool:
    """Tell whether no handoff is open at the end of a log prefix."""
    for end in range(len(kept), 0, -1):
        event = kept[end - 1]["event"]
        if event == "enter" or (event in ("commit", "exit") and holds(tape, kept[:end])):
            return True
        if kept[end - 1]["writes"]:
            return False
    return True


def boundary(kept: list[Row]) -> str:
    """Give the kind of boundary at the end of a log prefix."""
    if len(kept) == 1:
        return "entry"
    return "exit" if kept[-1]["event"] == "exit" else "commit"


def readers(tape: Tape, who: Who, lost: list[Row]) -> set[bool]:
    """
    Tell of each foreign read of what would be lost whether it is committed.

    A version that is gone counts by the place that it had in its writer's log.
    """
    end = len(tape.log(who)) - len(lost)
    versions = {row["pos"] for row in tape.rows if row["who"] == who and row["index"] > end}
    last: dict[Who, int] = {}
    for row in tape.alive("commit") + tape.alive("exit"):
        last[row["who"]] = max(row["pos"], last.get(row["who"], 0))
    return {
        row["pos"] < last.get(row["who"], -1)
        for row in tape.alive("act")
        if row["who"] != who and any(source in versions for _, source in row["reads"])
    }


def weigh(tape: Tape, who: Who, save: dict[str, Any], suspect: Row | None) -> dict[str, Any]:
    """Evaluate every guard of one checkpoint for the failed instance."""
    log = tape.log(who)
    kept = [row for row in log if row["pos"] < save["at"]]
    lost = log[len(kept) :]
    others = [row for row in tape.alive() if row["pos"] >= save["at"] and row["who"] != who]
    policy = tape.contract["skeletons"].get(who[0], {"rollback_to": []})
    allowed = {"reversible", "idempotent"}
    if tape.contract.get("compensate", False):
        allowed.add("compensable")
    read = readers(tape, who, lost)
    guards = {
        "stable": save["stable"],
        "decidable": save["owners"] == {who},
        "closed": is_closed(tape, kept),
        "separable": not save["task"] or not others,
        "controllable": boundary(kept) in policy.get("rollback_to", ["entry", "commit"]),
        "repairs": suspect is None or suspect["pos"] >= save["at"],
        "no_committed_conflict": True not in read,
        "no_live_conflict": False not in read,
        "effect_allowed": all(
            tape.effect_class(who, effect) in allowed for row in lost for effect in row["effects"]
        ),
    }
    return {"id": save["id"], "kind": boundary(kept), "guards": guards}


def decide(tape: Tape, path: str) -> dict[str, Any]:
    """Give the decision on the pending failures."""
    first = tape.pending[0]
    candidates = sorted(set[Who]().union(*(fail["candidates"] for fail in tape.pending)))
    who = candidates[0] if len(tape.pending) == 1 and len(candidates) == 1 else None
    saves = [save for save in reversed(tape.saves) if who in save["owners"]]
    weighed = [weigh(tape, who, save, first["suspect"]) for save in saves] if who else []
    # A log only grows above a checkpoint that is there: the latest cut is greatest.
    admitted = (s for s, w in zip(saves, weighed, strict=True) if all(w["guards"].values()))
    chosen = next(admitted, None)
    hazards = effects(tape, tape.rows, "irreversible")
    again = tape.alive()
    if chosen:
        again = [row for row in again if row["who"] == who and row["pos"] >= chosen["at"]]
    acts = [row["who"] for row in again if row["event"] == "act"]
    preserved = len(tape.exited()) - sum(row["event"] == "exit" for row in again)
    place = {"instance": named(who), "checkpoint": chosen["id"]} if who and chosen else None
    reason = None if chosen else "no_admissible_checkpoint" if who else "not_identified"
    escalate = bool(hazards) and tape.contract.get("fallback") == "escalate"
    return {
        "trace": path,
        "failure": first["no"],
        "verdict": "restore" if chosen else "escalate" if escalate else "rerun",
        "reason": reason,
        "instance": named(who) if who else None,
        "candidates": [named(candidate) for candidate in candidates],
        "checkpoint": chosen["id"] if chosen else None,
        "restore": [place] if place else [],
        "replay": len(acts),
        "upstream_replay": sum(actor != who for actor in acts),
        "preserved": preserved,
        "checkpoints": weighed,
        "hazards": hazards,
        "compensations": effects(tape, again, "compensable") if chosen else [],
    }


def judge(path: str, data: bytes) -> list[dict[str, Any]]:
    """Decode a trace and give its decisions in order."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    decisions: list[dict[str, Any]] = []
    no = 0
    try:
        tape = Tape(read_header(lines[0] if lines else b"null"))
        for no, line in enumerate(lines[1:], start=1):
            event = read_event(line)
            if event["event"] in ("restore", "rerun") and tape.pending:
                decisions.append(decide(tape, path))
            tape.play(no, event)
    except RefusedError as refused:
        raise BadTraceError(no + 1, str(refused)) from refused
    if tape.pending:
        decisions.append(decide(tape, path))
    return decisions
