"""Stages whose kernels want numbers for sizes: they are lowered for those of a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools import compile, interpret
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.errors import ShapeMismatchError
from shlo_tools.probes.hits import Hit

M = "tensor<?x?xf32>"
LESS = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  })"""
ADD = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %l = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %l : tensor<f32>
  })"""
AT_LEAST = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %l = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  })"""
SIZES = f"""
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : ({M}) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : ({M}) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %zero1 = stablehlo.reshape %zero : (tensor<i32>) -> tensor<1xi32>
  %one1 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>"""

# Of an x of unknown sizes, each makes an %r of the same ones.
BODIES = {
    "sort": f"""%r = "stablehlo.sort"(%x) <{{dimension = 1 : i64, is_stable = true}}> {LESS}
      : ({M}) -> {M}""",
    "scatter": f"""%i = stablehlo.constant dense<[[0], [5]]> : tensor<2x1xi32>
      %two1 = stablehlo.constant dense<2> : tensor<1xi32>
      %t = stablehlo.concatenate %two1, %m1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %u = stablehlo.dynamic_broadcast_in_dim %none, %t, dims = []
        : (tensor<f32>, tensor<2xi32>) -> tensor<2x?xf32>
      %v = stablehlo.cosine %u : tensor<2x?xf32>
      %r = "stablehlo.scatter"(%x, %i, %v) <{{indices_are_sorted = false, unique_indices = false,
        scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}>
        {ADD} : ({M}, tensor<2x1xi32>, tensor<2x?xf32>) -> {M}""",
    "reduce_window": f"""%r = "stablehlo.reduce_window"(%x, %none) <{{
        padding = dense<[[1, 1], [2, 0]]> : tensor<2x2xi64>,
        window_dimensions = array<i64: 3, 3>}}> {ADD} : ({M}, tensor<f32>) -> {M}""",
    "select_and_scatter": f"""%r = "stablehlo.select_and_scatter"(%x, %x, %none) <{{
        padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>,
        window_dimensions = array<i64: 3, 1>}}> {AT_LEAST[:-1]}, {ADD[1:]}
        : ({M}, {M}, tensor<f32>) -> {M}""",
    "dynamic_update_slice": f"""%u = stablehlo.constant dense<7.0> : tensor<1x1xf32>
      %r = stablehlo.dynamic_update_slice %x, %u, %one, %zero
        : ({M}, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> {M}""",
    "dynamic_gather": f"""%t = stablehlo.concatenate %one1, %m1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %i = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
      %j = stablehlo.negate %i : tensor<?xi32>
      %r = "stablehlo.dynamic_gather"(%x, %j, %t) <{{indices_are_sorted = false,
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>}}>
        : ({M}, tensor<?xi32>, tensor<2xi32>) -> {M}""",
    "dynamic_conv": f"""%w = stablehlo.constant
        dense<[[[0.5]], [[2.0]], [[1.0]]]> : tensor<3x1x1xf32>
      %t = stablehlo.concatenate %n1, %m1, %one1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
      %y = stablehlo.dynamic_reshape %x, %t : ({M}, tensor<3xi32>) -> tensor<?x?x1xf32>
      %p = stablehlo.subtract %n, %n : tensor<i32>
      %low = stablehlo.add %p, %one : tensor<i32>
      %low1 = stablehlo.reshape %low : (tensor<i32>) -> tensor<1xi32>
      %pads = stablehlo.concatenate %low1, %low1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %pads2 = stablehlo.reshape %pads : (tensor<2xi32>) -> tensor<1x2xi32>
      %z = "stablehlo.dynamic_conv"(%y, %w, %pads2) <{{batch_group_count = 1 : i64,
        dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
        feature_group_count = 1 : i64}}>
        : (tensor<?x?x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<?x?x1xf32>
      %r = stablehlo.dynamic_reshape %z, %s : (tensor<?x?x1xf32>, tensor<2xi32>) -> {M}""",
    "fft": f"""%c = stablehlo.complex %x, %x : tensor<?x?xcomplex<f32>>
      %t = stablehlo.transpose %c, dims = [1, 0]
        : (tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
      %k = stablehlo.constant dense<4> : tensor<1xi32>
      %k2 = stablehlo.concatenate %n1, %k, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %one2 = stablehlo.constant dense<1> : tensor<2xi32>
      %zero2 = stablehlo.constant dense<0> : tensor<2xi32>
      %w = stablehlo.dynamic_broadcast_in_dim %none, %k2, dims = []
        : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
      %wc = stablehlo.complex %w, %w : tensor<?x4xcomplex<f32>>
      %f = stablehlo.fft %wc, type = FFT, length = [4]
        : (tensor<?x4xcomplex<f32>>) -> tensor<?x4xcomplex<f32>>
      %re = stablehlo.real %f : (tensor<?x4xcomplex<f32>>) -> tensor<?x4xf32>
      %sum = stablehlo.reduce(%re init: %none) applies stablehlo.add across dimensions = [1]
        : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
      %b = stablehlo.dynamic_broadcast_in_dim %sum, %s, dims = [0]
        : (tensor<?xf32>, tensor<2xi32>) -> {M}
      %r = stablehlo.add %x, %b : {M}""",
    "while": f"""%some = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%some, %n) {{error_message = "no rows",
        has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()
      %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, {M}
      cond {{
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %last = stablehlo.subtract %n, %one : tensor<i32>
        %row = stablehlo.clamp %zero, %i, %last : tensor<i32>
        %row1 = stablehlo.reshape %row : (tensor<i32>) -> tensor<1xi32>
        %start = stablehlo.concatenate %row1, %zero1, dim = 0
          : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %size = stablehlo.concatenate %one1, %m1, dim = 0
          : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %limit = stablehlo.add %start, %size : tensor<2xi32>
        %ones = stablehlo.constant dense<1> : tensor<2xi32>
        %u = stablehlo.real_dynamic_slice %x, %start, %limit, %ones
          : ({M}, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
        %b = stablehlo.dynamic_broadcast_in_dim %u, %s, dims = [0, 1]
          : (tensor<1x?xf32>, tensor<2xi32>) -> {M}
        %z = stablehlo.add %y, %b : {M}
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %z : tensor<i32>, {M}
      }}
      %r = stablehlo.tanh %0#1 : {M}""",
    "if": f"""%p = stablehlo.compare GT, %n, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = "stablehlo.if"(%p) ({{
        %y = stablehlo.exponential %x : {M}
        stablehlo.return %y : {M}
      }}, {{
        %y = stablehlo.cosine %x : {M}
        stablehlo.return %y : {M}
      }}) : (tensor<i1>) -> {M}""",
    "custom_call": f"""%t = stablehlo.concatenate %n1, %one1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %ones = stablehlo.constant dense<1> : tensor<2xi32>
      %last = stablehlo.subtract %n, %one : tensor<i32>
      %last1 = stablehlo.reshape %last : (tensor<i32>) -> tensor<1xi32>
      %p = stablehlo.concatenate %last1, %zero1, %zero1, %zero1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
      %p2 = stablehlo.reshape %p : (tensor<4xi32>) -> tensor<2x2xi32>
      %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(
          %x, %none, %t, %ones, %ones, %ones, %p2) {{called_computations = [@sum]}}
        : ({M}, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>,
           tensor<2x2xi32>) -> {M}""",
}
SUM = """func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}"""


