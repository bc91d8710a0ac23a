"""Transposition through tiles in registers, for elements of 1, 2, 4 and 8 bytes.

A tile is as many rows as a vector has lanes: rows are loaded, their elements change places by
shuffles of two vectors each, and columns are stored. The last tile of a row or column reaches
back over its neighbour; where there is less than a tile, lanes are masked.

What caches do not hold is stored past them, in whole lines: else each line of the target is fetched
before it is written, and rows that are a power of two apart drive each other out of the cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

WIDTHS = (8, 16, 32, 64)  # bits of an element
STREAMED = "shlo_rt_transpose_past_"
OUTER = 4  # dimensions beside the two of the tiles
# Words of a job's context. Rows are adjacent in the target, columns in the source; a unit is a
# block of rows and columns at one index of the outer dimensions.
CONTEXT = {
    name: place
    for place, name in enumerate(
        (
            *("source", "target", "rows", "columns", "source_row", "target_row"),
            *("row_block", "row_blocks", "column_block", "column_blocks"),
            *("units", "units_of_chunk"),
            *(f"{what}{d}" for d in range(OUTER) for what in ("size", "from", "to")),
        )
    )
}
# ``(source, target, rows, columns, source_row, target_row)``, rows in bytes.
MATRIX = (POINTER, POINTER, I64, I64, I64, I64)
_BLOCK = 32  # rows and columns of a few tiles that share lines of memory
_WIDE_BLOCK = 64  # of those that are stored past the caches
_LINE = 64  # bytes that are stored so at once
_FEW = 8  # matrices with fewer rows and columns are moved element by element


def job_name(bits: int) -> str:
    """The job that transposes tensors."""
    return f"shlo_rt_transpose_i{bits}"


def streamed_name(bits: int) -> str:
    """The job that stores past the caches, for elements of 4 and 8 bytes."""
    return f"{STREAMED}i{bits}"


def matrix_name(bits: int) -> str:
    """The function of a ``MATRIX``."""
    return f"shlo_rt_transpose_matrix_i{bits}"


def tile(target: Target, bits: int) -> int:
    """Rows and columns of a tile."""
    return min(target.lanes(bits), 16)


def functions(target: Target, bits: int) -> list[Function]:
    """The functions for elements of a width."""
    element = Type(f"i{bits}")
    size = tile(target, bits)
    parts = [_tile(element, size, is_masked=masked) for masked in (False, True)]
    matrix = _matrix(element, size)
    return [*parts, matrix, units(job_name(bits), element, matrix.name)]


def may_stream(target: Target, bits: int, rows: int, target_row: int) -> bool:
    """Whether columns of tiles are whole lines of a target with so many bytes from row to row."""
    size = tile(target, bits)
    return size * bits == 8 * _LINE and rows % size == 0 and target_row % _LINE == 0


def streamed(target: Target, name: str) -> list[Function]:
    """The functions for elements of a width, stored past the caches: of ``i32`` or ``i64``."""
    element = Type(name)
    size = tile(target, element.bits)
    matrix = _streamed_matrix(element, size)
    whole = _tile(element, size, is_masked=False, is_streamed=True)
    return [whole, matrix, units(STREAMED + name, element, matrix.name)]


def _tile_name(element: Type, *, is_masked: bool) -> str:
    return f"transpose_{'part' if is_masked else 'tile'}_{element}"


def _tile(element: Type, size: int, *, is_masked: bool, is_streamed: bool = False) -> Function:
    """One tile, or the first ``rows`` and ``columns`` of one."""
    numbers = [I64, I64] if is_masked else []
    name = _tile_name(element, is_masked=is_masked)
    f = Function(name, [POINTER, POINTER, I64, I64, *numbers], exported=False)
    source, target, source_row, target_row = f.arguments[:4]
    type = element.vector(size)
    if not is_masked:
        loaded = [f.load(source.at(source_row * k), type, 1) for k in range(size)]
        for k, vector in enumerate(transposed(f, loaded)):
            align = _LINE if is_streamed else 1
            f.store(vector, target.at(target_row * k), align, streaming=is_streamed)
        return f
    rows, columns = f.arguments[4:]
    none = f.zero(type)
    loaded = [
        _masked_row(f, source.at(source_row * k), columns, rows > k, type, none)
        for k in range(size)
    ]
    lanes = f.mask_below(rows, size)
    for k, vector in enumerate(transposed(f, loaded)):
        place = target.at(target_row * k)
        f.if_(columns > k, lambda v=vector, p=place: f.store_masked(v, p, lanes))  # type: ignore[misc]
    return f


def _masked_row(
    f: Function, address: Value, columns: Value, exists: Value, type: Type, none: Value
) -> Value:
    def load() -> Value:
        return f.load_masked(address, f.mask_below(columns, type.lanes), type)

    return f.if_(exists, load, lambda: none)[0]


def transposed(f: Function, rows: Sequence[Value]) -> list[Value]:
    """Vectors whose elements changed places: blocks of half the size, a quarter, ..., one."""
    size = len(rows)
    result, width = list(rows), size
    while width > 1:
        width //= 2
        low, high = _lanes(size, width, 0), _lanes(size, width, width)
        for k in range(size):
            if not k & width:
                a, b = result[k], result[k + width]
                result[k], result[k + width] = f.shuffle(a, b, low), f.shuffle(a, b, high)
    return result


def _lanes(size: int, width: int, offset: int) -> list[int]:
    """Every second block of ``width`` lanes, of one vector and of the other in turn."""
    starts = range(offset, size, 2 * width)
    return [at + k for start in starts for at in (start, size + start) for k in range(width)]


def _matrix(element: Type, size: int) -> Function:
    """All tiles of a matrix."""
    f = Function(matrix_name(element.bits), MATRIX)
    source, target, rows, columns, source_row, target_row = f.arguments
    steps = [source_row, target_row]

    def places(row: Value, column: Value) -> list[Value]:
        return [
            source.at(row * source_row).at(column, element),
            target.at(column * target_row).at(row, element),
        ]

    def full(row: Value, column: Value) -> None:
        column = f.maximum(f.minimum(column, columns - size), 0)
        at = places(f.minimum(row, rows - size), column)
        f.run(_tile_name(element, is_masked=False), [*at, *steps])

    def part(row: Value, column: Value) -> None:
        counts = [f.minimum(rows - row, size), f.minimum(columns - column, size)]
        name = _tile_name(element, is_masked=True)
        f.run(name, [*places(row, column), *steps, *counts])

    def single(row: Value, column: Value) -> None:
        first, second = places(row, column)
        f.store(f.load(first, element, 1), second, 1)

    def by_tiles() -> None:
        # Rows go by first: rows of the target are written as runs, a few at a time. Stores wait
        # for lines of memory far apart much longer than loads do. Tiles begin where lines do, so
        # that no load takes two: the first column of tiles reaches over its neighbour.
        width = size * element.bytes
        first = f.constant(0) - source.to("ptrtoint", "i64") % width // element.bytes

        def blocks(column: Value) -> None:
            f.loop(0, rows, _BLOCK, lambda row: block(row, column))

        f.loop(first, columns, _BLOCK, blocks)

    def block(row: Value, column: Value) -> None:
        end, last = f.minimum(row + _BLOCK, rows), f.minimum(column + _BLOCK, columns)
        f.loop(column, last, size, lambda c: f.loop(row, end, size, lambda r: full(r, c)) and None)

    def by_parts() -> None:
        f.loop(0, rows, size, lambda r: f.loop(0, columns, size, lambda c: part(r, c)) and None)

    def by_elements() -> None:
        f.loop(0, columns, 1, lambda c: f.loop(0, rows, 1, lambda r: single(r, c)) and None)

    def small() -> None:
        f.if_((rows < _FEW) & (columns < _FEW), by_elements, by_parts)

    f.if_((rows >= size) & (columns >= size), by_tiles, small)
    return f


def _streamed_matrix(element: Type, size: int) -> Function:
    """All tiles of a matrix, past the caches where its target begins with a line."""
    f = Function(f"stream_{element}", MATRIX, exported=False)
    source, target, rows, columns, source_row, target_row = f.arguments

    def whole(row: Value, column: Value) -> None:
        column = f.minimum(column, columns - size)
        places = [
            source.at(row * source_row).at(column, element),
            target.at(column * target_row).at(row, element),
        ]
        f.run(_tile_name(element, is_masked=False), [*places, source_row, target_row])

    def block(row: Value, column: Value) -> None:
        end = f.minimum(row + _WIDE_BLOCK, rows)
        last = f.minimum(column + _WIDE_BLOCK, columns)
        f.loop(row, end, size, lambda r: f.loop(column, last, size, lambda c: whole(r, c)) and None)

    def blocks(column: Value) -> None:
        f.loop(0, rows, _WIDE_BLOCK, lambda row: block(row, column))

    begins_line = (target.to("ptrtoint", "i64") | target_row) % _LINE == 0
    fits = (rows % size == 0) & (columns >= size)
    f.if_(
        begins_line & fits,
        lambda: f.loop(0, columns, _WIDE_BLOCK, blocks) and None,
        lambda: f.run(matrix_name(element.bits), f.arguments),
    )
    return f


def units(name: str, element: Type, matrix: str) -> Function:
    """A job: some units of a tensor, by a function of a ``MATRIX``."""
    f = Function(name, JOB)
    context, chunk, _ = f.arguments

    def word(name: str, type: Type = I64) -> Value:
        return f.load(context.at(8 * CONTEXT[name]), type)

    source, target = word("source", POINTER), word("target", POINTER)
    rows, row_block, row_blocks = (word(n) for n in ("rows", "row_block", "row_blocks"))
    columns, block, blocks = (word(n) for n in ("columns", "column_block", "column_blocks"))
    source_row, target_row = word("source_row"), word("target_row")
    # Blocks of columns, of rows, and outer dimensions: how many, and their steps in bytes.
    limits = [blocks, row_blocks, *(word(f"size{d}") for d in range(OUTER))]
    steps = [
        (block * element.bytes, block * target_row),
        (row_block * source_row, row_block * element.bytes),
        *((word(f"from{d}"), word(f"to{d}")) for d in range(OUTER)),
    ]

    def place_of(unit: Value) -> list[Value]:
        """Where a unit is: its number along each of these, and where it lies."""
        numbers, place, to = [], source, target
        for limit, (from_step, to_step) in zip(limits, steps, strict=True):
            whole = unit // limit
            number = unit - whole * limit
            numbers.append(number)
            place, to, unit = place.at(number * from_step), to.at(number * to_step), whole
        return [*numbers, place, to]

    def after(state: list[Value], d: int = 0) -> list[Value]:
        """The place of the next unit: a division for each number took longer than short units."""
        if d == len(limits):
            return state
        *numbers, place, to = state
        number, (from_step, to_step) = numbers[d] + 1, steps[d]

        def goes_on() -> list[Value]:
            changed = [*numbers[:d], number, *numbers[d + 1 :]]
            return [*changed, place.at(from_step), to.at(to_step)]

        def begins_again() -> list[Value]:
            back = f.constant(1) - number
            changed = [*numbers[:d], f.constant(0), *numbers[d + 1 :]]
            return after([*changed, place.at(back * from_step), to.at(back * to_step)], d + 1)

        return f.if_(number < limits[d], goes_on, begins_again)

    def unit(_: Value, *state: Value) -> list[Value]:
        (column, row, *_outer), place, to = state[:-2], state[-2], state[-1]
        column, row = column * block, row * row_block
        counts = [f.minimum(rows - row, row_block), f.minimum(columns - column, block)]
        f.run(matrix, [place, to, *counts, source_row, target_row])
        return after([*state])

    step = word("units_of_chunk")
    start = chunk * step
    f.loop(start, f.minimum(start + step, word("units")), 1, unit, place_of(start))
    return f
