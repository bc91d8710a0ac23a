"""Large constants leave the module before it is compiled.

As attributes they would stay in MLIR's context for good and cost a second of compile time per
100 MB; as weights they are arrays of the executable, found through the frame.
"""

from __future__ import annotations

from shlo_tools import ir, mlir, program
from shlo_tools.dtypes import Array, from_attribute, tensor_type
from shlo_tools.mlir import Operation

WEIGHT = "shlo.weight"  # read by shlo-attach-frame
THRESHOLD = 4096  # bytes
_SCRATCH_SOURCE = 1 << 16  # sources larger than this may hold large constants


def detached(source: mlir.Module | str | bytes, name: str) -> tuple[mlir.Module, list[Array]]:
    """A module of the library's context without large constants, and those as arrays.

    Large sources are parsed in a context of their own, which takes the constants with it.
    """
    if not isinstance(source, str | bytes):
        module = program.clone(source)
        return module, take_out(module)
    if len(source) < _SCRATCH_SOURCE:
        module = program.parse(source, name=name)
        return module, take_out(module)
    with mlir.at(mlir.new_context()):
        scratch = program.parse(source, name=name)
        weights = take_out(scratch)
        small = program.to_bytecode(scratch)
        del scratch
    return mlir.parse_module(small), weights


def take_out(module: mlir.Module) -> list[Array]:
    """Replace constants of more than 4 KiB by loads from globals; returns their values."""
    weights: list[Array] = []
    numbers: dict[mlir.Attribute, int] = {}
    for op in mlir.walk(module.operation):
        if op.name not in ("stablehlo.constant", "arith.constant"):
            continue
        held = op.attributes["value"]
        if not mlir.is_tensor(op.results[0].type) or getattr(held, "is_splat", False):
            continue
        type = tensor_type(held.type)
        if type.nbytes <= THRESHOLD and not mlir.is_dense_resource(held):
            continue
        if held not in numbers:
            numbers[held] = len(weights)
            weights.append(from_attribute(held))
            _declare(module, numbers[held], op)
        _load(op, numbers[held])
    return weights


def _symbol(number: int) -> str:
    return f"shlo.weight.{number}"


def _memref(op: Operation) -> mlir.Type:
    held = op.attributes["value"]
    type = tensor_type(held.type)
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
    held, wanted = op.attributes["value"], op.results[0].type
    restrict = {"restrict": mlir.unit_attr()}
    tensor = build.value("bufferization.to_tensor", (buffer,), held.type, restrict)
    if held.type != wanted:  # the integers of a quantized tensor
        tensor = build.value("stablehlo.bitcast_convert", (tensor,), wanted)
    ir.replace(op, [tensor])
