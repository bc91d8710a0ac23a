"""C functions as targets: signatures, layouts, aliases, failures.

``ctypes`` makes C pointers of Python functions, so most of this needs no compiler. What such a
function raises ctypes prints and drops: they note what they see, and tests look at the notes.
"""

from __future__ import annotations

import ctypes
import gc
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import extend, reference
from shlo_tools.errors import ExecutionError, ShloError, UnsupportedError

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Any]

BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])
TEXTS = (b"scale=3", b"", b"a\x00b")
POINTER, TEXT, SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
ORIGINAL = ctypes.CFUNCTYPE(None, POINTER, ctypes.POINTER(POINTER))
RETURNING = ctypes.CFUNCTYPE(None, POINTER, ctypes.POINTER(POINTER), POINTER)
UNIFIED = ctypes.CFUNCTYPE(
    None, POINTER, ctypes.POINTER(POINTER), ctypes.POINTER(ctypes.c_char), SIZE, POINTER
)
X = np.arange(6, dtype=np.float32).reshape(2, 3)


pytestmark = pytest.mark.usefixtures("own_registry")


def floats(address: int, count: int = 6) -> Any:
    """Memory as an array of floats."""
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_float)), (count,))


def calling(attributes: str = "", type: str = "2x3xf32", target: str = "f") -> str:
    return f"""func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{
      %0 = stablehlo.custom_call @{target}(%x) {{{attributes}}} : (tensor<{type}>) -> tensor<{type}>
      return %0 : tensor<{type}>
    }}"""


@ORIGINAL
def increment(out: int, operands: Any) -> None:
    floats(out)[:] = floats(operands[0]) + 1


