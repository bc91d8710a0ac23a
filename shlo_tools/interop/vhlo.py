"""VHLO, the dialect of portable artifacts, where people write it as text."""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.errors import ShloError
from shlo_tools.program import versions

PREFIX = "vhlo."


def to_stablehlo(module: mlir.Module) -> None:
    """Make StableHLO of VHLO, of whatever version, in place; other ops stay as they are.

    Raises:
        ShloError: an op has no form in StableHLO.
    """
    operation = module.operation
    if not any(op.name.startswith(PREFIX) for op in mlir.walk(operation)):
        return
    upgrade = f"vhlo-to-version{{target={versions.current()}}}"
    manager = mlir.parse_pipeline(f"builtin.module({upgrade},vhlo-legalize-to-stablehlo)")
    try:
        mlir.run_passes(manager, operation)
    except mlir.MLIRError as error:
        raise ShloError(mlir.diagnostics_of(error)) from error
