"""``to_python``: its source is readable, stands alone, and builds the same module."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import ir, mlir, program
from shlo_tools.builder import Module
from shlo_tools.errors import UnsupportedError


@pytest.fixture(params=[True, False], ids=["postponed", "eager"])
def compiled(request: pytest.FixtureRequest) -> Any:
    """``compile`` for source whose annotations are kept as text, as in this file, or are not."""
    return lambda source: compile(source, "lifted.py", "exec", dont_inherit=not request.param)


def rebuilt(text: str) -> tuple[str, str, str]:
    """A program's source, what that builds, and the program as it is printed."""
    module = program.load(text)
    source = shlo_tools.to_python(module)
    names: dict[str, Any] = {}
    exec(compile(source, "lifted.py", "exec"), names)
    with mlir.library_context():
        return source, str(names["module"]), ir.printed(module.operation)


FORMS = {
    "names of functions that Python cannot spell": """
        func.func @main(%a: tensor<f32>) -> tensor<f32> {
          %0 = call @"a b\\22"(%a) : (tensor<f32>) -> tensor<f32>
          %1 = call @class(%0) : (tensor<f32>) -> tensor<f32>
          return %1 : tensor<f32>
        }
        func.func private @"a b\\22"(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
        func.func @class(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }""",
    "names that differ only in what Python drops": """
        func.func @a.b() { return }
        func.func @a_b() { return }
        func.func @ops() { return }
        func.func @module() { return }""",
    "functions called before they are defined, and a declaration": """
        func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
          %0:2 = call @later(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
          call @nothing() : () -> ()
          return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
        }
        func.func private @nothing()
        func.func @later(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
          %c = stablehlo.constant dense<1> : tensor<i32>
          return %a, %c : tensor<2xf32>, tensor<i32>
        }
        func.func private @elsewhere(tensor<f32> {jax.arg_info = "x"}) -> tensor<?xf32>""",
    "attributes on everything": """
        module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.cross = "a\\0Ab\\22'"} {
          func.func public @main(%a: tensor<4xf32> {jax.buffer_donor = true,
                                                    mhlo.sharding = "{replicated}"},
                                 %b: tensor<4xf32>)
              -> (tensor<4xf32> {jax.result_info = "x"}, tensor<4xf32>)
              attributes {no_inline, some.list = [1 : i8, 2.5 : f32, @main, [unit], i32]} {
            %0 = stablehlo.add %a, %b {mhlo.frontend_attributes = {a = "b"}} : tensor<4xf32>
            %1 = call @inner(%0) {some.name = 7 : i64} : (tensor<4xf32>) -> tensor<4xf32>
            return %0, %1 : tensor<4xf32>, tensor<4xf32>
          }
          func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
            return %a : tensor<4xf32>
          }
        }""",
    "regions that capture, in regions, with attributes": """
        func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
            attributes {mhlo.frontend_attributes = {trip = "n"}}
            cond {
              %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %c : tensor<i1>
            } do {
              %p = stablehlo.compare EQ, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
              %z = "stablehlo.if"(%p) ({
                %s = stablehlo.add %y, %x : tensor<f32>
                stablehlo.return %s : tensor<f32>
              }, {
                stablehlo.return %y : tensor<f32>
              }) : (tensor<i1>) -> tensor<f32>
              %one = stablehlo.constant dense<1> : tensor<i32>
              %j = stablehlo.add %i, %one : tensor<i32>
              stablehlo.return %j, %z : tensor<i32>, tensor<f32>
            }
          return %0#1 : tensor<f32>
        }""",
    "a reduction that accumulates in a wider type": """
        func.func @main(%x: tensor<4xbf16>, %z: tensor<bf16>) -> tensor<f32> {
          %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
            ^bb0(%a: tensor<f32>, %b: tensor<f32>):
              %s = stablehlo.add %a, %b : tensor<f32>
              stablehlo.return %s : tensor<f32>
          }) : (tensor<4xbf16>, tensor<bf16>) -> tensor<f32>
          return %0 : tensor<f32>
        }""",
    "results less exact than the operands": """
        func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
          %0 = stablehlo.tanh %x : (tensor<4xf32>) -> tensor<?xf32>
          return %0 : tensor<?xf32>
        }""",
    "bounded, unknown and quantized types, tokens and tuples": """
        func.func @main(%a: tensor<?x4xf32, #stablehlo.bounds<8, ?>>,
                        %b: tensor<2x!quant.uniform<i8:f32:0, {0.1, 0.2:-3}>>,
                        %c: tensor<2x!quant.uniform<u8<1:250>:f32, 5.0e-1:7>>,
                        %d: !stablehlo.token, %e: tuple<tensor<i1>, tuple<>>)
            -> (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, !stablehlo.token, tensor<i1>) {
          %0 = stablehlo.negate %a : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
          %1 = stablehlo.after_all %d, %d : !stablehlo.token
          %2 = stablehlo.get_tuple_element %e[0] : (tuple<tensor<i1>, tuple<>>) -> tensor<i1>
          return %0, %1, %2
            : tensor<?x4xf32, #stablehlo.bounds<8, ?>>, !stablehlo.token, tensor<i1>
        }""",
    "constants of every kind": """
        func.func @main() {
          %0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
          %1 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
          %2 = stablehlo.constant dense<[0x7F, 0xFF, 0x01]> : tensor<3xf8E4M3FN>
          %3 = stablehlo.constant dense<(-0.0, 0x7F800000)> : tensor<2xcomplex<f32>>
          %4 = stablehlo.constant dense<[0x7FC00001, 0xFFC00000, 0.1]> : tensor<3xf32>
          %5 = stablehlo.constant dense<> : tensor<0x3xui64>
          %6 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
          %7 = stablehlo.constant dense<-0.0> : tensor<3x4xbf16>
          %8 = stablehlo.constant dense<0x7FF8000000000123> : tensor<f64>
          %9 = stablehlo.constant dense<2.5> : tensor<100000x100000xf32>
          %10 = stablehlo.constant dense<[1.0e-45, 3.4028235e38, 16777217.0]> : tensor<3xf32>
          return
        }""",
    "a custom call with a dictionary, aliases and layouts": """
        func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
          %0 = stablehlo.custom_call @target(%a) {
            api_version = 4 : i32,
            backend_config = {flag = true, scale = 1.0 : f32, numbers = array<i64: 1, 2>},
            operand_layouts = [dense<0> : tensor<1xindex>],
            result_layouts = [dense<0> : tensor<1xindex>],
            output_operand_aliases = [#stablehlo.output_operand_alias<
              output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
          } : (tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""",
    "a composite, CHLO and the shape dialect": """
        func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
          %0 = shape.shape_of %a : tensor<?xf32> -> tensor<1xindex>
          %1 = stablehlo.dynamic_broadcast_in_dim %b, %0, dims = [0]
            : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
          %2 = chlo.broadcast_add %a, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
          %3 = chlo.erf %2 : tensor<?xf32> -> tensor<?xf32>
          %4 = stablehlo.composite "my.op" %3 {
            composite_attributes = {n = 3 : i64}, decomposition = @body, version = 2 : i32
          } : (tensor<?xf32>) -> tensor<?xf32>
          %5 = shape.cstr_broadcastable %0, %0 : tensor<1xindex>, tensor<1xindex>
          %6 = shape.assuming %5 -> (tensor<?xf32>) {
            shape.assuming_yield %4 : tensor<?xf32>
          }
          return %6 : tensor<?xf32>
        }
        func.func private @body(%a: tensor<?xf32>) -> tensor<?xf32> {
          return %a : tensor<?xf32>
        }""",
    "scalars outside tensors, and regions that end with different ops": """
        memref.global "private" constant @g : memref<2xf32> = dense<1.0>
        func.func @main(%n: index) -> index {
          %c1 = arith.constant 1 : index
          %0 = scf.while (%i = %c1) : (index) -> index {
            %c = arith.cmpi slt, %i, %n : index
            scf.condition(%c) %i : index
          } do {
          ^bb0(%j: index):
            %k = arith.addi %j, %c1 : index
            scf.yield %k : index
          }
          return %0 : index
        }""",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=list(FORMS))
