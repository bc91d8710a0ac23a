"""C functions as targets: signatures, layouts, aliases, failures.

``ctypes`` makes C pointers of Python functions, so most of this needs no compiler. What such a
function raises ctypes prints and drops: they note what they see, and tests look at the notes.
"""

from __future__ import annotations

import ctypes
import gc
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_functions import ORIGINAL, POINTER, SIZE, TEXT, floats
from custom_call_routes import BOTH, Compile, X, calling

import shlo_tools
from shlo_tools import extend, reference
from shlo_tools.errors import ExecutionError, ShloError, UnsupportedError

Array = np.ndarray[Any, Any]


TEXTS = (b"scale=3", b"", b"a\x00b")


RETURNING = ctypes.CFUNCTYPE(None, POINTER, ctypes.POINTER(POINTER), POINTER)


UNIFIED = ctypes.CFUNCTYPE(
    None, POINTER, ctypes.POINTER(POINTER), ctypes.POINTER(ctypes.c_char), SIZE, POINTER
)


pytestmark = pytest.mark.usefixtures("own_registry")


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
        result = capsule(increment, NAME if form == "capsule" else None)
        shlo_tools.custom_call("f", address=result)
    np.testing.assert_array_equal(compile(calling())(X), X + 1)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"address": 0}, "0 is no address"),
        ({"address": "f"}, "'f' is no address"),
        ({"address": increment, "api_version": 0}, "0 .API_VERSION_UNSPECIFIED. cannot be"),
        ({"address": increment, "api_version": 9}, "9 .unknown. cannot be called"),
    ],
)
def test_what_is_no_function_is_refused(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(ShloError, match=message):
        shlo_tools.custom_call("f", **inputs)


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
    array = ctypes.create_string_buffer(b"too small, and more")

    @RETURNING
    def check(out: int, operands: Any, status: int) -> None:
        words = (ctypes.c_uint64 * 8).from_address(status)
        assert list(words) == [0] * 8
        floats(out)[:] = floats(operands[0]) * 2
        if floats(operands[0])[0] < 0:
            words[0], words[1] = ctypes.addressof(array), len("too small")

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
    calls: list[bytes] = []

    @UNIFIED
    def note(out: int, operands: Any, text: Any, length: int, status: int) -> None:
        calls.append(text[:length])
        floats(out)[:] = 0

    shlo_tools.custom_call("f", address=note)
    spelled = "".join(f"\\{byte:02X}" for byte in opaque)
    compile(calling(f'api_version = 3 : i32, backend_config = "{spelled}"'))(X)
    assert calls == [opaque]


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
