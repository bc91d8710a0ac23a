"""Stages that call the host or LAPACK, between stages of kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from staged_programs import assert_staged, staged

from shlo_tools import custom_call, interpret
from shlo_tools.cpu import custom_calls
from shlo_tools.dtypes import Array
from shlo_tools.extend import fourier_loops

SIZES = (1, 2, 3, 7, 31, 32, 33, 65)
DTYPES = {"f32": "f4", "f64": "f8", "complex<f32>": "c8", "complex<f64>": "c16"}


def typed(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


@custom_call("test.turned")
def turned(x: Array, y: Array) -> tuple[Array, Array]:
    return np.ascontiguousarray(x.T), y + y


# --- exact: calls that move and add ---------------------------------------------------------------
@pytest.mark.parametrize("seed", range(12))
def test_custom_calls_between_other_ops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = (int(size) for size in rng.choice(SIZES, 2))
    a, b = typed((rows, columns), "f32"), typed((columns, rows), "f32")
    flat, row = typed((rows * columns,), "f32"), typed((columns,), "f32")
    one = typed((1, columns), "f32")
    views = {"%y": a, "%v": flat, "%t": b, "%w": a, "%r": row}
    chosen = str(rng.choice(list(views)))
    other = views[chosen]
    text = f"""func.func @main(%x: {a}, %start: tensor<f32>) -> ({b}, {other}, {a}) {{
      %two = stablehlo.constant dense<2.0> : tensor<f32>
      %w = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> {a}
      %y = stablehlo.add %x, %w : {a}
      %v = stablehlo.reshape %y : ({a}) -> {flat}
      %t = stablehlo.transpose %x, dims = [1, 0] : ({a}) -> {b}
      %s = stablehlo.slice %x [{rows - 1}:{rows}, 0:{columns}] : ({a}) -> {one}
      %r = stablehlo.reshape %s : ({one}) -> {row}
      %0:2 = stablehlo.custom_call @test.turned(%y, {chosen}) : ({a}, {other}) -> ({b}, {other})
      %1:2 = stablehlo.custom_call @test.turned(%0#0, %0#0) : ({b}, {b}) -> ({a}, {b})
      %2 = stablehlo.negate %1#1 : {b}
      return %2, %0#1, %1#0 : {b}, {other}, {a}
    }}"""
    x = rng.integers(-9, 9, (rows, columns)).astype("f4")
    assert_staged(text, x, np.float32(1))


def test_calls_in_a_loop() -> None:
    text = """func.func @main(%x: tensor<3x3xf32>, %n: tensor<i32>) -> tensor<3x3xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3x3xf32> cond {
        %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %c:2 = stablehlo.custom_call @test.turned(%v, %v)
          : (tensor<3x3xf32>, tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>)
        %w = stablehlo.subtract %c#0, %c#1 : tensor<3x3xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<3x3xf32>
      }
      return %0#1 : tensor<3x3xf32>
    }"""
    assert_staged(text, np.arange(9, dtype="f4").reshape(3, 3), np.int32(5))


# --- within rounding: transforms and systems ------------------------------------------------------
def assert_close(text: str, *inputs: Array, bound: float = 1e-4) -> None:
    expected, results = interpret(text, *inputs), staged(text)(*inputs)
    if isinstance(expected, np.ndarray):
        expected, results = [expected], [results]
    for result, target in zip(results, expected, strict=True):
        scale = max(1.0, float(np.abs(target).max(initial=0)))
        np.testing.assert_allclose(result / scale, target / scale, rtol=0, atol=bound, err_msg=text)


@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("seed", range(4))
def test_transforms_between_other_ops(kind: str, precision: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    shape = tuple(int(size) for size in rng.choice(SIZES, rank))
    length = shape[-int(rng.integers(1, rank + 1)) :]
    real, whole = (*shape[:-1], shape[-1]), (*shape[:-1], shape[-1] // 2 + 1)
    complex_type = f"complex<{precision}>"
    source, result = typed(shape, complex_type), typed(shape, complex_type)
    operand_shape, element = shape, complex_type
    if kind == "RFFT":
        source, result, element = typed(real, precision), typed(whole, complex_type), precision
    if kind == "IRFFT":
        source, result, operand_shape = typed(whole, complex_type), typed(real, precision), whole
    text = f"""func.func @main(%x: {source}, %d: {source}) -> {result} {{
      %0 = stablehlo.add %x, %d : {source}
      %1 = stablehlo.fft %0, type = {kind}, length = {list(length)} : ({source}) -> {result}
      %2 = stablehlo.negate %1 : {result}
      return %2 : {result}
    }}"""
    x, d = (numbers(rng, operand_shape, element) for _ in range(2))
    assert_close(text, x, d, bound=1e-5 if precision == "f32" else 1e-13)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str) -> Array:
    values = rng.standard_normal(shape)
    if element.startswith("complex"):
        return (values + 1j * rng.standard_normal(shape)).astype(DTYPES[element])
    return values.astype(DTYPES[element])


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("seed", range(4))
def test_systems_between_other_ops(element: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch = tuple(int(n) for n in rng.choice((1, 2, 5), int(rng.integers(0, 3))))
    size, count = (int(n) for n in rng.choice(SIZES, 2))
    is_left, is_lower, is_unit = (bool(flag) for flag in rng.integers(0, 2, 3))
    how = str(rng.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]))
    a = typed((*batch, size, size), element)
    b = typed((*batch, *((size, count) if is_left else (count, size))), element)
    options = f"left_side = {is_left}, lower = {is_lower}, unit_diagonal = {is_unit}".lower()
    text = f"""func.func @main(%x: {a}, %b: {b}) -> ({a}, {b}) {{
      %0 = stablehlo.add %x, %x : {a}
      %1 = "stablehlo.cholesky"(%0) {{lower = {str(is_lower).lower()}}} : ({a}) -> {a}
      %2 = stablehlo.negate %b : {b}
      %3 = "stablehlo.triangular_solve"(%x, %2) {{{options},
        transpose_a = #stablehlo<transpose {how}>}} : ({a}, {b}) -> {b}
      %4 = stablehlo.add %3, %b : {b}
      return %1, %4 : {a}, {b}
    }}"""
    x = 0.1 * numbers(rng, (*batch, size, size), element) / size
    x = (x + np.conj(np.swapaxes(x, -1, -2)) + np.eye(size)).astype(DTYPES[element])
    assert_close(text, x, numbers(rng, tuple(dims(b)), element))


def dims(type: str) -> list[int]:
    return [int(size) for size in type[7:].split("x") if size.isdecimal()]


POTRF = """func.func @main(%x: {0}) -> ({0}, {1}, {0}) {{
  %0 = stablehlo.add %x, %x : {0}
  %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%0)
    {{api_version = 4 : i32, backend_config = {{uplo = 76 : ui8}}}} : ({0}) -> ({0}, {1})
  return %1#0, %1#1, {2} : {0}, {1}, {0}
}}"""


@pytest.mark.parametrize("also", ["%0", "%x"])
@pytest.mark.parametrize("batch", [(), (1,), (5, 3)])
def test_lapack_in_place_and_beside(also: str, batch: tuple[int, ...]) -> None:
    """Where the operand is needed, too, the factor is another value."""
    types = typed((*batch, 7, 7), "f64"), typed(batch, "i32")
    rng = np.random.default_rng(0)
    x = rng.standard_normal((*batch, 7, 7))
    x = x @ np.swapaxes(x, -1, -2)
    if batch:
        x[0] = -1  # has no factor
    before = x.copy()
    factor, info, other = staged(POTRF.format(*types, also))(x)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(other, 2 * x if also == "%0" else x)
    for index in np.ndindex(batch):
        if np.all(x[index] == -1):
            assert info[index] == 1
            continue
        assert info[index] == 0
        np.testing.assert_allclose(np.tril(factor[index]), np.linalg.cholesky(2 * x[index]))


_SAMPLE = textwrap.dedent(
    """
    import hashlib
    import numpy as np
    from shlo_tools import compile
    from test_host_stages import POTRF, typed
    rng = np.random.default_rng(0)
    x = rng.standard_normal((65, 33, 33))
    results = compile(POTRF.format(typed((65, 33, 33), "f64"), typed((65,), "i32"), "%x"))(
        x @ np.swapaxes(x, -1, -2))
    z = rng.standard_normal((257, 1000)).astype("c8")
    type = typed(z.shape, "complex<f32>")
    results += (compile(f"func.func @main(%x: {type}) -> {type} {{ %0 = stablehlo.fft %x, "
        f"type = FFT, length = [1000] : ({type}) -> {type} return %0 : {type} }}")(z),)
    print(hashlib.sha256(b"".join(array.tobytes() for array in results)).hexdigest())
    """
)


_MODULES = os.pathsep.join(str(Path(__file__).parents[level]) for level in (0, 2))  # of tests


def test_threads_change_no_bit() -> None:
    digests = set()
    for threads in ("1", "2"):
        variables = {**os.environ, "SHLO_NUM_THREADS": threads, "PYTHONPATH": _MODULES}
        run = subprocess.run(
            [sys.executable, "-c", _SAMPLE],
            env=variables,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


# --- large transforms ----------------------------------------------------------------------------
# No kernel has passes for it.
LARGE = """func.func @main(%x: tensor<131x1030xf64>) -> tensor<131x516xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [1030]
    : (tensor<131x1030xf64>) -> tensor<131x516xcomplex<f64>>
  return %0 : tensor<131x516xcomplex<f64>>
}"""


def test_large_batches() -> None:
    x = np.random.default_rng(0).standard_normal((131, 1030))
    executable = staged(LARGE)
    for _ in range(3):
        np.testing.assert_allclose(executable(x), np.fft.rfft(x), atol=1e-10)


def test_a_transform_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(operand: Array, *, memory: list[Array]) -> None:
        raise MemoryError(f"no memory for {operand.shape}")

    monkeypatch.setattr(fourier_loops, "names", lambda *_: None)  # the host does it
    monkeypatch.setitem(custom_calls.TARGETS, "shlo.fft", fails)
    with pytest.raises(MemoryError, match="no memory for \\(131, 1030\\)"):
        staged(LARGE)(np.zeros((131, 1030)))


_INTERRUPTED = textwrap.dedent(
    """
    import _thread, threading, time
    import numpy as np
    from shlo_tools import time_limit
    from shlo_tools.cpu import custom_calls
    from shlo_tools.extend import fourier_loops
    from test_host_stages import LARGE, staged

    fourier_loops.names = lambda *_: None  # the host does it

    def slow(operand, *, memory):
        memory[0][...] = 0
        for _ in range(20):
            time_limit.check()
            time.sleep(0.01)

    executable, x = staged(LARGE), np.ones((131, 1030))
    before = np.asarray(executable(x)).copy()
    custom_calls.TARGETS["shlo.fft"], quick = slow, custom_calls.TARGETS["shlo.fft"]
    waiting = staged(LARGE)
    for _ in range(3):
        threading.Timer(0.1, _thread.interrupt_main).start()
        try:
            waiting(x)
        except KeyboardInterrupt:
            print("stopped")
    try:
        waiting(x, timeout=0.1)
    except TimeoutError as error:
        print("late")
    custom_calls.TARGETS["shlo.fft"] = quick
    assert (np.asarray(executable(x)) == before).all()
    """
)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_transforms_stop_on_control_c_and_time_limits(threads: str) -> None:
    variables = {**os.environ, "SHLO_NUM_THREADS": threads, "PYTHONPATH": _MODULES}
    command = [sys.executable, "-c", _INTERRUPTED]
    run = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert (run.stdout.split(), run.returncode) == (["stopped"] * 3 + ["late"], 0), run.stderr


def test_an_operand_that_is_both() -> None:
    """The right-hand side is solved in place, unless it is the matrix, too."""
    text = """func.func @main(%x: tensor<5x5xf64>) -> tensor<5x5xf64> {
      %0 = stablehlo.add %x, %x : tensor<5x5xf64>
      %1 = "stablehlo.triangular_solve"(%0, %0) {left_side = true, lower = true,
        unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
        : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
      return %1 : tensor<5x5xf64>
    }"""
    x = np.random.default_rng(0).standard_normal((5, 5)) + 5 * np.eye(5)
    expected = np.linalg.solve(np.tril(2 * x), 2 * x)
    np.testing.assert_allclose(staged(text)(x), expected, rtol=1e-9, atol=1e-9)
