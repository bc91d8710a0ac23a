"""Which function a target has: registered, built in, offered by packages; what it may do."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from custom_calls import Array, X, calling, registering

import shlo_tools
from shlo_tools import errors, extend, plug_ins
from shlo_tools.errors import ExecutionError, ShloError, UnsupportedError

pytestmark = pytest.mark.usefixtures("own_registry")


# --- what a function may do -----------------------------------------------------------------------
def test_functions_may_call_and_compile_programs() -> None:
    @registering
    def factorial(n: Array) -> Array:
        if n <= 1:
            return np.ones((), np.int64)
        again = shlo_tools.compile(text)
        return n * (executable(n - 1) if n % 2 else again(n - 1))

    text = """func.func @main(%n: tensor<i64>) -> tensor<i64> {
      %0 = stablehlo.custom_call @factorial(%n) : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    }"""
    executable = shlo_tools.compile(text)
    assert executable(np.int64(10)) == 3628800
    with pytest.raises(RecursionError):
        shlo_tools.custom_call("endless")(lambda x: endless(x))
        endless = calling("endless")
        endless(X)
    assert executable(np.int64(3)) == 6


def test_two_threads() -> None:
    @registering
    def slow(x: Array) -> Array:
        before = x.copy()
        time.sleep(0.02)
        np.testing.assert_array_equal(x, before)
        if x[0] == 3:
            raise ValueError("three")
        return x * 2

    executable = calling("slow")
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        try:
            results[number] = executable(np.full(4, number, np.float32))
        except ValueError as error:
            results[number] = str(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.pop(3) == "three"
    assert {n: r.tolist() for n, r in results.items()} == {
        n: [2.0 * n] * 4 for n in (0, 1, 2, 4, 5)
    }


def test_an_operand_cannot_be_kept() -> None:
    """Its memory is used again after the call: later it would hold anything."""
    kept: list[Array] = []

    @registering
    def keep(x: Array) -> Array:
        kept.append(x[1:] if kept else x.copy())
        return x + 1

    executable = calling("keep")
    np.testing.assert_array_equal(executable(X), X + 1)  # a copy may be kept
    with pytest.raises(ExecutionError, match="custom_call 'keep' kept an operand"):
        executable(X)


def test_an_operand_in_garbage_is_fine() -> None:
    @registering
    def litter(x: Array) -> Array:
        ring: list[Any] = [x]
        ring.append(ring)
        return x

    np.testing.assert_array_equal(calling("litter")(X), X)


# --- registering ----------------------------------------------------------------------------------
def test_executables_keep_their_functions() -> None:
    class Function:
        def __call__(self, x: Array) -> Array:
            return x + 5

    function = Function()
    shlo_tools.custom_call("held")(function)
    executable = calling("held")
    alive = weakref.ref(function)
    extend._registered.clear()
    del function
    gc.collect()
    np.testing.assert_array_equal(executable(X), X + 5)
    del executable
    gc.collect()
    assert alive() is None


def test_a_target_has_one_function() -> None:
    @shlo_tools.custom_call("taken", "other")
    def first(x: Array) -> Array:
        return x

    with pytest.raises(ShloError, match=r"'taken' is registered already, by .*first"):

        @shlo_tools.custom_call("free", "taken")
        def second(x: Array) -> Array:
            return x

    assert extend.registered("free") is None
    again = type(first)(first.__code__, first.__globals__)
    again.__qualname__ = first.__qualname__
    assert shlo_tools.custom_call("taken")(again) is extend.registered("taken")


def test_a_registered_function_comes_before_a_built_in_one() -> None:
    shlo_tools.custom_call("AllocateBuffer")(lambda x: x + 2)
    np.testing.assert_array_equal(calling("AllocateBuffer")(X), X + 2)


def test_an_unregistered_target_fails_only_where_it_runs() -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.custom_call @nobody(%x) : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }, {
        stablehlo.return %x : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    warned: list[errors.Diagnostic] = []
    with errors.listening(warned.append):
        executable = shlo_tools.compile(text)
    assert len(warned) == 1 and "'nobody' is not registered" in warned[0].message
    assert warned[0].place is not None and warned[0].place.line == 3
    np.testing.assert_array_equal(executable(np.False_, X), X)
    with pytest.raises(UnsupportedError, match="'nobody' is not registered") as caught:
        executable(np.True_, X)
    assert "@shlo_tools.custom_call('nobody')" in caught.value.render()
    shlo_tools.custom_call("nobody")(lambda x: x + 1)  # found when it is there by then
    np.testing.assert_array_equal(executable(np.True_, X), X + 1)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where installed packages may be put; what is known of them is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    plug_ins.offered.cache_clear()
    yield tmp_path
    plug_ins.offered.cache_clear()
    sys.modules.pop("offering", None)


def _install(packages: Path, name: str, entry: str) -> None:
    info = packages / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[shlo_tools.custom_calls]\n{entry}\n")


def test_packages_offer_targets(packages: Path) -> None:
    (packages / "offering.py").write_text("def tenfold(x):\n    return x * 10\n")
    _install(packages, "offering", "offered.tenfold = offering:tenfold")
    np.testing.assert_array_equal(calling("offered.tenfold")(X), X * 10)


def test_packages_that_offer_the_same_are_refused(packages: Path) -> None:
    _install(packages, "one", "offered = one:f")
    _install(packages, "two", "offered = two:f")
    with pytest.raises(ShloError, match=r"'offered' is offered by (one|two):f and"):
        calling("offered")
