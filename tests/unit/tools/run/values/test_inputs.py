"""The notation of shlo-run's values: what is read, what is refused, and how it is said."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind, parse_tensor_type
from shlo_tools.errors import ArgumentError, ParseError, ShloError
from shlo_tools.tools.run.values import inputs, literals
from shlo_tools.tools.run.values.inputs import Wanted
from shlo_tools.tools.run.values.signature import Slot


def literal(text: str, expected: str = "f32") -> np.ndarray[Any, Any]:
    return literals.read(text, parse_tensor_type(expected), "--input")


def arguments(*types: str, names: tuple[str, ...] = (), cast: bool = False) -> Wanted:
    padded = names or ("",) * len(types)
    slots = tuple(Slot(n, f"tensor<{t}>") for n, t in zip(padded, types, strict=True))
    return Wanted("--input", "argument", "arg", slots, cast)


# --- values written out ---------------------------------------------------------------------------
ROWS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@pytest.mark.parametrize(
    "text",
    [
        "2x3xf32=[[1,2,3],[4,5,6]]",
        "2x3xf32=[[1, 2, 3], [4, 5, 6]]",
        "2x3xf32=[[1 2 3] [4 5 6]]",
        "2x3xf32=[1 2 3][4 5 6]",  # as iree-run-module has it
        "2x3xf32=[1,2,3],[4,5,6]",
        "2x3xf32=1 2 3 4 5 6",
        "2x3xf32=[1,2,3,4,5,6]",
        "tensor<2x3xf32>=[[1,2,3],[4,5,6]]",
        " 2x3xf32 = [[1,2,3],\n [4,5,6]] ",
        "[[1,2,3],[4,5,6]]",  # of the wanted type
        "1 2 3 4 5 6",
    ],
)
def test_spellings_of_one_array(text: str) -> None:
    np.testing.assert_array_equal(literal(text, "2x3xf32"), ROWS, strict=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f32=3.5", np.float32(3.5)),
        ("-3", np.float32(-3)),
        ("f32=[3.5]", np.float32(3.5)),
        ("2x3xf32=7", np.full((2, 3), 7, np.float32)),
        ("1x3xi32=[1 2 3]", np.array([[1, 2, 3]], np.int32)),
        ("2x1xi32=[1][2]", np.array([[1], [2]], np.int32)),
        ("1x2x2xi8=[[1 2][3 4]]", np.array([[[1, 2], [3, 4]]], np.int8)),
        ("0xf32=[]", np.zeros(0, np.float32)),
        ("0xf32=", np.zeros(0, np.float32)),
        ("0x3xf32=[]", np.zeros((0, 3), np.float32)),
        ("2x0xf32=[[],[]]", np.zeros((2, 0), np.float32)),
        ("0x3xf32=1", np.zeros((0, 3), np.float32)),
        ("3xi1=[true, False, 1]", np.array([True, False, True])),
        ("2xi64=[-9223372036854775808, 0x7fffffffffffffff]", np.array([-(2**63), 2**63 - 1])),
        ("ui64=18446744073709551615", np.uint64(2**64 - 1)),
        ("2xi4=[-8, 7]", np.array([-8, 7], ml_dtypes.int4)),
        ("2xui2=[0, 3]", np.array([0, 3], ml_dtypes.uint2)),
        ("2xf32=[.5, 1.]", np.array([0.5, 1], np.float32)),
        ("f64=1e-320", np.float64(1e-320)),
        ("bf16=1.5", np.array(1.5, ml_dtypes.bfloat16)),
        ("f8E4M3FN=448", np.array(448, ml_dtypes.float8_e4m3fn)),
        ("f8E8M0FNU=0.25", np.array(0.25, ml_dtypes.float8_e8m0fnu)),
        ("f4E2M1FN=-6", np.array(-6, ml_dtypes.float4_e2m1fn)),
        ("3xcomplex<f32>=[(1,-2), 3, 1-2j]", np.array([1 - 2j, 3, 1 - 2j], np.complex64)),
        ("complex<f64>=-1.5j", np.complex128(-1.5j)),
    ],
)
def test_values_and_types(text: str, expected: Any) -> None:
    np.testing.assert_array_equal(literal(text), np.asarray(expected), strict=True)


def test_infinities_nans_and_signed_zero() -> None:
    got = literal("6xf32=[inf, -inf, nan, -Infinity, -0.0, -NaN]")
    np.testing.assert_array_equal(
        got, np.array([np.inf, -np.inf, np.nan, -np.inf, -0.0, np.nan], "f4")
    )
    assert np.signbit(got[4])


def test_hexadecimal_floats_are_bits_as_in_mlir() -> None:
    got = literal("4xf32=[0x7FC00001, 0xFF800000, 0x1, 2.0]")
    np.testing.assert_array_equal(got.view(np.uint32), [0x7FC00001, 0xFF800000, 1, 0x40000000])
    assert literal("f16=0x7C00") == np.inf
    assert literal("bf16=0x3FC0").astype(float) == 1.5
    assert literal("complex<f32>=(0x3F800000,0)") == 1


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("2x3xf32=[[1,2,3],[4,5]]", 18, "2 values here, 3 in the first of its row"),
        ("2x3xf32=[[1,2,3],[4,5,x]]", 23, "'x' is not a number"),
        ("2x3xf32=[[1,2],[4,5]]", 9, "2x2 values given, tensor<2x3xf32> wanted"),
        ("2x3xf32=[[1,2,3],[4,5,6]", 9, "this bracket is not closed"),
        ("2x3xf32=[1,2,3]]", 16, "this bracket closes none"),
        ("2xf32=[1,,2]", 10, "a value is missing"),
        ("2xf32=[,1]", 8, "a value is missing"),
        ("2xf32=[1,]", 10, "a value is missing"),
        ("2xf32=1,", 8, "a value is missing after this comma"),
        ("2xf32=", 7, "values are missing"),
        ("2x2xf32=[1,[2]]", 10, "a number beside a bracket"),
        ("2xf33=1", 1, "element type f33 is not supported"),
        ("2y3xf32=1", 1, "'2y3xf32' is no tensor type"),
        ("?xf32=1", 1, "sizes must be numbers here"),
        ("2xi8=[1,300]", 9, "300 does not fit i8: -128 to 127"),
        ("ui8=-1", 5, "-1 does not fit ui8: 0 to 255"),
        ("i4=8", 4, "8 does not fit i4: -8 to 7"),
        ("i32=1.5", 5, "'1.5' is not an integer"),
        ("i1=maybe", 4, "'maybe' is not true or false"),
        ("i1=2", 4, "2 does not fit i1: 0 to 1"),
        ("f16=70000", 5, "70000 does not fit f16"),
        ("f64=1e999", 5, "1e999 does not fit f64"),
        ("f8E4M3FN=inf", 10, "inf does not fit f8E4M3FN"),
        ("f8E8M0FNU=-1", 11, "-1 does not fit f8E8M0FNU"),
        ("f8E8M0FNU=0", 11, "0 does not fit f8E8M0FNU"),
        ("f6E2M3FN=nan", 10, "nan does not fit f6E2M3FN"),
        ("f4E2M1FN=7", 10, "7 does not fit f4E2M1FN"),
        ("f16=0x12345", 5, "0x12345 has more than the 16 bits of f16"),
        ("complex<f32>=(1)", 14, "'(1)' is not (real, imaginary)"),
        ("complex<f32>=(1,y)", 17, "'y' is not a number"),
        ("complex<f32>=1+k", 14, "'1+k' is not a number"),
        ("f32=(1", 5, "this parenthesis has no partner"),
        ("f32=" + "[" * 20_000, 68, "nested more than 64 levels deep"),
        ("f32=1_000", 5, "'1_000' is not a number"),
        ("x.npy", 1, "'x.npy' is not a number"),
    ],
)
def test_malformed_values_get_a_caret(text: str, column: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        literal(text)
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.place is not None
    assert (diagnostic.message, diagnostic.place.column) == (message, column)
    assert diagnostic.place.file == "--input"


def test_a_forgotten_at_sign_is_guessed() -> None:
    with pytest.raises(ParseError, match=r"a file is written @x\.npy"):
        literal("data/x.npz")


@given(st.text(alphabet="0123456789x[](),.= \n-+einfatruj", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for element in ("2xf32", "i8", "complex<f64>", "i1"):
        try:
            array = literal(text, element)
        except ParseError:
            continue
        assert array.dtype in [row.dtype for row in ELEMENT_TYPES.values()]


@given(
    st.sampled_from(["f32", "f64", "i16", "ui8", "i1", "complex<f32>", "bf16", "f8E5M2"]),
    st.lists(st.integers(0, 3), max_size=3),
    st.integers(0, 2**32),
)
def test_printed_arrays_are_read_back(element: str, shape: list[int], seed: int) -> None:
    """What shlo-run prints can be pasted behind ``--input=TYPE=``."""
    type = parse_tensor_type("x".join([*map(str, shape), element]))
    array = inputs.random_values(type, np.random.default_rng(seed))
    attribute = literal(f"{type}={literals.written(array, 1000)}")
    np.testing.assert_array_equal(attribute, array, strict=True)


# --- files ----------------------------------------------------------------------------------------
def test_archives_give_arguments_by_number_order_or_name(tmp_path: Path) -> None:
    first, second = np.arange(2, dtype=np.float32), np.arange(3, dtype=np.int32)
    expected = arguments("2xf32", "3xi32", names=("images", "labels"))
    for name, members in (
        ("numbered", {"arg1": second, "result0": second, "arg0": first}),
        ("positional", {"arr_0": first, "arr_1": second}),
        ("named", {"labels": second, "images": first, "more": second}),
    ):
        path = tmp_path / f"{name}.npz"
        np.savez(path, **members)  # type: ignore[arg-type]
        got = inputs.read([f"@{path}"], expected)
        np.testing.assert_array_equal(got[0], first, strict=True)
        np.testing.assert_array_equal(got[1], second, strict=True)


def test_eleven_numbered_arrays_are_in_order_of_number(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", **{f"arg{i}": np.int32(i) for i in range(11)})  # type: ignore[arg-type]
    got = inputs.read([f"@{tmp_path / 'x.npz'}"], arguments(*["i32"] * 11))
    assert [int(array) for array in got] == list(range(11))


def test_one_array_of_an_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.float32(1), b=np.float32(2))
    path = tmp_path / "x.npz"
    assert inputs.read([f"@{path}:b", f"@{path}:a"], arguments("f32", "f32")) == [2, 1]
    with pytest.raises(ShloError, match="has no array 'c'"):
        inputs.read([f"@{path}:c"], arguments("f32"))
    with pytest.raises(ArgumentError, match=r"names its arrays a, b; arg0, arg1, \.\.\. wanted"):
        inputs.read([f"@{path}"], arguments("f32", "f32"))


def test_a_gap_in_numbered_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", arg0=np.float32(1), arg2=np.float32(2))
    with pytest.raises(ArgumentError, match="has arg2, but no arg1"):
        inputs.read([f"@{tmp_path / 'x.npz'}"], arguments("f32", "f32"))


# --- random values --------------------------------------------------------------------------------
@pytest.mark.parametrize("element", ELEMENT_TYPES.values(), ids=str)
def test_random_values_are_usable(element: ElementType) -> None:
    type = parse_tensor_type(f"40x50x{element}")
    array = inputs.random_values(type, np.random.default_rng(0))
    assert (array.shape, array.dtype) == ((40, 50), element.dtype)
    wide = array.astype(np.complex128 if element.is_complex else np.float64)
    assert np.isfinite(wide).all()
    assert len(np.unique(wide)) > 1
    if not element.is_float and not element.is_complex:
        high = {Kind.BOOLEAN: 1, Kind.UNSIGNED: 2**element.bits - 1}.get(
            element.kind, 2 ** (element.bits - 1) - 1
        )
        assert set(np.unique(wide)) == set(range(min(9, high) + 1))


def test_random_values_have_zero_mean_and_unit_variance() -> None:
    array = inputs.random_values(parse_tensor_type("100x100xf64"), np.random.default_rng(0))
    assert abs(array.mean()) < 5 / 100  # five standard deviations of the mean
    assert abs(array.var() - 1) < 5 * math.sqrt(2) / 100


def test_random_values_depend_on_seed_and_argument_only() -> None:
    expected = arguments("4xf32", "4xf32", "4xf32")
    once, again, other = (inputs.read([t], expected) for t in ("random:1", "random:1", "random:2"))
    np.testing.assert_array_equal(once, again)
    rows = [tuple(array) for array in (*once, *other)]
    assert len(set(rows)) == 6
    mixed = inputs.read(["0", "random:1"], expected)
    np.testing.assert_array_equal(mixed[1:], once[1:])


def test_random_values_of_sizes_that_the_program_leaves_open() -> None:
    expected = arguments("?x4xf32", "4xf32")
    first, second = inputs.read(["2x4xf32=random:1", "random:1"], expected)
    same = inputs.read(["random:1"], arguments("2x4xf32", "4xf32"))
    np.testing.assert_array_equal(first, same[0])
    np.testing.assert_array_equal(second, same[1])
    with pytest.raises(ShloError, match=r"need a size for every \? in(.|\n)*8x4xf32=random:1"):
        inputs.read(["random:1"], expected)
    with pytest.raises(ShloError, match=r"shape \(2, 5\) given"):
        inputs.read(["2x5xf32=random:1", "random:1"], expected)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["random"], "a seed is missing"),
        (["2xf32=random", "0"], "a seed is missing"),
        (["random:x"], "a seed is missing"),
        (["random:-1"], "a seed is missing"),
        (["0", "0", "random:1"], "there are only 2 arguments"),
        (["random:0", "random:0", "random:0"], "there are only 2 arguments"),
    ],
)
def test_bad_random(texts: list[str], message: str) -> None:
    with pytest.raises(ShloError, match=message):
        inputs.read(texts, arguments("2xf32", "2xf32"))


# --- fitting --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "0 arguments given, 2 wanted"),
        (["1"], "1 argument given, 2 wanted"),
        (["1", "2", "3"], "3 arguments given, 2 wanted"),
        (["2x2xf32=1", "1"], r"argument 0 \(images\) is a tensor<2x3xf32>; shape \(2, 2\) given"),
        (["2x3xf64=1", "1"], "argument 0 .* float64 given\n.*--cast"),
        (["1", "i64=1"], r"argument 1 \(label\) is a tensor<i32>; int64 given"),
        (["6xf32=1", "1"], r"shape \(6\) given"),
    ],
)
def test_arguments_that_do_not_fit(texts: list[str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        inputs.read(texts, arguments("2x3xf32", "i32", names=("images", "label")))


def test_big_endian_files_are_refused_or_cast(tmp_path: Path) -> None:
    values = np.arange(3, dtype=">f4")
    np.save(tmp_path / "x.npy", values)
    with pytest.raises(ArgumentError, match="float32 in another byte order given"):
        inputs.read([f"@{tmp_path / 'x.npy'}"], arguments("3xf32"))
    [cast] = inputs.read([f"@{tmp_path / 'x.npy'}"], arguments("3xf32", cast=True))
    np.testing.assert_array_equal(cast, np.arange(3, dtype=np.float32), strict=True)


def test_cast_converts_numbers_only(tmp_path: Path) -> None:
    [cast] = inputs.read(["3xf64=[1.9, -1.9, 3]"], arguments("3xi32", cast=True))
    np.testing.assert_array_equal(cast, np.array([1, -1, 3], np.int32), strict=True)
    with pytest.raises(ArgumentError, match="complex values given, f32 wanted"):
        inputs.read(["complex<f32>=1"], arguments("f32", cast=True))
    np.save(tmp_path / "x.npy", np.array(["1"]))
    with pytest.raises(ArgumentError, match="cannot be converted to f32"):
        inputs.read([f"@{tmp_path / 'x.npy'}"], arguments("1xf32", cast=True))


def test_more_than_memory_is_refused_before_it_is_made() -> None:
    for text in ("1000000x1000000xf32=0", "0", "random:1"):
        with pytest.raises(ShloError, match="bytes are needed, this machine has"):
            inputs.read([text], arguments("1000000x1000000xf32"))
