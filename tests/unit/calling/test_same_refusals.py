"""Whatever runs a program takes the same calls, and refuses the same ones with the same words."""

from __future__ import annotations

import array
import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ArgumentError, ExecutionError, ExecutionTimeout, ShloError
from shlo_tools.interop import remote

COMPILERS: dict[str, Callable[[str], shlo_tools.Executable]] = {
    "native": shlo_tools.compile,
    "specialized": lambda text: shlo_tools.compile(text, specialize=True),
    "reference": lambda text: shlo_tools.compile(text, backend="reference"),
    "probed": lambda text: shlo_tools.compile(text, check_nans=True),
    "probed reference": lambda t: shlo_tools.compile(t, backend="reference", check_nans=True),
    "remote": remote.compile,
}


@functools.cache
def identities(type: str) -> dict[str, shlo_tools.Executable]:
    """The identity of a type by everything that runs programs."""
    # Something to probe stands beside it.
    text = f"""func.func @main(%a: {type}) -> {type} {{
      %0 = stablehlo.constant dense<1.0> : tensor<f32>
      return %a : {type} }}"""
    return {name: compile(text) for name, compile in COMPILERS.items()}


def _masked(*mask: bool) -> Any:
    return np.ma.masked_array(np.ones(len(mask), np.float32), mask)


def _read_only() -> Any:
    ones = np.ones(2, np.float32)
    ones.flags.writeable = False
    return ones


class Raises:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("no array today")


class OnDevice:
    def __dlpack__(self, **options: Any) -> Any:
        raise AssertionError("not asked for")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


F32, TWO, I8, I32, I1 = "tensor<f32>", "tensor<2xf32>", "tensor<i8>", "tensor<i32>", "tensor<i1>"
UI64, ANY, BOUNDED = "tensor<ui64>", "tensor<?xf32>", "tensor<?xf32, #stablehlo.bounds<3>>"
QUANTIZED = "tensor<2x!quant.uniform<i8:f32, 0.5>>"

# Type of the argument, what is passed, and what the error says; by numpy's rules of same_kind.
REFUSED: list[tuple[str, Any, str]] = [
    (F32, None, "NoneType is no array"),
    (F32, "1.0", "str is no array"),
    (F32, {}, "dict is no array"),
    (F32, object(), "object is no array"),
    (F32, Raises(), "no array today"),
    (F32, OnDevice(), "on another device"),
    (F32, 1j, "complex128 values given, f32 wanted"),
    (F32, 1e300, "values do not fit f32"),
    (F32, 10**400, "values do not fit f32"),
    (F32, np.float64(1), "float64 given, float32"),
    (F32, np.True_, "bool given, float32"),
    (F32, np.array("x"), "no tensor holds <U1"),
    (F32, np.array(None), "no tensor holds object"),
    (F32, np.longdouble(1), "no tensor holds"),
    (F32, np.datetime64(0, "s"), "no tensor holds datetime64"),
    (F32, np.array(1, np.dtype("f4").newbyteorder()), "another byte order"),
    (F32, [1.0], r"shape \(1\) given"),
    (TWO, 1.0, r"shape \(\) given"),
    (TWO, [1, [2, 3]], "inhomogeneous"),
    (TWO, [None, 1.0], "object values given"),
    (TWO, ["a", "b"], "<U1 values given"),
    (TWO, np.array([1.0, None]), "no tensor holds object"),
    (TWO, np.ones((2, 1), np.float32), r"shape \(2, 1\) given"),
    (TWO, np.ones(0, np.float32), r"shape \(0\) given"),
    (TWO, np.ones(2), "float64 given"),
    (TWO, memoryview(np.ones(2)), "float64 given"),
    (TWO, memoryview(b"12345678"), "uint8 given"),
    (TWO, bytearray(8), "uint8 given"),
    (TWO, np.ones(4)[::2], "float64 given"),
    (TWO, _masked(True, False), "1 element is masked"),
    (TWO, _masked(True, True), "2 elements are masked"),
    (I8, 128, "values do not fit i8"),
    (I8, 2**70, "values do not fit i8"),
    (I32, 1.0, "float64 values given, i32 wanted"),
    (I32, float("nan"), "float64 values given"),
    (UI64, -1, "values do not fit ui64"),
    (UI64, 2**64, "values do not fit ui64"),
    (I1, 1, "int64 values given, i1 wanted"),
    (I1, 0.0, "float64 values given, i1 wanted"),
    (I1, np.uint8(1), "uint8 given, bool"),
    ("tensor<f8E4M3FN>", 1000, "values do not fit f8E4M3FN"),
    ("tensor<f4E2M1FN>", float("inf"), "values do not fit f4E2M1FN"),
    ("tensor<bf16>", np.uint16(1), "uint16 given, bfloat16"),
    ("tensor<complex<f32>>", 1e300j, "values do not fit complex<f32>"),
    (QUANTIZED, [1, 200], "values do not fit i8"),
    (QUANTIZED, [1.0, 2.0], "float64 values given, i8 wanted"),
    (ANY, np.ones((2, 2), np.float32), r"shape \(2, 2\) given"),
    (BOUNDED, np.ones(4, np.float32), r"shape \(4\) given"),
]
CAST: list[tuple[str, Any, str]] = [
    (F32, np.float64(1e300), "values do not fit f32"),
    (F32, np.complex64(1), "complex64 given, float32"),
    (F32, 1j, "complex128 values given"),
    (F32, np.array("1.0"), "no tensor holds <U3"),
    (I8, np.int64(300), "values do not fit i8"),
    (I8, np.float32("inf"), "values do not fit i8"),
    (I32, np.float64("nan"), "values do not fit i32"),
    (I32, float("nan"), "values do not fit i32"),
    (TWO, np.ones(3), r"shape \(3\) given"),
]


