"""Tables and amounts as text."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def aligned(lines: Sequence[Sequence[str]], numbers: int) -> list[str]:
    """Lines of cells as columns: those of numbers come first and stand to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place < numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def duration(seconds: float) -> str:
    """Seconds with three digits and a unit."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def amount(number: int) -> str:
    """A number with three digits and a unit of thousands."""
    for factor, unit in _UNITS:
        if number >= factor:
            return f"{number / factor:.3g}{unit}"
    return str(number)
