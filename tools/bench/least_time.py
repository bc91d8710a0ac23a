"""The time that no engine can beat: what a program needs, at the limits of this machine.

Counted are the ops of the program as it is written, for the sizes of its arguments, and no more
than has to be computed and moved (``shlo_tools/program/costs.py``); the machine is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from shlo_tools import mlir
from shlo_tools.cpu import limits
from shlo_tools.cpu.limits import Limits
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.program.costs import Costs, Flops, function_costs
from shlo_tools.tools.bench.limit_share import Limit
from shlo_tools.tools.bench.static_program import with_sizes_of


def limit_of(module: mlir.Module, arguments: Sequence[Array]) -> Limit:
    """The limit of ``@main`` for some arguments.

    It measures the machine, which takes a second the first time.
    """
    try:
        costs = counted(module, arguments)
        machine = limits.measured()
    except ShloError as error:
        return Limit(reason=str(error).splitlines()[0].removeprefix("error: "))
    details = {
        "flops": costs.flops.total,
        "flops of 64 bits": costs.flops.wide,
        "bytes": costs.bytes,
    }
    counted_only = Limit(None, "", tuple(sorted(costs.flops.uncounted)), details)
    return _at(counted_only, machine)


def measured_again(limit: Limit) -> Limit:
    """The limit of a program at the best that the machine has shown till now, and shows again."""
    if limit.seconds is None:
        return limit
    before = Limits(**limit.details["machine"])
    return _at(limit, limits.measured_again(before.threads).joined(before))


def at_best(limit: Limit) -> Limit:
    """The limit at the best that the machine has shown in this process."""
    return limit if limit.seconds is None else _at(limit, limits.measured())


def _at(limit: Limit, machine: Limits) -> Limit:
    """What was counted, at the rates of a machine."""
    counts = limit.details
    wide = counts["flops of 64 bits"]
    costs = Costs(Flops(counts["flops"] - wide, wide), counts["bytes"])
    details = {**counts, "machine": asdict(machine)}
    return replace(limit, seconds=machine.least_seconds(costs), details=details)


def counted(module: mlir.Module, arguments: Sequence[Array]) -> Costs:
    """What a call of ``@main`` needs; the module is left as it is.

    Raises:
        ShloError: sizes are unknown even where those of arguments are known.
    """
    static = with_sizes_of(module, arguments)
    with mlir.library_context():
        return function_costs(static.operation)
