"""Handlers of XLA's typed FFI, written against structures that are spelled out here once more.

``tests/peers/test_jax_typed_ffi.py`` has handlers built with XLA's own headers.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.dtypes import element_type
from shlo_tools.errors import ExecutionError, UnsupportedError

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Callable[..., Any]]
BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])

SOURCE = """
#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef struct Head { size_t size; struct Head *extension; } Head;
typedef struct { Head head; int dtype; char *data; int64_t rank; int64_t *dims; } Buffer;
typedef struct { Head head; int64_t size; int *types; Buffer **values; } Values;
typedef struct { const char *text; size_t length; } Span;
typedef struct { int dtype; void *value; } Scalar;
typedef struct { Head head; int64_t size; int *types; Span **names; void **attrs; } Attrs;
typedef struct { Head head; const char *message; int code; } ErrorArgs;
typedef struct {
  Head head; Head version_head; int major; int minor; void *internal;
  void *(*create_error)(ErrorArgs *);
} Api;
typedef struct {
  Head head; const Api *api; void *context; int stage; Values args, rets; Attrs attrs; void *future;
} Frame;
typedef struct { size_t size; Head version_head; int major; int minor; unsigned traits; } Metadata;
typedef struct { size_t size; int type; void *next; Metadata *metadata; } Extension;

static void *failed(Frame *frame, const char *message) {
  ErrorArgs args = {{sizeof(ErrorArgs), 0}, message, 3};
  return frame->api->create_error(&args);
}

static int told(Frame *frame, int minor) {
  Extension *extension = (Extension *)frame->head.extension;
  if (!extension || extension->type != 1) return 0;
  extension->metadata->major = 0;
  extension->metadata->minor = minor;
  return 1;
}

/* Sums of all operands, each times the attribute "by"; "name" is text. */
void *sums(Frame *frame) {
  if (told(frame, 3)) return 0;
  if (frame->stage != 3 || frame->api->major != 0 || frame->api->minor != 3)
    return failed(frame, "another stage or version");
  if (frame->attrs.size != 2 || strncmp(frame->attrs.names[0]->text, "by", 2) ||
      frame->attrs.types[0] != 3 || ((Scalar *)frame->attrs.attrs[0])->dtype != 4)
    return failed(frame, "no i32 named by");
  Span *word = frame->attrs.attrs[1];
  if (frame->attrs.types[1] != 4 || word->length != 3 || strncmp(word->text, "abc", 3))
    return failed(frame, "not abc");
  int by = *(int *)((Scalar *)frame->attrs.attrs[0])->value;
  Buffer *out = frame->rets.values[0];
  int64_t count = 1;
  for (int64_t d = 0; d < out->rank; ++d) count *= out->dims[d];
  for (int64_t i = 0; i < count; ++i) {
    ((double *)out->data)[i] = 0;
    for (int64_t n = 0; n < frame->args.size; ++n) {
      Buffer *operand = frame->args.values[n];
      if (operand->dtype != 12 || operand->rank != out->rank) return failed(frame, "no f64");
      ((double *)out->data)[i] += by * ((double *)operand->data)[i];
    }
  }
  return 0;
}

void *old(Frame *frame) { return told(frame, 1) ? 0 : failed(frame, "called"); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder: Path = tmp_path_factory.mktemp("handlers")
    (folder / "handlers.c").write_text(SOURCE)
    target = folder / "handlers.so"
    subprocess.run([compiler, "-shared", "-fPIC", folder / "handlers.c", "-o", target], check=True)
    return ctypes.CDLL(str(target))


pytestmark = pytest.mark.usefixtures("own_registry")


def program(config: str = 'name = "abc", by = 3 : i32', type: str = "2x3xf64") -> str:
    return f"""func.func @main(%x: tensor<{type}>, %y: tensor<{type}>) -> tensor<{type}> {{
      %0 = stablehlo.custom_call @f(%x, %y) {{api_version = 4 : i32, backend_config = {{{config}}}}}
        : (tensor<{type}>, tensor<{type}>) -> tensor<{type}>
      return %0 : tensor<{type}>
    }}"""


X = np.arange(6, dtype=np.float64).reshape(2, 3)


@BOTH
def test_buffers_and_attributes(compile: Compile, library: Any) -> None:
    """Attributes come in the order of their names, whatever the op says."""
    shlo_tools.custom_call("f", address=library.sums, api_version=4)
    run = compile(program())
    for _ in range(3):
        np.testing.assert_array_equal(run(X, X + 1), 3 * (2 * X + 1))
    laid_out = program().replace(
        "api_version",
        "operand_layouts = [dense<[0, 1]> : tensor<2xindex>,"
        " dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>],"
        " api_version",
    )
    np.testing.assert_array_equal(compile(laid_out)(X, X + 1), 3 * (2 * X + 1))


@BOTH
@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("by = 3 : i32", "no i32 named by"),
        ('by = 3 : i64, name = "abc"', "no i32 named by"),
        ('by = 3 : i32, name = "abcd"', "not abc"),
    ],
)
def test_errors(compile: Compile, library: Any, config: str, message: str) -> None:
    shlo_tools.custom_call("f", address=library.sums, api_version=4)
    with pytest.raises(ExecutionError, match=f"custom_call 'f' failed: {message}"):
        compile(program(config))(X, X)


@BOTH
def test_what_a_frame_cannot_hold_is_refused(compile: Compile, library: Any) -> None:
    shlo_tools.custom_call("f", address=library.sums, api_version=4)
    with pytest.raises(UnsupportedError, match=r"attribute list = \[1, 2\] has no form"):
        compile(program("list = [1, 2]"))(X, X)
    small = np.zeros((2, 3), element_type("i4").dtype)
    with pytest.raises(UnsupportedError, match="less than a byte"):
        compile(program(type="2x3xi4"))(small, small)


@BOTH
def test_handlers_of_another_version_are_refused_by_name(compile: Compile, library: Any) -> None:
    shlo_tools.custom_call("f", address=library.old, api_version=4)
    with pytest.raises(UnsupportedError, match=r"it is built for version 0\.1") as caught:
        compile(program())(X, X)
    assert "version 0.3 can be called" in caught.value.render()


@BOTH
def test_sizes_known_at_run_time(compile: Compile, library: Any) -> None:
    shlo_tools.custom_call("f", address=library.sums, api_version=4)
    run = compile("""func.func @main(%x: tensor<?x3xf64>, %n: tensor<2xi64>) -> tensor<?x3xf64> {
      %0 = stablehlo.custom_call @f(%x, %n) {api_version = 4 : i32,
        backend_config = {by = 2 : i32, name = "abc"},
        indices_of_shape_operands = dense<1> : tensor<1xi64>}
        : (tensor<?x3xf64>, tensor<2xi64>) -> tensor<?x3xf64>
      return %0 : tensor<?x3xf64>
    }""")
    for rows in (1, 2, 0):
        np.testing.assert_array_equal(run(X[:rows].copy(), np.array([rows, 3])), 2 * X[:rows])
