"""Random programs of unknown sizes: what is said of shapes is what the reference computes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from symbolic_programs import SymbolicProgram

from shlo_tools import dims, ir, mlir, reference
from shlo_tools.dims import Dim, Symbol
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Module, Operation, Value
from shlo_tools.pipeline import runner
from shlo_tools.shapes import Element, Extent, Shapes

SEEDS = range(120)


_DYNAMIC = r"\.dynamic_(?!slice|update)|real_dynamic|dimension_size|tensor\."


def _main(module: Module) -> Operation:
    (main,) = [f for f in ir.functions(module.operation) if ir.symbol_name(f) == "main"]
    return main


def _spelled(types: list[object]) -> list[str]:
    return [re.sub(r", #.*>", ">", str(type)) for type in types]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_is_what_it_says(seed: int) -> None:
    """The oracle of the other tests: the reference computes the shapes of the generator."""
    program = SymbolicProgram(seed)
    results = reference.compile(program.text)(*program.arguments)
    results = results if isinstance(results, tuple) else (results,)
    assert [r.shape for r in results] == [value.shape for value in program.values]


@pytest.mark.parametrize("seed", SEEDS)
def test_all_sizes_are_found_from_those_of_the_arguments(seed: int) -> None:
    program = SymbolicProgram(seed)
    types = ",".join(program.argument_types)
    with mlir.library_context():
        module = mlir.parse_module(program.text)
        runner.run(
            f"builtin.module(shlo-refine-arguments{{types={types}}},shlo-refine-shapes)", module
        )
        _, results = ir.signature(_main(module))
        expected = [f"tensor<{''.join(f'{n}x' for n in v.shape)}f32>" for v in program.values]
        assert _spelled(list(results)) == expected
        runner.run("builtin.module(func.func(shlo-canonicalize-dynamism))", module)
        left = {op.name for op in mlir.walk(module.operation)}
        assert not any(re.search(_DYNAMIC, name) for name in left)
        refined = str(module)
        assert "?" not in refined
    inputs = reference.compile(program.text)(*program.arguments)
    actual = reference.compile(refined)(*program.arguments)
    for a, b in zip(inputs, actual, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_expressions_are_right_for_these_sizes(seed: int) -> None:
    """With numbers for symbols, types are the real shapes and all demands are met."""
    program = SymbolicProgram(seed)
    with mlir.library_context():
        module = mlir.parse_module(program.text)
        main = _main(module)
        shapes = Shapes()
        shapes.function(main)
        block = main.regions[0].blocks[0]
        returned = list(ir.terminator(block).operands)
        sizes = dict(zip(returned, (value.shape for value in program.values), strict=True))
        results = 0
        for value, result in zip(returned, program.values, strict=True):
            type = shapes.type(value)
            assert isinstance(type, TensorType)
            for dim, expected in zip(type.shape, result.shape, strict=True):
                number = _evaluated(dim, sizes)
                assert number is None or number == expected, f"{value}: {dim} is not {expected}"
                results += number is not None
        assert results > 0
        for item in shapes.unproven:
            if item.op.parent == main:
                for fact in item.obligation.facts:
                    a, b = _evaluated(fact.a, sizes), _evaluated(fact.b, sizes)
                    if a is not None and b is not None:
                        holds = {"==": a == b, "<=": a <= b, "stretches to": a in (1, b)}
                        assert holds[fact.relation], f"{item.op.name}: {fact}"


def _evaluated(dim: Dim, sizes: dict[Value, tuple[int, ...]]) -> int | None:
    values: dict[Symbol, Dim] = {}
    for symbol in dims.symbols(dim):
        source = symbol.source
        if not isinstance(source, Extent) or source.value not in sizes:
            assert isinstance(source, Extent | Element)
            return None
        values[symbol] = sizes[source.value][source.dimension]
    number = dims.substituted(dim, values)
    assert isinstance(number, int)
    return number
