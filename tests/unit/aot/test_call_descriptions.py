"""What C functions are told of custom calls: names that C has, configurations as text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from shlo_tools.aot import custom_calls
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend.description import Call


def _call(config: Any) -> Call:
    return Call("target", (), (), config=config)


@pytest.mark.parametrize(
    ("target", "symbol"),
    [
        ("f", "shlo_call_f"),
        ("my.op-2", "shlo_call_my_op_2"),
        ("ä", "shlo_call__"),
        ("3", "shlo_call_3"),
    ],
)
def test_targets_are_functions_of_c(target: str, symbol: str) -> None:
    assert custom_calls.symbol(target) == symbol


def test_text_stays_as_it_is_and_nothing_is_empty() -> None:
    assert custom_calls.config_text(_call('{"a": ')) == '{"a": '
    assert custom_calls.config_text(_call(None)) == ""


def test_dictionaries_are_json() -> None:
    config = {
        "n": 3,
        "x": np.float32(0.5),
        "list": np.array([[1, 2]], np.int64),
        "inner": {"text": "a"},
        "flag": True,
    }
    expected = {"n": 3, "x": 0.5, "list": [[1, 2]], "inner": {"text": "a"}, "flag": True}
    assert json.loads(custom_calls.config_text(_call(config))) == expected


@pytest.mark.parametrize("config", [b"bytes", {"a": b"bytes"}, {"a": object()}, "a\0b"])
def test_what_c_cannot_be_told_is_refused(config: Any) -> None:
    with pytest.raises(UnsupportedError, match="'target': its backend_config"):
        custom_calls.config_text(_call(config))
