"""Large constants leave the module before it is compiled.

As attributes they would stay in MLIR's context for good and cost a second of compile time per
100 MB; as weights they are arrays of the executable, found through the frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.codegen.lowered import WEIGHT
from shlo_tools.dtypes import Array, from_attribute, tensor_type, to_attribute
from shlo_tools.mlir import Operation
from shlo_tools.program.external_constants import NAME, ExternalConstants, is_external

THRESHOLD = 4096  # bytes


def detached(source: Any) -> tuple[mlir.Module, list[Array]]:
    """A program as a module of the current context without large constants, and those as arrays.

    They leave where the program was read or copied, before anything else is copied: a module
    shares them with its copy, and a large text is parsed in a context that takes them with it.

    Args:
        source: see ``program.module_of``.
    """
    module = program.module_of(source, anywhere=True)
    with mlir.at(module.operation.context):
        weights = take_out(module)
    return program.moved(module), weights


def take_out(
    module: mlir.Module,
    ops: Iterable[Operation] | None = None,
    *,
    threshold: int = THRESHOLD,
    first: int = 0,
) -> list[Array]:
    """Replace large constants by loads from globals; returns their values.

    Smaller ones become attributes that passes can read, where they are resources. Those of a file
    beside the program stay there: their arrays are the memory that it is mapped to.

    Args:
        ops: which ops are looked at; all of the module by default.
        threshold: bytes of what may stay; splats stay always.
        first: the number of the first constant.
    """
    weights: list[Array] = []
    numbers: dict[tuple[mlir.Attribute, str], int] = {}
    file = ExternalConstants(module.operation)
    for op in mlir.walk(module.operation) if ops is None else ops:
        if op.name not in ("stablehlo.constant", "arith.constant"):
            continue
        value = op.attributes["value"]
        if not mlir.is_tensor(op.results[0].type) or mlir.is_splat(value):
            continue
        type = tensor_type(value.type)
        if type.nbytes <= threshold:
            if mlir.is_dense_resource(value):
                array = _array(op, file)
                op.attributes["value"] = to_attribute(array, type.element_type)
            continue
        key = value, ir.text_of(op, NAME)
        if key not in numbers:
            numbers[key] = first + len(weights)
            weights.append(_array(op, file))
            _declare(module, numbers[key], op)
        _load(op, numbers[key])
    return weights


def _array(op: Operation, file: ExternalConstants) -> Array:
    return file.array(op) if is_external(op) else from_attribute(op.attributes["value"])


def _symbol(number: int) -> str:
    return f"{WEIGHT}.{number}"


def _memref(op: Operation) -> mlir.Type:
    attribute = op.attributes["value"]
    type = tensor_type(attribute.type)
    return mlir.memref_type(type.static_shape, type.element_type.mlir())


def _declare(module: mlir.Module, number: int, op: Operation) -> None:
    attributes = {
        "sym_name": mlir.string_attr(_symbol(number)),
        "sym_visibility": mlir.string_attr("private"),
        "type": mlir.type_attr(_memref(op)),
        "constant": mlir.unit_attr(),
        "initial_value": mlir.unit_attr(),
        WEIGHT: mlir.i64_attr(number),
    }
    ir.Build(mlir.at_start(module.body), op.location).op("memref.global", (), (), attributes)


def _load(op: Operation, number: int) -> None:
    build = ir.Build(mlir.before(op), op.location)
    name = {"name": mlir.symbol_attr(_symbol(number))}
    buffer = build.value("memref.get_global", (), _memref(op), name)
    attribute, type = op.attributes["value"], op.results[0].type
    restrict = {"restrict": mlir.unit_attr()}
    tensor = build.value("bufferization.to_tensor", (buffer,), attribute.type, restrict)
    if attribute.type != type:  # the integers of a quantized tensor
        tensor = build.value("stablehlo.bitcast_convert", (tensor,), type)
    ir.replace(op, [tensor])