def test_the_source_builds_the_same_module(text: str) -> None:
    _, built, printed = rebuilt(text)
    assert built == printed


def test_source_is_what_people_write() -> None:
    """Functions of ops by name, operands in place, attributes by keyword, ops as regions."""
    source, _, _ = rebuilt("""
        module @m {
          func.func @main(%x: tensor<4x8xf32>, %bias: tensor<8xf32>) -> tensor<4xf32> {
            %zero = stablehlo.constant dense<0.0> : tensor<f32>
            %0 = stablehlo.broadcast_in_dim %bias, dims = [1]
              : (tensor<8xf32>) -> tensor<4x8xf32>
            %1 = stablehlo.add %x, %0 : tensor<4x8xf32>
            %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
              : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
            return %2 : tensor<4xf32>
          }
        }""")
    assert (
        source
        == """\
import numpy as np

from shlo_tools import ops
from shlo_tools.builder import Module

module = Module("m")


@module.func
def main(arg0: "4x8xf32", arg1: "8xf32"):
    constant = ops.constant(np.float32(0.0))
    broadcast_in_dim = ops.broadcast_in_dim(arg1, broadcast_dimensions=[1], result_type="4x8xf32")
    add = ops.add(arg0, broadcast_in_dim)
    (reduce,) = ops.reduce([add], [constant], dimensions=[1], body=ops.add)
    return reduce
"""
    )


