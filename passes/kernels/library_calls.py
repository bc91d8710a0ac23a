"""Calls of library functions on buffers: what the bodies of kernels are built of.

Sizes are numbers, or values of type i64 where only run time tells them.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value

Number = int | Value


def extent(build: Build, buffer: Value, dimension: int) -> Number:
    """A size of a memref."""
    known = tensor_type(buffer.type).shape[dimension]
    if isinstance(known, int):
        return known
    index = mlir.index_type()
    place = {"value": mlir.integer_attr(dimension, index)}
    number = build.value("arith.constant", (), index, place)
    size = build.value("memref.dim", (buffer, number), index)
    return build.value("arith.index_cast", (size,), frames.i64())


def multiplied(build: Build, a: Number, b: Number) -> Number:
    """``a * b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    return _computed(build, "llvm.mul", a, b)


def added(build: Build, a: Number, b: Number) -> Number:
    """``a + b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return _computed(build, "llvm.add", a, b)


def smaller(build: Build, a: Number, b: Number) -> Number:
    """The smaller one of two."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return _computed(build, "arith.minsi", a, b)


def _computed(build: Build, name: str, a: Number, b: Number) -> Value:
    numbers = [frames.constant(build, n) if isinstance(n, int) else n for n in (a, b)]
    return build.value(name, numbers, frames.i64())


def at_least_one(build: Build, number: Number) -> Number:
    """``max(1, number)``."""
    if isinstance(number, int):
        return max(1, number)
    return build.value("arith.maxsi", (number, frames.constant(build, 1)), frames.i64())


def integer(build: Build, value: Number) -> Value:
    """A number of 32 bits, as C's ``int``."""
    i32 = mlir.integer_type(32)
    if not isinstance(value, int):
        return build.value("llvm.trunc", (value,), i32)
    held = {"value": mlir.integer_attr(value, i32)}
    return build.value("llvm.mlir.constant", (), i32, held)


def real(build: Build, value: float, element: str) -> Value:
    """A constant of a float type."""
    type = mlir.parse_type(element)
    held = {"value": mlir.float_attr(value, type)}
    return build.value("llvm.mlir.constant", (), type, held)


def call(
    build: Build, name: str, arguments: Sequence[Value], results: Sequence[Type] = ()
) -> Sequence[Value]:
    """Call an external function; ``declare`` it, too."""
    attributes = {
        "callee": mlir.symbol_attr(name),
        "operandSegmentSizes": mlir.i32_array_attr([len(arguments), 0]),
        "op_bundle_sizes": mlir.i32_array_attr([]),
    }
    return build.op("llvm.call", arguments, results, attributes).results


def declare(
    module: Operation,
    known: set[str],
    name: str,
    types: Sequence[Type],
    result: str = "void",
    *,
    dialect: str = "llvm",
) -> None:
    """Declare an external function unless its name is among the ``known`` ones."""
    if name in known:
        return
    known.add(name)
    inputs = ", ".join(str(type) for type in types)
    type = f"!llvm.func<{result} ({inputs.replace('!llvm.', '')})>"
    if dialect == "func":
        type = f"({inputs}) -> ()"
    attributes = {
        "sym_name": mlir.string_attr(name),
        "function_type": mlir.type_attr(mlir.parse_type(type)),
    }
    if dialect == "func":
        attributes["sym_visibility"] = mlir.string_attr("private")
    block = module.regions[0].blocks[0]
    build = Build(mlir.at_start(block), module.location)
    build.op(f"{dialect}.func", (), (), attributes, regions=1)


def counting_loop(build: Build, count: Number) -> tuple[Value, Build]:
    """``scf.for`` from 0 below ``count``: its counter, and a builder in its body."""
    index = mlir.index_type()
    bounds = [
        build.value("arith.constant", (), index, {"value": mlir.integer_attr(n, index)})
        if isinstance(n, int)
        else build.value("arith.index_cast", (n,), index)
        for n in (0, count, 1)
    ]
    loop = build.op("scf.for", bounds, (), regions=1)
    block, body = build.block(loop.regions[0], [index])
    return block.arguments[0], body


def stepped(build: Build, address: Value, step: Number, number: Value) -> Value:
    """``address + step * number``."""
    wide = build.value("arith.index_cast", (number,), frames.i64())
    length = frames.constant(build, step) if isinstance(step, int) else step
    distance = build.value("llvm.mul", (wide, length), frames.i64())
    return frames.element_address(build, address, distance)


def body_of(func: Operation) -> tuple[list[Value], Build]:
    """The arguments of a declared kernel, and a builder in the body that it gets."""
    inputs, _ = ir.signature(func)
    outer = Build(mlir.before(func), func.location)
    block, build = outer.block(func.regions[0], inputs)
    if "arg_attrs" in func.attributes:
        del func.attributes["arg_attrs"]
    return list(block.arguments), build
