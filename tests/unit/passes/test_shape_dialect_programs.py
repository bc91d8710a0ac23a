"""Programs that mix the shape dialect with StableHLO: constraints, errors, functions, printing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ExecutionError, ShloError

BACKENDS = ("native", "reference")
both = pytest.mark.parametrize("backend", BACKENDS)


def compiled(text: str, backend: str) -> Any:
    """A compiled program; its signature may have shapes, which compiled code gets as tensors."""
    module = shlo_tools.load(text)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-shape)").run(module)
    return shlo_tools.compile(module, backend=backend)


def extents(*sizes: int) -> Any:
    return np.array(sizes, np.int64)


# --- broadcasting addition, as front ends write it ------------------------------------------------
ADD = """
func.func @main(%a: LEFT, %b: RIGHT) -> RESULT {
  %sa = shape.shape_of %a : LEFT -> SHAPE_A
  %sb = shape.shape_of %b : RIGHT -> SHAPE_B
  %w = shape.cstr_broadcastable %sa, %sb : SHAPE_A, SHAPE_B
  %r = shape.assuming %w -> (RESULT) {
    %s = shape.broadcast %sa, %sb : SHAPE_A, SHAPE_B -> BOTH
    %e = shape.to_extent_tensor %s : BOTH -> tensor<2xindex>
    %x = stablehlo.dynamic_broadcast_in_dim %a, %e, dims = [0, 1]
      : (LEFT, tensor<2xindex>) -> RESULT
    %y = stablehlo.dynamic_broadcast_in_dim %b, %e, dims = [1] : (RIGHT, tensor<2xindex>) -> RESULT
    %z = stablehlo.add %x, %y : RESULT
    shape.assuming_yield %z : RESULT
  }
  return %r : RESULT
}
"""
OF_SHAPES = {"SHAPE_A": "!shape.shape", "SHAPE_B": "!shape.shape", "BOTH": "!shape.shape"}
OF_EXTENTS = {"SHAPE_A": "tensor<2xindex>", "SHAPE_B": "tensor<1xindex>", "BOTH": "tensor<2xindex>"}
PAIRS = [((2, 3), 3), ((2, 1), 3), ((2, 0), 1), ((2, 1), 0), ((0, 4), 4), ((1, 1), 1), ((2, 5), 1)]


def addition(form: dict[str, str], left: str, right: str, result: str) -> str:
    words = {**form, "LEFT": left, "RIGHT": right, "RESULT": result}
    text = ADD
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


@both
@pytest.mark.parametrize("form", [OF_SHAPES, OF_EXTENTS], ids=["shapes", "extents"])
def test_addition_of_unknown_sizes(form: dict[str, str], backend: str) -> None:
    text = addition(form, "tensor<?x?xf32>", "tensor<?xf32>", "tensor<?x?xf32>")
    executable = shlo_tools.compile(text, backend=backend)
    for left, right in PAIRS:
        x = np.arange(np.prod(left), dtype=np.float32).reshape(left)
        y = np.arange(right, dtype=np.float32)
        results = executable(x, y)
        assert results.shape == (x + y).shape
        assert np.array_equal(results, x + y)
    with pytest.raises(ExecutionError, match=r"broadcastable shapes: \[2, 3\] and \[2\]"):
        executable(np.zeros((2, 3), np.float32), np.zeros(2, np.float32))


@both
@pytest.mark.parametrize("form", [OF_SHAPES, OF_EXTENTS], ids=["shapes", "extents"])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_addition_of_known_sizes(
    left: Sequence[int], right: int, form: dict[str, str], backend: str
) -> None:
    shape = np.broadcast_shapes(tuple(left), (right,))
    types = [f"tensor<{'x'.join(map(str, s))}xf32>" for s in (left, (right,), shape)]
    x = np.arange(np.prod(left), dtype=np.float32).reshape(left)
    y = np.arange(right, dtype=np.float32)
    results = shlo_tools.compile(addition(form, *types), backend=backend)(x, y)
    assert np.array_equal(results, x + y)


def test_sizes_known_not_to_fit_are_an_error_of_compiling() -> None:
    text = addition(OF_EXTENTS, "tensor<2x3xf32>", "tensor<2xf32>", "tensor<?x?xf32>")
    with pytest.raises(
        ShloError, match=r":5:\d+: error: required broadcastable shapes: \[2, 3\] a"
    ):
        shlo_tools.compile(text)
    with pytest.raises(ShloError, match=r"required broadcastable shapes: \[2, 3\] and \[2\]"):
        shlo_tools.compile(text, backend="reference")


def test_one_size_that_does_not_fit_is_enough() -> None:
    text = addition(OF_EXTENTS, "tensor<?x3xf32>", "tensor<2xf32>", "tensor<?x?xf32>")
    with pytest.raises(ShloError, match=r"required broadcastable shapes: \[\?, 3\] and \[2\]"):
        shlo_tools.compile(text)


def test_failing_calls_take_no_memory() -> None:
    text = addition(OF_SHAPES, "tensor<?x?xf32>", "tensor<?xf32>", "tensor<?x?xf32>")
    executable = shlo_tools.compile(text)
    x, y = np.zeros((2, 30000), np.float32), np.zeros(2, np.float32)

    def fail(times: int) -> None:
        for _ in range(times):
            with pytest.raises(ExecutionError):
                executable(x, y)

    fail(50)
    before = resident()
    fail(1000)
    assert resident() - before < 8 << 20
    assert executable(x, y[:1]).shape == (2, 30000)


def resident() -> int:
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# --- constraints ----------------------------------------------------------------------------------
CONSTRAINTS = """
func.func @main(%a: !shape.shape, %b: !shape.shape, %c: tensor<?xindex>, %p: i1) -> index {
  %w0 = shape.cstr_require %p, "needs {p}"
  %w1 = shape.cstr_eq %a, %b, %c : !shape.shape, !shape.shape, tensor<?xindex>
  %w2 = shape.const_witness true
  %w = shape.assuming_all %w0, %w1, %w2
  %n = shape.assuming %w -> (index) {
    %inner = shape.cstr_broadcastable %a, %c : !shape.shape, tensor<?xindex>
    %m = shape.assuming %inner -> (index) {
      %size = shape.num_elements %a : !shape.shape -> !shape.size
      %index = shape.size_to_index %size : !shape.size
      shape.assuming_yield %index : index
    }
    shape.assuming_yield %m : index
  }
  return %n : index
}
"""


@both
def test_constraints(backend: str) -> None:
    executable = compiled(CONSTRAINTS, backend)
    for shape in ((2, 3), (), (4, 0)):
        same = extents(*shape)
        assert int(executable(same, same, same, np.bool_(True))) == np.prod(shape)
    a, b = extents(2, 3), extents(2)
    with pytest.raises(ExecutionError, match=r"needs \{p\}"):  # the first that fails is told
        executable(a, b, b, np.bool_(False))
    for other in (b, extents(3, 2), extents(2, 3, 1)):
        with pytest.raises(ExecutionError, match="required equal shapes"):
            executable(a, a, other, np.bool_(True))


@both
def test_a_constraint_that_guards_nothing_is_checked(backend: str) -> None:
    text = """
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %rest = arith.remsi %n, %c4 : index
      %even = arith.cmpi eq, %rest, %c0 : index
      %w = shape.cstr_require %even, "no multiple of 4"
      return %x : tensor<?xf32>
    }"""
    executable = shlo_tools.compile(text, backend=backend)
    assert executable(np.ones(8, np.float32)).shape == (8,)
    with pytest.raises(ExecutionError, match="no multiple of 4"):
        executable(np.ones(6, np.float32))


@both
def test_a_constraint_in_a_branch_is_checked_where_that_runs(backend: str) -> None:
    text = """
    func.func @main(%p: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = "stablehlo.if"(%p) ({
        %a = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
        %b = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
        %w = shape.cstr_eq %a, %b : tensor<1xindex>, tensor<1xindex>
        stablehlo.return %x : tensor<?xf32>
      }, {
        stablehlo.return %y : tensor<?xf32>
      }) : (tensor<i1>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
    executable = shlo_tools.compile(text, backend=backend)
    x, y = np.zeros(2, np.float32), np.ones(3, np.float32)
    assert executable(np.bool_(False), x, y).tolist() == [1, 1, 1]
    assert executable(np.bool_(True), x, x).tolist() == [0, 0]
    with pytest.raises(ExecutionError, match=r"required equal shapes: \[2\] and \[3\]"):
        executable(np.bool_(True), x, y)


@both
def test_constraints_in_a_loop(backend: str) -> None:
    text = """
    func.func @main(%n: tensor<i64>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = stablehlo.constant dense<0> : tensor<i64>
      %c1 = stablehlo.constant dense<1> : tensor<i64>
      %i:2 = stablehlo.while(%k = %c0, %sum = %x) : tensor<i64>, tensor<?xf32>
      cond {
        %t = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %a = shape.shape_of %sum : tensor<?xf32> -> !shape.shape
        %b = shape.shape_of %y : tensor<?xf32> -> !shape.shape
        %w = shape.cstr_eq %a, %b : !shape.shape, !shape.shape
        %next = shape.assuming %w -> (tensor<?xf32>) {
          %q = stablehlo.add %sum, %y : tensor<?xf32>
          shape.assuming_yield %q : tensor<?xf32>
        }
        %more = stablehlo.add %k, %c1 : tensor<i64>
        stablehlo.return %more, %next : tensor<i64>, tensor<?xf32>
      }
      return %i#1 : tensor<?xf32>
    }"""
    executable = shlo_tools.compile(text, backend=backend)
    x, y = np.zeros(2, np.float32), np.ones(3, np.float32)
    assert executable(np.int64(3), x, y[:2]).tolist() == [3, 3]
    assert executable(np.int64(0), x, y).tolist() == [0, 0]
    with pytest.raises(ExecutionError, match=r"required equal shapes: \[2\] and \[3\]"):
        executable(np.int64(1), x, y)


WITNESS = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %good = shape.const_witness true
  %w = shape.const_witness PASSING
  %all = shape.assuming_all %good, %w
  %r = shape.assuming USED -> (tensor<2xf32>) {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    shape.assuming_yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
"""


def test_a_witness_that_fails() -> None:
    x = np.ones(2, np.float32)
    for used in ("%w", "%all"):
        failing = WITNESS.replace("PASSING", "false").replace("USED", used)
        with pytest.raises(ShloError, match="const_witness is false: its region must never run"):
            shlo_tools.compile(failing)
        passing = WITNESS.replace("PASSING", "true").replace("USED", used)
        assert shlo_tools.run(passing, x).tolist() == [2, 2]
    unused = WITNESS.replace("PASSING", "false").replace("USED", "%good")
    assert shlo_tools.run(unused, x).tolist() == [2, 2]


REQUIRED = """
func.func @main() {
  %no = arith.constant false
  %w = shape.cstr_require %no, "sorry {0}"
  return
}
"""


def test_what_is_known_to_fail_is_told_with_its_message() -> None:
    with pytest.raises(ShloError, match=r":4:\d+: error: sorry \{0\}"):
        shlo_tools.interpret(REQUIRED)


# --- errors go through all ops --------------------------------------------------------------------
# On %s, which is invalid, and %t, which is not; %r is what leaves.
THROUGH = {
    "to_extent_tensor": "%r = shape.to_extent_tensor %s : !shape.shape -> tensor<?xindex>",
    "result": "%r = shape.concat %s, %s : !shape.shape, !shape.shape -> !shape.shape",
    "broadcast": "%r = shape.broadcast %t, %s : !shape.shape, !shape.shape -> !shape.shape",
    "to_extents": "%r = shape.concat %t, %s : !shape.shape, !shape.shape -> tensor<?xindex>",
    "any": "%r = shape.any %t, %s : !shape.shape, !shape.shape -> !shape.shape",
    "meet": "%r = shape.meet %s, %s : !shape.shape, !shape.shape -> !shape.shape",
    "max": "%r = shape.max %s, %t : !shape.shape, !shape.shape -> !shape.shape",
    "min": "%r = shape.min %t, %s : !shape.shape, !shape.shape -> !shape.shape",
    "num_elements": "%r = shape.num_elements %s : !shape.shape -> !shape.size",
    "rank": "%r = shape.rank %s : !shape.shape -> !shape.size",
    "get_extent": """%i = arith.constant 0 : index
      %r = shape.get_extent %s, %i : !shape.shape, index -> !shape.size""",
    "split_at": """%i = arith.constant 0 : index
      %h, %r = "shape.split_at"(%s, %i) : (!shape.shape, index) -> (!shape.shape, !shape.shape)""",
    "size_to_index": """%n = shape.rank %s : !shape.shape -> !shape.size
      %r = shape.size_to_index %n : !shape.size""",
    "add": """%n = shape.rank %s : !shape.shape -> !shape.size
      %one = shape.const_size 1
      %r = shape.add %one, %n : !shape.size, !shape.size -> !shape.size""",
    "from_extents": """%n = shape.rank %s : !shape.shape -> !shape.size
      %r = shape.from_extents %n, %n : !shape.size, !shape.size""",
    "reduce": """%one = shape.const_size 1
      %r = shape.reduce(%s, %one) : !shape.shape -> !shape.size {
      ^bb0(%at: index, %extent: !shape.size, %sum: !shape.size):
        shape.yield %sum : !shape.size
      }""",
    "debug_print": '%r = "shape.debug_print"(%s) : (!shape.shape) -> !shape.shape',
    "with_shape": """%v = shape.with_shape %x, %s : tensor<?x?xf32>, !shape.shape
      %r = shape.shape_of %v : !shape.value_shape -> !shape.shape""",
    "value_of": """%v = shape.with_shape %x, %s : tensor<?x?xf32>, !shape.shape
      %r = shape.value_of %v : tensor<?x?xf32>""",
    "select": """%q = shape.shape_eq %s, %s : !shape.shape, !shape.shape
      %r = arith.select %q, %s, %s : !shape.shape""",
    "cstr_eq": """%w = shape.cstr_eq %s, %t : !shape.shape, !shape.shape
      %r = shape.rank %t : !shape.shape -> !shape.size""",
    "cstr_broadcastable": """%w = shape.cstr_broadcastable %s, %t : !shape.shape, !shape.shape
      %r = shape.rank %t : !shape.shape -> !shape.size""",
}


def result_type(text: str) -> str:
    """The type of %r, which the last line of an op's text ends with."""
    if text.startswith("%h") or "split_at" in text or "from_extents" in text:
        return "!shape.shape"
    if "value_of" in text:
        return "tensor<?x?xf32>"
    if "size_to_index" in text:
        return "index"
    if "shape.reduce" in text:
        return "!shape.size"
    return text.rsplit(maxsplit=1)[-1]


@both
@pytest.mark.parametrize("ranked", [True, False], ids=["ranked", "unranked"])
@pytest.mark.parametrize("name", THROUGH)
def test_an_error_goes_through(name: str, ranked: bool, backend: str) -> None:
    text = THROUGH[name]
    inputs = "tensor<2xindex>" if ranked else "tensor<?xindex>"
    program = f"""
    func.func @main(%a: {inputs}, %b: {inputs}, %x: tensor<?x?xf32>) -> {result_type(text)} {{
      %s = shape.broadcast %a, %b {{error = "no such shape"}} : {inputs}, {inputs} -> !shape.shape
      %t = shape.from_extent_tensor %a : {inputs}
      {text}
      return %r : {result_type(text)}
    }}"""
    executable = compiled(program, backend)
    x = np.zeros((2, 3), np.float32)
    executable(extents(2, 3), extents(2, 3), x)
    with pytest.raises(ExecutionError, match="no such shape"):
        executable(extents(2, 3), extents(2, 4), x)


@both
def test_errors_are_equal_and_not_broadcastable(backend: str) -> None:
    text = """
    func.func @main(%a: !shape.shape, %b: !shape.shape) -> (i1, i1, i1, i1) {
      %s = shape.broadcast %a, %b : !shape.shape, !shape.shape -> !shape.shape
      %t = shape.meet %a, %b : !shape.shape, !shape.shape -> !shape.shape
      %0 = shape.shape_eq %s, %s : !shape.shape, !shape.shape
      %1 = shape.shape_eq %s, %t : !shape.shape, !shape.shape
      %2 = shape.shape_eq %s, %a : !shape.shape, !shape.shape
      %3 = shape.is_broadcastable %s, %a : !shape.shape, !shape.shape
      return %0, %1, %2, %3 : i1, i1, i1, i1
    }"""
    executable = compiled(text, backend)
    valid = [bool(x) for x in executable(extents(2, 3), extents(2, 3))]
    assert valid == [True, True, True, True]
    one_invalid = [bool(x) for x in executable(extents(2, 3), extents(3))]
    assert one_invalid == [True, False, True, True]  # [2, 3] stretches, and is not [3]
    invalid = [bool(x) for x in executable(extents(2, 3), extents(2))]
    assert invalid == [True, True, False, False]


@both
@pytest.mark.parametrize("type", ["!shape.shape", "tensor<?xindex>"])
def test_selected_shapes_may_differ_in_rank(type: str, backend: str) -> None:
    text = f"""
    func.func @main(%a: {type}, %b: {type}, %p: i1) -> {type} {{
      %s = shape.broadcast %a, %a : {type}, {type} -> {type}
      %r = arith.select %p, %s, %b : {type}
      return %r : {type}
    }}"""
    executable = compiled(text, backend)
    for branch in (True, False):
        results = executable(extents(2, 3), extents(4), np.bool_(branch))
        assert results.tolist() == ([2, 3] if branch else [4])


@both
def test_the_value_that_is_not_selected_may_be_invalid(backend: str) -> None:
    text = """
    func.func @main(%a: tensor<1xindex>, %b: tensor<1xindex>, %p: i1) -> !shape.shape {
      %s = shape.broadcast %a, %b : tensor<1xindex>, tensor<1xindex> -> !shape.shape
      %t = shape.from_extent_tensor %a : tensor<1xindex>
      %r = arith.select %p, %s, %t : !shape.shape
      return %r : !shape.shape
    }"""
    executable = compiled(text, backend)
    assert executable(extents(2), extents(3), np.bool_(False)).tolist() == [2]
    with pytest.raises(ExecutionError, match="required broadcastable shapes"):
        executable(extents(2), extents(3), np.bool_(True))
