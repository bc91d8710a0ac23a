"""Transposition through tiles in registers, for elements of 1, 2, 4 and 8 bytes.

A tile is as many rows as a vector has lanes, or half of them, by as many columns; or four by all of
them: rows are loaded, their elements change places by shuffles of two vectors each, and columns are
stored. The last tile of a row or column reaches back over its neighbour; where there is much less
than a tile, lanes are masked, or elements go one by one.

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
# block of rows and columns at one index of the outer dimensions. ``source_block`` is bytes from a
# block of rows to the next.
CONTEXT = {
    name: place
    for place, name in enumerate(
        (
            *("source", "target", "rows", "columns"),
            *("source_row", "target_row", "source_group"),
            *("row_block", "row_blocks", "source_block", "column_block", "column_blocks"),
            *("units", "units_of_chunk"),
            *(f"{what}{d}" for d in range(OUTER) for what in ("size", "from", "to")),
        )
    )
}
# ``(source, target, rows, columns, source_row, target_row, source_group)``, the last ones bytes
# from row to row, and from a ``group`` of rows to the next.
MATRIX = (POINTER, POINTER, I64, I64, I64, I64, I64)
_BLOCK = 32  # rows and columns of a few tiles that share lines of memory
_WIDE_BLOCK = 64  # of those that are stored past the caches
_LINE = 64  # bytes that are stored so at once
_LEAST = 4  # rows of tiles that have all columns, or columns of those that have all rows
FEW = 8  # matrices with fewer rows and columns are moved element by element


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


def group(target: Target, bits: int) -> int:
    """Rows that may lie apart from the others: half a tile."""
    return tile(target, bits) // 2


def functions(target: Target, bits: int) -> list[Function]:
    """The functions for elements of a width."""
    element = Type(f"i{bits}")
    size = tile(target, bits)
    tiles = [_tile(element, *shape, size // 2) for shape in _shapes(size)]
    has_masks = target.masks or bits >= 32
    matrix = _matrix(element, size, has_masks=has_masks)
    parts = [_part(element, size)] if has_masks else []
    return [*tiles, *parts, matrix, units(job_name(bits), element, matrix.name)]


def may_stream(target: Target, bits: int, rows: int, target_row: int) -> bool:
    """Whether columns of tiles are whole lines of a target with so many bytes from row to row."""
    size = tile(target, bits)
    return size * bits == 8 * _LINE and rows % size == 0 and target_row % _LINE == 0


def streamed(target: Target, name: str) -> list[Function]:
    """The functions for elements of a width, stored past the caches: of ``i32`` or ``i64``."""
    element = Type(name)
    size = tile(target, element.bits)
    matrix = _streamed_matrix(element, size)
    return [
        _tile(element, size, size, size // 2, is_streamed=True),
        matrix,
        units(STREAMED + name, element, matrix.name),
    ]


_TILE = (POINTER, POINTER, I64, I64, I64)  # as of a matrix, without counts


def _shapes(size: int) -> list[tuple[int, int]]:
    """Rows and columns of whole tiles."""
    shapes = [(rows, columns) for rows in (size, size // 2) for columns in (size, size // 2)]
    if size > _LEAST:
        shapes += [(size, _LEAST), (_LEAST, size)]
    return list(dict.fromkeys(shapes))


def _tile_name(element: Type, rows: int, columns: int) -> str:
    return f"transpose_{rows}x{columns}_{element}"


def _tile(
    element: Type, rows: int, columns: int, half: int, *, is_streamed: bool = False
) -> Function:
    """One tile."""
    f = Function(_tile_name(element, rows, columns), _TILE, exported=False)
    source, target, source_row, target_row, source_group = f.arguments
    type = element.vector(columns)
    places = [_row(source, k, half, source_row, source_group) for k in range(rows)]
    loaded = [f.load(place, type, 1) for place in places]
    if is_streamed:  # caches do not hold what is below either
        for place in places:
            f.prefetch(place.at(source_row * rows))
    for k, vector in enumerate(turned(f, loaded)):
        align = _LINE if is_streamed else 1
        f.store(vector, target.at(target_row * k), align, streaming=is_streamed)
    return f


def _row(source: Value, row: int | Value, half: int, step: Value, group: Value) -> Value:
    """Where a row begins, if each group is of ``half`` a tile."""
    if isinstance(row, int):
        return source.at(step * (row % half)).at(group * (row // half))
    return source.at(step * (row & (half - 1))).at(group * (row >> (half.bit_length() - 1)))


def turned(f: Function, rows: Sequence[Value]) -> list[Value]:
    """The columns of a tile, whose rows may be more than these, or fewer."""
    count, columns = len(rows), rows[0].type.lanes
    if columns < count:
        return transposed(f, [_joined(f, rows[k::columns]) for k in range(columns)])
    square = transposed(f, rows)
    if columns == count:
        return square
    parts = [range(first, first + count) for first in range(0, columns, count)]
    return [f.shuffle(vector, vector, part) for part in parts for vector in square]


def _part_name(element: Type) -> str:
    return f"transpose_part_{element}"


def _part(element: Type, size: int) -> Function:
    """The first ``rows`` and ``columns`` of a tile."""
    f = Function(_part_name(element), [*_TILE, I64, I64], exported=False)
    source, target, source_row, target_row, source_group, rows, columns = f.arguments
    type = element.vector(size)
    none = f.zero(type)
    places = [_row(source, k, size // 2, source_row, source_group) for k in range(size)]
    loaded = [
        _masked_row(f, place, columns, rows > k, type, none) for k, place in enumerate(places)
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


def _joined(f: Function, parts: Sequence[Value]) -> Value:
    """The lanes of some vectors, a power of two of them."""
    while len(parts) > 1:
        lanes = range(2 * parts[0].type.lanes)
        parts = [f.shuffle(a, b, lanes) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def transposed(f: Function, rows: Sequence[Value]) -> list[Value]:
    """Vectors whose elements changed places: blocks of half the size, a quarter, ..., one.

    Vectors may have more lanes than there are rows: square matrices beside each other.
    """
    lanes, size = rows[0].type.lanes, len(rows)
    result, width = list(rows), size
    while width > 1:
        width //= 2
        low, high = (_lanes(lanes, width, offset) for offset in (0, width))
        for k in range(size):
            if not k & width:
                a, b = result[k], result[k + width]
                result[k], result[k + width] = f.shuffle(a, b, low), f.shuffle(a, b, high)
    return result


def _lanes(lanes: int, width: int, offset: int) -> list[int]:
    """Every second block of ``width`` lanes, of one vector and of the other in turn."""
    starts = range(offset, lanes, 2 * width)
    return [at + k for start in starts for at in (start, lanes + start) for k in range(width)]


def _matrix(element: Type, size: int, *, has_masks: bool) -> Function:
    """All tiles of a matrix.

    Args:
        has_masks: whether instructions load and store some lanes of such elements.
    """
    f = Function(matrix_name(element.bits), MATRIX)
    source, target, rows, columns, source_row, target_row, source_group = f.arguments
    half, steps = size // 2, [source_row, target_row, source_group]

    def places(row: Value, column: Value) -> list[Value]:
        return [
            _row(source, row, half, source_row, source_group).at(column, element),
            target.at(column * target_row).at(row, element),
        ]

    # Halves that overlap by most of one would take longer than a tile whose lanes are masked.
    least = half + half // 2 if has_masks else half
    fit = [(count >= least) | (count == half) for count in (rows, columns)]
    height, width = (
        f.select(count < size, f.constant(half), f.constant(size)) for count in (rows, columns)
    )
    whole, narrow, flat, small_one = (
        f.address_of(_tile_name(element, *shape), _TILE)
        for shape in [(size, size), (size, half), (half, size), (half, half)]
    )
    tile = f.select(
        rows < size,
        f.select(columns < size, small_one, flat),
        f.select(columns < size, narrow, whole),
    )
    fits = fit[0] & fit[1]
    if size > _LEAST:  # three tiles of four narrow elements take longer than one with masks
        most = size if element.bits >= 32 else half
        is_flat, is_narrow = (
            ~own & (count >= _LEAST) & (count < most) & (other >= size)
            for own, count, other in zip(fit, (rows, columns), (columns, rows), strict=True)
        )
        height = f.select(is_flat, f.constant(_LEAST), height)
        width = f.select(is_narrow, f.constant(_LEAST), width)
        for is_such, shape in ((is_narrow, (size, _LEAST)), (is_flat, (_LEAST, size))):
            address = f.address_of(_tile_name(element, *shape), _TILE)
            tile = f.select(is_such, address, tile)
        fits = fits | is_narrow | is_flat

    def full(row: Value, column: Value) -> None:
        column = f.maximum(f.minimum(column, columns - width), 0)
        at = places(f.minimum(row, rows - height), column)
        f.run_address(tile, [*at, *steps])

    def part(row: Value, column: Value) -> None:
        counts = [f.minimum(rows - row, size), f.minimum(columns - column, size)]
        f.run(_part_name(element), [*places(row, column), *steps, *counts])

    def by_tiles() -> None:
        # Rows go by first: rows of the target are written as runs, a few at a time. Stores wait
        # for lines of memory far apart much longer than loads do. Tiles begin where lines do, so
        # that no load takes two: the first column of tiles reaches over its neighbour, if any.
        behind = (source.to("ptrtoint", "i64") & (width * element.bytes - 1)) // element.bytes
        first = f.select(columns > width, f.constant(0) - behind, f.constant(0))

        def blocks(column: Value) -> None:
            f.loop(0, rows, _BLOCK, lambda row: block(row, column))

        f.loop(first, columns, _BLOCK, blocks)

    def block(row: Value, column: Value) -> None:
        end, last = f.minimum(row + _BLOCK, rows), f.minimum(column + _BLOCK, columns)
        f.loop(
            *(column, last, width),
            lambda c: f.loop(row, end, height, lambda r: full(r, c)) and None,
        )

    def by_parts() -> None:
        f.loop(0, rows, size, lambda r: f.loop(0, columns, size, lambda c: part(r, c)) and None)

    def row_by_elements(row: Value) -> None:
        def single(column: Value, to: Value) -> list[Value]:
            f.store(f.load(first.at(column, element), element, 1), to, 1)
            return [to.at(target_row)]

        first, second = places(row, f.constant(0))
        f.loop(0, columns, 1, single, [second])

    def by_elements() -> None:
        f.loop(0, rows, 1, row_by_elements)

    def small() -> None:
        f.if_((rows < FEW) & (columns < FEW), by_elements, by_parts)

    f.if_(fits, by_tiles, small if has_masks else by_elements)
    return f


def _streamed_matrix(element: Type, size: int) -> Function:
    """All tiles of a matrix, past the caches where its target begins with a line."""
    f = Function(f"stream_{element}", MATRIX, exported=False)
    source, target, rows, columns, source_row, target_row, source_group = f.arguments

    def whole(row: Value, column: Value) -> None:
        column = f.minimum(column, columns - size)
        places = [
            _row(source, row, size // 2, source_row, source_group).at(column, element),
            target.at(column * target_row).at(row, element),
        ]
        f.run(_tile_name(element, size, size), [*places, source_row, target_row, source_group])

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
    source_row, target_row, source_group = (
        word(n) for n in ("source_row", "target_row", "source_group")
    )
    # Blocks of columns, of rows, and outer dimensions: how many, and their steps in bytes.
    limits = [blocks, row_blocks, *(word(f"size{d}") for d in range(OUTER))]
    steps = [
        (block * element.bytes, block * target_row),
        (word("source_block"), row_block * element.bytes),
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
        column, row, *_outer, place, to = state
        column, row = column * block, row * row_block
        counts = [f.minimum(rows - row, row_block), f.minimum(columns - column, block)]
        f.run(matrix, [place, to, *counts, source_row, target_row, source_group])
        return after([*state])

    step = word("units_of_chunk")
    start = chunk * step
    f.loop(start, f.minimum(start + step, word("units")), 1, unit, place_of(start))
    return f
