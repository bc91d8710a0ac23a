"""How a product of matrices is computed: by sizes and strides, never by the number of threads.

The words of the context that the functions of ``gemm`` read, and the way that they go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Word, even_part
from shlo_tools.codegen.library.contractions.micro_kernels import LONG_VECTORS, MicroKernels
from shlo_tools.codegen.target import Target

# Addresses, sizes, strides in bytes (C's columns are adjacent), and a batch of two dimensions,
# ``inner`` being the size of the inner one. P is ``Plan.room`` bytes for B in panels.
_OPERANDS = ("A", "B", "C", "P", "M", "N", "K", "a_row", "a_k", "b_k", "b_n", "c_row")
_BATCH = ("outer", "inner", "A0", "A1", "B0", "B1", "C0", "C1")
# Planned: S is where B is read, P or B itself: ``s_column`` bytes from a panel's first column to
# the next one's per column, ``s_k`` between a panel's rows. ``blocks`` of ``rows`` of a matrix.
# S is 0 where chunks pack B for themselves. ``copies``: whether rows of A are brought near each
# other. ``across``: whether a tile of rows goes by all panels before the next one, so that rows of
# C are written as runs: where all of B stays near. ``whole``: a single block of whole tiles, each
# by all of K at once. Of ``panels``, ``blocks`` are of ``rows`` columns. Long sums are cut
# into ``parts`` of ``k_part`` products each, whose matrices lie ``c_part`` bytes apart; a chunk is
# ``each`` of all ``pieces``: blocks of parts of matrices.
PLANNED = (
    *("S", "s_column", "s_k", "S0", "S1", "rows", "blocks", "panels", "k_block", "copies"),
    *("across", "whole"),
)
CUT = ("parts", "k_part", "c_part", "each", "pieces")
# What ``add`` reads: matrices of ``parts`` that are added to C, whatever order that lies in.
ADDED = ("Q", "C", "M", "N", "c_row", "c_column", "parts")
CONTEXT = {name: i for i, name in enumerate((*_OPERANDS, *_BATCH, *PLANNED, *CUT))}

_CACHED = 32 * 1024  # bytes that B's rows lie within where it stays near without being packed
_ACROSS = 64 * 1024  # bytes of B that every tile of rows may read again
UNCUT = 1 << 18  # multiplications of a product that is not cut for threads
_LONG = 4096  # products whose sum is worth being cut
_PART = 1024  # of them, at least, a part has
_PARTS = 16
_SMALL = 1 << 14  # elements of a matrix that may be written part by part
_WIDE = 256  # columns that chunks can be made of
_TILE, _IN_PLACE = 8, 16  # rows that are no few ones, and those that may read B where it lies
OWN = 128 * 1024  # bytes of scratch memory, the last ones, for B
_TOGETHER = 1 << 14  # multiplications of a chunk, at least
_PANELS = 256 * 1024  # bytes of scratch memory for the panels of a chunk
_NEAR_ROWS = 512 * 1024  # bytes of A's rows, along a block of K, that every panel may read again
_SHARED = 8  # chunks wanted
# Fewer rows read B in long runs, one after the other.
_BY_RUNS = 3
_FAR = 1 << 24  # bytes of B that caches do not keep
_BY_DOTS = 4  # where columns of B lie adjacent


@dataclass(frozen=True)
class Plan:
    """How a product is computed.

    Attributes:
        words: of the context, by name, but for P.
        room: bytes that P needs.
        packs: chunks of ``pack``.
        way: ``rows``, ``panels``, ``columns`` or ``dots``.
        chunks: of that.
        is_plain: whether a chunk is a block of rows, or of columns where panels are the way.
        is_own: whether chunks pack B for themselves, unless P has it.
    """

    words: Mapping[str, Word]
    room: int
    packs: int
    way: str
    chunks: int
    is_plain: bool
    is_own: bool

    @property
    def is_shared(self) -> bool:
        """Whether B is packed for all chunks."""
        return self.packs > 0 and not self.is_own

    @property
    def may_convert(self) -> bool:
        """Whether B may have elements of another type than the sums."""
        return self.way != "rows" and not self.is_shared

    def context(self, packed: Word) -> tuple[Word, ...]:
        """The words of the context; ``packed`` is where P lies, 0 where chunks pack B."""
        words = {**self.words, "P": packed}
        words |= {"S": packed} if self.packs else {}
        return tuple(words[name] for name in CONTEXT)


def parts_of(sizes: Mapping[str, int], *, packs: bool = False) -> tuple[int, int]:
    """How many parts long sums of a small matrix are cut into, and how long those are.

    Args:
        packs: see ``plan``.
    """
    inner = sizes["K"]
    is_small = 0 < sizes["M"] * sizes["N"] <= _SMALL and sizes["outer"] * sizes["inner"] == 1
    # Blocks of many columns are chunks enough: they pack B for themselves, unless rows read it
    # where it lies.
    is_packed = packs or sizes["M"] > _IN_PLACE or sizes["b_k"] < sizes["b_n"]
    is_wide = sizes["N"] >= _WIDE and sizes["M"] >= _TILE and sizes["a_k"] <= sizes["a_row"]
    is_wide &= is_packed
    if not is_small or is_wide or inner < _LONG or sizes["M"] * sizes["N"] * inner <= UNCUT:
        return 1, max(inner, 1)
    length = -(-inner // min(_PARTS, inner // _PART))
    return -(-inner // length), length


def plan(
    target: Target,
    element: Type,
    words: Mapping[str, Word],
    source: str = "",
    *,
    packs: bool = False,
) -> Plan:
    """Choose the way by sizes and strides; ``words`` are those of the operands and the batch.

    Where there are several ``parts_of`` it, ``C`` is where their matrices are to lie, dense.

    Args:
        source: of B's elements, if not that of sums.
        packs: whether a tile of rows and more read B packed, which may be kept from call to call,
            where less than two would read it where it lies.
    """
    kernel, size = MicroKernels(target, element, source), element.bytes
    stored = kernel.stored.bytes
    sizes = {name: word for name, word in words.items() if isinstance(word, int)}
    rows, columns, inner = (sizes[name] for name in "MNK")
    batch = sizes["outer"] * sizes["inner"]
    parts, length = parts_of(sizes, packs=packs)
    is_few = rows < kernel.tile
    is_near = max(columns * stored, abs(sizes["b_k"])) * inner <= _CACHED
    is_direct = sizes["b_n"] == stored and (is_near or rows <= _IN_PLACE)
    lies_by_columns = sizes["b_n"] != stored and sizes["b_k"] == stored
    is_transposed = sizes["a_row"] == size and sizes["a_k"] != size
    # Rows that are read by panels are a tile of these, though some may be missing.
    goes_by_panels = rows >= (_BY_DOTS if lies_by_columns else _BY_RUNS)
    goes_by_panels &= parts == 1 and not is_near and (is_few or not is_transposed)
    # Memory is faster in runs longer than a panel's rows, which few rows would read where they lie.
    goes_by_panels &= not is_few or lies_by_columns or columns * inner * stored <= _FAR
    is_mixed = kernel.converts
    is_packed = is_mixed or packs or not is_direct
    strips = _strips(kernel, sizes, size, is_packed=is_packed) if goes_by_panels else None
    is_direct &= not ((is_mixed and (strips or not is_few)) or (packs and not is_few))
    by_dots = is_few and not strips and not is_direct
    by_dots = by_dots and lies_by_columns and sizes["a_k"] == size
    is_packed = not is_direct and not by_dots

    is_cut = batch * parts < 4 and rows * columns * inner > UNCUT
    block, blocks, left = _blocks(kernel, rows, 4 if is_cut else 1, batch * parts)
    is_whole = rows % kernel.tile == 0
    fits = (length <= kernel.k_block or is_whole) and max(left, 0) + block <= kernel.width

    panels = -(-columns // kernel.columns)
    pitch = min(columns, kernel.columns)  # of a panel's rows
    matrix = panels * pitch * inner * size
    is_own = is_packed and not is_few and blocks == parts == 1 and matrix <= OWN
    if is_own and batch >= _SHARED:
        strips = None  # there are chunks enough
    way = "panels" if strips else "dots" if by_dots else "columns" if is_few else "rows"
    planned: dict[str, Word] = {
        **{"S": words["B"], "S0": words["B0"], "S1": words["B1"]},
        **{"s_column": stored, "s_k": words["b_k"], "panels": panels, "blocks": blocks},
        **{"rows": block, "k_block": kernel.k_block if is_whole else length},
        "copies": int(is_transposed and fits),
        "across": int(columns * inner * size <= _ACROSS),
        "whole": 0,
    }
    if is_packed:
        planned |= {"S0": sizes["inner"] * matrix, "S1": matrix}
        planned |= {"s_column": inner * size, "s_k": pitch * size}
    if strips:
        block, k_block = strips
        is_own, blocks = is_packed, -(-columns // block)
        planned |= {"blocks": blocks, "rows": block, "k_block": k_block}
        are_tiles = is_whole and columns % kernel.columns == 0 and inner <= k_block
        planned |= {"whole": int(are_tiles and batch == blocks == 1)}
    of_columns = -(-columns // (LONG_VECTORS * kernel.lanes))
    pieces = batch * parts * (of_columns if is_few and not strips else blocks)
    work = rows * columns * max(inner, 1) * batch // max(pieces, 1)
    each = max(1, min(_TOGETHER // max(work, 1), pieces // _PARTS))
    planned |= {"parts": parts, "k_part": length, "c_part": rows * columns * size}
    planned |= {"each": each, "pieces": pieces}
    return Plan(
        {**words, **planned},
        batch * matrix if is_packed else 0,
        batch * panels if is_packed else 0,
        way,
        -(-pieces // each),
        way in ("rows", "panels") and each == parts == 1,
        is_own,
    )


def _blocks(kernel: MicroKernels, rows: int, least: int, times: int) -> tuple[int, int, int]:
    """Rows of a block, blocks, and rows that are left, or missing in the last one.

    They are a multiple of the tile, but for the last block: never fewer than a tile.
    """
    most = min(kernel.block_rows, -(-rows // least)) if least > 1 else kernel.block_rows
    block = max(-(-most // kernel.tile), 1) * kernel.tile
    block = even_part(rows, block, kernel.tile, times)
    blocks = max(rows // block, 1)
    left = rows - blocks * block
    return block, blocks + (left >= kernel.tile), left


def _strips(
    kernel: MicroKernels, sizes: Mapping[str, int], size: int, *, is_packed: bool
) -> tuple[int, int] | None:
    """Columns of a chunk, and the depth of a block of K, where chunks go by panels.

    None where that does not fit: A is too large to be read by each of them.
    """
    rows, columns, inner = (sizes[name] for name in "MNK")
    panels = -(-columns // kernel.columns)
    if panels < 2 or not inner:
        return None
    k_block = -(-inner // -(-inner // (kernel.k_block // 2)))
    panel = kernel.columns * k_block * size
    if rows * k_block * size > _NEAR_ROWS or (is_packed and panel > _PANELS):
        return None
    batch = sizes["outer"] * sizes["inner"]
    chunks = -(-_SHARED // max(batch, 1)) if rows * columns * inner > UNCUT else 1
    shared = -(-panels // chunks)
    return max(1, min(_PANELS // panel, shared)) * kernel.columns, k_block
