"""Ops of every family on sizes known at run time only: compiled once, run for many sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ExecutionError, ShapeMismatchError

Array = np.ndarray[Any, Any]
SIZES = (0, 1, 7, 1000)

ADD = """({ ^bb0(%l: tensor<f32>, %r: tensor<f32>):
  %s = stablehlo.add %l, %r : tensor<f32>
  stablehlo.return %s : tensor<f32> })"""
LESS = """({ ^bb0(%l: tensor<f32>, %r: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
  %s = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %s : tensor<i1> })"""
SUM = """
func.func private @sum(%l: tensor<f32>, %r: tensor<f32>) -> tensor<f32> {
  %s = stablehlo.add %l, %r : tensor<f32>
  return %s : tensor<f32>
}"""
QUANTIZED = "tensor<?x3x!quant.uniform<i8:f32, 0.5:3>>"
ALONE = "replica_groups = dense<0> : tensor<1x1xi64>"


def reals(*shape: int) -> Array:
    """Different numbers around 0, in no order."""
    numbers = np.arange(np.prod(shape, dtype=int)) * 37 % 101
    return (numbers.reshape(shape) / 16 - 3).astype(np.float32)


def integers(*shape: int) -> Array:
    return (np.arange(np.prod(shape, dtype=int)) * 37 % 11 - 3).astype(np.int32).reshape(shape)


def whole(number: int) -> Array:
    return np.array(number, np.int32)


@dataclass(frozen=True)
class Family:
    """A function's body, and its arguments for a size.

    Attributes:
        rtol: how far results may be from the reference's; 0 where they are the same.
        wrong: arguments that do not fit each other.
    """

    name: str
    types: Sequence[str]
    results: Sequence[str]
    body: str
    arguments: Callable[[int], Sequence[Array]]
    wrong: Callable[[int], Sequence[Array]] | None = None
    rtol: float = 0.0

    @property
    def text(self) -> str:
        inputs = ", ".join(f"%a{i}: {type}" for i, type in enumerate(self.types))
        names = ", ".join(f"%{i}" for i in range(len(self.results)))
        types = ", ".join(self.results)
        main = (
            f"func.func @main({inputs}) -> ({types}) {{\n{self.body}\nreturn {names} : {types}\n}}"
        )
        return main + (SUM if "@sum" in self.body else "")


F, G = "tensor<?x3xf32>", "tensor<?xi32>"
FAMILIES = (
    Family(
        "elementwise",
        [F, F],
        [F, "tensor<?x3xi1>"],
        f"""%0 = stablehlo.atan2 %a0, %a1 : {F}
        %1 = stablehlo.compare LT, %a0, %a1 : ({F}, {F}) -> tensor<?x3xi1>""",
        lambda n: (reals(n, 3), -reals(n, 3)),
        lambda n: (reals(n, 3), reals(n + 1, 3)),
        rtol=1e-6,
    ),
    Family(
        "reduce",
        [F],
        ["tensor<3xf32>", "tensor<?xf32>"],
        f"""%z = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = "stablehlo.reduce"(%a0, %z) {ADD} {{dimensions = array<i64: 0>}}
          : ({F}, tensor<f32>) -> tensor<3xf32>
        %1 = "stablehlo.reduce"(%a0, %z) {ADD} {{dimensions = array<i64: 1>}}
          : ({F}, tensor<f32>) -> tensor<?xf32>""",
        lambda n: (reals(n, 3),),
        rtol=1e-5,
    ),
    Family(
        "gather",
        [F, "tensor<?x1xi32>"],
        [F],
        f"""%0 = "stablehlo.gather"(%a0, %a1) {{dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}}
          : ({F}, tensor<?x1xi32>) -> {F}""",
        lambda n: (reals(n + 1, 3), integers(n, 1)),
        lambda n: (reals(0, 3), integers(n, 1)),
    ),
    Family(
        "scatter",
        ["tensor<?xf32>", "tensor<?x1xi32>", "tensor<?xf32>"],
        ["tensor<?xf32>"],
        f"""%0 = "stablehlo.scatter"(%a0, %a1, %a2) {ADD} {{scatter_dimension_numbers =
          #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}}
          : (tensor<?xf32>, tensor<?x1xi32>, tensor<?xf32>) -> tensor<?xf32>""",
        lambda n: (reals(5), integers(n, 1), reals(n)),
        lambda n: (reals(5), integers(n, 1), reals(n + 1)),
        rtol=1e-6,
    ),
    Family(
        "dynamic_slices",
        [F, "tensor<?x2xf32>", "tensor<i32>"],
        [F, "tensor<1x2xf32>"],
        f"""%0 = stablehlo.dynamic_update_slice %a0, %a1, %a2, %a2
          : ({F}, tensor<?x2xf32>, tensor<i32>, tensor<i32>) -> {F}
        %1 = stablehlo.dynamic_slice %a0, %a2, %a2, sizes = [1, 2]
          : ({F}, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>""",
        lambda n: (reals(n + 1, 3), reals(n, 2), whole(n // 2)),
        lambda n: (reals(n + 1, 3), reals(n + 2, 2), whole(0)),
    ),
    Family(
        "sort",
        [F, "tensor<?x3xi32>"],
        [F, "tensor<?x3xi32>"],
        f"""%s:2 = "stablehlo.sort"(%a0, %a1) {LESS} {{dimension = 0 : i64, is_stable = true}}
          : ({F}, tensor<?x3xi32>) -> ({F}, tensor<?x3xi32>)
        %0 = stablehlo.negate %s#0 : {F}
        %1 = stablehlo.negate %s#1 : tensor<?x3xi32>""",
        lambda n: (reals(n, 3), integers(n, 3)),
        lambda n: (reals(n, 3), integers(n + 2, 3)),
    ),
    Family(
        "matrices",
        ["tensor<?x?x?xf32>", "tensor<?x?x2xf32>"],
        ["tensor<?x?x?xf32>", "tensor<?x?x2xf32>"],
        """%0 = stablehlo.cholesky %a0, lower = true : tensor<?x?x?xf32>
        %1 = "stablehlo.triangular_solve"(%0, %a1) {left_side = true, lower = true,
          unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
          : (tensor<?x?x?xf32>, tensor<?x?x2xf32>) -> tensor<?x?x2xf32>""",
        lambda n: (
            np.full((2, n % 50, n % 50), 0.5, np.float32) + np.eye(n % 50, dtype=np.float32),
            reals(2, n % 50, 2),
        ),
        lambda n: (reals(2, n + 1, n), reals(2, n, 2)),
        rtol=1e-3,
    ),
    Family(
        "fft",
        ["tensor<?x8xf32>"],
        ["tensor<?x5xcomplex<f32>>"],
        """%0 = stablehlo.fft %a0, type = RFFT, length = [8]
          : (tensor<?x8xf32>) -> tensor<?x5xcomplex<f32>>""",
        lambda n: (reals(n, 8),),
        rtol=1e-5,
    ),
    Family(
        "bits",
        ["tensor<?x2xi32>"],
        ["tensor<?xi64>", "tensor<?x2x4xi8>"],
        """%0 = stablehlo.bitcast_convert %a0 : (tensor<?x2xi32>) -> tensor<?xi64>
        %1 = stablehlo.bitcast_convert %a0 : (tensor<?x2xi32>) -> tensor<?x2x4xi8>""",
        lambda n: (integers(n, 2) * 77777,),
    ),
    Family(
        "collectives",
        [F],
        [F, F],
        f"""%s = "stablehlo.all_reduce"(%a0) {ADD} {{{ALONE}}} : ({F}) -> {F}
        %0 = "stablehlo.all_gather"(%s) {{all_gather_dim = 0 : i64, {ALONE}}} : ({F}) -> {F}
        %1 = "stablehlo.collective_permute"(%s) {{source_target_pairs = dense<> : tensor<0x2xi64>}}
          : ({F}) -> {F}""",
        lambda n: (reals(n, 3),),
    ),
    Family(
        "functions",
        [F],
        [F, "tensor<?x3xi1>"],
        f"""%0 = chlo.erf %a0 : {F} -> {F}
        %1 = chlo.is_inf %a0 : {F} -> tensor<?x3xi1>""",
        lambda n: (reals(n, 3),),
        rtol=1e-6,
    ),
    Family(
        "broadcasts",
        ["tensor<?x?xf32>", "tensor<?xf32>"],
        ["tensor<?x?xf32>"],
        """%0 = chlo.broadcast_subtract %a0, %a1
          : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>""",
        lambda n: (reals(n, 1), reals(5)),
        lambda n: (reals(n, 3), reals(5)),
    ),
    Family(
        "top_k",
        [F],
        ["tensor<?x2xf32>", "tensor<?x2xi32>"],
        f"""%s:2 = chlo.top_k(%a0, k = 2) : {F} -> (tensor<?x2xf32>, tensor<?x2xi32>)
        %0 = stablehlo.negate %s#0 : tensor<?x2xf32>
        %1 = stablehlo.negate %s#1 : tensor<?x2xi32>""",
        lambda n: (reals(n, 3),),
    ),
    Family(
        "torch_index_select",
        [F, G],
        [F],
        f"""%0 = "stablehlo.torch_index_select"(%a0, %a1) {{dim = 0 : i64, batch_dims = 0 : i64}}
          : ({F}, {G}) -> {F}""",
        lambda n: (reals(11, 3), np.abs(integers(n))),
    ),
    Family(
        "quantized",
        [F],
        [F],
        f"""%q = stablehlo.uniform_quantize %a0 : ({F}) -> {QUANTIZED}
        %s = stablehlo.add %q, %q : {QUANTIZED}
        %r = stablehlo.reverse %s, dims = [0] : {QUANTIZED}
        %0 = stablehlo.uniform_dequantize %r : ({QUANTIZED}) -> {F}""",
        lambda n: (reals(n, 3),),
    ),
    Family(
        "narrow_floats",
        ["tensor<?xf8E5M2>", "tensor<?xf8E5M2>"],
        ["tensor<?xf8E5M2>"],
        "%0 = stablehlo.multiply %a0, %a1 : tensor<?xf8E5M2>",
        lambda n: (reals(n).astype(ml_dtypes.float8_e5m2),) * 2,
        lambda n: tuple(reals(n + i).astype(ml_dtypes.float8_e5m2) for i in (0, 1)),
    ),
    *(
        Family(
            f"random_bits_{algorithm}_{element}".lower(),
            ["tensor<2xui64>", "tensor<2xi64>"],
            ["tensor<2xui64>", f"tensor<?x?x{element}>"],
            f"""%s:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%a0, %a1)
              {{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}}
              : (tensor<2xui64>, tensor<2xi64>) -> (tensor<2xui64>, tensor<?x?x{element}>)
            %c = stablehlo.constant dense<0> : tensor<2xui64>
            %0 = stablehlo.add %s#0, %c : tensor<2xui64>
            %1 = stablehlo.not %s#1 : tensor<?x?x{element}>""",
            lambda n: (np.array([5, 2**64 - 3], np.uint64), np.array([n, 3 + (n == 1)], np.int64)),
        )
        for algorithm in ("THREE_FRY", "PHILOX")
        for element in ("ui32", "ui64")
    ),
    Family(
        "cumulative_sum",
        [F],
        [F],
        f"""%zero = stablehlo.constant dense<0.0> : tensor<f32>
        %ones = stablehlo.constant dense<1> : tensor<2xi32>
        %one = stablehlo.constant dense<1> : tensor<1xi32>
        %none = stablehlo.constant dense<0> : tensor<3xi32>
        %n = stablehlo.get_dimension_size %a0, dim = 0 : ({F}) -> tensor<i32>
        %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
        %window = stablehlo.concatenate %rows, %one, dim = 0
          : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %low = stablehlo.subtract %rows, %one : tensor<1xi32>
        %edges = stablehlo.concatenate %low, %none, dim = 0
          : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
        %padding = stablehlo.reshape %edges : (tensor<4xi32>) -> tensor<2x2xi32>
        %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(
          %a0, %zero, %window, %ones, %ones, %ones, %padding) {{called_computations = [@sum]}}
          : ({F}, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>,
             tensor<2x2xi32>) -> {F}""",
        lambda n: (reals(n + 1, 3),),
        rtol=1e-4,
    ),
    Family(
        "shape_of_a_custom_call",
        [F, "tensor<2xi32>"],
        [F],
        f"""%0 = stablehlo.custom_call @test.first_rows(%a0, %a1)
          {{indices_of_shape_operands = dense<1> : tensor<1xi64>}} : ({F}, tensor<2xi32>) -> {F}""",
        lambda n: (reals(n + 2, 3), np.array([n, 3], np.int32)),
        lambda n: (reals(n + 2, 3), np.array([-1, 3], np.int32)),
    ),
)


@shlo_tools.custom_call("test.first_rows")
def first_rows(x: Array, *, result_types: Sequence[Any]) -> Array:
    """Its result's type has the sizes of this call."""
    return x[: result_types[0].static_shape[0]]


def results_of(returned: Any) -> list[Array]:
    return list(returned) if isinstance(returned, tuple) else [returned]


def compare(got: Array, want: Array, rtol: float) -> None:
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if rtol:
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_sizes(family: Family) -> None:
    """The reference's results for all sizes; what is refused between them changes nothing."""
    executable, peer = shlo_tools.compile(family.text), reference.compile(family.text)
    for size in (*SIZES, *reversed(SIZES)):
        arguments = family.arguments(size)
        before = [array.tobytes() for array in arguments]
        for array in arguments:
            array.flags.writeable = False
        results = zip(results_of(executable(*arguments)), results_of(peer(*arguments)), strict=True)
        for got, want in results:
            compare(got, want, family.rtol)
        assert [array.tobytes() for array in arguments] == before
        if family.wrong is not None:
            _check_refusal(executable, peer, family.wrong(size), f"{family.name} {size}")


def _check_refusal(executable: Any, peer: Any, wrong: Sequence[Array], case: str) -> None:
    """Sizes that do not fit are told with op and place; the reference refuses them, too."""
    before = [array.tobytes() for array in wrong]
    with pytest.raises(ShapeMismatchError, match=r"-:\d+:\d+.*(stablehlo|chlo)\.") as raised:
        executable(*wrong)
    assert isinstance(raised.value, ExecutionError), case
    with pytest.raises(ExecutionError):
        peer(*wrong)
    assert [array.tobytes() for array in wrong] == before
