"""Exceptions, interrupts and signals in functions of custom calls."""

from __future__ import annotations

import gc
import signal
import time
import traceback
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from custom_calls import LOOP, Array, X, calling, registering

import shlo_tools

pytestmark = pytest.mark.usefixtures("own_registry")


def test_exceptions_arrive_unchanged_with_their_traceback() -> None:
    class Own(Exception):
        pass

    raised = Own("deep inside")

    def inner() -> None:
        raise raised

    @registering
    def failing(x: Array) -> Array:
        if x[0] < 0:
            inner()
        return x

    executable = calling("failing")
    with pytest.raises(Own) as caught:
        executable(X - 1)
    assert caught.value is raised and raised.__cause__ is None
    names = [frame.name for frame in traceback.extract_tb(raised.__traceback__)]
    assert names[-2:] == ["failing", "inner"]
    assert names[0] == "test_exceptions_arrive_unchanged_with_their_traceback"
    np.testing.assert_array_equal(executable(X), X)  # it is as good as new


def test_nothing_runs_after_an_exception() -> None:
    ran: list[int] = []

    @registering
    def step(state: Array, i: Array) -> Array:
        ran.append(int(i))
        if i == 2:
            raise KeyError("stop")
        return state

    with pytest.raises(KeyError):
        shlo_tools.compile(LOOP)(np.int32(10), np.int32(0))
    assert ran == [0, 1, 2]


def test_exceptions_are_let_go_of() -> None:
    class Own(Exception):
        pass

    @registering
    def failing(x: Array) -> Array:
        raise Own

    executable = calling("failing")
    kept = []
    for _ in range(3):
        with pytest.raises(Own) as caught:
            executable(X)
        kept.append(weakref.ref(caught.value))
    del caught
    gc.collect()
    assert [ref() for ref in kept] == [None] * 3


def test_an_interrupt_in_a_function() -> None:
    @registering
    def interrupted(x: Array) -> Array:
        signal.raise_signal(signal.SIGINT)
        return x

    executable = calling("interrupted")
    with pytest.raises(KeyboardInterrupt):
        executable(X)
    with pytest.raises(KeyboardInterrupt):
        executable(X)


class Alarm(Exception):
    pass


@pytest.fixture
def alarm() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_signal_that_waits_for_the_function_is_not_lost(alarm: None) -> None:
    """It comes up before the function's first line, where a ctypes callback would swallow it."""

    @registering
    def same(x: Array) -> Array:
        return x

    product = (
        "%{} = stablehlo.dot_general %{}, %{}, contracting_dims = [1] x [0]"
        " : (tensor<500x500xf32>, tensor<500x500xf32>) -> tensor<500x500xf32>"
    )
    lines = "\n".join(product.format(i + 1, i, i) for i in range(20))
    executable = shlo_tools.compile(f"""
      func.func @main(%0: tensor<500x500xf32>) -> tensor<500x500xf32> {{
        {lines}
        %y = stablehlo.custom_call @same(%20) : (tensor<500x500xf32>) -> tensor<500x500xf32>
        return %y : tensor<500x500xf32>
      }}""")
    x = np.zeros((500, 500), np.float32)
    executable(x)
    with pytest.raises(Alarm):
        signal.setitimer(signal.ITIMER_REAL, 0.005)  # rings while products are computed
        executable(x)
        time.sleep(5)
