from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dart_runtime.domain import Domain
from dart_runtime.evaluation.measure import measure
from dart_runtime.policies import ModelPolicy, PolicyError, Question, scripted
from dart_runtime.strategies import DART, STRATEGIES
from dart_tools.cli import main

Answer = Callable[[dict[str, Any]], bytes]


def called(arguments: str) -> bytes:
    function = {"name": "select_route", "arguments": arguments}
    message = {"role": "assistant", "tool_calls": [{"type": "function", "function": function}]}
    return json.dumps({"choices": [{"message": message}]}).encode()


def last_options(request: dict[str, Any]) -> bytes:
    """Picks the last option of each argument."""
    properties = request["tools"][0]["function"]["parameters"]["properties"]
    return called(json.dumps({name: one["enum"][-1] for name, one in properties.items()}))


class Endpoint:
    """An OpenAI-compatible server on loopback that remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []
        self.answer: Answer = last_options
        self.status = 200
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append((self.path, self.headers["Authorization"], body))
                data = endpoint.answer(body)
                self.send_response(endpoint.status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


QUESTION = Question(
    skeleton="leg",
    entity="wp1",
    tool="select_route",
    options={"route": ("direct", "scenic")},
    seen={"minutes": 12},
)


def test_scripted_picks_the_first_option() -> None:
    assert scripted(QUESTION) == {"route": "direct"}


def test_model_is_asked_for_a_function_call(endpoint: Endpoint) -> None:
    policy = ModelPolicy(url=endpoint.url, model="small", key="secret")
    assert policy(QUESTION) == {"route": "scenic"}
    [(path, authorization, request)] = endpoint.requests
    assert (path, authorization) == ("/v1/chat/completions", "Bearer secret")
    assert request["model"] == "small"
    assert request["tool_choice"] == {"type": "function", "function": {"name": "select_route"}}
    assert request["tools"][0]["function"]["parameters"] == {
        "type": "object",
        "properties": {"route": {"type": "string", "enum": ["direct", "scenic"]}},
        "required": ["route"],
        "additionalProperties": False,
    }
    assert json.loads(request["messages"][1]["content"]) == {"minutes": 12}


def test_key_is_not_shown() -> None:
    assert "secret" not in repr(ModelPolicy(url="http://h", model="m", key="secret"))


def test_model_is_not_asked_without_a_choice(endpoint: Endpoint) -> None:
    question = Question(skeleton="leg", entity="wp1", tool="traverse", options={}, seen={})
    assert ModelPolicy(url=endpoint.url, model="small")(question) == {}
    assert endpoint.requests == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"nothing", "Expecting value"),
        (b"[]", "the answer calls no function"),
        (b'{"choices": []}', "the answer calls no function"),
        (called("no JSON"), "the answer calls no function"),
        (called("[]"), "select_route takes"),
        (called('{"road": "direct"}'), "select_route takes"),
        (called('{"route": "shortest"}'), "route is one of"),
        (called('{"route": ["direct"]}'), "route is one of"),
    ],
)
def test_model_rejects_an_answer_that_is_no_option(
    endpoint: Endpoint, data: bytes, message: str
) -> None:
    endpoint.answer = lambda _: data
    with pytest.raises(PolicyError, match=message):
        ModelPolicy(url=endpoint.url, model="small")(QUESTION)


def test_model_rejects_an_error_of_the_endpoint(endpoint: Endpoint) -> None:
    endpoint.status = 500
    with pytest.raises(PolicyError, match="500"):
        ModelPolicy(url=endpoint.url, model="small")(QUESTION)


def test_model_rejects_an_address_that_is_not_http() -> None:
    with pytest.raises(PolicyError, match="is not an HTTP address"):
        ModelPolicy(url="file:///etc/passwd", model="small")(QUESTION)


def test_model_rejects_an_endpoint_that_is_not_there(endpoint: Endpoint) -> None:
    policy = ModelPolicy(url="http://127.0.0.1:1/v1", model="small", timeout=2)
    with pytest.raises(PolicyError, match=r"127\.0\.0\.1:1"):
        policy(QUESTION)
    assert endpoint.requests == []


def test_run_follows_the_model(endpoint: Endpoint, domains: Mapping[str, Domain]) -> None:
    policy = ModelPolicy(url=endpoint.url, model="small")
    found = measure(domains["navigation"], "nav-cs", DART, policy)
    assert (found.success, found.equivalent, found.replay) == (True, True, 1)
    final = found.outcome.final
    assert final.value("arrival_eta/wp3") == {"route": "scenic", "minutes": 27}
    assert final.value("notice/wp3")["text"] == "urgent: in 27 minutes"


def test_replay_asks_the_model_again(endpoint: Endpoint, domains: Mapping[str, Domain]) -> None:
    policy = ModelPolicy(url=endpoint.url, model="small")
    measure(domains["navigation"], "nav-cs", DART, policy)
    once = len(endpoint.requests)
    measure(domains["navigation"], "nav-cs", STRATEGIES["retry_only"], policy)
    assert len(endpoint.requests) - once == once + 4


def test_evaluate_asks_the_endpoint(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENDPOINT_KEY", "secret")
    arguments = ["--endpoint", endpoint.url, "--model", "small", "--key-variable", "ENDPOINT_KEY"]
    assert main(["evaluate", *arguments]) == 0
    shown = capsys.readouterr().out
    assert "Commitment-sensitive cases" in shown
    assert "Safety audit" not in shown
    assert {authorization for _, authorization, _ in endpoint.requests} == {"Bearer secret"}


def test_evaluate_tells_of_an_endpoint_that_fails(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.answer = lambda _: b"nothing"
    assert main(["evaluate", "--endpoint", endpoint.url]) == 2
    assert "/chat/completions" in capsys.readouterr().err
