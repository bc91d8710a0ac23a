"""What may be passed to a compiled program, what is refused, and that nothing of it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ArgumentError

Array = np.ndarray[Any, Any]

ADD = """
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.add %a, %b : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}"""
A = np.arange(12, dtype=np.float32).reshape(3, 4)
B = A * 100


@pytest.fixture(scope="module")
def add() -> shlo_tools.Executable:
    return shlo_tools.compile(ADD)


def identity(type: str) -> shlo_tools.Executable:
    return shlo_tools.compile(f"func.func @main(%a: {type}) -> {type} {{ return %a : {type} }}")


# --- arguments that are taken as they are ---------------------------------------------------------
def _strided() -> Array:
    return np.repeat(np.repeat(A, 2, axis=0), 3, axis=1)[::2, ::3]


def _unaligned() -> Array:
    raw = bytearray(A.nbytes + 1)
    raw[1:] = A.tobytes()
    return np.frombuffer(raw, np.float32, offset=1).reshape(3, 4)


def _read_only() -> Array:
    copy = A.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS: dict[str, Callable[[], Any]] = {
    "as it is": A.copy,
    "read-only": _read_only,
    "Fortran order": lambda: np.asfortranarray(A),
    "strided": _strided,
    "backwards": lambda: np.ascontiguousarray(A[::-1, ::-1])[::-1, ::-1],
    "broadcast": lambda: np.broadcast_to(A[0], (3, 4)),
    "unaligned": _unaligned,
    "memory map of bytes": lambda: np.frombuffer(A.tobytes(), np.float32).reshape(3, 4),
    "subclass": lambda: A.view(np.ma.MaskedArray),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_read_right_and_never_written(add: Any, name: str) -> None:
    inputs = LAYOUTS[name]()
    before = np.array(inputs)
    np.testing.assert_array_equal(add(inputs, B), before + B)
    np.testing.assert_array_equal(inputs, before)


def test_overlapping_arguments(add: Any) -> None:
    """One array twice, and two windows that share elements."""
    np.testing.assert_array_equal(add(A, A), A + A)
    long = np.arange(16, dtype=np.float32)
    one, two = long[:12].reshape(3, 4), long[4:].reshape(3, 4)
    np.testing.assert_array_equal(add(one, two), one + two)
    np.testing.assert_array_equal(long, np.arange(16))


V, S, ONE = "tensor<64xf32>", "tensor<f32>", "tensor<1xi64>"
TEMPTING = {
    "add": f"%0 = stablehlo.add %a, %a : {V}",
    "dynamic_update_slice": f"""
      %u = stablehlo.slice %a [32:64] : ({V}) -> tensor<32xf32>
      %i = stablehlo.constant dense<3> : tensor<i32>
      %0 = stablehlo.dynamic_update_slice %a, %u, %i : ({V}, tensor<32xf32>, tensor<i32>) -> {V}""",
    "scatter": f"""
      %i = stablehlo.constant dense<5> : {ONE}
      %u = stablehlo.constant dense<-1.0> : {S}
      %0 = "stablehlo.scatter"(%a, %i, %u) <{{
        scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0]>}}> ({{
      ^bb0(%x: {S}, %y: {S}):
        stablehlo.return %y : {S}
      }}) : ({V}, {ONE}, {S}) -> {V}""",
    "sort": f"""
      %0 = "stablehlo.sort"(%a) <{{dimension = 0 : i64}}> ({{
      ^bb0(%x: {S}, %y: {S}):
        %1 = stablehlo.compare GT, %x, %y : ({S}, {S}) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }}) : ({V}) -> {V}""",
    "while": f"""
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, {V}
      cond {{
        %1 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }} do {{
        %2 = stablehlo.negate %x : {V}
        %3 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %3, %2 : tensor<i32>, {V}
      }}
      %0 = stablehlo.reshape %r#1 : ({V}) -> {V}""",
}


@pytest.mark.parametrize("op", TEMPTING)
def test_an_argument_that_could_be_updated_in_place_is_not(op: str) -> None:
    """The result has the argument's type, which nothing else needs: tempting to reuse."""
    executable = shlo_tools.compile(
        f"func.func @main(%a: {V}) -> {V} {{ {TEMPTING[op]} return %0 : {V} }}"
    )
    inputs = np.arange(64, dtype=np.float32)
    result = executable(inputs)
    np.testing.assert_array_equal(inputs, np.arange(64))
    assert (result != inputs).any()


def test_empty_and_scalar_arguments() -> None:
    for shape in ((0,), (0, 3), (2, 0, 4), ()):
        inputs = np.ones(shape, np.float64)
        sizes = "".join(f"{size}x" for size in shape)
        result = identity(f"tensor<{sizes}f64>")(inputs)
        assert result.shape == shape and result.dtype == np.float64
        np.testing.assert_array_equal(result, inputs)


