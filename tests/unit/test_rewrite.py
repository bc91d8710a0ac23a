"""``ir.rewrite``: ops replaced by others of the same types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from shlo_tools import ir, mlir
from shlo_tools.errors import PassError
from shlo_tools.ir import Build
from shlo_tools.mlir import Module, Operation, Value


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with mlir.library_context():
        yield


def parse(text: str) -> Module:
    return mlir.parse_module(text)


def names(module: Module) -> list[str]:
    return [op.name for op in mlir.walk(module.operation)]


CHAIN = """
func.func @main(%a: tensor<2xf32>, %b: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  %2 = stablehlo.add %1, %0 : tensor<2xf32>
  return %2 : tensor<2xf32>
}"""


def test_rewrite_replaces_uses_and_counts() -> None:
    module = parse(CHAIN)

    def as_sine(op: Operation, build: Build) -> Sequence[Value]:
        return [build.value("stablehlo.sine", list(op.operands), op.results[0].type)]

    assert ir.rewrite(module.operation, {"stablehlo.negate": as_sine}) == 2
    assert module.operation.verify()
    op_names = names(module)
    assert op_names.count("stablehlo.sine") == 2 and "stablehlo.negate" not in op_names
    add = next(op for op in mlir.walk(module.operation) if op.name == "stablehlo.add")
    assert [mlir.inner_operation(v.owner).name for v in add.operands] == ["stablehlo.sine"] * 2


def test_a_rule_may_decline() -> None:
    module = parse(CHAIN)
    before = str(module)
    assert ir.rewrite(module.operation, {"stablehlo.negate": lambda op, build: None}) == 0
    assert str(module) == before


def test_rewrite_keeps_locations() -> None:
    module = parse(CHAIN)
    places = [str(op.location) for op in mlir.walk(module.operation) if "negate" in op.name]

    def as_sine(op: Operation, build: Build) -> Sequence[Value]:
        return [build.value("stablehlo.sine", list(op.operands), op.results[0].type)]

    ir.rewrite(module.operation, {"stablehlo.negate": as_sine})
    assert [str(op.location) for op in mlir.walk(module.operation) if "sine" in op.name] == places


def _wrong_type(op: Operation, build: Build) -> Sequence[Value]:
    argument = op.operands[0].owner.arguments[1]  # tensor<2xi32>
    return [argument]


def _too_many(op: Operation, build: Build) -> Sequence[Value]:
    return [op.operands[0], op.operands[0]]


def _none(op: Operation, build: Build) -> Sequence[Value]:
    return []


@pytest.mark.parametrize("rule", [_wrong_type, _too_many, _none])
def test_rewrite_checks_types_and_number(rule: ir.Rewrite) -> None:
    """The message names the op, its types and its place; nothing has been replaced."""
    module = parse(CHAIN.replace("%1 = stablehlo.negate %0", "%1 = stablehlo.cosine %0"))
    before = str(module)
    with pytest.raises(PassError, match=r"stablehlo\.negate .*tensor<2xf32>") as caught:
        ir.rewrite(module.operation, {"stablehlo.negate": rule})
    place = caught.value.diagnostics[0].place
    assert place is not None and place.line == 3
    assert str(module) == before


def test_rewrite_sees_inner_ops_before_the_ops_around_them() -> None:
    """A rule for a region op may erase it with everything inside."""
    module = parse("""
      func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
        %0 = "stablehlo.if"(%p) ({
          %1 = stablehlo.negate %a : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }, {
          stablehlo.return %a : tensor<f32>
        }) : (tensor<i1>) -> tensor<f32>
        return %0 : tensor<f32>
      }""")
    calls: list[str] = []

    def erase(op: Operation, build: Build) -> Sequence[Value]:
        calls.append(op.name)
        return [op.operands[-1] if op.name == "stablehlo.negate" else _argument(module, 1)]

    ir.rewrite(module.operation, {"stablehlo.if": erase, "stablehlo.negate": erase})
    assert calls == ["stablehlo.negate", "stablehlo.if"]
    assert module.operation.verify()


def _argument(module: Module, number: int) -> Value:
    function = ir.functions(module.operation)[0]
    argument: Value = function.regions[0].blocks[0].arguments[number]
    return argument
