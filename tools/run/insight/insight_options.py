"""Options that show what a program was compiled to, and what that does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from shlo_tools.calling import plotting
from shlo_tools.tools import argv
from shlo_tools.tools.run.run_request import TABLE, Request

Decorated = TypeVar("Decorated", bound=Callable[..., object])

_OPTIONS = (
    click.option(
        "--profile",
        is_flag=True,
        help="Print stages, which have no kernel and why, memory, and what takes how long.",
    ),
    click.option(
        "--trace",
        type=click.Path(),
        metavar="FILE.json",
        help="Write what ran when and in which thread, for ui.perfetto.dev.",
    ),
    click.option(
        "--memory",
        cls=argv.ValueOptional,
        bare=TABLE,
        default="",
        metavar="FILE.svg",
        help="Print what is in memory when; or draw it, as .svg or .png.",
    ),
    click.option(
        "--dump-kernels",
        type=click.Path(),
        metavar="DIR",
        help="Folder for what each stage was compiled to: StableHLO, IR, machine code.",
    ),
)


def add(command: Decorated) -> Decorated:
    """Give a command these options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_together(request: Request) -> None:
    """Refuse what says nothing of native code as it runs, and pictures that cannot be drawn."""
    watched = request.probe or request.probe_dir or request.check_nans
    for name, value in _named(request).items():
        if value and (watched or request.backend != "native"):
            raise click.UsageError(f"{name} tells of native code without probes and checks")
    if request.memory and request.memory != TABLE:
        plotting.check(request.memory, "--memory")


def needs_no_run(request: Request) -> bool:
    """Whether something is asked for that is known once the program is compiled."""
    return bool(request.save_executable or request.memory or request.dump_kernels)


def _named(request: Request) -> dict[str, object]:
    return {
        "--profile": request.profile,
        "--trace": request.trace,
        "--memory": request.memory,
        "--dump-kernels": request.dump_kernels,
    }


def asked(request: Request) -> str:
    """The first of these options that a request has; '' where there is none."""
    return next((name for name, value in _named(request).items() if value), "")