def program(name: str) -> str:
    return f"func.func @main(%x: {M}) -> {M} {{{SIZES}\n{BODIES[name]}\nreturn %r : {M} }}\n{SUM}"


def compiled(text: str) -> SizedExecutable:
    executable = compile(text)
    assert isinstance(executable, SizedExecutable)
    return executable


@pytest.mark.parametrize("name", BODIES)
def test_results_are_those_of_the_reference(name: str) -> None:
    """Each set of sizes has stages of its own, none of which takes the linalg path."""
    text = program(name)
    executable = compiled(text)
    if name in ("dynamic_update_slice", "dynamic_gather", "while", "if"):
        assert not executable.late
    draw = np.random.default_rng(0)
    for shape in ((3, 5), (17, 9), (1, 33), (40, 3), (3, 5)):
        x = draw.standard_normal(shape, np.float32)
        x.flags.writeable = False
        np.testing.assert_allclose(executable(x), interpret(text, x), rtol=2e-5, atol=2e-5)
    for instance in map(executable._instances.get, executable._instances.keys()):
        assert isinstance(instance, StagedExecutable)
        assert not instance.plain


@pytest.mark.parametrize("name", BODIES)
def test_probes_see_all_values(name: str) -> None:
    """What the host is given lies in memory, in the shape that it has in a call."""
    text, x = program(name), np.random.default_rng(1).standard_normal((5, 3), np.float32)
    hits: dict[str, list[Any]] = {"native": [], "reference": []}
    for backend, listed in hits.items():

        def tell(hit: Hit, listed: list[Any] = listed) -> None:
            listed.append((hit.site.op, [np.array(value) for value in hit.results]))

        compile(text, backend=backend, probe=tell)(x)  # type: ignore[call-overload]
    assert [op for op, _ in hits["native"]] == [op for op, _ in hits["reference"]]
    for (op, got), (_, target) in zip(*hits.values(), strict=True):
        for a, b in zip(got, target, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5, err_msg=op)


def test_sizes_that_arguments_say() -> None:
    """One table for each number, and an error for those that are no sizes."""
    text = """func.func @main(%x: tensor<?xf32>, %k: tensor<2xi32>) -> tensor<?x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %k1 = stablehlo.slice %k [1:2] : (tensor<2xi32>) -> tensor<1xi32>
      %s = stablehlo.concatenate %k1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
        : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      %1 = stablehlo.cosine %0 : tensor<?x?xf32>
      return %1 : tensor<?x?xf32> }"""
    executable = compiled(text)
    x = np.arange(7, dtype=np.float32)
    for rows in (3, 0, 1, 200, 3):
        target = np.broadcast_to(np.cos(x), (rows, 7))
        got = executable(x, np.array([99, rows], np.int32))
        np.testing.assert_allclose(got, target, rtol=1e-6)
    assert len(executable._instances.keys()) == 4  # the first element is no size
    with pytest.raises(ShapeMismatchError):
        executable(x, np.array([3, -1], np.int32))


