"""StableHLO to linalg on tensors, scf and arith.

Before:
    %0 = stablehlo.add %a, %b : tensor<4xf32>
After:
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {...} ins(%a, %b) outs(%e) { arith.addf; linalg.yield }

Each family file holds one function per op; ``rules.lowers`` and ``elementwise.elementwise``
register them. What has no rule is refused with its name, types and location.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import CHECK, KERNEL, note_signature
from shlo_tools.dims import Dim
from shlo_tools.dtypes import TensorType, tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend.targets import Meaning, meaning_of
from shlo_tools.ir import Lowered, Lowering
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.ops import Trait, names_with
from shlo_tools.passes.legalize_to_linalg import (
    batch_normalization,
    collectives,
    contraction,
    control_flow,
    conversion,
    convolution,
    custom_calls,
    data_movement,
    dynamism,
    elementwise,
    functions,
    gather_scatter,
    grouping,
    linear_algebra,
    random,
    reduction,
    signal,
    sorting,
    transfer,
    windows,
)
from shlo_tools.passes.legalize_to_linalg.complex import arithmetic as complex_arithmetic
from shlo_tools.passes.legalize_to_linalg.complex import functions as complex_functions
from shlo_tools.passes.legalize_to_linalg.complex import logarithms as complex_logarithms
from shlo_tools.passes.legalize_to_linalg.complex import power as complex_power
from shlo_tools.passes.legalize_to_linalg.emit import size_checks, structured
from shlo_tools.passes.legalize_to_linalg.emit.size_values import follow
from shlo_tools.passes.legalize_to_linalg.rules import NARROW, RULES, lowered_type
from shlo_tools.passes.normalize import result_accuracy
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import Shapes

# Ops whose rules read the elements of operands, whatever their types say.
SIZES_FROM_OPERANDS = names_with(Trait.SIZES_AS_OPERANDS) | {"stablehlo.collective_reduce"}
ILLEGAL = ("stablehlo.", "chlo.", "vhlo.", "shape.")


@dataclass(frozen=True)
class LegalizeToLinalg(Pass):
    """Lower StableHLO to linalg on tensors, scf and arith."""

    name = "shlo-legalize-to-linalg"

    def run(self, op: Operation) -> None:
        ir.call_order(op)  # refuses recursion
        for func in ir.functions(op):
            _keep_signature(func)
        for child in ir.children(op):
            if child.name == "memref.global":
                _lower_global(child)
        driver = ir.Conversion(RULES, lowered_type, ILLEGAL)
        driver.check(op)
        _check_types(op)
        _check_calls(op)
        if _computes_sizes(op):
            _follow_sizes(op, driver)
        driver.module(op)
        size_checks.declare(op)


def _computes_sizes(module: Operation) -> bool:
    """Whether sizes are computed at run time, for results of known sizes or of unknown ones."""
    return ir.has_type(module, "?") or any(_takes_sizes(op) for op in mlir.walk(module))


def _takes_sizes(op: Operation) -> bool:
    if op.name == "stablehlo.custom_call":
        return meaning_of(ir.text_of(op, "call_target_name")) is Meaning.REDUCE_WINDOW
    return op.name in SIZES_FROM_OPERANDS


def _follow_sizes(module: Operation, driver: ir.Conversion) -> None:
    """Have rules compute with sizes as expressions, and check what ops demand of them."""
    shapes = Shapes()
    for func in ir.functions(module):
        if not ir.is_declaration(func):
            shapes.function(func)
    follow(driver, shapes)
    checks = size_checks.SizeChecks(shapes)
    driver.before = checks
    driver.rules = checks.guarded(driver.rules)
    driver.after = _of_its_type


def _of_its_type(old: Value, new: Lowered, build: Lowering) -> Lowered:
    """A rule that has nothing to do returns its operand, of which less may be known."""
    type = lowered_type(old.type)
    if isinstance(new, tuple) or isinstance(type, tuple):
        return new
    return structured.as_declared(build, [new], [type])[0]


# Upstream dialects that the way from linalg to LLVM knows.
LOWERED = "affine arith bufferization builtin cf complex func index linalg llvm math memref scf"
LOWERED_DIALECTS = (*LOWERED.split(), "tensor", "ub", "vector")
MOVING_DIALECTS = ("bufferization", "cf", "func", "memref", "scf", "tensor")  # compute nothing


def _check_types(module: Operation) -> None:
    """Refuse ops of dialects, and on types, that are not lowered here or later."""
    reasons: dict[tuple[Type, bool], str] = {}
    for op in mlir.walk(module):
        dialect = op.name.partition(".")[0]
        upstream = dialect in LOWERED_DIALECTS
        if op.name in result_accuracy.LARGEST:
            result_accuracy.check(op)
        if dialect in MOVING_DIALECTS:
            continue
        if not upstream and dialect not in ("stablehlo", "chlo"):
            ir.raise_unsupported([op], f"dialect {dialect!r}")
        for value in (*op.operands, *op.results):
            key = value.type, upstream
            if key not in reasons:
                reasons[key] = _refusal(str(value.type), upstream)
            if reasons[key]:
                ir.raise_unsupported([op], reasons[key])


def _refusal(type: str, upstream: bool) -> str:
    """Why a type is not lowered; '' if it is."""
    if upstream:  # lowered, narrow floats are bytes
        narrow = NARROW.search(type)
        return f"element type {narrow[0]}" if narrow else ""
    return "quantized types" if "!quant" in type else ""


def _check_calls(module: Operation) -> None:
    """Refuse calls of functions that have no body; kernels and checks get theirs later."""
    declared = {
        ir.symbol_name(func)
        for func in ir.functions(module)
        if ir.is_declaration(func) and KERNEL not in func.attributes
    } - {CHECK}
    for op in mlir.walk(module) if declared else ():
        if op.name == "func.call" and ir.callee_of(op) in declared:
            reason = f"@{ir.callee_of(op)} is declared without a body"
            ir.raise_unsupported([op], reason)


def _lower_global(weight: Operation) -> None:
    """A global's type is an attribute, which no conversion of values reaches."""
    lowered = lowered_type(ir.type_of(weight, "type"))
    if not isinstance(lowered, tuple):
        weight.attributes["type"] = mlir.type_attr(lowered)


def _keep_signature(func: Operation) -> None:
    """Note the types that the host sees, where lowering changes them."""
    inputs, results = ir.signature(func)
    if any(lowered_type(type) != type for type in (*inputs, *results)):
        note_signature(func)
