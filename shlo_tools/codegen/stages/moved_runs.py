"""Views made of short runs of an argument: pixels that change places, columns cut out, tiles.

As vectors, such runs would have few lanes and a mask each, and rows behind them would be found by
dividing. Here loops go over the dimensions, and a run is copied by integers of as many bytes as
fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.transposition import moved_argument

_LONGEST = 256  # bytes of a run: along longer ones vectors have few idle lanes
_LARGEST = 64  # bytes of what is copied at once
_CHUNK = 32 * 1024  # bytes of a chunk, about


@dataclass(frozen=True)
class MovedRuns:
    """Where runs of an argument go.

    Attributes:
        base: the argument.
        offset: bytes in front of the first run.
        bytes: of a run.
        axes: size, step in the argument and step in the result in bytes, outer ones first.
    """

    base: Node
    offset: int
    bytes: int
    axes: tuple[tuple[int, int, int], ...]

    def add_to(self, code: StageCode, name: str) -> None:
        """Add the kernel, its context and its job."""
        *outer, rows = self.axes
        units = math.prod(size for size, _, _ in outer)
        each = max(1, _CHUNK // (rows[0] * self.bytes))
        code.functions.append(self._kernel(name, units, each))
        places = (Place("argument", self.base.number, self.offset), Place("result", 0))
        code.contexts.append(Context(places))
        code.jobs.append(Job(name, len(code.contexts) - 1, -(-units // each)))

    def _kernel(self, name: str, units: int, each: int) -> Function:
        """A chunk is ``each`` of the units, which are all runs at one index of outer dimensions."""
        f = Function(name, JOB)
        context, chunk, _ = f.arguments
        source, target = (f.load(context.at(8 * k), POINTER) for k in range(2))
        *outer, (rows, step, to) = self.axes

        def unit(left: Value) -> None:
            here, there = source, target
            for size, outer_step, outer_to in reversed(outer):
                rest = left % size
                left = left // size
                here, there = here.at(rest * outer_step), there.at(rest * outer_to)

            def run(_: Value, here: Value, there: Value) -> list[Value]:
                copy_bytes(here, there, self.bytes)
                return [here.at(step), there.at(to)]

            f.loop(0, rows, 1, run, [here, there])

        first = chunk * each
        f.loop(first, f.minimum(first + each, units), 1, unit)
        return f


def copy_bytes(here: Value, there: Value, count: int) -> None:
    """Copy by integers of a power of two of bytes, of which the last one ends where bytes do."""
    f, bytes = here.function, min(1 << (count.bit_length() - 1), _LARGEST)
    type = Type(f"i{8 * bytes}") if bytes <= I64.bytes else I64.vector(bytes // I64.bytes)
    places = [*range(0, count - bytes, bytes), count - bytes]
    values = [f.load(here.at(place), type, 1) for place in places]
    for place, value in zip(places, values, strict=True):
        f.store(value, there.at(place), 1)


def moved_runs(node: Node) -> MovedRuns | None:
    """How a view's runs are moved; None where it has none, or they are long."""
    view = moved_argument(node)
    if view is None:
        return None
    base, offset, moved = view
    size = place_type(node.element).bytes
    if len(moved) < 2 or moved[-1][1] != 1 or moved[-1][0] * size > _LONGEST:
        return None
    *outer, (length, _, _) = moved
    axes = tuple((count, size * step, size * to) for count, step, to in outer)
    return MovedRuns(base, offset * size, length * size, axes)