# --- registering ----------------------------------------------------------------------------------
def capsule(pointer: Any, name: bytes | None) -> Any:
    """As ``jax.ffi.pycapsule`` makes them."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [POINTER, TEXT, POINTER]
    return new(ctypes.cast(pointer, POINTER), name, None)


NAME = b"xla._CUSTOM_CALL_TARGET"


@BOTH
@pytest.mark.parametrize("form", ["pointer", "address", "capsule", "unnamed", "decorated"])
def test_every_form_of_a_pointer(compile: Compile, form: str) -> None:
    if form == "pointer":
        shlo_tools.custom_call("f", address=increment)
    elif form == "address":
        shlo_tools.custom_call("f", address=ctypes.cast(increment, POINTER).value)
    elif form == "decorated":
        assert shlo_tools.custom_call("f")(increment) is increment
    else:
        made = capsule(increment, NAME if form == "capsule" else None)
        shlo_tools.custom_call("f", address=made)
    np.testing.assert_array_equal(compile(calling())(X), X + 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"address": 0}, "0 is no address"),
        ({"address": "f"}, "'f' is no address"),
        ({"address": increment, "api_version": 0}, "0 .API_VERSION_UNSPECIFIED. cannot be"),
        ({"address": increment, "api_version": 9}, "9 .unknown. cannot be called"),
    ],
)
def test_what_is_no_function_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ShloError, match=message):
        shlo_tools.custom_call("f", **given)


def test_a_python_function_has_no_api_version() -> None:
    with pytest.raises(ShloError, match="api_version is for C functions"):
        shlo_tools.custom_call("f", api_version=1)(lambda x: x)
    with pytest.raises(ShloError, match="5 is no function"):
        shlo_tools.custom_call("f")(5)


def test_a_target_has_one_function() -> None:
    shlo_tools.custom_call("f", address=increment)
    shlo_tools.custom_call("f", address=increment)  # the same again
    with pytest.raises(ShloError, match="'f' is registered already, by the C function at 0x"):
        shlo_tools.custom_call("f")(lambda x: x)


def test_executables_keep_their_code() -> None:
    local = ORIGINAL(lambda out, operands: floats(out).__setitem__(slice(None), 5))
    shlo_tools.custom_call("f", address=local)
    executable = shlo_tools.compile(calling())
    extend._registered.clear()
    del local
    gc.collect()
    np.testing.assert_array_equal(executable(X), np.full((2, 3), 5))


# --- signatures -----------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize("registered", [None, 2])
def test_status_returning(compile: Compile, registered: int | None) -> None:
    """Version 2 adds a status; the op tells it, or who registers the function."""
    held = ctypes.create_string_buffer(b"too small, and more")

    @RETURNING
    def check(out: int, operands: Any, status: int) -> None:
        words = (ctypes.c_uint64 * 8).from_address(status)
        assert list(words) == [0] * 8
        floats(out)[:] = floats(operands[0]) * 2
        if floats(operands[0])[0] < 0:
            words[0], words[1] = ctypes.addressof(held), len("too small")

    shlo_tools.custom_call("f", address=check, api_version=registered)
    executable = compile(calling("" if registered else "api_version = 2 : i32"))
    np.testing.assert_array_equal(executable(X), X * 2)
    with pytest.raises(ExecutionError, match=r"-:2:\d+: .*'f' failed: too small$"):
        executable(X - 1)
    np.testing.assert_array_equal(executable(X), X * 2)


NO_TEXT = b"\xff\x00\x01"
OPAQUE = [(compile, text) for compile in (shlo_tools.compile, reference.compile) for text in TEXTS]


@pytest.mark.parametrize(("compile", "opaque"), [*OPAQUE, (shlo_tools.compile, NO_TEXT)])
def test_unified(compile: Compile, opaque: bytes) -> None:
    """Version 3 adds the text of backend_config, which may hold any bytes."""
    seen: list[bytes] = []

    @UNIFIED
    def note(out: int, operands: Any, text: Any, length: int, status: int) -> None:
        seen.append(text[:length])
        floats(out)[:] = 0

    shlo_tools.custom_call("f", address=note)
    spelled = "".join(f"\\{byte:02X}" for byte in opaque)
    compile(calling(f'api_version = 3 : i32, backend_config = "{spelled}"'))(X)
    assert seen == [opaque]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("api_version = 0 : i32", "api_version 0 .API_VERSION_UNSPECIFIED. cannot be called"),
        ("api_version = 4 : i32, backend_config = {}", "4 .API_VERSION_TYPED_FFI. cannot be"),
        ("mhlo.backend_config = {a = 1 : i32}", "4 .API_VERSION_TYPED_FFI. cannot be called"),
    ],
)
def test_signatures_that_cannot_be_called(attributes: str, message: str) -> None:
    shlo_tools.custom_call("f", address=increment)
    with pytest.raises(UnsupportedError, match=message) as caught:
        shlo_tools.compile(calling(attributes))
    assert "register a Python function" in caught.value.render()
    shlo_tools.custom_call("g", address=increment, api_version=1)
    np.testing.assert_array_equal(shlo_tools.compile(calling(attributes, target="g"))(X), X + 1)


def test_a_dictionary_is_no_text() -> None:
    shlo_tools.custom_call("f", address=increment, api_version=3)
    with pytest.raises(UnsupportedError, match="its backend_config is a dictionary"):
        shlo_tools.compile(calling("mhlo.backend_config = {a = 1 : i32}"))


# --- memory ---------------------------------------------------------------------------------------
def layouts(operand: str, result: str) -> str:
    return (
        f"operand_layouts = [dense<{operand}> : tensor<2xindex>],"
        f" result_layouts = [dense<{result}> : tensor<2xindex>]"
    )


@BOTH
@pytest.mark.parametrize("operand", ["[1, 0]", "[0, 1]"])
@pytest.mark.parametrize("result", ["[1, 0]", "[0, 1]"])
def test_layouts_are_those_of_the_memory(compile: Compile, operand: str, result: str) -> None:
    """``[0, 1]``: dimension 0 varies fastest."""
    seen: list[list[float]] = []

    @ORIGINAL
    def number(out: int, operands: Any) -> None:
        seen.append(floats(operands[0]).tolist())
        floats(out)[:] = np.arange(6)

    shlo_tools.custom_call("f", address=number)
    given = compile(calling(layouts(operand, result)))(X)
    assert seen == [X.ravel("C" if operand == "[1, 0]" else "F").tolist()]
    order = "C" if result == "[1, 0]" else "F"
    np.testing.assert_array_equal(given, np.arange(6).reshape(2, 3, order=order))


@BOTH
def test_layouts_of_three_dimensions(compile: Compile) -> None:
    """Minor to major [0, 2, 1]: dimension 1 is outermost, then 2, then 0."""
    seen: list[list[float]] = []

    @ORIGINAL
    def copy(out: int, operands: Any) -> None:
        seen.append(floats(operands[0], 24).tolist())
        floats(out, 24)[:] = floats(operands[0], 24)

    shlo_tools.custom_call("f", address=copy)
    both = "dense<[0, 2, 1]> : tensor<3xindex>"
    text = calling(f"operand_layouts = [{both}], result_layouts = [{both}]", "2x3x4xf32")
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(compile(text)(x), x)
    assert seen == [x.transpose(1, 2, 0).ravel().tolist()]


ALIAS = """output_operand_aliases = [#stablehlo.output_operand_alias<
  output_tuple_indices = [{}], operand_index = {}, operand_tuple_indices = [{}]>]"""


@BOTH
@pytest.mark.parametrize("layout", ["[1, 0]", "[0, 1]"])
def test_aliases_are_one_memory(compile: Compile, layout: str) -> None:
    """A result starts as a copy of its operand; the operand itself does not change."""
    same: list[bool] = []

    @ORIGINAL
    def negate_first(out: int, operands: Any) -> None:
        same.append(out == operands[0])
        floats(out)[0] = -7  # and leave the others as they are

    shlo_tools.custom_call("f", address=negate_first)
    executable = compile(calling(f"{ALIAS.format('', 0, '')}, {layouts(layout, layout)}"))
    x = X.copy()
    x.flags.writeable = False
    given = executable(x)
    assert given[0, 0] == -7 and given.ravel()[1:].tolist() == X.ravel()[1:].tolist()
    np.testing.assert_array_equal(x, X)
    assert same == [True]


@BOTH
def test_several_results_tuples_and_tokens(compile: Compile) -> None:
    """Tables have a pointer for each value, tokens included, as XLA's have."""
    seen: list[Any] = []

    @ORIGINAL
    def swap(out: int, operands: Any) -> None:
        outs = (ctypes.c_void_p * 3).from_address(out)
        seen.append((bool(operands[0]), bool(outs[1])))
        floats(outs[0])[:] = floats(operands[2])
        floats(outs[2])[:] = floats(operands[1])

    shlo_tools.custom_call("f", address=swap)
    token, one = "!stablehlo.token", "tensor<2x3xf32>"
    program = f"""func.func @main(%x: {one}, %y: {one}) -> ({one}, {one}) {{
      %t = stablehlo.create_token : {token}
      %0:3 = stablehlo.custom_call @f(%t, %x, %y)
        : ({token}, {one}, {one}) -> ({one}, {token}, {one})
      return %0#0, %0#2 : {one}, {one}
    }}"""
    first, second = compile(program)(X, X + 1)
    np.testing.assert_array_equal(first, X + 1)
    np.testing.assert_array_equal(second, X)
    assert seen == [(True, True)]


