"""Sizes that contradict each other where nothing runs: the program is valid until they are met.

Types say ``?``, so that the verifier takes the program, and the reference runs it as long as the
branch is not taken. Compiled, it fails as late: when it gets there, with a ShapeMismatchError.
"""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, reference
from shlo_tools.errors import ConstraintError, ExecutionError, ShapeMismatchError
from shlo_tools.pipeline import runner

V = "tensor<?xf32>"

# %x and %y have n elements, %z has n + 1, %w has 2: what gives %r can never run.
OPS = {
    "add": f"%r = stablehlo.add %x, %z : {V}",
    "select": f"""
      %m = stablehlo.compare LT, %x, %y : ({V}, {V}) -> tensor<?xi1>
      %r = stablehlo.select %m, %z, %z : tensor<?xi1>, {V}""",
    "concatenate": f"""
      %a = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
      %b = "stablehlo.concatenate"(%a, %c31) {{dimension = 1 : i64}}
        : (tensor<2x1xf32>, tensor<?x1xf32>) -> tensor<2x2xf32>
      %r = stablehlo.add %x, %y : {V}""",
    "dot_general": f"""
      %d = stablehlo.dot_general %x, %z, contracting_dims = [0] x [0] : ({V}, {V}) -> tensor<f32>
      %r = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<f32>) -> tensor<2xf32>
      """,
    "dynamic_reshape": f"""
      %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
      %r2 = stablehlo.dynamic_reshape %c31, %s : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      %r = stablehlo.add %x, %y : {V}""",
    "dynamic_broadcast_in_dim": f"""
      %s = stablehlo.constant dense<[2]> : tensor<1xi32>
      %q = stablehlo.dynamic_broadcast_in_dim %c3, %s, dims = [0]
        : (tensor<?xf32>, tensor<1xi32>) -> {V}
      %r = stablehlo.add %x, %y : {V}""",
    "reduce": f"""
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %q:2 = stablehlo.reduce(%x init: %f), (%z init: %f) across dimensions = [0]
        : ({V}, {V}, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {{
          stablehlo.return %a, %c : tensor<f32>, tensor<f32>
        }}
      %r = stablehlo.add %x, %y : {V}""",
    "sort": f"""
      %q:2 = "stablehlo.sort"(%x, %z) ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
          %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %l : tensor<i1>
      }}) {{dimension = 0 : i64}} : ({V}, {V}) -> ({V}, {V})
      %r = stablehlo.add %x, %y : {V}""",
    "a loop that fails": f"""
      %q:2 = stablehlo.while(%a = %x, %i = %n) : {V}, tensor<i32>
        cond {{
          %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %b = stablehlo.add %a, %z : {V}
          stablehlo.return %l : tensor<i1>
        }} do {{
          stablehlo.return %a, %i : {V}, tensor<i32>
        }}
      %r = stablehlo.add %x, %q#0 : {V}""",
    "a branch in the branch": f"""
      %r = "stablehlo.if"(%p) ({{
        %a = stablehlo.add %x, %z : {V}
        stablehlo.return %a : {V}
      }}, {{
        stablehlo.return %x : {V}
      }}) : (tensor<i1>) -> {V}""",
    "a call": f"%r = func.call @f(%x, %z) : ({V}, {V}) -> {V}",
    "a result of known size": f"""
      %a = stablehlo.add %x, %z : ({V}, {V}) -> tensor<2xf32>
      %r = stablehlo.add %a, %w : tensor<2xf32>""",
}

# Where the ops are: in a branch, in one of several branches, in a loop's body.
PLACES = {
    "if": """
      %0 = "stablehlo.if"(%p) ({{
        {ops}
        stablehlo.return %r : {type}
      }}, {{
        stablehlo.return %k : {type}
      }}) : (tensor<i1>) -> {type}""",
    "case": """
      %index = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
      %0 = "stablehlo.case"(%index) ({{
        stablehlo.return %k : {type}
      }}, {{
        {ops}
        stablehlo.return %r : {type}
      }}) : (tensor<i32>) -> {type}""",
    "while": """
      %false = stablehlo.constant dense<false> : tensor<i1>
      %1:2 = "stablehlo.while"(%k, %p) ({{
        ^bb0(%v: {type}, %go: tensor<i1>):
          stablehlo.return %go : tensor<i1>
      }}, {{
        ^bb0(%v: {type}, %go: tensor<i1>):
          {ops}
          stablehlo.return %r, %false : {type}, tensor<i1>
      }}) : ({type}, tensor<i1>) -> ({type}, tensor<i1>)
      %0 = stablehlo.optimization_barrier %1#0 : {type}""",
}


