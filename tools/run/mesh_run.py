"""Programs over a mesh of devices, from whole arrays to whole arrays: ``--mesh``."""

from __future__ import annotations

from typing import Any

from shlo_tools import mlir, program
from shlo_tools.calling.executable import Executable
from shlo_tools.tools.run.run_request import AS_THE_PROGRAM_SAYS, Request


def read(request: Request, source: bytes, name: str) -> mlir.Module:
    """The program, with what it says about meshes."""
    with mlir.library_context():
        module = program.load(source, name=name, shardings="keep")
        program.locate(module, request.model)
        program.warn_of_attributes(module)
    return module


def compile(request: Request, module: mlir.Module, **options: Any) -> Executable:
    """What takes and returns whole arrays; ``options`` are those of ``parallel.compile``."""
    from shlo_tools import parallel

    mesh = None if request.mesh == AS_THE_PROGRAM_SAYS else request.mesh
    backend: Any = request.backend
    return parallel.compile_sharded(
        module, mesh=mesh, backend=backend, function=request.function, **options
    )
