"""Targets that come with the library, in compiled programs and in the reference.

Programs are written as exporters write them. LAPACK is in ``tests/conformance/test_lapack.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import shlo_tools
from shlo_tools import reference
from shlo_tools.cpu.custom_calls import checks
from shlo_tools.errors import ExecutionError, UnsupportedError
from shlo_tools.extend import targets
from shlo_tools.reference import known_targets, self_checking

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Any]

BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])


pytestmark = pytest.mark.usefixtures("own_registry")


# --- ops under another name -----------------------------------------------------------------------
FUNCTIONS: dict[str, Callable[[Array], Any]] = {
    "acos": np.arccos,
    "acosh": lambda x: np.arccosh(1 + x),
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atanh": np.arctanh,
    "cosh": np.cosh,
    "erf": special.erf,
    "sinh": np.sinh,
    "tan": np.tan,
}


@BOTH
@pytest.mark.parametrize("name", FUNCTIONS)
def test_mathematical_functions(compile: Compile, name: str) -> None:
    x = np.linspace(0, 0.9, 10)
    inputs = 1 + x if name == "acosh" else x
    executable = compile(f"""func.func @main(%x: tensor<10xf64>) -> tensor<10xf64> {{
      %0 = stablehlo.custom_call @mhlo.{name}(%x) {{mhlo.attributes = {{}}, mhlo.version = 1 : i64}}
        : (tensor<10xf64>) -> tensor<10xf64>
      return %0 : tensor<10xf64>
    }}""")
    np.testing.assert_allclose(executable(inputs), FUNCTIONS[name](x), rtol=1e-13, atol=1e-15)


def top_k(attributes: str, operand: str, more: str = "") -> str:
    """The three best of rows of six."""
    values, indices = f"2x3x{operand}", "2x3xi32"
    return f"""
    func.func @main(%x: tensor<2x6x{operand}>) -> (tensor<{values}>, tensor<{indices}>) {{
      %k = stablehlo.constant dense<3> : tensor<i32>
      %0:2 = stablehlo.custom_call {attributes}
        : (tensor<2x6x{operand}>{more}) -> (tensor<{values}>, tensor<{indices}>)
      return %0#0, %0#1 : tensor<{values}>, tensor<{indices}>
    }}"""


ROWS = np.array([[3, 1, 3, 0, 2, 1], [5, 5, 4, 6, 6, 4]])
LARGEST = ([[3, 3, 2], [6, 6, 5]], [[0, 2, 4], [3, 4, 0]])
SMALLEST = ([[0, 1, 1], [4, 4, 5]], [[3, 1, 5], [2, 5, 0]])


@BOTH
@pytest.mark.parametrize("operand", ["f32", "i16", "ui8", "bf16"])
@pytest.mark.parametrize(
    ("largest", "expected"), [("true", LARGEST), ("false", SMALLEST), (None, LARGEST)]
)
def test_top_k(compile: Compile, operand: str, largest: str | None, expected: Any) -> None:
    """Of equal elements the first comes first."""
    words = "k = 3 : i64" if largest is None else f"k = 3 : i64, largest = {largest}"
    text = top_k(f"@mhlo.topk(%x) {{mhlo.attributes = {{{words}}}}}", operand)
    executable = compile(text)
    x = ROWS.astype(executable.signature.inputs[0].element_type.dtype)
    values, indices = executable(x)
    assert values.astype(int).tolist() == expected[0]
    assert indices.tolist() == expected[1]


@BOTH
def test_dynamic_top_k(compile: Compile) -> None:
    text = top_k("@stablehlo.dynamic_top_k(%x, %k) {api_version = 2 : i32}", "f32", ", tensor<i32>")
    values, indices = compile(text)(ROWS.astype(np.float32))
    assert (values.tolist(), indices.tolist()) == LARGEST


CUMULATIVE = """
func.func @main(%x: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  {size}
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(
      %x, %zero, %window, %one, %one, %one, %padding) {{
    api_version = 2 : i32, called_computations = [@add]
  }} : (tensor<{n}xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>,
       tensor<1x2xi32>) -> tensor<{n}xf32>
  return %0 : tensor<{n}xf32>
}}
func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}}"""
KNOWN = """%window = stablehlo.constant dense<5> : tensor<1xi32>
  %padding = stablehlo.constant dense<[[4, 0]]> : tensor<1x2xi32>"""
COMPUTED = """%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %window = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %1 = stablehlo.constant dense<1> : tensor<1xi32>
  %low = stablehlo.subtract %window, %1 : tensor<1xi32>
  %both = stablehlo.concatenate %low, %none, dim = 0
    : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padding = stablehlo.reshape %both : (tensor<2xi32>) -> tensor<1x2xi32>"""


@pytest.mark.parametrize(
    ("compile", "program"),
    [
        (shlo_tools.compile, CUMULATIVE.format(n=5, size=KNOWN)),
        (reference.compile, CUMULATIVE.format(n=5, size=KNOWN)),
        (reference.compile, CUMULATIVE.format(n="?", size=COMPUTED)),
    ],
)
def test_dynamic_reduce_window(compile: Compile, program: str) -> None:
    """A cumulative sum, as JAX exports it for a symbolic size."""
    x = np.array([1, 2, 4, 8, 16], np.float32)
    assert compile(program)(x).tolist() == np.cumsum(x).tolist()


@BOTH
def test_a_window_of_any_size(compile: Compile) -> None:
    """Sizes of windows and padding are arguments; the padding holds zeros."""
    program = CUMULATIVE.format(n="?", size="").replace(
        "%x: tensor<?xf32>)",
        "%x: tensor<?xf32>, %window: tensor<1xi32>, %padding: tensor<1x2xi32>)",
    )
    run = compile(program)
    x = np.array([1, 2, 4, 8, 16], np.float32)
    for size, low, high in ((5, 4, 0), (2, 0, 0), (1, 0, 0), (3, 1, 2), (5, 0, 4), (2, -1, -1)):
        cells = np.concatenate([np.zeros(max(low, 0)), x, np.zeros(max(high, 0))])
        cells = cells[max(-low, 0) : len(cells) - max(-high, 0)]
        expected = [cells[i : i + size].sum() for i in range(len(cells) - size + 1)]
        got = run(x, np.array([size], np.int32), np.array([[low, high]], np.int32))
        assert got.tolist() == expected


@BOTH
def test_dynamic_random_bits_are_those_of_the_op(compile: Compile) -> None:
    program = """func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {{
      %shape = stablehlo.constant dense<3> : tensor<1xi32>
      %0:2 = {}
      return %0#0, %0#1 : tensor<2xui64>, tensor<3xui32>
    }}"""
    types = "-> (tensor<2xui64>, tensor<3xui32>)"
    dynamic = f"""stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %shape)
      {{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}}
      : (tensor<2xui64>, tensor<1xi32>) {types}"""
    op = f"stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) {types}"
    state = np.array([1, 2], np.uint64)
    for one, other in zip(
        compile(program.format(dynamic))(state), compile(program.format(op))(state), strict=True
    ):
        np.testing.assert_array_equal(one, other)


# --- the best of many -----------------------------------------------------------------------------
BEST = """
func.func @main(%x: tensor<9x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {{
  %0 = stablehlo.iota dim = 0 : tensor<9x4xi32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %worst = stablehlo.constant dense<0.0> : tensor<f32>
  %shape = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %worst, %none{operands}) {{{indices}
    called_computations = [@better], mhlo.backend_config = {{aggregate_to_topk = true,
    recall_target = 0.95 : f32, reduction_dim = 0 : i64, top_k = 3 : i64}}}}
    : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<f32>, tensor<i32>{types})
    -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %1#0, %1#1 : tensor<3x4xf32>, tensor<3x4xi32>
}}
func.func private @better(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>)
    -> tensor<i1> {{
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}}"""
SHAPES = {
    "operands": ", %shape, %shape",
    "types": ", tensor<2xi32>, tensor<2xi32>",
    "indices": "indices_of_shape_operands = dense<[4, 5]> : tensor<2xi64>,",
}


@BOTH
@pytest.mark.parametrize("form", [{"operands": "", "types": "", "indices": ""}, SHAPES])
def test_approximate_top_k(compile: Compile, form: dict[str, str]) -> None:
    x = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    values, indices = compile(BEST.format(**form))(x)
    order = np.argsort(-x, axis=0)[:3]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 0))


# --- shapes ---------------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("got {0}, want {1}", "got -3, want 12"),
        ("{1} {0} {1} {2} {x}", "12 -3 12 {2} {x}"),
        ("all {0:>5} of {1,7}", "all -3 of 12"),
        ("{{0} {{{1}}", "{0} {12}"),
        ("", "a shape assertion failed"),
    ],
)
def test_shape_assertions(compile: Compile, message: str, expected: str) -> None:
    executable = compile(f"""func.func @main(%ok: tensor<i1>, %a: tensor<i32>, %b: tensor<i64>) {{
      stablehlo.custom_call @shape_assertion(%ok, %a, %b) {{api_version = 2 : i32,
        has_side_effect = true, error_message = "{message}"}}
        : (tensor<i1>, tensor<i32>, tensor<i64>) -> ()
      return
    }}""")
    assert executable(np.True_, np.int32(-3), np.int64(12)) == ()
    with pytest.raises(ExecutionError) as caught:
        executable(np.False_, np.int32(-3), np.int64(12))
    assert caught.value.diagnostics[0].message.endswith(expected)
    assert str(caught.value).startswith("-:2:")


@BOTH
def test_shape_operands_are_no_operands(compile: Compile) -> None:
    """JAX appends the shape of each result where it is symbolic; functions do not see them."""
    calls: list[Any] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, result_types: Any, operand_layouts: Any) -> Array:
        calls.append((str(result_types[0]), operand_layouts))
        return x * 2

    executable = compile("""func.func @main(%x: tensor<3xf32>, %s: tensor<1xi32>) -> tensor<3xf32> {
      %0 = stablehlo.custom_call @f(%x, %s)
        {indices_of_shape_operands = dense<1> : tensor<1xi64>}
        : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }""")
    assert executable(np.ones(3, np.float32), np.array([3], np.int32)).tolist() == [2, 2, 2]
    assert calls == [("tensor<3xf32>", ((0,),))]


def test_shapes_that_only_operands_tell() -> None:
    """In the reference, where sizes may be unknown until then."""

    @shlo_tools.custom_call("f")
    def f(x: Array, *, outputs: list[Array]) -> None:
        outputs[0][...] = x[0]

    run = reference.compile("""
    func.func @main(%x: tensor<3xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
      %0 = stablehlo.custom_call @f(%x, %s)
        {indices_of_shape_operands = dense<1> : tensor<1xi64>}
        : (tensor<3xf32>, tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }""")
    assert run(np.ones(3, np.float32), np.array([5], np.int32)).tolist() == [1] * 5


# --- others ---------------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize(
    "target", ["Sharding", "SPMDFullToShardShape", "annotate_device_placement", "LayoutConstraint"]
)
def test_annotations_are_identities(compile: Compile, target: str) -> None:
    executable = compile(f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = stablehlo.custom_call @{target}(%x) {{backend_config = ""}}
        : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}""")
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(executable(x), x)


