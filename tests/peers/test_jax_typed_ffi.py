"""Handlers built with the headers of XLA's typed FFI run here as they do in JAX.

In a child process: JAX is loaded beside this test.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
#include <cstring>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static ffi::Error Scale(ffi::Buffer<ffi::F32> x, ffi::Result<ffi::Buffer<ffi::F32>> y,
                        float factor, int32_t add, int64_t wide, bool flag, std::string_view word,
                        ffi::Span<const int64_t> list, ffi::Dictionary more) {
  if (word == "fail") return ffi::Error::InvalidArgument("told to fail");
  if (x.dimensions().size() != 2) return ffi::Error::Internal("not a matrix");
  auto half = more.get<double>("half");
  if (!half.has_value()) return half.error();
  float rest = add + wide + (flag ? 100 : 0) + *half;
  for (auto value : list) rest += value;
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = factor * x.typed_data()[i] + rest;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(scale, Scale, ffi::Ffi::Bind()
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
    .Attr<float>("factor").Attr<int32_t>("add").Attr<int64_t>("wide").Attr<bool>("flag")
    .Attr<std::string_view>("word").Attr<ffi::Span<const int64_t>>("list")
    .Attr<ffi::Dictionary>("more"));

static ffi::Future Later(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y, ffi::ThreadPool pool,
                         ffi::ScratchAllocator scratch) {
  ffi::Promise promise;
  ffi::Future future(promise);
  auto memory = scratch.Allocate(1000, 64);
  if (!memory.has_value() || reinterpret_cast<uintptr_t>(*memory) % 64) {
    promise.SetError(ffi::Error::Internal("no scratch memory"));
    return future;
  }
  pool.Schedule([x, y, p = std::move(promise)]() mutable {
    memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
    if (x.dimensions()[0] == 1) p.SetError(ffi::Error::Internal("one row is too few"));
    else p.SetAvailable();
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(later, Later, ffi::Ffi::Bind()
    .Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>()
    .Ctx<ffi::ThreadPool>().Ctx<ffi::ScratchAllocator>());

static ffi::Error Stream(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y, void* stream) {
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(stream, Stream, ffi::Ffi::Bind()
    .Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Ctx<ffi::PlatformStream<void*>>());
"""

RUN = """
import ctypes, json, sys
import numpy as np
import shlo_tools
from shlo_tools.errors import ShloError

library = ctypes.CDLL(sys.argv[1])
for name in ("scale", "later", "stream"):
    shlo_tools.custom_call(name, address=getattr(library, name), api_version=4)
said = []
for name, config, rows in json.loads(sys.argv[2]):
    type = f"tensor<{rows}x3xf32>"
    program = f'''func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.custom_call @{name}(%x) {{
        api_version = 4 : i32, backend_config = {{{config}}}}} : ({type}) -> {type}
      return %0 : {type}
    }}'''
    x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
    for backend in ("native", "reference"):
        try:
            said.append(shlo_tools.compile(program, backend=backend)(x).tolist())
        except ShloError as error:
            said.append(str(error))
print(json.dumps(said))
"""

WORDS = (
    'factor = 2.0 : f32, add = 3 : i32, wide = 1000 : i64, flag = true, word = "{word}", '
    "list = array<i64: 1, 2, 3>, more = {{half = 5.0e-1 : f64}}"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler, jaxlib = shutil.which("g++"), importlib.util.find_spec("jaxlib")
    if compiler is None or jaxlib is None:
        pytest.skip("needs g++ and the headers in jaxlib")
    folder = tmp_path_factory.mktemp("handlers")
    (folder / "handlers.cpp").write_text(SOURCE)
    include = Path(jaxlib.origin).parent / "include"
    target = folder / "handlers.so"
    command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", "-w", f"-I{include}"]
    subprocess.run([*command, folder / "handlers.cpp", "-o", target], check=True)
    return target


def run(library, *calls):
    """What each call gives on both backends."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, library, json.dumps(calls)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    message = json.loads(done.stdout)
    return [message[n : n + 2] for n in range(0, len(message), 2)]


def test_attributes_of_every_kind(library):
    (results,) = run(library, ("scale", WORDS.format(word="x"), 2))
    expected = [[2 * x + 1109.5 for x in row] for row in ((0, 1, 2), (3, 4, 5))]
    assert results == [expected, expected]


def test_futures_threads_and_scratch_memory(library):
    good, bad = run(library, ("later", "", 2), ("later", "", 1))
    assert good == [[[0, 1, 2], [3, 4, 5]]] * 2
    assert all("'later' failed: one row is too few" in message for message in bad)


def test_errors_are_those_of_the_handler(library):
    failed, wrong, stream = run(
        library,
        ("scale", WORDS.format(word="fail"), 2),
        ("scale", WORDS.format(word="x").replace("i32", "i64"), 2),
        ("stream", "", 2),
    )
    assert all("'scale' failed: told to fail" in message for message in failed)
    assert all("expected S32 but got S64" in message for message in wrong)
    assert all("XLA_FFI_Stream_Get needs XLA" in message for message in stream)
