"""Backends, probes and NaN checks as Python users meet them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from running import COUNT

import shlo_tools
from shlo_tools import Hit, foreign, mlir
from shlo_tools.errors import ArgumentError, ExecutionError, ExecutionTimeout, ShloError
from shlo_tools.passes.instrument import Instrument
from shlo_tools.probes.probed import instrumented

BACKENDS = ("native", "reference")

# Doubles %x %n times.
LOOP = """
func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32> loc("doubling"("model.py":3:4))
  return %0 : tensor<3xf32>
}
func.func @main(%n: tensor<i32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %double = func.call @twice(%y) : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %next, %double : tensor<i32>, tensor<3xf32>
  }
  return %r#1 : tensor<3xf32>
}"""
X = np.array([1.0, 2.0, 3.0], np.float32)
LOG = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.log %x : tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}"""


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Any:
    return request.param


# --- backends -------------------------------------------------------------------------------------
def test_backends_are_called_alike(backend: Any, tmp_path: Path) -> None:
    (tmp_path / "loop.mlir").write_text(LOOP)
    executable = shlo_tools.compile(tmp_path / "loop.mlir", backend=backend)
    np.testing.assert_array_equal(executable(2, X), 4 * X)
    np.testing.assert_array_equal(executable(1, X.astype(np.float64), cast=True), 2 * X)
    assert str(executable.signature) == "(tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>)"
    assert executable.name == "main"
    twice = shlo_tools.compile(LOOP, backend=backend, function="twice")
    np.testing.assert_array_equal(twice([1, 2, 3]), 2 * X)


@pytest.mark.parametrize("options", [{}, {"check_nans": True}], ids=["plain", "probed"])
def test_backends_refuse_alike(backend: Any, options: dict[str, Any]) -> None:
    executable = shlo_tools.compile(LOOP, backend=backend, **options)
    with pytest.raises(ArgumentError, match="takes 2 arguments, 1 given"):
        executable(X)
    with pytest.raises(ArgumentError, match="float64 given"):
        executable(1, X.astype(np.float64))
    with pytest.raises(ArgumentError, match="shape"):
        executable(1, X[:2])
    endless = shlo_tools.compile(COUNT, backend=backend, **options)
    with pytest.raises(ExecutionTimeout, match=r"stopped after 0\.2 s"):
        endless(-1, timeout=0.2)
    assert endless(3) == 3


def test_a_backend_that_is_not_there_is_refused() -> None:
    unknown: Any = "gpu"
    with pytest.raises(ShloError, match="there is no backend 'gpu'"):
        shlo_tools.compile(LOOP, backend=unknown)


def test_interpret_is_the_reference() -> None:
    text = "func.func @f() -> tensor<i4> { %0 = stablehlo.constant dense<-3> : tensor<i4>\n"
    text += "%1 = stablehlo.multiply %0, %0 : tensor<i4>\n return %1 : tensor<i4> }"
    assert shlo_tools.interpret(text, function="f") == ml_dtypes.int4(-7)  # 9 wraps


def test_the_reference_knows_built_in_targets() -> None:
    text = """
    func.func @main(%x: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>) {
      %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {api_version = 4 : i32,
        mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf64>)
        -> (tensor<2x2xf64>, tensor<i32>)
      return %0#0, %0#1 : tensor<2x2xf64>, tensor<i32>
    }"""
    matrix = np.array([[4.0, 2.0], [2.0, 5.0]])
    factor, info = shlo_tools.interpret(text, matrix)
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(matrix))
    assert info == 0


def test_where_jax_is_loaded_both_backends_run_in_a_child(
    backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "second_mlir", lambda: "jaxlib")
    executable = shlo_tools.compile(LOG, backend=backend, check_nans=True)
    np.testing.assert_allclose(executable(X), -np.log(X), rtol=1e-6)
    with pytest.raises(ExecutionError, match="made NaN"):
        executable(-X)
    with pytest.raises(ShloError, match="neither JAX"):
        shlo_tools.compile(LOG, backend=backend, probe=print)