def test_large_constants_are_at_the_top() -> None:
    numbers = np.arange(100, dtype=np.float32).reshape(10, 10)
    module = Module()
    ops = shlo_tools.ops
    module.func(name="main")(lambda: ops.constant(numbers))
    source = shlo_tools.to_python(module)
    assert source.index("CONSTANT_0 = ") < source.index("def main")
    names: dict[str, Any] = {}
    exec(source, names)
    np.testing.assert_array_equal(shlo_tools.run(names["module"]), numbers)


def test_the_program_is_left_as_it_is() -> None:
    module = program.load(
        "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }"
    )
    with mlir.library_context():
        before = ir.printed(module.operation)
        shlo_tools.to_python(module)
        assert ir.printed(module.operation) == before


def test_annotations_are_evaluated_or_not(compiled: Any) -> None:
    """Attributes of arguments, and types that are objects, are read either way."""
    text = """func.func @main(%a: index, %b: tensor<2xi8> {some.name = 3 : i8}) -> index {
      return %a : index
    }"""
    names: dict[str, Any] = {}
    exec(compiled(shlo_tools.to_python(text)), names)
    assert str(names["module"]) == str(program.load(text))


def test_recursion() -> None:
    _, built, printed = rebuilt("""
        func.func @main(%a: tensor<f32>) -> tensor<f32> {
          %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }""")
    assert built == printed


def test_arguments_are_named_as_where_they_come_from() -> None:
    """By their locations' names, unless Python or the source uses the name."""
    text = """func.func @x(%0: tensor<f32> loc("x"), %1: tensor<f32> loc("weights"),
                          %2: tensor<f32> loc("class"), %3: tensor<f32> loc("ops"),
                          %4: tensor<f32> loc("weights"), %5: tensor<f32>) { return }"""
    source, built, printed = rebuilt(text)
    head = 'def x(x_1: "f32", weights: "f32", class_1: "f32", ops_1: "f32", weights_1: "f32",'
    assert head.removesuffix(",") in " ".join(source.split()).replace("( ", "(")
    assert built == printed


def nested(depth: int) -> str:
    inner = "stablehlo.return %p : tensor<i1>"
    for level in range(depth):
        inner = (
            f'%r{level} = "stablehlo.if"(%p) ({{ {inner} }}, {{ stablehlo.return %p : tensor<i1> '
            f"}}) : (tensor<i1>) -> tensor<i1>\n stablehlo.return %r{level} : tensor<i1>"
        )
    body = inner.replace(f"stablehlo.return %r{depth - 1} :", f"return %r{depth - 1} :")
    return f"func.func @main(%p: tensor<i1>) -> tensor<i1> {{ {body} }}"


def test_regions_nested_as_deep_as_python_indents() -> None:
    _, built, printed = rebuilt(nested(35))
    assert built == printed


@pytest.mark.parametrize(
    ("text", "op", "reason"),
    [
        (nested(60), "stablehlo.if", "nested 40 deep"),
        (
            "func.func @f(%a: i1) {\n cf.cond_br %a, ^x, ^x\n^x:\n return\n}",
            "func.func",
            "several blocks",
        ),
        ("func.func @f() {\n return {some.name}\n}", "func.return", "no attributes"),
        ("module {\n module @inner {}\n}", "builtin.module", "beside functions"),
        (
            "func.func @f(%a: tensor<*xf32>) {\n return\n}",
            "func.func",
            "no values of type tensor<*xf32>",
        ),
    ],
    ids=["depth", "blocks", "return", "module", "unranked"],
)
def test_what_cannot_be_written_is_refused(text: str, op: str, reason: str) -> None:
    """With the op, and where it stands."""
    with pytest.raises(UnsupportedError) as error:
        shlo_tools.to_python(text)
    (diagnostic,) = error.value.diagnostics
    assert op in diagnostic.message
    assert reason in diagnostic.message
    assert diagnostic.place is not None
