"""TLC's way of printing values is read exactly."""

from __future__ import annotations

import pytest

from dart_core import FrozenMap
from dart_tools.tla_values import ValueSyntaxError, parse_state, parse_value, read_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("-1", -1),
        ('"a \\"b\\" \\\\"', 'a "b" \\'),
        ("TRUE", True),
        ("FALSE", False),
        ("Null", None),
        ("<<>>", ()),
        ('<<1, "x", <<>>>>', (1, "x", ())),
        ("{}", frozenset()),
        ("{1, 2}", frozenset({1, 2})),
        ('[a |-> 1, b |-> {"x"}]', FrozenMap({"a": 1, "b": frozenset({"x"})})),
        ("(1 :> TRUE)", FrozenMap({1: True})),
        (
            "( [k |-> 1] :>\n  <<2>> @@\n  3 :> {} )",
            FrozenMap({FrozenMap({"k": 1}): (2,), 3: frozenset()}),
        ),
    ],
)
def test_parse_value(text: str, value: object) -> None:
    assert parse_value(text) == value


@pytest.mark.parametrize(
    "text", ["", "<<1", "{1 2}", "[a = 1]", "[1 |-> 2]", "(1 :> 2", "1 2", "Other", "x |-> 1", "%"]
)
def test_parse_value_rejects_what_is_none(text: str) -> None:
    with pytest.raises(ValueSyntaxError, match="not a TLA"):
        parse_value(text)


def test_read_value_says_where_it_ended() -> None:
    assert read_value("x = <<1>> rest", 4) == ((1,), 9)


def test_parse_state_yields_each_variable() -> None:
    text = '/\\ log = ( "f" :>\n      << 1 >> )\n/\\ epoch = 1\n'
    assert parse_state(text) == {"log": FrozenMap({"f": (1,)}), "epoch": 1}