# --- probes ---------------------------------------------------------------------------------------
def test_every_execution_of_an_op_is_a_hit(backend: Any) -> None:
    hits: list[Hit] = []
    executable = shlo_tools.compile(LOOP, backend=backend, probe=hits.append)
    np.testing.assert_array_equal(executable(2, X), 4 * X)
    ops = [hit.site.op.removeprefix("stablehlo.") for hit in hits]
    body = ["compare", "subtract", "add", "func.call"]
    assert ops == [*body, *body, "compare", "while"]
    assert [hit.sequence for hit in hits] == list(range(10))
    assert [hit.iteration for hit in hits] == [0, 0, 0, 0, 1, 1, 1, 1, 2, 0]
    np.testing.assert_array_equal([hit.results[0] for hit in hits[::4]], [True, True, False])
    assert hits[1].results[0] == 1 and hits[5].results[0] == 0
    np.testing.assert_array_equal(hits[2].results[0], 2 * X)
    np.testing.assert_array_equal(hits[6].results[0], 4 * X)
    np.testing.assert_array_equal(hits[6].operands[0], 2 * X)
    site = hits[2].site
    assert (site.name, site.location, site.function) == ("doubling", "model.py:3:4", "twice")
    assert site.types == ("tensor<3xf32>",) * 3


def test_counts_begin_anew_with_every_call(backend: Any) -> None:
    hits: list[Hit] = []
    executable = shlo_tools.compile(LOG, backend=backend, probe=hits.append)
    executable(X)
    executable(X)
    assert [(hit.sequence, hit.iteration) for hit in hits] == [(0, 0), (1, 0)] * 2


@pytest.mark.parametrize("ops", ["doubling", r"model\.py:3", "stablehlo.add$", "^doub"])
def test_ops_are_chosen_by_name_and_location(backend: Any, ops: str) -> None:
    for check_nans in (False, True):
        hits: list[Hit] = []
        executable = shlo_tools.compile(
            LOOP, backend=backend, probe=hits.append, probe_ops=ops, check_nans=check_nans
        )
        executable(3, X)
        assert [hit.site.op for hit in hits] == ["stablehlo.add"] * 3


def test_names_are_read_as_they_were_written(backend: Any) -> None:
    location = r"""fused["größe \"a\\b\""("m.py":1:2), "second"]"""
    text = LOG.replace("log %x : tensor<3xf32>", f"log %x : tensor<3xf32> loc({location})")
    hits: list[Hit] = []
    shlo_tools.compile(text, backend=backend, probe=hits.append, probe_ops="größe|^second$")(X)
    site = hits[0].site
    assert (site.op, site.name, site.location) == ("stablehlo.log", 'größe "a\\b"', "m.py:1:2")


@pytest.mark.parametrize(
    ("location", "names"),
    [
        ('"a"("m.py":1:2)', ("a",)),
        ('fused<"meta">["a"("m.py":1:2), "b"]', ("a", "b")),
        ('callsite("f.py":1:2 at "main")', ("main",)),
        ('"f.py":1:2', ()),
        ("unknown", ()),
        ('""', ()),
    ],
)
def test_files_and_metadata_are_no_names(location: str, names: tuple[str, ...]) -> None:
    text = LOG.replace("log %x : tensor<3xf32>", f"log %x : tensor<3xf32> loc({location})")
    module = shlo_tools.load(text)
    with mlir.library_context():
        assert Instrument().sites(module.operation)[0].names == names


def test_a_pattern_without_ops_is_an_error(backend: Any) -> None:
    with pytest.raises(ShloError, match="no op matches 'conv'"):
        shlo_tools.compile(LOOP, backend=backend, probe=print, probe_ops="conv")
    with pytest.raises(ShloError, match="no regular expression"):
        shlo_tools.compile(LOOP, backend=backend, probe=print, probe_ops="(")


