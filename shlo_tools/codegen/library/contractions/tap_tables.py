"""Tables of where the taps of a window lie in what is packed, from where the window begins."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import I64, Function, Value
from shlo_tools.codegen.library.contractions import packing

# An axis of taps: ``size`` of them, ``step`` places from one to the next. Of ``phases`` places that
# are neighbours each lies in a part of its own, ``phase`` bytes behind the one before; those of one
# part are ``place`` bytes apart.
_AXIS = ("size", "step", "phases", "phase", "place")
WORDS = packing.AXES * len(_AXIS)  # of all axes in a context


def words(axes: Sequence[Sequence[int]]) -> list[int]:
    """The words of axes, outer ones first, each as ``(size, step, phases, phase, place)``."""
    listed = [word for axis in reversed(axes) for word in axis]
    return listed + [0] * (WORDS - len(listed))


def list_taps(f: Function, table: Value, axes: Value, count: Value) -> Value:
    """Write where taps lie, axis by axis: those before are repeated for each place.

    Args:
        axes: where the words of ``count`` axes are.

    Returns:
        how many taps there are.
    """
    zero = f.constant(0)
    f.store(zero, table)

    def axis(d: Value, inner: Value) -> Value:
        here = axes.at(d * (8 * len(_AXIS)))
        size, step, phases, phase, place = (f.load(here.at(8 * k), I64) for k in range(len(_AXIS)))

        def digit(n: Value) -> None:
            at = n * step
            offset = at % phases * phase + at // phases * place
            there = table.at(n * inner * 8)

            def repeated(k: Value) -> None:
                f.store(f.load(table.at(k * 8), I64) + offset, there.at(k * 8))

            f.loop(zero, inner, 1, repeated)

        # The first one, at no distance, is there.
        f.loop(f.constant(1), size, 1, digit)
        return inner * size

    return f.loop(zero, count, 1, axis, [f.constant(1)])[0]
