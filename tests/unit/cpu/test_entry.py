"""Entering machine code as a method of Python's."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest

import shlo_tools
from shlo_tools.codegen.library import entering
from shlo_tools.cpu.stages import entry
from shlo_tools.dtypes import TensorType, element_type


def test_results_are_written_anew_while_one_is_held() -> None:
    types = [TensorType((3,), element_type(name)) for name in ("f32", "i8")]
    one = entry._ResultSet(types)
    assert one.is_idle()
    for view in one.views:
        result = view()
        assert not one.is_idle()
        part = result[1:]
        del result
        assert not one.is_idle()
        del part
        assert one.is_idle()


def test_large_results_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = """func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
      %0 = stablehlo.add %a, %a : tensor<5xf32>
      return %0 : tensor<5xf32> }"""
    argument = np.arange(5, dtype=np.float32)
    for most, is_kept in ((entry._KEPT, True), (19, False)):
        monkeypatch.setattr(entry, "_KEPT", most)
        executable = shlo_tools.compile(twice)
        for _ in range(3):
            result = executable(argument)
            np.testing.assert_array_equal(result, 2 * argument)
            memory = weakref.ref(result.base)
            del result
            assert (memory() is not None) == is_kept


def test_methods_outlive_what_made_them() -> None:
    """Threads that call programs first at the same time make several makers; one is kept."""
    words = (ctypes.c_int64 * len(entering.CALL))()
    words[entering.CALL.index("count")] = 5
    methods = [entry._methods.__wrapped__()(ctypes.addressof(words)) for _ in range(20)]
    gc.collect()
    kept = [bytes(64) for _ in range(1000)]  # where freed memory would be used again
    assert {method((1, 2)) for method in methods} == {entering.REFUSED}
    assert len(kept) == 1000
