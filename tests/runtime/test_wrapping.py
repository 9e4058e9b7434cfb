from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator

import pytest

from dart_core import Act, FrozenMap, InstanceId
from dart_runtime.errors import AmbiguousInstanceError
from dart_runtime.sidecar import Acting, Sidecar
from dart_runtime.store import Store
from dart_runtime.wrapping import Touches, inside, tool
from dart_tools.codec import parse_trace
from runtime.schedule import CONTRACT, INVITE, SLOT

SENDS = Touches(reads=["slot/{entity}"], writes=["sent/{meeting}/{to}"], effects=["send_invite"])


@pytest.fixture
def sidecar() -> Sidecar:
    sidecar = Sidecar(Store.in_memory(CONTRACT, name="meeting"))
    sidecar.enter("slot", "m1")
    sidecar.enter("slot", "m2")
    sidecar.enter("invite", "m1")
    return sidecar


def last_act(sidecar: Sidecar) -> Act:
    act = parse_trace(sidecar.export(), "").events[-1]
    assert isinstance(act, Act)
    return act


def sent(act: Act) -> Act:
    return Act(
        instance=INVITE,
        id=act.id,
        tool="send",
        reads=frozenset({"slot/m1"}),
        writes=frozenset({"sent/m1/ann"}),
        effects=frozenset({"send_invite"}),
    )


def test_tool_records_the_call_by_its_arguments(sidecar: Sidecar) -> None:
    @tool(sidecar, touches=SENDS)
    def send(meeting: str, to: str = "ann") -> str:
        return f"{meeting} to {to}"

    assert send("m1") == "m1 to ann"
    assert send.__name__ == "send"
    assert last_act(sidecar) == sent(last_act(sidecar))


def test_tool_waits_for_an_async_call(sidecar: Sidecar) -> None:
    @tool(sidecar, "send", touches=SENDS)
    async def send_later(meeting: str, to: str) -> str:
        await asyncio.sleep(0)
        assert len(sidecar.ledger.announced) == 1
        return f"{meeting} to {to}"

    call: Callable[[str, str], Awaitable[str]] = send_later

    async def main() -> str:
        return await call("m1", "ann")

    assert asyncio.run(main()) == "m1 to ann"
    assert last_act(sidecar) == sent(last_act(sidecar))


def test_tool_records_what_was_observed(sidecar: Sidecar) -> None:
    def observed(acting: Acting, result: str) -> None:
        acting.touched(writes=[result])

    @tool(sidecar, touches=Touches(writes=["slot/{entity}", "log"]), observed=observed)
    def select(meeting: str) -> str:
        return f"slot/{meeting}"

    select("m2")
    act = last_act(sidecar)
    assert (act.instance.entity, act.writes) == ("m2", frozenset({"slot/m2"}))
    assert act.reads is None


def test_tool_records_a_failed_call(sidecar: Sidecar) -> None:
    @tool(sidecar, touches=SENDS, state=lambda: "INVITING")
    def send(meeting: str, to: str) -> None:
        raise ConnectionError(meeting, to)

    with pytest.raises(ConnectionError):
        send("m1", "ann")
    (failure,) = sidecar.history.failures
    assert failure.suspect == (INVITE, 2)
    assert failure.observed.args == FrozenMap({"meeting": "m1"})
    assert failure.observed.state == "INVITING"


def test_tool_refuses_a_call_that_fits_several(sidecar: Sidecar) -> None:
    ran = []

    @tool(sidecar)
    def confirm() -> None:
        ran.append("confirm")

    with pytest.raises(AmbiguousInstanceError, match=r"slot\[m1\]#1, slot\[m2\]#1"):
        confirm()
    assert ran == []
    with inside(SLOT) as instance:
        confirm()
    assert ran == ["confirm"]
    assert last_act(sidecar).instance == instance == SLOT
    with pytest.raises(AmbiguousInstanceError):
        confirm()


def test_tool_refuses_a_call_that_fits_none(sidecar: Sidecar) -> None:
    @tool(sidecar)
    def select(meeting: str) -> None:
        raise AssertionError(meeting)

    with pytest.raises(AmbiguousInstanceError, match="none"):
        select("m3")


def test_inside_holds_for_the_tasks_that_the_block_starts(sidecar: Sidecar) -> None:
    @tool(sidecar, touches=Touches(reads=[]))
    async def confirm() -> InstanceId:
        await asyncio.sleep(0)
        return last_instance()

    def last_instance() -> InstanceId:
        return list(sidecar.ledger.announced.values())[-1].instance

    async def work(entity: str) -> None:
        with inside(InstanceId(skeleton="slot", entity=entity, ordinal=1)):
            await asyncio.create_task(confirm())

    async def main() -> None:
        await asyncio.gather(work("m1"), work("m2"))

    asyncio.run(main())
    events = parse_trace(sidecar.export(), "").events[-2:]
    assert {event.instance.entity for event in events if isinstance(event, Act)} == {"m1", "m2"}


def test_tool_refuses_what_is_not_over_when_it_returns(sidecar: Sidecar) -> None:
    def some(meeting: str) -> Iterator[str]:
        yield meeting

    async def more(meeting: str) -> AsyncIterator[str]:
        yield meeting

    for function in (some, more):
        with pytest.raises(TypeError, match="is a generator"):
            tool(sidecar)(function)


def test_tool_takes_an_awaitable_for_an_act_in_doubt(sidecar: Sidecar) -> None:
    async def later() -> None:
        pass

    waiting = later()

    @tool(sidecar, touches=SENDS)
    def send(meeting: str, to: str) -> Coroutine[None, None, None]:
        assert (meeting, to) == ("m1", "ann")
        return waiting

    with pytest.raises(TypeError, match="wrap an async function"):
        _ = send("m1", "ann")
    waiting.close()
    (failure,) = sidecar.history.failures
    assert failure.suspect == (INVITE, 2)