@BOTH
def test_a_tuple_of_one_is_a_table(compile: Compile) -> None:
    @ORIGINAL
    def fill(out: int, operands: Any) -> None:
        floats((ctypes.c_void_p * 1).from_address(out)[0])[:] = floats(operands[0]) + 1

    shlo_tools.custom_call("f", address=fill)
    one = "tensor<2x3xf32>"
    program = f"""func.func @main(%x: {one}) -> {one} {{
      %0 = stablehlo.custom_call @f(%x) : ({one}) -> tuple<{one}>
      %1 = stablehlo.get_tuple_element %0[0] : (tuple<{one}>) -> {one}
      return %1 : {one}
    }}"""
    np.testing.assert_array_equal(compile(program)(X), X + 1)


@BOTH
def test_aliases_into_tuples(compile: Compile) -> None:
    """Paths count tokens and the members of tuples."""

    @ORIGINAL
    def add(out: int, operands: Any) -> None:
        outs = (ctypes.c_void_p * 2).from_address(out)
        floats(outs[0])[:] = 1
        floats(outs[1])[0] += 100

    shlo_tools.custom_call("f", address=add)
    one = "tensor<2x3xf32>"
    program = f"""func.func @main(%x: {one}) -> ({one}, {one}) {{
      %t = stablehlo.create_token : !stablehlo.token
      %0 = stablehlo.custom_call @f(%t, %x) {{{ALIAS.format(1, 1, "")}}}
        : (!stablehlo.token, {one}) -> tuple<{one}, {one}>
      %1 = stablehlo.get_tuple_element %0[0] : (tuple<{one}, {one}>) -> {one}
      %2 = stablehlo.get_tuple_element %0[1] : (tuple<{one}, {one}>) -> {one}
      return %1, %2 : {one}, {one}
    }}"""
    ones, added = compile(program)(X)
    assert ones.tolist() == np.ones((2, 3)).tolist()
    assert added.ravel().tolist() == [100, 1, 2, 3, 4, 5]


