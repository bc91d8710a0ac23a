"""Programs over a mesh of devices, from whole arrays to whole arrays: ``--mesh``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shlo_tools import mlir, program
from shlo_tools.calling.executable import Executable
from shlo_tools.errors import ShloError
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

    options["transport"] = request.parallel or "threads"
    mesh = None if request.mesh == AS_THE_PROGRAM_SAYS else request.mesh
    backend: Any = request.backend
    return parallel.compile_sharded(
        module, mesh=mesh, backend=backend, function=request.function, **options
    )


@contextmanager
def reading(request: Request) -> Iterator[None]:
    """Within the block, an error ends the job: other ranks would wait for this one."""
    try:
        yield
    except ShloError as error:
        if request.mesh and request.parallel == "mpi":
            from shlo_tools import parallel

            parallel.end_job(error.render())
        raise


def is_told(request: Request) -> bool:
    """Whether this process tells what came out: of the ranks of a job, the one of device 0 does."""
    if not request.mesh or request.parallel != "mpi":
        return True
    from shlo_tools import parallel

    return 0 in parallel.own_numbers(1, "mpi")
