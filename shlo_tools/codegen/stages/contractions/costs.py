"""What parts of a contraction take, in products of a vector: a cycle of a core each, about.

Where there are several ways to multiply, these choose one; they were fitted to what some hundred
convolutions take.
"""

from __future__ import annotations

from shlo_tools.codegen.library.contractions.micro_kernels import COLUMN_VECTORS, short_tile

CUT, WHOLE = 45, 6  # a run that is packed: one that borders of an image cut, and one inside
CHUNK, TILE = 500, 40  # what a chunk and a tile begin with
JOB = 40_000  # what threads wait for each other between two jobs
_SUMS = 8  # vectors whose sums are computed at once: two begin each cycle, and take four
NARROW = 0.7  # a vector of half a register
_LINE = 64  # bytes of a line of the cache
NEAR = 1 << 20  # bytes that a core's own cache keeps


def short(tile: int, columns: int, lanes: int) -> float:
    """What a short tile takes, in tiles of so many rows."""
    wide = min(COLUMN_VECTORS, -(-columns // lanes))
    return max(short_tile(tile) * wide, _SUMS) / max(tile * wide, _SUMS)


def vectors(columns: int, lanes: int) -> float:
    """Vectors of a row."""
    return NARROW if 2 * columns <= lanes else -(-columns // lanes)


def elements(number: int, step: int, lanes: int, size: int, most: int = 1) -> float:
    """Copying elements that lie ``step`` apart, by vectors where that is no more than ``most``."""
    if 0 < abs(step) <= most:
        return number * abs(step) / lanes
    return number if abs(step) * size <= _LINE else 3 * number


def stored(number: int, lanes: int, size: int) -> float:
    """Elements that are written for other chunks, and read again."""
    return number / lanes * (3 if number * size <= NEAR else 20)