def refusal(executable: Any, *arguments: Any, **options: Any) -> tuple[type, str]:
    with pytest.raises((ShloError, TypeError)) as caught:
        executable(*arguments, **options)
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("cast", [False, True])
def test_arguments_that_do_not_fit(cast: bool) -> None:
    for type, value, message in CAST if cast else REFUSED:
        for name, executable in identities(type).items():
            kind, text = refusal(executable, value, cast=cast)
            assert kind is ArgumentError, (name, type, value)
            native = refusal(identities(type)["native"], value, cast=cast)
            assert (kind, text) == native, (name, type, value)
            with pytest.raises(ArgumentError, match=rf"argument 0: .*{message}"):
                executable(value, cast=cast)


def test_sizes_that_are_no_integers() -> None:
    iota = """func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {
      %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32> }"""
    for name, compile in COMPILERS.items():
        executable = compile(iota)
        assert executable(np.array([3], np.int32)).tolist() == [0, 1, 2], name
        for size in (np.nan, np.inf, 2.5, "3", None):
            wrong = np.array([size])
            expected = refusal(identities("tensor<1xi32>")["native"], wrong)
            assert refusal(executable, wrong) == expected, name


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        ((), {}, ArgumentError, "@main takes 1 argument, 0 given"),
        ((1.0, 2.0), {}, ArgumentError, "@main takes 1 argument, 2 given"),
        ((1.0,), {"timeout": "x"}, ArgumentError, "timeout='x': a number of seconds is wanted"),
        ((1.0,), {"timeout": "1"}, ArgumentError, "timeout='1'"),
        ((1.0,), {"timeout": True}, ArgumentError, "timeout=True"),
        ((1.0,), {"timeout": float("nan")}, ArgumentError, "timeout=nan"),
        ((1.0,), {"timeout": []}, ArgumentError, r"timeout=\[\]"),
        ((1.0,), {"timeout": 1j}, ArgumentError, "timeout=1j"),
        ((1.0,), {"timeout": 0}, ExecutionTimeout, "stopped after 0 seconds"),
        ((1.0,), {"timeout": -1.5}, ExecutionTimeout, "stopped after -1.5 seconds"),
        ((1.0,), {"time_out": 1}, TypeError, "unexpected keyword argument 'time_out'"),
    ],
    ids=str,
)
def test_calls_that_are_none(
    arguments: Any, options: dict[str, Any], kind: type, message: str
) -> None:
    for name, executable in identities(F32).items():
        observed = refusal(executable, *arguments, **options)
        assert observed == refusal(identities(F32)["native"], *arguments, **options), name
        assert observed[0] is kind
        with pytest.raises(kind, match=message):
            executable(*arguments, **options)


