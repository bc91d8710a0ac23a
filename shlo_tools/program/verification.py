"""Whether a program keeps the rules of its dialects and of its ops."""

from __future__ import annotations

from collections.abc import Iterable

from shlo_tools import ir, mlir
from shlo_tools.dialects import rules
from shlo_tools.errors import ConstraintError, VerifyError, did_you_mean, warn
from shlo_tools.program.external_constants import is_external


def verify(module: mlir.Module) -> None:
    """Verify a module by its dialects and by the constraints of the op functions.

    Attributes that look misspelled are warned of (``errors.listening``).

    Raises:
        VerifyError: with the op's place.
    """
    from shlo_tools.ops import _op as ops

    with mlir.library_context():
        check_by_mlir(module)
        check_rules(module)
        for op in mlir.walk(module.operation):
            if op.name in ops.DESCRIPTIONS and not is_external(op):
                ops.verify(op)
            elif op.name == "stablehlo.return":
                _check_function_end(op)
        warn_of_attributes(module)


# Ops of which MLIR's verifier takes a size of -2^63 for an unknown one, or results that contradict
# their operands; and element types that the op refuses which a form of CHLO broadcasts.
LOOSELY_VERIFIED = frozenset(
    (
        "stablehlo.bitcast_convert",
        "stablehlo.dynamic_broadcast_in_dim",
        "stablehlo.dynamic_conv",
        "stablehlo.dynamic_iota",
        "stablehlo.fft",
        "stablehlo.real_dynamic_slice",
        "stablehlo.reduce_window",
        "stablehlo.rng_bit_generator",
        "stablehlo.select_and_scatter",
    )
)


def verify_further(module: mlir.Module, ops: Iterable[mlir.Operation] | None = None) -> None:
    """Check the ops of a parsed module whose constraints MLIR does not check all of.

    Args:
        ops: all of them, where somebody has walked the module.

    Raises:
        ConstraintError: with the op's place.
    """
    from shlo_tools.ops import _op

    for op in mlir.walk(module.operation) if ops is None else ops:
        name = op.name
        if name in LOOSELY_VERIFIED or name.startswith("chlo.broadcast_"):
            _op.verify(op)
        elif name == "stablehlo.return":
            _check_function_end(op)


def _check_function_end(end: mlir.Operation) -> None:
    """Check a function that ends with ``stablehlo.return``, of which MLIR checks nothing.

    Raises:
        ConstraintError: it does not return what it declares.
    """
    func = end.parent and mlir.inner_operation(end.parent)
    if func is None or func.name != "func.func":
        return
    returned = ", ".join(str(operand.type) for operand in end.operands)
    declared = ", ".join(str(type) for type in ir.signature(func)[1])
    if returned != declared:
        raise ConstraintError(
            f"stablehlo.return: returns ({returned}), @{ir.symbol_name(func)} has the results"
            f" ({declared})",
            place=mlir.place_of(end.location),
        )


# Attributes without a dialect's prefix that programs carry and no op function names.
_CARRIED = {
    "layout",
    "operand_layouts",
    "result_layouts",
    "output_operand_aliases",
    "channel_handle",
    "operandSegmentSizes",
    "resultSegmentSizes",
    "source_target_pairs",
}


def warn_of_attributes(module: mlir.Module) -> None:
    """Warn of attributes of StableHLO ops that nobody reads, such as ``dimensionz``.

    The functions of custom calls are given all attributes, whose names are theirs to choose.
    """
    from shlo_tools.ops import _op as ops

    for op in mlir.walk(module.operation):
        description = ops.DESCRIPTIONS.get(op.name)
        if description is None or op.name == "stablehlo.custom_call":
            continue
        for name in op.attributes:
            if "." not in name and name not in _CARRIED and name not in description.attribute_names:
                hint = did_you_mean(name, description.attribute_names)
                place = mlir.place_of(op.location)
                warn(f"{op.name} has no attribute {name!r}; it is ignored", place, hint=hint)


def check_rules(module: mlir.Module) -> None:
    """Raise VerifyError where a check or an op of the interpreter is not as it should be."""
    for op in mlir.walk(module.operation):
        if op.name.startswith(rules.VERIFIED):
            message, hint = rules.problem(op)
            if message:
                raise VerifyError(message, place=mlir.place_of(op.location), hint=hint)


def check_by_mlir(module: mlir.Module) -> None:
    """Raise VerifyError where a module breaks a rule that MLIR itself knows."""
    try:
        mlir.verify(module.operation)
    except mlir.MLIRError as error:
        raise VerifyError(mlir.diagnostics_of(error)) from error
