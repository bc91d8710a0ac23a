"""``ir.Conversion``: functions converted through a map from old values to lowered ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import ir, mlir
from shlo_tools.errors import PassError, UnsupportedError
from shlo_tools.ir import Lowered, Lowering, Rule, flatten
from shlo_tools.mlir import Module, Operation, Type


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with mlir.library_context():
        yield


def parse(text: str) -> Module:
    return mlir.parse_module(text)


def names(module: Module) -> list[str]:
    return [op.name for op in mlir.walk(module.operation)]


# --- driver 2 on StableHLO ------------------------------------------------------------------------
def test_what_lowered_types_no_longer_tell() -> None:
    """``ui32`` division, ``i1`` addition and a complex product come out as what they were."""
    text = """
      func.func @main(%a: tensor<2xui32>, %b: tensor<2xui32>, %p: tensor<2xi1>, %q: tensor<2xi1>,
                      %x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>)
          -> (tensor<2xui32>, tensor<2xui32>, tensor<2xi1>, tensor<2xi1>, tensor<2xcomplex<f32>>) {
        %0 = stablehlo.divide %a, %b : tensor<2xui32>
        %1 = stablehlo.divide %0, %b : tensor<2xui32>
        %2 = stablehlo.add %p, %q : tensor<2xi1>
        %3 = stablehlo.compare GT, %0, %1 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi1>
        %4 = stablehlo.multiply %x, %y : tensor<2xcomplex<f32>>
        return %0, %1, %2, %3, %4
          : tensor<2xui32>, tensor<2xui32>, tensor<2xi1>, tensor<2xi1>, tensor<2xcomplex<f32>>
      }"""
    module = parse(text)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-to-linalg)").run(module)
    op_names = names(module)
    assert op_names.count("arith.divui") == 2 and "arith.divsi" not in op_names
    assert "arith.ori" in op_names and "arith.addi" not in op_names
    assert "complex.create" in op_names and op_names.count("arith.mulf") == 4
    assert "ui32" not in str(ir.type_of(ir.functions(module.operation)[0]))

    a, b = np.array([4294967295, 7], np.uint32), np.array([2, 4294967295], np.uint32)
    p, q = np.array([True, False]), np.array([True, True])
    x = np.array([1 + 2j, 3j], np.complex64)
    results = shlo_tools.compile(text)(a, b, p, q, x, x)
    expected = [a // b, a // b // b, p | q, a // b > a // b // b, x * x]
    for actual, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(actual, right)


def test_unsigned_constants_conversions_and_captured_values_keep_their_sign() -> None:
    text = """
      func.func @main(%a: tensor<3xui8>, %s: tensor<ui8>) -> (tensor<f32>, tensor<ui8>) {
        %zero = stablehlo.constant dense<0> : tensor<ui8>
        %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [0]
          : (tensor<3xui8>, tensor<ui8>) -> tensor<ui8>
        %1 = stablehlo.convert %0 : (tensor<ui8>) -> tensor<f32>
        %2 = "stablehlo.reduce"(%a, %zero) ({
        ^bb0(%x: tensor<ui8>, %y: tensor<ui8>):
          %3 = stablehlo.divide %y, %s : tensor<ui8>
          %4 = stablehlo.maximum %x, %3 : tensor<ui8>
          stablehlo.return %4 : tensor<ui8>
        }) {dimensions = array<i64: 0>} : (tensor<3xui8>, tensor<ui8>) -> tensor<ui8>
        return %1, %2 : tensor<f32>, tensor<ui8>
      }"""
    largest, quotient = shlo_tools.compile(text)(np.array([200, 130, 1], np.uint8), np.uint8(2))
    assert (largest, quotient) == (200.0, 100)


# --- driver 2 with converters of a test -----------------------------------------------------------
def split_complex(type: Type) -> Type | tuple[Type, ...]:
    """A complex tensor becomes two real ones: 1:N."""
    if "complex<f32>" not in str(type):
        return type
    real = mlir.parse_type(str(type).replace("complex<f32>", "f32"))
    return (real, real)


def _pairwise(name: str) -> Rule:
    def rule(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
        parts = zip(*(v if isinstance(v, tuple) else (v,) for v in operands), strict=True)
        result = [build.value(name, part, part[0].type) for part in parts]
        return [tuple(result) if len(result) > 1 else result[0]]

    return rule


def _complex(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
    return [tuple(operands)]


def _part(number: int) -> Rule:
    return lambda op, operands, build: [operands[0][number]]


SPLIT: dict[str, Rule] = {
    "stablehlo.add": _pairwise("stablehlo.add"),
    "stablehlo.complex": _complex,
    "stablehlo.real": _part(0),
    "stablehlo.imag": _part(1),
}


def convert(
    text: str,
    rules: Mapping[str, Rule] = SPLIT,
    converter: Callable[[Type], Any] = split_complex,
    illegal: Sequence[str] = ("stablehlo.",),
) -> Module:
    module = parse(text)
    conversion = ir.Conversion(rules, converter, illegal)
    conversion.module(module.operation)
    assert module.operation.verify()
    assert not conversion.values
    return module


C2, F2 = "tensor<2xcomplex<f32>>", "tensor<2xf32>"


def test_one_value_becomes_several() -> None:
    """Arguments, results, calls and regrouped operands follow the signature as it grows."""
    module = convert(f"""
      func.func private @sum(%n: tensor<i32>, %x: {C2}, %y: {C2}) -> ({C2}, tensor<i32>) {{
        %0 = stablehlo.add %x, %y : {C2}
        return %0, %n : {C2}, tensor<i32>
      }}
      func.func @main(%x: {C2}, %re: {F2}, %im: {F2}, %n: tensor<i32>) -> ({F2}, {F2}, {C2}) {{
        %y = stablehlo.complex %re, %im : {C2}
        %s:2 = func.call @sum(%n, %x, %y) : (tensor<i32>, {C2}, {C2}) -> ({C2}, tensor<i32>)
        %a = stablehlo.real %s#0 : ({C2}) -> {F2}
        %b = stablehlo.imag %s#0 : ({C2}) -> {F2}
        return %a, %b, %y : {F2}, {F2}, {C2}
      }}""")
    assert "complex" not in str(module).replace("stablehlo.complex", "")
    sum, main = ir.functions(module.operation)
    pair = [F2, F2]
    assert [str(t) for t in ir.signature(sum)[0]] == ["tensor<i32>", *pair, *pair]
    assert [str(t) for t in ir.signature(sum)[1]] == [*pair, "tensor<i32>"]
    assert [str(t) for t in ir.signature(main)[0]] == [*pair, *pair, "tensor<i32>"]
    assert [str(t) for t in ir.signature(main)[1]] == [*pair, *pair]
    # What is left is real StableHLO: (1+2i) + (10+20i), and the second operand's parts.
    one, two, three, four, n = (np.full(2, v, np.float32) for v in (1, 2, 10, 20, 0))
    results = shlo_tools.compile(module)(one, two, three, four, np.int32(0))
    for actual, right in zip(results, (11, 22, 10, 20), strict=True):
        np.testing.assert_array_equal(actual, np.full(2, right, np.float32))
    assert n.shape == (2,)


def test_one_value_becomes_none() -> None:
    """A converter may drop values altogether (tokens, for instance)."""

    def drop(type: Type) -> Type | tuple[Type, ...]:
        return () if str(type) == "!stablehlo.token" else type

    def after_all(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
        assert flatten(operands) == []
        return [()]

    module = convert(
        """
        func.func @main(%t: !stablehlo.token, %a: tensor<f32>)
            -> (tensor<f32>, !stablehlo.token) {
          %u = stablehlo.after_all %t, %t : !stablehlo.token
          return %a, %u : tensor<f32>, !stablehlo.token
        }""",
        {"stablehlo.after_all": after_all},
        drop,
    )
    assert str(ir.type_of(ir.functions(module.operation)[0])) == "(tensor<f32>) -> tensor<f32>"


def test_several_blocks() -> None:
    """Branches are copied with the arguments of their successors converted, 1:N as well."""
    module = convert(f"""
      func.func @main(%p: i1, %x: {C2}, %y: {C2}) -> {C2} {{
        cf.cond_br %p, ^one(%x, %p : {C2}, i1), ^two(%y : {C2})
      ^one(%a: {C2}, %q: i1):
        %0 = stablehlo.add %a, %y : {C2}
        cf.br ^two(%0 : {C2})
      ^two(%b: {C2}):
        %1 = stablehlo.add %b, %x : {C2}
        return %1 : {C2}
      }}""")
    [main] = ir.functions(module.operation)
    blocks = list(main.regions[0].blocks)
    arguments = [[str(a.type) for a in block.arguments] for block in blocks]
    assert arguments == [["i1", F2, F2, F2, F2], [F2, F2, "i1"], [F2, F2]]
    assert names(module).count("stablehlo.add") == 4


def test_blocks_in_an_order_that_is_not_the_order_of_execution() -> None:
    """A value may be used in a block that is written before the one that defines it."""
    module = convert(f"""
      func.func @main(%x: {C2}) -> {C2} {{
        cf.br ^define
      ^use:
        %1 = stablehlo.add %0, %0 : {C2}
        return %1 : {C2}
      ^define:
        %0 = stablehlo.add %x, %x : {C2}
        cf.br ^use
      }}""")
    assert names(module).count("stablehlo.add") == 4


def test_regions_and_captured_values() -> None:
    """Ops without a rule are copied with their regions, whose bodies are converted."""
    module = convert(f"""
      func.func @main(%p: i1, %x: {C2}, %y: {C2}) -> ({C2}, {F2}) {{
        %0:2 = scf.if %p -> ({C2}, {F2}) {{
          %1 = stablehlo.add %x, %y : {C2}
          %2 = stablehlo.real %x : ({C2}) -> {F2}
          scf.yield %1, %2 : {C2}, {F2}
        }} else {{
          %3 = stablehlo.imag %y : ({C2}) -> {F2}
          scf.yield %y, %3 : {C2}, {F2}
        }}
        return %0#0, %0#1 : {C2}, {F2}
      }}""")
    [choice] = [op for op in mlir.walk(module.operation) if op.name == "scf.if"]
    assert [str(r.type) for r in choice.results] == [F2, F2, F2]


def test_attributes_locations_and_declarations_are_kept() -> None:
    module = convert(
        """
        func.func private @declared(tensor<2xui8> {my.note = "a"}) -> tensor<2xui8>
        func.func public @main(%a: tensor<2xui8> {my.note = 7 : i64})
            -> (tensor<2xui8> {my.note = "result"}) attributes {my.mark} {
          %0 = func.call @declared(%a) {my.tag = 3 : i8} : (tensor<2xui8>) -> tensor<2xui8>
          return %0 : tensor<2xui8>
        }""",
        {},
        lambda type: mlir.parse_type(str(type).replace("ui8", "i8")),
    )
    text = str(module)
    for kept in ('my.note = "a"', "my.note = 7", 'my.note = "result"', "my.mark", "my.tag = 3"):
        assert kept in text
    assert "ui8" not in text
    call = next(op for op in mlir.walk(module.operation) if op.name == "func.call")
    place = mlir.place_of(call.location)
    assert place is not None and place.line == 5


def test_what_a_rule_builds_has_the_place_of_its_op() -> None:
    module = convert(f"""
      func.func @main(%x: {C2}) -> {C2} {{
        %0 = stablehlo.add %x, %x : {C2}

        %1 = stablehlo.add %0, %x : {C2}
        return %1 : {C2}
      }}""")
    places = [mlir.place_of(op.location) for op in mlir.walk(module.operation) if "add" in op.name]
    assert [place.line for place in places if place] == [3, 3, 5, 5]


# --- errors ---------------------------------------------------------------------------------------
class Surprise(Exception):
    """What a broken rule raises."""


def _surprise(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
    build.value("stablehlo.add", (operands[0][0], operands[0][0]), operands[0][0].type)
    raise Surprise


def _short(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
    return []


FAILING = f"""
module {{
  memref.global "private" @held : memref<2xi32> = dense<7>
  func.func private @fine(%x: {C2}) -> {C2} {{
    %0 = stablehlo.add %x, %x : {C2}
    return %0 : {C2}
  }}
  func.func @main(%p: i1, %x: {C2}) -> {C2} {{
    cf.cond_br %p, ^one, ^two
  ^one:
    %0 = stablehlo.add %x, %x : {C2}
    %1 = stablehlo.negate %0 : {C2}
    return %1 : {C2}
  ^two:
    return %x : {C2}
  }}
  func.func private @last(%x: {C2}) -> {C2} {{ return %x : {C2} }}
}}"""


@pytest.mark.parametrize(
    ("rule", "error"), [(_surprise, Surprise), (_short, PassError), (None, UnsupportedError)]
)
def test_an_error_leaves_the_module_as_it_was(rule: Rule | None, error: type[Exception]) -> None:
    """Whatever fails in the middle of whichever function; converting again then works."""
    module = parse(FAILING)
    before = str(module)
    rules = {**SPLIT, "stablehlo.negate": rule} if rule else SPLIT
    conversion = ir.Conversion(rules, split_complex, ("stablehlo.",))
    with pytest.raises(error):
        conversion.module(module.operation)
    assert str(module) == before
    assert module.operation.verify() and not conversion.values
    good = {**SPLIT, "stablehlo.negate": _pairwise("stablehlo.negate")}
    ir.Conversion(good, split_complex, ("stablehlo.",)).module(module.operation)
    assert module.operation.verify()
    assert "complex" not in str(module)


def test_a_failed_legalization_leaves_the_functions_as_they_were() -> None:
    """The specification leaves complex remainders open: refused by a rule, half-way through."""
    module = parse("""
      func.func private @fine(%a: tensor<2xui32>) -> tensor<2xui32> {
        %0 = stablehlo.add %a, %a : tensor<2xui32>
        return %0 : tensor<2xui32>
      }
      func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
        %0 = stablehlo.multiply %x, %x : tensor<2xcomplex<f32>>
        %1 = stablehlo.remainder %0, %x : tensor<2xcomplex<f32>>
        return %1 : tensor<2xcomplex<f32>>
      }""")
    before = [op.name for op in mlir.walk(module.operation)]
    with pytest.raises(UnsupportedError, match=r"stablehlo\.remainder"):
        shlo_tools.Pipeline("builtin.module(shlo-legalize-to-linalg)").run(module)
    assert [op.name for op in mlir.walk(module.operation)] == before
    assert module.operation.verify()


def test_unsupported_ops_are_named_all_at_once() -> None:
    """One diagnostic per kind of op, with its types and the place of its first use."""
    module = parse("""
      func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.sine %a : tensor<2xf32>
        %1 = stablehlo.sine %0 : tensor<2xf32>
        %2 = stablehlo.cosine %1 : tensor<2xf32>
        %3 = stablehlo.add %2, %2 : tensor<2xf32>
        return %3 : tensor<2xf32>
      }""")
    with pytest.raises(UnsupportedError) as caught:
        ir.Conversion(SPLIT, split_complex, ("stablehlo.",)).check(module.operation)
    messages = [d.message for d in caught.value.diagnostics]
    assert messages == [
        "not supported: stablehlo.sine (tensor<2xf32>) -> tensor<2xf32>",
        "not supported: stablehlo.cosine (tensor<2xf32>) -> tensor<2xf32>",
    ]
    places = [d.place.line for d in caught.value.diagnostics if d.place]
    assert places == [3, 5]