def test_narrow_types_of_ml_dtypes() -> None:
    for dtype, name in ((ml_dtypes.bfloat16, "bf16"), (ml_dtypes.float8_e4m3fn, "f8E4M3FN")):
        inputs = np.array([1.5, -2.0, 0.5]).astype(dtype)
        result = identity(f"tensor<3x{name}>")(inputs)
        assert result.dtype == inputs.dtype
        np.testing.assert_array_equal(result.view(np.uint8), inputs.view(np.uint8))


class WithArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return A


class WithDlpack:
    def __dlpack__(self, **options: Any) -> Any:
        return A.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return A.__dlpack_device__()


class Broken:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise TypeError("no array today")


def test_objects_that_offer_their_data(add: Any) -> None:
    for inputs in (WithArray(), WithDlpack(), np.ma.masked_array(A)):
        np.testing.assert_array_equal(add(inputs, B), A + B)
    with pytest.raises(ArgumentError, match=r"argument 1: no array today"):
        add(A, Broken())


def test_python_numbers_and_lists(add: Any) -> None:
    """They have no dtype of their own and take the wanted one, if it can hold them."""
    np.testing.assert_array_equal(add(A.tolist(), B), A + B)
    assert identity("tensor<f32>")(3) == 3.0
    assert identity("tensor<i8>")(-128) == -128
    assert identity("tensor<ui64>")(2**64 - 1) == 2**64 - 1
    assert identity("tensor<i1>")(True)
    assert identity("tensor<complex<f64>>")(1 + 2j) == 1 + 2j
    assert identity("tensor<bf16>")(0.5) == 0.5
    assert identity("tensor<0xf32>")([]).shape == (0,)
    np.testing.assert_array_equal(identity("tensor<2xui8>")((0, 255)), [0, 255])
    assert identity("tensor<f32>")(np.float32(2.5)) == 2.5


REFUSED_NUMBERS = [
    ("tensor<i8>", 128),
    ("tensor<ui8>", -1),
    ("tensor<ui64>", 2**64),
    ("tensor<i32>", 1.5),
    ("tensor<i32>", 2.0),
    ("tensor<i1>", 1),
    ("tensor<f32>", 1j),
    ("tensor<2xf32>", [1, [2, 3]]),
    ("tensor<2xf32>", ["a", "b"]),
    ("tensor<f32>", "1.0"),
    ("tensor<f32>", None),
    ("tensor<f32>", {}),
    ("tensor<3xi8>", b"abc"),
]


@pytest.mark.parametrize(("type", "value"), REFUSED_NUMBERS, ids=str)
def test_python_values_that_do_not_fit_are_refused(type: str, value: Any) -> None:
    with pytest.raises(ArgumentError, match="argument 0"):
        identity(type)(value)


# --- arguments that are refused -------------------------------------------------------------------
def test_wrong_number_of_arguments(add: Any) -> None:
    for inputs in ((), (A,), (A, A, A)):
        with pytest.raises(
            ArgumentError, match=f"takes 2 arguments, {len(inputs)} given"
        ) as caught:
            add(*inputs)
        assert "tensor<3x4xf32>" in caught.value.diagnostics[0].hint


def test_wrong_dtype_says_how_to_convert(add: Any) -> None:
    with pytest.raises(ArgumentError, match="argument 1: float64 given, float32") as caught:
        add(A, B.astype(np.float64))
    assert caught.value.diagnostics[0].hint == "cast=True or x.astype('float32')"
    assert isinstance(caught.value, ValueError)
    for dtype in (np.int32, bool, object, np.complex64, "datetime64[s]", "U3"):
        with pytest.raises(ArgumentError, match="argument 0"):
            add(np.zeros((3, 4), dtype), B)


@pytest.mark.parametrize("shape", [(4, 3), (12,), (3, 4, 1), (), (3, 0)])
def test_wrong_shape(add: Any, shape: tuple[int, ...]) -> None:
    """Nothing is broadcast or reshaped on the way."""
    with pytest.raises(ArgumentError, match=r"argument 0: shape \(.*\) given, tensor<3x4xf32>"):
        add(np.zeros(shape, np.float32), B)


def test_wrong_byte_order(add: Any) -> None:
    swapped = A.astype(A.dtype.newbyteorder())
    with pytest.raises(ArgumentError, match="another byte order") as caught:
        add(swapped, B)
    assert "astype('float32')" in caught.value.diagnostics[0].hint
    assert add(swapped.astype("float32"), B)[2, 3] == 1111


def test_cast_converts_what_would_be_refused(add: Any) -> None:
    np.testing.assert_array_equal(add(A.astype(np.float64), B.astype(np.int16), cast=True), A + B)
    np.testing.assert_array_equal(add(A > 5, np.asfortranarray(B), cast=True), (A > 5) + B)
    with pytest.raises(ArgumentError, match="shape"):
        add(A.astype(np.float64)[:2], B, cast=True)
    with pytest.raises(ArgumentError, match="argument 0"):
        add(np.full((3, 4), "x"), B, cast=True)


def test_a_refused_call_leaves_the_executable_usable(add: Any) -> None:
    for _ in range(20):
        with pytest.raises(ArgumentError):
            add(A)
    np.testing.assert_array_equal(add(A, B), A + B)
