"""Sizes that no tensor has, met when a program runs: one clear error each, and the process goes on.

Each program is called with sizes that fit, then with each that does not, then with those that fit
again. Ten thousand refusals take no memory.
"""

from __future__ import annotations

import gc
import re
import resource
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.errors import ArgumentError, ExecutionError, ShapeMismatchError, ShloError
from shlo_tools.pipeline import runner

Array = np.ndarray[Any, Any]
V, M, S, S2 = "tensor<?xf32>", "tensor<?x?xf32>", "tensor<1xi64>", "tensor<2xi64>"


@dataclass(frozen=True)
class Case:
    """An op, the sizes that it takes, and those that it refuses.

    Attributes:
        types: of the arguments: %x, and %a, %b, ... as many as there are.
        lines: the op, whose result is %0.
        fits: arguments, besides %x.
        refused: such that do not fit.
    """

    x: Array
    types: tuple[str, ...]
    result: str
    lines: str
    fits: tuple[Any, ...]
    refused: tuple[tuple[Any, ...], ...]

    @property
    def text(self) -> str:
        names = ["%x", "%a", "%b", "%c"]
        inputs = ", ".join(f"{n}: {t}" for n, t in zip(names, self.types, strict=False))
        return f"""func.func @main({inputs}) -> {self.result} {{
          {self.lines}
          return %0 : {self.result}
        }}"""

    def arguments(self, values: tuple[Any, ...]) -> list[Array]:
        inputs = zip(values, self.types[1:], strict=True)
        return [self.x, *(np.array(v, np.int64 if "i64" in t else np.int32) for v, t in inputs)]


def ramp(*shape: int) -> Array:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


