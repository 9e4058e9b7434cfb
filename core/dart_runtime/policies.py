"""Who picks the arguments of a tool: a script, or a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from attrs import field, frozen

from dart_runtime.errors import SidecarError

__all__ = ["ArgumentPolicy", "ModelPolicy", "PolicyError", "Question", "scripted"]


class PolicyError(SidecarError):
    """An endpoint that cannot be asked, or an answer that is none of the options."""


@frozen(kw_only=True)
class Question:
    """Which arguments to call the tool with; `options` gives what each may be."""

    skeleton: str
    entity: str
    tool: str
    options: Mapping[str, tuple[str, ...]]
    seen: Mapping[str, Any]


ArgumentPolicy = Callable[[Question], Mapping[str, str]]


def scripted(question: Question) -> Mapping[str, str]:
    """The first option of each argument."""
    return {name: options[0] for name, options in question.options.items()}


@frozen(kw_only=True)
class ModelPolicy:
    """
    Asks a model by function calling; `url` is the endpoint's base, such as `http://host:port/v1`.

    A question that leaves no choice is not asked. PolicyError where no valid answer comes.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 60.0

    def __call__(self, question: Question) -> Mapping[str, str]:
        """What the model picks."""
        if not question.options:
            return {}
        return _picked(question, self._answer(self._request(question)))

    def _request(self, question: Question) -> Request:
        headers = {"Content-Type": "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        if not self.url.startswith(("http://", "https://")):
            message = f"{self.url} is not an HTTP address"
            raise PolicyError(message)
        return Request(  # noqa: S310 (the scheme is checked)
            self.url.rstrip("/") + "/chat/completions",
            json.dumps(_body(question, self.model)).encode(),
            headers,
        )

    def _answer(self, request: Request) -> dict[str, Any]:
        try:
            with urlopen(request, timeout=self.timeout) as response:  # noqa: S310
                answer = json.load(response)
        except (URLError, HTTPException, TimeoutError, ValueError) as error:
            message = f"{request.full_url}: {error}"
            raise PolicyError(message) from error
        try:
            call = answer["choices"][0]["message"]["tool_calls"][0]["function"]
            picked: dict[str, Any] = json.loads(call["arguments"])
        except (LookupError, TypeError, ValueError) as error:
            message = f"{request.full_url}: the answer calls no function: {error!r}"
            raise PolicyError(message) from error
        return picked


def _body(question: Question, model: str) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {
            name: {"type": "string", "enum": list(options)}
            for name, options in question.options.items()
        },
        "required": list(question.options),
        "additionalProperties": False,
    }
    task = f"You carry out the subtask {question.skeleton} for {question.entity}."
    return {
        "model": model,
        "temperature": 0,
        "messages": [
            {"role": "system", "content": f"{task} Call {question.tool} with fitting arguments."},
            {"role": "user", "content": json.dumps(question.seen, default=str, sort_keys=True)},
        ],
        "tools": [
            {"type": "function", "function": {"name": question.tool, "parameters": parameters}}
        ],
        "tool_choice": {"type": "function", "function": {"name": question.tool}},
    }


def _picked(question: Question, answer: Any) -> Mapping[str, str]:  # noqa: ANN401
    if not isinstance(answer, dict) or set(answer) != set(question.options):
        message = f"{question.tool} takes {sorted(question.options)}, the model gave {answer!r}"
        raise PolicyError(message)
    for name, options in question.options.items():
        if answer[name] not in options:
            message = f"{question.tool}: {name} is one of {list(options)}, not {answer[name]!r}"
            raise PolicyError(message)
    return answer