def test_an_exception_of_a_probe_stops_the_program(backend: Any) -> None:
    class Enough(Exception):
        pass

    def stop(hit: Hit) -> None:
        if hit.results[0].flat[0] > 1000:
            raise Enough

    executable = shlo_tools.compile(LOOP, backend=backend, probe=stop, probe_ops="add")
    with pytest.raises(Enough):
        executable(10**9, X)
    np.testing.assert_array_equal(executable(2, X), 4 * X)


def test_threads_have_probes_of_their_own(backend: Any) -> None:
    """Hits go to the listener of the call that they belong to."""
    results: dict[int, list[float]] = {number: [] for number in range(4)}

    def work(number: int) -> None:
        def see(hit: Hit) -> None:
            results[number].append(float(hit.results[0][0]))

        text = LOOP
        executable = shlo_tools.compile(text, backend=backend, probe=see, probe_ops="add")
        executable(50, np.full(3, 2.0**number, np.float32))

    threads = [threading.Thread(target=work, args=(number,)) for number in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [2.0 ** (n + i) for i in range(1, 51)] for n in results}


def test_a_probe_may_run_an_instrumented_program(backend: Any) -> None:
    inner: list[Hit] = []
    outer: list[float] = []
    log = shlo_tools.compile(LOG, backend=backend, probe=inner.append)

    def see(hit: Hit) -> None:
        outer.append(float(log(hit.results[0])[0]))

    shlo_tools.compile(LOOP, backend=backend, probe=see, probe_ops="add")(2, X)
    assert len(inner) == 4
    np.testing.assert_allclose(outer, -np.log([2.0, 4.0]), rtol=1e-6)


def test_programs_are_not_changed() -> None:
    module = shlo_tools.load(LOOP)
    with mlir.library_context():
        before = str(module)
    shlo_tools.compile(module, probe=print, check_nans=True)
    with mlir.library_context():
        assert str(module) == before


def test_an_instrumented_program_runs_without_a_listener(backend: Any) -> None:
    module = instrumented(LOOP, Instrument(operands=True))
    np.testing.assert_array_equal(shlo_tools.compile(module, backend=backend)(2, X), 4 * X)


VALUES = {
    "f32": np.array([[1.5, -0.0], [np.inf, np.nan]], np.float32),
    "f64": np.array([1e300, -1e-310]),
    "bf16": np.array([1.5, -2.0], ml_dtypes.bfloat16),
    "i1": np.array([True, False, True]),
    "i8": np.array([-128, 127], np.int8),
    "ui16": np.array([65535, 1], np.uint16),
    "ui64": np.array([2**64 - 1], np.uint64),
    "complex<f32>": np.array([1 + 2j, complex(np.nan, -0.0)], np.complex64),
    "complex<f64>": np.array([1e300 + 2j]),
    "i32": np.array(7, np.int32),
    "f16": np.zeros((0, 3), np.float16),
}


