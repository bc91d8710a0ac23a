"""Times shape refinement in Python against the C++ passes of the same jobs.

    python -m shlo_tools.tools.bench.refinement --ops=20000

Both run ``refine-shapes`` and ``canonicalize-dynamism`` on the same modules, refined for the same
arguments, with the verifier after each pass; what they make of them is compared. A time is the
least processor time of some runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import click

from shlo_tools import mlir
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Module
from shlo_tools.pipeline import runner

_TYPE = "tensor<?x16xf32>"
_SIZES = "tensor<2xi32>"


def elementwise(count: int) -> str:
    """Ops of one shape, one after the other."""
    lines, last, before = [], "%a", "%b"
    names = ("add", "multiply", "subtract", "maximum")
    for i in range(count):
        lines.append(f"%v{i} = stablehlo.{names[i % 4]} {last}, {before} : {_TYPE}")
        last, before = f"%v{i}", last
    return _function(lines, last)


def shape_arithmetic(count: int) -> str:
    """Broadcasts to shapes that are computed from sizes: most ops are about shapes."""
    lines, last = ["%c = stablehlo.constant dense<16> : tensor<1xi32>"], "%a"
    for i in range(count // 5):
        lines += [
            f"%x{i} = stablehlo.add {last}, %b : {_TYPE}",
            f"%d{i} = stablehlo.get_dimension_size %x{i}, dim = 0 : ({_TYPE}) -> tensor<i32>",
            f"%r{i} = stablehlo.reshape %d{i} : (tensor<i32>) -> tensor<1xi32>",
            f"%s{i} = stablehlo.concatenate %r{i}, %c, dim = 0"
            f" : (tensor<1xi32>, tensor<1xi32>) -> {_SIZES}",
            f"%e{i} = stablehlo.dynamic_broadcast_in_dim %x{i}, %s{i}, dims = [0, 1]"
            f" : ({_TYPE}, {_SIZES}) -> {_TYPE}",
        ]
        last = f"%e{i}"
    return _function(lines, last)


def contractions(count: int) -> str:
    """Products, transposes and reductions, whose ops have attributes and regions."""
    lines, last = ["%z = stablehlo.constant dense<0.0> : tensor<f32>"], "%a"
    for i in range(count // 12):  # the ops in the reductions count
        lines += [
            f"%t{i} = stablehlo.transpose {last}, dims = [1, 0] : ({_TYPE}) -> tensor<16x?xf32>",
            f"%p{i} = stablehlo.dot_general %t{i}, {last}, contracting_dims = [1] x [0]"
            f" : (tensor<16x?xf32>, {_TYPE}) -> tensor<16x16xf32>",
            f"%q{i} = stablehlo.dot_general {last}, %p{i}, contracting_dims = [1] x [0]"
            f" : ({_TYPE}, tensor<16x16xf32>) -> {_TYPE}",
            f"%r{i} = stablehlo.reduce(%p{i} init: %z) applies stablehlo.add across"
            f" dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>",
            f"%s{i} = stablehlo.dot_general %q{i}, %r{i}, contracting_dims = [1] x [0]"
            f" : ({_TYPE}, tensor<16xf32>) -> tensor<?xf32>",
            f"%u{i} = stablehlo.reduce(%q{i} init: %z) applies stablehlo.add across"
            f" dimensions = [1] : ({_TYPE}, tensor<f32>) -> tensor<?xf32>",
            f"%v{i} = stablehlo.dot_general %s{i}, %u{i}, contracting_dims = [] x []"
            f" : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>",
            f"%w{i} = stablehlo.dot_general %v{i}, %b, contracting_dims = [1] x [0]"
            f" : (tensor<?x?xf32>, {_TYPE}) -> {_TYPE}",
        ]
        last = f"%w{i}"
    return _function(lines, last)


def _function(lines: list[str], result: str) -> str:
    head = f"func.func @main(%a: {_TYPE}, %b: {_TYPE}) -> {_TYPE} {{"
    return "\n".join([head, *lines, f"return {result} : {_TYPE}", "}"])


MODULES: dict[str, Callable[[int], str]] = {
    "elementwise": elementwise,
    "shape arithmetic": shape_arithmetic,
    "contractions": contractions,
}

_ARGUMENTS = "stablehlo-refine-arguments{types=tensor<8x16xf32>,tensor<8x16xf32>}"


PASSES = "builtin.module({0}-refine-shapes,func.func({0}-canonicalize-dynamism))"


def _native(module: Module) -> None:
    mlir.parse_pipeline(PASSES.format("stablehlo")).run(module.operation)


def _ours(module: Module) -> None:
    runner.run(PASSES.format("shlo"), module)


def _milliseconds(text: str, run: Callable[[Module], None]) -> tuple[float, int]:
    """The time of one run, and how many ops are left."""
    module = mlir.parse_module(text)
    mlir.parse_pipeline(f"builtin.module({_ARGUMENTS})").run(module.operation)
    start = time.process_time()
    run(module)
    seconds = time.process_time() - start
    mlir.parse_pipeline("builtin.module(cse)").run(module.operation)
    if "?" in str(module):
        raise ShloError("sizes are left unknown")
    return seconds * 1000, str(module).count(" = ")


@click.command(help=__doc__)
@click.option("--ops", default=20_000, show_default=True, help="Ops in each module.")
@click.option("--repeat", default=7, show_default=True, help="Runs, of which the best counts.")
def main(ops: int, repeat: int) -> None:
    click.echo(f"{'module':18} {'ops':>7} {'C++ ms':>9} {'ours ms':>9} {'ratio':>7}")
    with mlir.library_context():
        for name, build in MODULES.items():
            text = build(ops)
            count = len(mlir.walk(mlir.parse_module(text).operation))
            # In turns: what else the machine does slows down both.
            rows = [
                (_milliseconds(text, _native), _milliseconds(text, _ours)) for _ in range(repeat)
            ]
            native, ours = (min(row[side][0] for row in rows) for side in (0, 1))
            (_, expected), (_, actual) = rows[0]
            if expected != actual:
                raise ShloError(f"{name}: {actual} ops are left, {expected} by the C++ passes")
            ratio = ours / native
            click.echo(f"{name:18} {count:7} {native:9.0f} {ours:9.0f} {ratio:6.2f}x")


if __name__ == "__main__":
    main()