def test_only_values_in_between_have_unknown_sizes() -> None:
    text = """func.func @main(%n: tensor<1xi32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32> }"""
    executable = compiled(text)
    for count in (5, 0, 1000):
        assert executable(np.array([count], np.int32)) == count * (count - 1) / 2
    with pytest.raises(ShapeMismatchError):
        executable(np.array([-1], np.int32))


def test_what_a_cast_says_is_checked() -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
      %0 = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
      %1 = stablehlo.tanh %0 : tensor<3xf32>
      return %1 : tensor<3xf32> }"""
    executable = compile(text)
    x = np.ones(3, np.float32)
    np.testing.assert_allclose(executable(x), np.tanh(x), rtol=1e-6)
    with pytest.raises(ShapeMismatchError):
        executable(np.ones(4, np.float32))


def test_branches_of_few_elements_that_only_checks_know() -> None:
    """A tiny stage knows the sizes of all that its branches hand on."""
    matrix = "tensor<?x?xi8>"
    text = f"""func.func @main(%x: {matrix}, %y: {matrix}, %p: tensor<i1>) -> tensor<2x2xi8> {{
      %0 = "stablehlo.if"(%p) ({{
        stablehlo.return %x : {matrix}
      }}, {{
        stablehlo.return %y : {matrix}
      }}) : (tensor<i1>) -> {matrix}
      %c = stablehlo.constant dense<1> : tensor<2x2xi8>
      %1 = stablehlo.add %0, %c : ({matrix}, tensor<2x2xi8>) -> tensor<2x2xi8>
      return %1 : tensor<2x2xi8> }}"""
    executable = compile(text)
    x = np.arange(4, dtype=np.int8).reshape(2, 2)
    for chosen in (True, False):
        got = executable(x, x + 4, np.array(chosen))
        np.testing.assert_array_equal(got, x + (1 if chosen else 5))
        got = executable(*((x, x[:1]) if chosen else (x[:1], x)), np.array(chosen))
        np.testing.assert_array_equal(got, x + 1)


@pytest.mark.parametrize("always", [True, False])
def test_branches_whose_choice_is_known(always: bool) -> None:
    """What is known inside of a branch may be named after what is inside of it."""
    row = "tensor<1x?xf32>"
    text = f"""func.func @main(%x: {row}, %y: {row}) -> {row} {{
      %p = stablehlo.constant dense<{str(always).lower()}> : tensor<i1>
      %0 = "stablehlo.if"(%p) ({{
        %1:2 = stablehlo.while(%a = %x, %b = %y) : {row}, {row}
        cond {{
          %false = stablehlo.constant dense<false> : tensor<i1>
          stablehlo.return %false : tensor<i1>
        }} do {{
          stablehlo.return %y, %b : {row}, {row}
        }}
        stablehlo.return %1#0 : {row}
      }}, {{
        stablehlo.return %y : {row}
      }}) : (tensor<i1>) -> {row}
      %2 = stablehlo.reverse %0, dims = [0, 1] : {row}
      return %2 : {row} }}"""
    x, y = np.arange(3, dtype=np.float32)[None], np.arange(5, dtype=np.float32)[None]
    np.testing.assert_array_equal(compile(text)(x, y), (x if always else y)[:, ::-1])


@pytest.mark.parametrize("count", [1, 2])
def test_barriers_hand_on(count: int) -> None:
    """What stands on both sides of a barrier is one stage."""
    type = "tensor<40x9xf32>"
    text = f"""func.func @main(%x: {type}, %y: {type}) -> ({type}, {type}) {{
      %e = stablehlo.tanh %x : {type}
      %0:2 = stablehlo.optimization_barrier %e, %y : {type}, {type}
      %1 = stablehlo.multiply %0#0, %0#1 : {type}
      return %1, %0#{count - 1} : {type}, {type} }}"""
    executable: Any = compile(text)
    assert not executable.plain
    x, y = np.random.default_rng(0).standard_normal((2, 40, 9)).astype(np.float32)
    for got, target in zip(executable(x, y), interpret(text, x, y), strict=True):
        np.testing.assert_allclose(got, target, rtol=1e-6)


def test_constants_of_regions_stay_there() -> None:
    """To inline a computation moves those of others: here of what compares sorted numbers."""
    path = Path(__file__).parents[2] / "programs" / "symbolic_order"
    arrays = np.load(path.with_suffix(".npz"))
    executable = compiled(path.with_suffix(".mlir").read_text())
    executable(*(arrays[name] for name in arrays.files if name.startswith("arg")))
    for instance in map(executable._instances.get, executable._instances.keys()):
        assert isinstance(instance, StagedExecutable)
        assert not instance.plain
