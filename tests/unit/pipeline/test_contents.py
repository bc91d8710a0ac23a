"""What passes ask of a module before they look at all of it."""

from __future__ import annotations

import pytest

from shlo_tools import Pipeline, load, mlir
from shlo_tools.passes.normalize.check_inlining import CheckInlining
from shlo_tools.pipeline.contents import Contents, contents

F = "%0 = stablehlo.tanh %x : tensor<f32> return %0 : tensor<f32> }"


def function(name: str, body: str = F, *, private: bool = True) -> str:
    visibility = "private " if private else ""
    return f"func.func {visibility}@{name}(%x: tensor<f32>) -> tensor<f32> {{ {body}\n"


def calls(*callees: str) -> str:
    lines, last = [], "%x"
    for number, callee in enumerate(callees):
        lines.append(f"%{number} = call @{callee}({last}) : (tensor<f32>) -> tensor<f32>")
        last = f"%{number}"
    return " ".join([*lines, f"return {last} : tensor<f32> }}"])


def of(*functions: str) -> Contents:
    module = load("".join(functions))
    with mlir.library_context():
        return contents(module.operation)


def main(*callees: str) -> str:
    return function("main", calls(*callees), private=False)


@pytest.mark.parametrize(
    ("functions", "may"),
    [
        ([main()], False),
        ([main("f"), function("f")], False),
        ([main("f"), function("f", calls("g")), function("g")], False),
        ([main(), function("f")], True),
        ([main(), function("f", calls("g")), function("g", calls("f"))], True),
    ],
)
def test_what_may_be_unused(functions: list[str], may: bool) -> None:
    assert of(*functions).may_have_unused == may


@pytest.mark.parametrize(
    ("functions", "concerns"),
    [
        ([main("f", "f"), function("f", calls("g")), function("g")], False),
        ([main("f"), function("f", calls("f"))], True),
        ([main("f0"), *(function(f"f{n}", calls(f"f{n + 1}")) for n in range(20))], True),
    ],
)
def test_calls_that_are_looked_at_closely(functions: list[str], concerns: bool) -> None:
    if len(functions) > 20:
        functions = [*functions, function("f20")]
    assert CheckInlining().concerns(of(*functions)) == concerns


def test_ops_of_a_function_are_counted() -> None:
    known = of(main("f"), function("f"))
    assert {name: f.ops for name, f in known.functions.items()} == {"main": 3, "f": 3}
    assert known.functions["main"].callees == ["f"]


def test_what_is_known_after_inlining_holds_all_that_is_there() -> None:
    module = load("".join([main("f", "f"), function("f")]))
    with mlir.library_context():
        before = contents(module.operation)
        text = "builtin.module(inline{default-pipeline=},symbol-dce)"
        known = Pipeline(text).run(module, known=before)
        after = contents(module.operation)
    assert known is not None
    assert (known.ops >= after.ops, known.types >= after.types) == (True, True)
    assert set(after.functions) == {"main"}
