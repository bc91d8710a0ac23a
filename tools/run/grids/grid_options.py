"""Which options go with ``--parallel`` and ``--mesh``."""

from __future__ import annotations

import click

from shlo_tools.tools.run.insight import insight_options
from shlo_tools.tools.run.run_request import Request


def check_together(request: Request) -> None:
    """Refuse options that mean nothing together."""
    sizes = request.replicas or request.partitions
    if request.mesh:
        _check_mesh(request)
        return
    if not request.parallel:
        if sizes:
            raise click.UsageError("--replicas and --partitions need --parallel=threads or =mpi")
        if request.reduction_order:
            raise click.UsageError("--reduction-order needs --parallel=threads or =mpi")
        return
    others = {
        "--compare": request.compare,
        "--expected-output": request.expected_output,
        "--repeat": request.repeat,
        insight_options.asked(request): insight_options.asked(request),
        "--demo": request.demo,
        "--probe, --probe-dir or --check-nans": request.probe_dir or request.check_nans,
        "--split-input-file": request.split_input_file,
        "--list-functions": request.list_functions,
    }
    for name, value in others.items():
        if value:
            raise click.UsageError(f"--parallel does not go with {name}")
    _check_ranks(request)


def _check_mesh(request: Request) -> None:
    """Refuse what means nothing with whole arrays on a mesh."""
    others = {
        "--replicas or --partitions": request.replicas or request.partitions,
        "--compare": request.compare,
        "--profile": request.profile,
        "--demo": request.demo,
        "--probe, --probe-dir or --check-nans": request.probe_dir or request.check_nans,
        "--split-input-file": request.split_input_file,
        "--save-executable": request.save_executable,
    }
    for name, value in others.items():
        if value:
            raise click.UsageError(f"--mesh does not go with {name}")
    _check_ranks(request)


def _check_ranks(request: Request) -> None:
    if request.parallel == "mpi" and request.model == "-":
        raise click.UsageError("--parallel=mpi needs a file: one rank alone has a standard input")
    if request.parallel == "mpi" and request.backend == "xla":
        raise click.UsageError("--backend=xla runs a grid in one process, not over MPI")