@BOTH
def test_a_shard_of_several_is_refused(compile: Compile) -> None:
    with pytest.raises(UnsupportedError, match="several devices"):
        compile("""func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
          %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<4xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""")(np.zeros(4, np.float32))


CSR = """func.func @main(%v: tensor<5xf32>, %p: tensor<5xi32>, %c: tensor<5xi32>,
                        %d: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%v, %p, %c, %d) {mhlo.backend_config = {}}
    : (tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}"""
VALUES = np.array([1, 2, 3, 4, 99], np.float32)
ENDS = np.array([0, 2, 2, 3, 4], np.int32)  # the second row is empty, the last value is padding
COLUMNS = np.array([0, 2, 1, 2, 0], np.int32)
MATRIX = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0], [0, 0, 4]], np.float32)


@BOTH
def test_sparse_times_dense(compile: Compile) -> None:
    dense = np.arange(6, dtype=np.float32).reshape(3, 2)
    executable = compile(CSR)
    np.testing.assert_array_equal(executable(VALUES, ENDS, COLUMNS, dense), MATRIX @ dense)
    for ends, columns in (
        (np.array([0, 2, 2, 3, 6], np.int32), COLUMNS),
        (np.array([0, 3, 2, 3, 4], np.int32), COLUMNS),
        (np.array([-1, 2, 2, 3, 4], np.int32), COLUMNS),
        (ENDS, np.array([0, 3, 1, 2, 0], np.int32)),
        (ENDS, np.array([0, -1, 1, 2, 0], np.int32)),
    ):
        with pytest.raises(ExecutionError, match="an index leaves the matrix"):
            executable(VALUES, ends, columns, dense)


