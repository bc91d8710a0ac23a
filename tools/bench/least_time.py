"""The time that no engine can beat: what a program needs, at the limits of this machine.

Counted are the ops of the program as it is written, for the sizes of its arguments, and no more
than has to be computed and moved (``shlo_tools/program/costs.py``); the machine is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from shlo_tools import mlir
from shlo_tools.cpu import limits
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.program.costs import Costs, function_costs
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
    flops = costs.flops
    details = {
        "flops": flops.total,
        "flops of 64 bits": flops.wide,
        "bytes": costs.bytes,
        "machine": asdict(machine),
    }
    return Limit(machine.least_seconds(costs), "", tuple(sorted(flops.uncounted)), details)


def counted(module: mlir.Module, arguments: Sequence[Array]) -> Costs:
    """What a call of ``@main`` needs; the module is left as it is.

    Raises:
        ShloError: sizes are unknown even where those of arguments are known.
    """
    static = with_sizes_of(module, arguments)
    with mlir.library_context():
        return function_costs(static.operation)