@BOTH
@pytest.mark.parametrize("type", ["0x3xf32", "f32"])
def test_shapes_without_extent(compile: Compile, type: str) -> None:
    calls: list[int] = []

    @ORIGINAL
    def note(out: int, operands: Any) -> None:
        calls.append(1)
        if type == "f32":
            floats(out, 1)[0] = 3

    shlo_tools.custom_call("f", address=note)
    x = np.zeros([0, 3] if type != "f32" else [], np.float32)
    assert compile(calling(type=type))(x).shape == x.shape
    assert calls == [1]


# --- a library ------------------------------------------------------------------------------------
SOURCE = """
#include <stddef.h>
#include <stdint.h>
typedef struct { const char *message; size_t length; uint64_t reserved[6]; } Status;
void scaled(void *out, const void **in, const char *opaque, size_t length, Status *status) {
  const float *x = in[0]; float *y = out;
  if (length != 1) { status->message = "one digit, please"; status->length = 17; return; }
  for (int i = 0; i < 6; ++i) y[i] = x[i] * (opaque[0] - '0');
}
"""


@BOTH
def test_a_compiled_library(compile: Compile, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "scaled.c").write_text(SOURCE)
    target = tmp_path / "scaled.so"
    subprocess.run([compiler, "-shared", "-fPIC", tmp_path / "scaled.c", "-o", target], check=True)
    library = ctypes.CDLL(str(target))
    shlo_tools.custom_call("scaled", api_version=3)(library.scaled)
    program = calling('backend_config = "4"', target="scaled")
    np.testing.assert_array_equal(compile(program)(X), X * 4)
    with pytest.raises(ExecutionError, match="'scaled' failed: one digit, please"):
        compile(calling(target="scaled"))(X)


CPP = """
#include <cstddef>
#include <optional>
#include <string>
struct XlaCustomCallStatus_ { std::optional<std::string> message; };
extern "C" void XlaCustomCallStatusSetFailure(
    XlaCustomCallStatus_ *status, const char *message, size_t length) {
  status->message = std::string(message, length);
}
extern "C" void fails(void *out, const void **in, XlaCustomCallStatus_ *status) {
  const float *x = static_cast<const float *>(in[0]);
  XlaCustomCallStatusSetFailure(status, "a message that is too long to be held inline",
                                x[0] < 1 ? 9 : 44);
}
"""


def test_the_status_of_xla_is_read(tmp_path: Path) -> None:
    """With libstdc++ an optional string is the pointer and length that we read."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++")
    (tmp_path / "fails.cpp").write_text(CPP)
    target = tmp_path / "fails.so"
    flags = ["-std=c++17", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, tmp_path / "fails.cpp", "-o", target], check=True)
    shlo_tools.custom_call("f", address=ctypes.CDLL(str(target)).fails)
    executable = shlo_tools.compile(calling("api_version = 2 : i32"))
    with pytest.raises(ExecutionError, match=r"failed: a message$"):
        executable(X)
    with pytest.raises(ExecutionError, match="failed: a message that is too long to be held inl"):
        executable(X + 1)