def _type(name: str) -> str:
    return "tensor<2xf32>" if name in ("dot_general", "a result of known size") else V


def _program(place: str, name: str, inputs: str) -> str:
    type = _type(name)
    kept = "%w" if type != V else "%x"
    body = PLACES[place].format(ops=OPS[name], type=type).replace("%k", kept)
    return f"""
      func.func @main(%given: {inputs}, %p: tensor<i1>) -> {type} {{
        %x = stablehlo.abs %given : ({inputs}) -> {V}
        %y = stablehlo.negate %x : {V}
        %one = stablehlo.constant dense<1.0> : tensor<1xf32>
        %n = stablehlo.constant dense<7> : tensor<i32>
        %w = stablehlo.constant dense<3.0> : tensor<2xf32>
        %z = stablehlo.concatenate %x, %one, dim = 0 : ({V}, tensor<1xf32>) -> {V}
        %three = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
        %c3 = stablehlo.abs %three : (tensor<3xf32>) -> {V}
        %square = stablehlo.constant dense<1.0> : tensor<3x1xf32>
        %c31 = stablehlo.abs %square : (tensor<3x1xf32>) -> tensor<?x1xf32>
        {body}
        return %0 : {type}
      }}
      func.func private @f(%x: {V}, %z: {V}) -> {V} {{
        %0 = stablehlo.add %x, %z : {V}
        return %0 : {V}
      }}"""


X = np.array([-1, 2, -3, 4], np.float32)


@pytest.mark.parametrize("inputs", [V, "tensor<4xf32>"])
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("place", PLACES)
def test_it_fails_when_it_is_reached(place: str, name: str, inputs: str) -> None:
    text = _program(place, name, inputs)
    compiled, expected = shlo_tools.compile(text), reference.compile(text)
    no, yes = np.array(False), np.array(True)
    np.testing.assert_array_equal(compiled(X, no), expected(X, no), strict=True)
    with pytest.raises(ShapeMismatchError, match=r"stablehlo\.\w+: .*"):
        compiled(X, yes)
    with pytest.raises(ExecutionError):
        expected(X, yes)
    np.testing.assert_array_equal(compiled(X, no), expected(X, no), strict=True)


@pytest.mark.parametrize("inputs", [V, "tensor<4xf32>"])
@pytest.mark.parametrize("name", OPS)
def test_at_the_top_level_it_is_an_error_of_the_program(name: str, inputs: str) -> None:
    text = _program("if", name, inputs)
    head, rest = text.split('%0 = "stablehlo.if"')
    callee = rest[rest.index("func.func private") :]
    plain = f"{head}{OPS[name]}\nreturn %r : {_type(name)}\n}}\n{callee}"
    if name == "a branch in the branch":
        shlo_tools.compile(plain)
        return
    with pytest.raises(ConstraintError, match=r"stablehlo\.\w+: "):
        shlo_tools.compile(plain)


def test_the_condition_of_a_loop_always_runs() -> None:
    failing = f"%u = {OPS['add'].partition('= ')[2]}\n"
    end = "stablehlo.return %go"
    text = _program("while", "add", V).replace(end, f"{failing}{end}")
    with pytest.raises(ConstraintError, match=r"stablehlo\.add: "):
        shlo_tools.compile(text)


def test_what_another_round_of_a_loop_may_mend_is_no_error() -> None:
    """A loop is looked at with the sizes that it starts with first: %v has 4, then 2 elements."""
    text = f"""
      func.func @main(%x: tensor<4xf32>, %w: tensor<2xf32>, %p: tensor<i1>) -> {V} {{
        %v0 = stablehlo.abs %x : (tensor<4xf32>) -> {V}
        %w0 = stablehlo.abs %w : (tensor<2xf32>) -> {V}
        %true = stablehlo.constant dense<true> : tensor<i1>
        %i0 = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %three = stablehlo.constant dense<3> : tensor<i32>
        %0:3 = stablehlo.while(%v = %v0, %q = %p, %i = %i0) : {V}, tensor<i1>, tensor<i32>
          cond {{
            %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }} do {{
            %n = "stablehlo.if"(%q) ({{
              %s = stablehlo.add %v, %w0 : {V}
              stablehlo.return %s : {V}
            }}, {{
              stablehlo.return %w0 : {V}
            }}) : (tensor<i1>) -> {V}
            %j = stablehlo.add %i, %one : tensor<i32>
            stablehlo.return %n, %true, %j : {V}, tensor<i1>, tensor<i32>
          }}
        return %0#0 : {V}
      }}"""
    w = np.array([1, -2], np.float32)
    exe = shlo_tools.compile(text)
    np.testing.assert_array_equal(exe(X, w, np.array(False)), 3 * np.abs(w), strict=True)
    with pytest.raises(ShapeMismatchError):
        exe(X, w, np.array(True))


