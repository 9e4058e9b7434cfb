"""
Wrapping a tool: each of its calls is announced, run and recorded as an act.

The instance is the one that `inside` names, else the one live instance that the registry finds.
A call that could belong to several is refused before it is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from attrs import frozen

from dart_core import InstanceId, bind
from dart_runtime.errors import AmbiguousInstanceError
from dart_runtime.registry import Seen, binding_arguments, live_instances
from dart_runtime.sidecar import Acting, Sidecar

__all__ = ["Touches", "inside", "tool"]

Call = TypeVar("Call", bound=Callable[..., Any])
_current: ContextVar[InstanceId | None] = ContextVar("dart_instance", default=None)


@contextmanager
def inside(instance: InstanceId) -> Iterator[InstanceId]:
    """Let wrapped calls in the block, and in the tasks it starts, belong to the instance."""
    token = _current.set(instance)
    try:
        yield instance
    finally:
        _current.reset(token)


@frozen(kw_only=True)
class Touches:
    """
    What a tool touches at most.

    In a key, `{entity}` stands for the instance's entity and `{name}` for the argument `name`.
    `reads` is None where the skeleton's own list counts.
    """

    reads: Collection[str] | None = None
    writes: Collection[str] = ()
    effects: Collection[str] = ()


def tool(
    sidecar: Sidecar,
    name: str | None = None,
    *,
    touches: Touches = Touches(),
    state: Callable[[], str | None] = lambda: None,
    observed: Callable[[Acting, Any], None] = lambda _acting, _result: None,
) -> Callable[[Call], Call]:
    """
    A decorator for the tool `name` (the function's own name by default), plain or async.

    TypeError for a generator, whose call is not over when it returns.

    `state` yields the controller's FSM state.
    `observed` may call `Acting.touched` once the result is known, to say what was really touched.
    """

    def wrap(function: Call) -> Call:
        called = name or function.__name__
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            message = f"{called} is a generator: it goes on after its call has returned"
            raise TypeError(message)

        def begin(*args: Any, **kwargs: Any) -> AbstractContextManager[Acting]:  # noqa: ANN401
            bound = inspect.signature(function).bind(*args, **kwargs)
            bound.apply_defaults()
            return _acting(sidecar, called, touches, state(), bound.arguments)

        @wraps(function)
        def plain(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            with begin(*args, **kwargs) as acting:
                result = function(*args, **kwargs)
                if inspect.isawaitable(result):
                    message = f"{called} yields an awaitable: wrap an async function instead"
                    raise TypeError(message)
                observed(acting, result)
            return result

        @wraps(function)
        async def waiting(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            with begin(*args, **kwargs) as acting:
                result = await function(*args, **kwargs)
                observed(acting, result)
            return result

        return cast(Call, waiting if inspect.iscoroutinefunction(function) else plain)

    return wrap


def _acting(
    sidecar: Sidecar,
    called: str,
    touches: Touches,
    state: str | None,
    arguments: Mapping[str, object],
) -> AbstractContextManager[Acting]:
    args = binding_arguments(sidecar.contract, called, arguments)
    instance = _instance(sidecar, Seen(state=state, tool=called, args=args))

    def keys(templates: Collection[str]) -> list[str]:
        return [_filled(template, instance.entity, arguments) for template in templates]

    return sidecar.acting(
        instance,
        tool=called,
        args=args,
        state=state,
        reads=None if touches.reads is None else keys(touches.reads),
        writes=keys(touches.writes),
        effects=touches.effects,
    )


def _instance(sidecar: Sidecar, seen: Seen) -> InstanceId:
    named = _current.get()
    if named is not None:
        return named
    fitting = live_instances(sidecar.history, seen)
    if len(fitting) != 1:
        those = ", ".join(map(str, sorted(fitting))) or "none"
        message = f"the call of {seen.tool} fits not one live instance: {those}"
        raise AmbiguousInstanceError(message)
    return next(iter(fitting))


def _filled(template: str, entity: str, arguments: Mapping[str, object]) -> str:
    key = bind(template, entity)
    for name, value in arguments.items():
        key = key.replace("{" + name + "}", str(value))
    return key
