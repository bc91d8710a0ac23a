"""What becomes of each op: calls of the host, calls of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.dialects import check, interpreter
from shlo_tools.extend.targets import PROCESS
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.passes.normalize.legalize_check import processes
from shlo_tools.quantized_types import is_quantized, stored_type
from shlo_tools.reference.self_checking import attributes_of, read_programs, require, target_of

_TYPED_FFI = 4  # the API version whose backend_config is a dictionary


def legalize(module: Operation) -> None:
    """Replace the ops of both dialects in a module."""
    rules = dict.fromkeys((*check.CHECKS, *interpreter.ATTRIBUTES), _call_host)
    ir.rewrite(module, {**rules, "interpreter.run_parallel": _call_functions})


def _call_host(op: Operation, build: Build) -> Sequence[Value]:
    require(op)
    operands = [_stored(build, value) for value in op.operands]
    if op.name.endswith("_const"):
        value = op.attributes["value"]
        constant = build.value("stablehlo.constant", (), value.type, {"value": value})
        operands.append(constant)
    attributes = {
        "call_target_name": mlir.string_attr(target_of(op)),
        "has_side_effect": mlir.bool_attr(True),
    }
    words = attributes_of(op)
    if (place := mlir.place_of(op.location)) is not None:
        words["place"] = str(place)  # equal calls become one, and each check has its own
    if words:
        attributes["backend_config"] = _dictionary(words)
        attributes["api_version"] = mlir.integer_attr(_TYPED_FFI, mlir.integer_type(32))
    build.op("stablehlo.custom_call", operands, (), attributes)
    return list(op.operands)[: len(op.results)]


def _stored(build: Build, value: Value) -> Value:
    """The integers of a quantized value; any other as it is."""
    if not is_quantized(str(value.type)):
        return value
    return build.value("stablehlo.bitcast_convert", (value,), stored_type(value.type))


def _dictionary(values: Mapping[str, Any]) -> Attribute:
    return mlir.dict_attr({name: _attribute(value) for name, value in values.items()})


def _attribute(value: str | float) -> Attribute:
    if isinstance(value, str):
        return mlir.string_attr(value)
    if isinstance(value, int):
        return mlir.i64_attr(value)
    return mlir.float_attr(value, mlir.parse_type("f64"))


def _call_functions(op: Operation, build: Build) -> Sequence[Value]:
    require(op)
    if processes.communicate(op):
        return _run_grid(op, build)
    operands: list[Value] = list(op.operands)
    results: list[Value] = []
    for func in processes.functions(op):
        inputs, outputs = ir.signature(func)
        arguments, operands = operands[: len(inputs)], operands[len(inputs) :]
        results += build.call(ir.symbol_name(func), arguments, outputs)
    return results


def _run_grid(op: Operation, build: Build) -> Sequence[Value]:
    """Have the host run a grid of processes, whose program travels as text."""
    programs = read_programs(op)
    config = {
        "module": mlir.string_attr(processes.program_text(op)),
        # As text: symbols would keep functions alive that this module does not need any more.
        "programs": mlir.array_attr([_names(row) for row in programs.programs]),
        "infeed": _names(programs.infeed),
    }
    attributes = {
        "call_target_name": mlir.string_attr(PROCESS + "run_parallel"),
        "has_side_effect": mlir.bool_attr(True),
        "mhlo.backend_config": mlir.dict_attr(config),
    }
    results = [result.type for result in op.results]
    return build.op("stablehlo.custom_call", list(op.operands), results, attributes).results


def _names(names: Sequence[str]) -> Attribute:
    return mlir.array_attr([mlir.string_attr(name) for name in names])