@pytest.mark.parametrize("element", VALUES)
def test_values_of_every_kind_are_seen_to_the_bit(backend: Any, element: str) -> None:
    value = VALUES[element]
    type = f"tensor<{''.join(f'{n}x' for n in value.shape)}{element}>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.optimization_barrier %x : {type}
      %1 = stablehlo.tuple %0, %x : tuple<{type}, {type}>
      %2 = stablehlo.get_tuple_element %1[0] : (tuple<{type}, {type}>) -> {type}
      return %2 : {type}
    }}"""
    hits: list[Hit] = []
    shlo_tools.compile(text, backend=backend, probe=hits.append)(value)
    assert [len(hit.results) for hit in hits] == [1, 2, 1]
    for observed in (array for hit in hits for array in hit.values):
        assert (observed.dtype, observed.shape) == (value.dtype, value.shape)
        assert observed.tobytes() == value.tobytes()


def test_quantized_values_are_seen_as_integers() -> None:
    quantized = "tensor<3x!quant.uniform<i8:f32, 0.5:3>>"
    text = f"""func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
      %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> {quantized}
      %1 = stablehlo.uniform_dequantize %0 : ({quantized}) -> tensor<3xf32>
      return %1 : tensor<3xf32>
    }}"""
    hits: list[Hit] = []
    shlo_tools.compile(text, backend="reference", probe=hits.append)(X)
    np.testing.assert_array_equal(hits[0].results[0], np.array([5, 7, 9], np.int8))  # x / 0.5 + 3
    assert hits[0].site.types[1].startswith("tensor<3x!quant.uniform<i8:f32")


def test_sizes_known_at_run_time_are_seen_by_the_reference() -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.negate %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    hits: list[Hit] = []
    shlo_tools.compile(text, backend="reference", probe=hits.append)(X)
    np.testing.assert_array_equal(hits[0].results[0], -X)


# --- NaN and Inf ----------------------------------------------------------------------------------
def _made(text: str, backend: Any, *arguments: Any) -> str:
    with pytest.raises(ExecutionError) as raised:
        shlo_tools.compile(text, backend=backend, check_nans=True)(*arguments)
    return str(raised.value)


def test_the_op_that_makes_a_nan_is_named(backend: Any) -> None:
    message = _made(LOG, backend, [1, -2, -3])
    assert "-:3:8: error: stablehlo.log (tensor<3xf32>) -> tensor<3xf32>" in message
    assert "made NaN at [1] (2 of 3 elements)" in message
    assert "operand 0 is -2.0 there" in message
    assert "made -Inf at [2] (1 of 3 elements)" in _made(LOG, backend, [1, 2, 0])


def test_the_round_of_a_loop_is_named(backend: Any) -> None:
    """2**127 is the largest power of two: doubling 1.0 overflows in round 128, 2.0 before."""
    message = _made(LOOP, backend, 200, [1, 2, 0])
    assert "made Inf at [1] (1 of 3 elements)" in message
    assert "note: named 'doubling'" in message
    assert "note: in iteration 126" in message
    executable = shlo_tools.compile(LOOP, backend=backend, check_nans=True)
    np.testing.assert_array_equal(executable(126, [1, 2, 0]), np.ldexp([1.0, 2.0, 0.0], 126))


def test_what_came_in_is_blamed_on_no_op(backend: Any) -> None:
    executable = shlo_tools.compile(LOG, backend=backend, check_nans=True)
    np.testing.assert_array_equal(executable([np.nan, np.inf, 1.0]), [np.nan, -np.inf, 0.0])


def test_nan_out_of_infinities_is_found(backend: Any) -> None:
    text = """func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
      %0 = stablehlo.subtract %x, %x : tensor<2xf64>
      return %0 : tensor<2xf64>
    }"""
    assert "made NaN at [1]" in _made(text, backend, [1.0, -np.inf])


def test_reductions_and_complex_numbers_are_checked(backend: Any) -> None:
    text = """func.func @main(%x: tensor<2x2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
      %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<2x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
      return %0 : tensor<2xcomplex<f32>>
    }"""
    message = _made(text, backend, np.array([[1, 2], [3e38j, 3e38j]], np.complex64))
    assert "stablehlo.reduce" in message and "made Inf at [1]" in message
    assert "operand 1 is 0j" in message


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_narrow_floats_are_checked(backend: Any, element: str) -> None:
    type = f"tensor<{element}>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.multiply %x, %x : {type}
      return %0 : {type}
    }}"""
    large = np.asarray(1e30 if element == "bf16" else 6e4)
    dtype = ml_dtypes.bfloat16 if element == "bf16" else np.float16
    assert "made Inf at []" in _made(text, backend, large.astype(dtype))


def test_the_branch_not_taken_is_not_checked(backend: Any) -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.log %x : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }, {
        stablehlo.return %x : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    assert shlo_tools.compile(text, backend=backend, check_nans=True)(False, -1) == -1
    assert "stablehlo.log" in _made(text, backend, True, -1)