@BOTH
def test_lapack(compile: Compile) -> None:
    """One call of each kind of path: the library's routine directly, and by way of the host."""
    program = """func.func @main(%a: tensor<3x3xf64>)
        -> (tensor<3x3xf64>, tensor<i32>, tensor<3xf64>, tensor<i32>) {
      %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}
        : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
      %1:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}}
        : (tensor<3x3xf64>)
        -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<i32>)
      return %0#0, %0#1, %1#1, %1#4 : tensor<3x3xf64>, tensor<i32>, tensor<3xf64>, tensor<i32>
    }"""
    a = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
    factor, info, values, other = compile(program)(a)
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(a), rtol=1e-14)
    np.testing.assert_allclose(values, np.linalg.svd(a, compute_uv=False), rtol=1e-14)
    assert info == other == 0


@BOTH
@pytest.mark.parametrize(
    "target", ["xla_ffi_python_cpu_callback", "xla_buffer_python_cpu_callback"]
)
def test_callbacks_of_another_process_say_so(compile: Compile, target: str) -> None:
    executable = compile(f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = stablehlo.custom_call @{target}(%x) {{mhlo.backend_config = {{index = 3 : ui64}}}}
        : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}""")
    with pytest.raises(UnsupportedError, match="Python function 3 of the JAX process"):
        executable(np.zeros(4, np.float32))


@BOTH
@pytest.mark.parametrize("target", ["__gpu$xla.gpu.triton", "tpu_custom_call", "cu_threefry2x32"])
def test_kernels_of_other_machines_are_named(compile: Compile, target: str) -> None:
    executable = compile(f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = stablehlo.custom_call @"{target}"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}""")
    with pytest.raises(UnsupportedError) as caught:
        executable(np.zeros(4, np.float32))
    assert f"custom_call target {target!r} is not registered" in str(caught.value)
    assert f"@shlo_tools.custom_call({target!r})" in caught.value.render()


# --- tables ---------------------------------------------------------------------------------------
def test_checks_are_the_same_for_compiled_programs_and_the_reference() -> None:
    assert checks.TARGETS.keys() == self_checking.TARGETS.keys()


def test_what_a_target_means_is_told_for_shapes_and_the_reference() -> None:
    for name, target in targets.TARGETS.items():
        is_op = target.meaning is targets.Meaning.OP
        assert bool(target.op) == is_op and (not is_op or target.op in reference.EVALUATORS)
        is_assertion = target.meaning is targets.Meaning.ASSERTION
        assert (known_targets.find(name) is None) == is_assertion