FAR = 2**62
CASES = {
    "iota": Case(
        *(ramp(0), (V, S2), M),
        f"%0 = stablehlo.dynamic_iota %a, dim = 0 : ({S2}) -> {M}",
        ([2, 3],),
        (([-1, 3],), ([3, -1],), ([-1, -1],), ([2**32, 2**32],), ([FAR, 4],), ([FAR, FAR],)),
    ),
    "reshape": Case(  # the last has 8 elements if products wrap around at 2^64
        *(ramp(8), (V, S2), M),
        f"%0 = stablehlo.dynamic_reshape %x, %a : ({V}, {S2}) -> {M}",
        ([2, 4],),
        (([6, 2],), ([-2, -4],), ([-1, 8],), ([2**63 - 1, 2],), ([2**62 + 2, 4],)),
    ),
    "reshape of nothing": Case(  # products that wrap around to 0
        *(ramp(0), (V, S2), M),
        f"%0 = stablehlo.dynamic_reshape %x, %a : ({V}, {S2}) -> {M}",
        ([0, 3],),
        (([2**32, 2**32],), ([2**63 - 1, 2],), ([-1, 0],), ([1, 1],)),
    ),
    "broadcast_in_dim": Case(
        *(ramp(3), (V, S2), M),
        f"%0 = stablehlo.dynamic_broadcast_in_dim %x, %a, dims = [1] : ({V}, {S2}) -> {M}",
        ([2, 3],),
        (([2, 4],), ([-2, 3],), ([2, -3],), ([FAR, 3],)),
    ),
    "pad": Case(
        *(ramp(3), (V, S, S, S), V),
        f"""%f = stablehlo.constant dense<7.0> : tensor<f32>
          %0 = stablehlo.dynamic_pad %x, %f, %a, %b, %c
            : ({V}, tensor<f32>, {S}, {S}, {S}) -> {V}""",
        ([1], [-1], [2]),
        (([-4], [0], [0]), ([0], [0], [-1]), ([FAR], [FAR], [0]), ([0], [0], [FAR])),
    ),
    "real_dynamic_slice": Case(
        *(ramp(6), (V, S, S, S), V),
        f"%0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : ({V}, {S}, {S}, {S}) -> {V}",
        ([1], [5], [2]),
        (
            *(([-1], [5], [1]), ([1], [7], [1]), ([5], [1], [1]), ([0], [6], [0])),
            *(([0], [6], [-1]), ([-FAR], [FAR], [1])),
        ),
    ),
    "gather": Case(
        *(ramp(4, 2), (M, "tensor<?x1xi32>", "tensor<2xi32>"), M),
        f"""%0 = "stablehlo.dynamic_gather"(%x, %a, %b) {{dimension_numbers = #stablehlo.gather<
            offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
            index_vector_dim = 1>}} : ({M}, tensor<?x1xi32>, tensor<2xi32>) -> {M}""",
        ([[3], [0]], [1, 2]),
        (([[3]], [1, 3]), ([[3]], [2, 2]), ([[3]], [1, -1]), ([[3]], [-1, 1])),
    ),
    "a bound": Case(
        *(ramp(3), (V, "tensor<i32>"), V),
        f"""%s = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
          %b = stablehlo.dynamic_iota %s, dim = 0
            : (tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<5>>
          %f = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.pad %b, %f, low = [1], high = [0], interior = [0]
            : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<f32>) -> {V}""",
        (5,),
        ((6,), (-1,), (2**31 - 1,)),
    ),
    "set_dimension_size": Case(
        *(ramp(3), ("tensor<3xf32>", "tensor<i32>"), V),
        f"""%b = stablehlo.set_dimension_size %x, %a, dim = 0
            : (tensor<3xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<3>>
          %f = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.pad %b, %f, low = [1], high = [0], interior = [0]
            : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<f32>) -> {V}""",
        (2,),
        ((4,), (-1,)),
    ),
    "a declared size": Case(
        *(ramp(6), (V, S2), "tensor<?x3xf32>"),
        f"%0 = stablehlo.dynamic_reshape %x, %a : ({V}, {S2}) -> tensor<?x3xf32>",
        ([2, 3],),
        (([3, 2],), ([1, 6],)),
    ),
    "known integers of a declared size": Case(
        *(ramp(0), (V, S), "tensor<2xi32>"),
        f"""%two = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
          %0 = stablehlo.dynamic_reshape %two, %a : (tensor<2xi32>, {S}) -> tensor<2xi32>""",
        ([2],),
        (([1],), ([3],)),
    ),
    "no integers of a declared size": Case(
        *(ramp(0), (V, S), "tensor<?x3xi8>"),
        f"""%none = stablehlo.constant dense<> : tensor<0xi8>
          %zero = stablehlo.constant dense<0> : tensor<1xi64>
          %s = stablehlo.concatenate %zero, %a, dim = 0 : ({S}, {S}) -> {S2}
          %0 = stablehlo.dynamic_reshape %none, %s : (tensor<0xi8>, {S2}) -> tensor<?x3xi8>""",
        ([3],),
        (([4],), ([0],)),
    ),
    "a branch that contradicts itself": Case(
        *(ramp(3), (V, "tensor<i32>"), V),
        f"""%0 = "stablehlo.case"(%a) ({{
            %two = stablehlo.concatenate %x, %x, %x, dim = 0 : ({V}, {V}, {V}) -> {V}
            %one = stablehlo.constant dense<1.0> : tensor<1xf32>
            %more = stablehlo.concatenate %x, %one, dim = 0 : ({V}, tensor<1xf32>) -> {V}
            %bad = stablehlo.add %more, %x : {V}
            stablehlo.return %bad : {V}
          }}, {{
            stablehlo.return %x : {V}
          }}) : (tensor<i32>) -> {V}""",
        (1,),
        ((0,),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_is_one_clear_error(name: str) -> None:
    case = CASES[name]
    executable = shlo_tools.compile(case.text)
    right = case.arguments(case.fits)
    expected = executable(*right)
    for values in case.refused:
        arguments = case.arguments(values)
        before = [array.tobytes() for array in arguments]
        with pytest.raises(ExecutionError) as raised:
            executable(*arguments)
        (diagnostic,) = raised.value.diagnostics
        assert re.search(r"stablehlo\.\w+: |[\d,]+ bytes are needed|memory", diagnostic.message)
        assert [array.tobytes() for array in arguments] == before
        np.testing.assert_array_equal(executable(*right), expected)


def _fails(call: Callable[[], object], error: type[ShloError], times: int) -> None:
    for _ in range(times):
        try:
            call()
        except error:
            continue
        raise AssertionError("the call did not fail")


def _grown(call: Callable[[], object], error: type[ShloError], times: int) -> int:
    """KiB that a process grows by in failing calls, after some others."""
    _fails(call, error, times // 10)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _fails(call, error, times)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


@pytest.mark.parametrize("name", CASES)
def test_many_refusals_in_constant_memory(name: str) -> None:
    case = CASES[name]
    executable = shlo_tools.compile(case.text)
    wrong = case.arguments(case.refused[0])
    grown = _grown(lambda: executable(*wrong), ExecutionError, 4_000)
    assert grown < 2048, f"{grown} KiB more"
    executable(*case.arguments(case.fits))


def test_arguments_over_their_bound_in_constant_memory() -> None:
    bounded = "tensor<?xf32, #stablehlo.bounds<3>>"
    executable = shlo_tools.compile(f"""func.func @main(%x: {bounded}) -> tensor<f32> {{
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %f) applies stablehlo.add across dimensions = [0]
        : ({bounded}, tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }}""")
    assert _grown(lambda: executable(ramp(4)), ArgumentError, 4_000) < 2048
    assert executable(ramp(3)) == 3


REFUSED = {
    "contradicting sizes": (
        f"""func.func @main(%x: tensor<3xf32>) -> {V} {{
          %y = stablehlo.abs %x : (tensor<3xf32>) -> {V}
          %z = stablehlo.concatenate %y, %y, dim = 0 : ({V}, {V}) -> {V}
          %0 = stablehlo.add %y, %z : {V}
          return %0 : {V}
        }}""",
        "shlo-refine-shapes",
    ),
    "contradicting sizes in a function called twice": (
        f"""func.func @main(%x: tensor<3xf32>, %y: tensor<2xf32>) -> {V} {{
          %u = stablehlo.abs %x : (tensor<3xf32>) -> {V}
          %w = stablehlo.abs %y : (tensor<2xf32>) -> {V}
          %0 = func.call @f(%u, %u) : ({V}, {V}) -> {V}
          %1 = func.call @f(%u, %w) : ({V}, {V}) -> {V}
          return %0 : {V}
        }}
        func.func private @f(%x: {V}, %y: {V}) -> {V} {{
          %0 = stablehlo.add %x, %y : {V}
          return %0 : {V}
        }}""",
        "shlo-refine-shapes",
    ),
    "too few types": (
        f"func.func @main(%x: {V}) -> {V} {{ return %x : {V} }}",
        "shlo-refine-arguments{types=}",
    ),
    "no type": (
        f"func.func @main(%x: {V}) -> {V} {{ return %x : {V} }}",
        "shlo-refine-arguments{types=tensor<2xf31>}",
    ),
    "a size beyond memory": (
        f"func.func @main(%x: {V}) -> {V} {{ return %x : {V} }}",
        f"shlo-refine-arguments{{types=tensor<{2**62}xf32>}}",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_programs_stay_as_they_were_and_take_no_memory(name: str) -> None:
    text, passes = REFUSED[name]
    with mlir.library_context():
        module = program.parse(text)
        before = str(module)

        def run() -> None:
            runner.run(f"builtin.module({passes})", module)

        grown = _grown(run, ShloError, 2000)
        assert str(module) == before
    assert grown < 4096, f"{grown} KiB more"


def test_the_error_names_both_sizes() -> None:
    case = CASES["reshape"]
    with pytest.raises(ShapeMismatchError, match=r"dynamic_reshape: .*arg0\.0 = 8 is not .* = 12$"):
        shlo_tools.compile(case.text)(*case.arguments(([6, 2],)))