# What is taken, and as which values.
TAKEN: list[tuple[str, Any, Any]] = [
    (F32, True, 1.0),
    (F32, 3, 3.0),
    (F32, 2**70, 2.0**70),
    (F32, float("nan"), np.nan),
    (F32, float("inf"), np.inf),
    (F32, np.float32(2.5), 2.5),
    (I32, True, 1),
    (UI64, 2**64 - 1, 2**64 - 1),
    (I1, False, False),
    ("tensor<2xui64>", [1, 2**63], np.array([1, 2**63], np.uint64)),
    ("tensor<complex<f32>>", 2, 2 + 0j),
    ("tensor<f16>", 65519.9, 65504),
    (TWO, (1, 2.5), [1, 2.5]),
    (TWO, memoryview(np.float32([1, 2])), [1, 2]),
    (TWO, array.array("f", [1, 2]), [1, 2]),
    (TWO, np.arange(4, dtype=np.float32)[::-2], [3, 1]),
    (TWO, _masked(False, False), [1, 1]),
    (TWO, _read_only(), [1, 1]),
    ("tensor<0x2xf32>", np.ones((0, 2), np.float32), np.ones((0, 2))),
    ("tensor<0xi32>", [], np.ones(0)),
    ("tensor<3xui8>", b"abc", [97, 98, 99]),
    ("tensor<bf16>", ml_dtypes.bfloat16(1.5), 1.5),
    (QUANTIZED, [3, -128], [3, -128]),
    (ANY, [1, 2, 3], [1, 2, 3]),
    (BOUNDED, [1, 2, 3], [1, 2, 3]),
]


def test_arguments_that_fit() -> None:
    for type, value, expected in TAKEN:
        for name, executable in identities(type).items():
            result = executable(value)
            assert isinstance(result, np.ndarray), name
            np.testing.assert_array_equal(result.astype(np.asarray(expected).dtype), expected, name)


def test_casts_that_lose_fractions_only() -> None:
    for type, value, expected in ((I32, np.float64(-1.7), -1), (I32, 1.7, 1), (F32, 0.1, 0.1)):
        for executable in identities(type).values():
            assert executable(value, cast=True) == np.float32(expected)
    swapped = np.array([1, 2], np.dtype("f4").newbyteorder())
    for executable in identities(TWO).values():
        assert executable(swapped, cast=True).tolist() == [1, 2]


def test_all_have_the_protocol() -> None:
    for name, executable in identities(TWO).items():
        assert isinstance(executable, shlo_tools.Executable), name
        assert executable.name == "main"
        assert str(executable.signature) == f"({TWO}) -> ({TWO})"
        assert [str(type) for type in executable.signature.inputs] == [TWO]
        assert f"@main({TWO}) -> ({TWO})" in repr(executable)


def test_executables_stay_in_their_process() -> None:
    for executable in identities(TWO).values():
        for take_along in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(ShloError, match="@main cannot be pickled") as caught:
                take_along(executable)
            assert "compile it there" in caught.value.diagnostics[0].hint


def test_memory_that_does_not_suffice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the copy of an argument that cannot be read in place."""

    def exhausted(*arguments: Any, **options: Any) -> Any:
        raise MemoryError

    from shlo_tools.calling import arguments

    local = {n: e for n, e in identities(TWO).items() if n != "remote"}
    monkeypatch.setattr(arguments, "as_argument", exhausted)
    for executable in local.values():
        with pytest.raises(ExecutionError, match="memory does not suffice for copies"):
            executable([1.0, 2.0])