def test_refinement_leaves_what_it_cannot_refine_valid() -> None:
    """Twice in a row, with the verifier after each pass."""
    passes = "builtin.module(shlo-refine-shapes,shlo-canonicalize-dynamism,shlo-refine-shapes)"
    with mlir.library_context():
        for place in PLACES:
            for name in OPS:
                module = mlir.parse_module(_program(place, name, "tensor<4xf32>"))
                runner.run(passes, module)
                assert module.operation.verify()


# --- what branches and iterations hand on ---------------------------------------------------------
YIELDS = {
    "if": """
      %0 = "stablehlo.if"(%p) ({
        stablehlo.return %x : tensor<?xf32>
      }, {
        stablehlo.return %c : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>""",
    "while": """
      %no = stablehlo.constant dense<false> : tensor<i1>
      %0:2 = "stablehlo.while"(%c, %p) ({
        ^bb0(%a: tensor<4xf32>, %go: tensor<i1>):
          stablehlo.return %go : tensor<i1>
      }, {
        ^bb0(%a: tensor<4xf32>, %go: tensor<i1>):
          stablehlo.return %x, %no : tensor<?xf32>, tensor<i1>
      }) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)""",
}


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("inputs", [V, "tensor<{}xf32>"])
@pytest.mark.parametrize("place", YIELDS)
def test_what_is_handed_on_has_the_sizes_that_are_declared(
    place: str, inputs: str, size: int
) -> None:
    """Nothing is read beyond a tensor that has less."""
    type = inputs.format(size)
    result = "%0#0" if place == "while" else "%0"
    exe = shlo_tools.compile(f"""
      func.func @main(%given: {type}, %p: tensor<i1>) -> tensor<4xf32> {{
        %x = stablehlo.abs %given : ({type}) -> {V}
        %c = stablehlo.constant dense<7.0> : tensor<4xf32>
        {YIELDS[place]}
        return {result} : tensor<4xf32>
      }}""")
    x, sevens = -np.arange(size, dtype=np.float32), np.full(4, 7, np.float32)
    np.testing.assert_array_equal(exe(x, np.array(False)), sevens, strict=True)
    if size == 4:
        np.testing.assert_array_equal(exe(x, np.array(True)), -x, strict=True)
    else:
        with pytest.raises(ShapeMismatchError, match=r"tensor<4xf32>"):
            exe(x, np.array(True))


@pytest.mark.parametrize("name", ["dynamic_broadcast_in_dim", "dynamic_reshape", "dynamic_iota"])
def test_sizes_that_come_to_be_known_and_do_not_fit(name: str) -> None:
    """As numbers in the program they would make the op invalid; the branch may never be taken."""
    op = {
        "dynamic_broadcast_in_dim": "%row, %s, dims = [1] : (tensor<1xf32>, tensor<2xi32>)",
        "dynamic_reshape": "%x, %s : (tensor<2x1xf32>, tensor<2xi32>)",
        "dynamic_iota": "%s, dim = 0 : (tensor<2xi32>)",
    }[name]
    text = f"""func.func @main(%x: tensor<2x1xf32>, %p: tensor<i1>) -> tensor<2x1xf32> {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %row = stablehlo.constant dense<1.0> : tensor<1xf32>
      %r = "stablehlo.if"(%p) ({{
        %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2x1xf32>) -> tensor<i32>
        %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x1xf32>) -> tensor<i32>
        %more = stablehlo.add %m, %one : tensor<i32>
        %a = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
        %b = stablehlo.reshape %more : (tensor<i32>) -> tensor<1xi32>
        %s = stablehlo.concatenate %a, %b, dim = 0
          : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %q = stablehlo.{name} {op} -> tensor<1x?xf32>
        stablehlo.return %x : tensor<2x1xf32>
      }}, {{
        stablehlo.return %x : tensor<2x1xf32>
      }}) : (tensor<i1>) -> tensor<2x1xf32>
      return %r : tensor<2x1xf32>
    }}"""
    x = np.ones((2, 1), np.float32)
    native = shlo_tools.compile(text)
    np.testing.assert_array_equal(native(x, np.False_), reference.interpret(text, x, np.False_))
    with pytest.raises(ExecutionError):
        reference.interpret(text, x, np.True_)
    with pytest.raises(ShapeMismatchError):
        native(x, np.True_)
