"""A StableHLO toolchain in Python: parse, verify, transform, lower and run natively.

    import shlo_tools

    executable = shlo_tools.compile("model.mlir")
    y = executable(x)

Names are loaded when they are first used; importing the package does not load MLIR.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from shlo_tools import builder, dtypes, errors, mlir, ops
    from shlo_tools.builder import Module
    from shlo_tools.cpu.executable import Executable
    from shlo_tools.errors import ShloError
    from shlo_tools.extend import custom_call
    from shlo_tools.pipeline.registry import Pass, register_pass, register_pipeline
    from shlo_tools.pipeline.runner import Pipeline
    from shlo_tools.program import load, save, verify

__version__ = "0.1.0"

_WHERE = {
    "Executable": "shlo_tools.cpu.executable",
    "Module": "shlo_tools.builder",
    "Pass": "shlo_tools.pipeline.registry",
    "Pipeline": "shlo_tools.pipeline.runner",
    "ShloError": "shlo_tools.errors",
    "custom_call": "shlo_tools.extend",
    "load": "shlo_tools.program",
    "register_pass": "shlo_tools.pipeline.registry",
    "register_pipeline": "shlo_tools.pipeline.registry",
    "save": "shlo_tools.program",
    "verify": "shlo_tools.program",
}
_MODULES = ("builder", "dtypes", "errors", "mlir", "ops")

__all__ = [
    "Executable",
    "Module",
    "Pass",
    "Pipeline",
    "ShloError",
    "builder",
    "compile",
    "custom_call",
    "dtypes",
    "errors",
    "load",
    "mlir",
    "ops",
    "register_pass",
    "register_pipeline",
    "run",
    "save",
    "verify",
]


def compile(program: Any, **options: Any) -> Executable:
    """Compile a program for this machine; see ``cpu.executable.compile``.

    Objects of JAX (``jax.jit(f).lower(x)``, ``jax.export.Exported``) are taken as well. Where
    JAX is loaded, compiling and running happen in a child process.
    """
    from shlo_tools.foreign import second_mlir
    from shlo_tools.interop import exported, remote

    source = exported.source_of(program)
    if second_mlir() and isinstance(source, str | bytes):
        return cast("Executable", remote.compile(source, **options))
    from shlo_tools.cpu import executable

    return executable.compile(source, **options)


def run(program: Any, *arguments: Any, **options: Any) -> Any:
    """Compile a program and call it once; see ``compile`` and ``Executable``."""
    return compile(program)(*arguments, **options)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"shlo_tools.{name}")
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
