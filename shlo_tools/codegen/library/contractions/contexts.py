"""What jobs of contractions are told: words of their contexts, and which block a chunk is."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.contractions import packing
from shlo_tools.codegen.library.pool import SCRATCH_BYTES

BATCH_AXES = 5
# ``blocks``: chunks of a matrix, of ``block`` rows or columns each. ``k_block``, ``pitch``: depth
# of a packed block, and bytes between its rows. ``by_rows``: rows of A are packed one by one, else
# one k after the other. ``parts``: C's rows (columns) do not lie a fixed step apart.
_WORDS = (
    *("moving", "resting", "C", "P", "M", "N", "K", "c_row", "blocks", "block", "k_block"),
    *("pitch", "by_rows", "parts", "start0", "start1", "start2", "batch_count", "rest_count"),
)
_BATCH_WORDS = 7  # size, stride of moving, three steps, of packed, of C
_REST_WORDS = 2  # size, stride
_PLACES = (
    ("batch", BATCH_AXES * _BATCH_WORDS),
    ("rest", BATCH_AXES * _REST_WORDS),
    ("result", packing.AXES * _REST_WORDS + 1),
    ("moving_view", packing.VIEW_WORDS),
    ("resting_view", packing.VIEW_WORDS),
)
CONTEXT = {name: place for place, name in enumerate(_WORDS)}
_PARTS: dict[str, int] = {}
_end = len(_WORDS)
for _name, _count in _PLACES:
    _PARTS[_name], _end = _end, _end + _count
WORDS = _end  # of a context

_TABLE = 1024  # bytes of a table of places in C
_TILE = 8 * 1024
PACKED_BYTES = SCRATCH_BYTES - _TILE - _TABLE  # of scratch memory for what is packed


class ContextWords:
    """Words of a context."""

    def __init__(self, f: Function, address: Value) -> None:
        self.f, self.address = f, address
        pointers = ("moving", "resting", "C", "P")
        self._words = {
            name: f.load(address.at(8 * place), POINTER if name in pointers else I64)
            for name, place in CONTEXT.items()
        }

    def __getitem__(self, name: str) -> Value:
        return self._words[name]

    def batch(self, number: Value) -> list[Value]:
        """(bytes in moving, three steps, bytes in packed, bytes in C) of a matrix."""
        axes = self.address.at(8 * _PARTS["batch"])
        sums = packing.decoded(self.f, axes, self["batch_count"], number, _BATCH_WORDS)
        starts = [sums[k] + self[f"start{k - 1}"] for k in (1, 2, 3)]
        return [sums[0], *starts, *sums[4:]]

    def view(self, name: str) -> Value:
        """Where the words of a view lie."""
        return self.address.at(8 * _PARTS[name])

    def resting(self, number: Value) -> Value:
        """Bytes to a matrix of what rests."""
        axes = self.address.at(8 * _PARTS["rest"])
        return packing.decoded(self.f, axes, self["rest_count"], number, _REST_WORDS)[0]

    def result_axes(self) -> tuple[Value, Value]:
        axes = self.address.at(8 * _PARTS["result"])
        return axes.at(8), self.f.load(axes, I64)


def context_words(words: dict[str, Word], axes: dict[str, Sequence[Word]]) -> tuple[Word, ...]:
    """A context: words by name, and the axes and views by theirs; what is not given is 0."""
    result = [words.get(name, 0) for name in CONTEXT]
    for name, count in _PLACES:
        part = list(axes.get(name, ()))
        result += part + [0] * (count - len(part))
    return tuple(result)


class Block:
    """Rows or columns of a matrix that a chunk computes.

    Args:
        f: the job.
        extent: how many there are, by its word: ``M`` or ``N``.

    Attributes:
        words: of the context.
        first, last: which rows or columns.
        moving, start: the matrix that is packed for them, and the steps to its first element.
        resting, result: the packed matrix, and the result's.
        scratch, tile: memory of the thread for what is packed, and for a tile that is cut off.
        in_parts: whether rows or columns of the result are no fixed step apart.
        nowhere: stands for their places where they are.
    """

    def __init__(self, f: Function, extent: str) -> None:
        self.function = f
        context, chunk, self.scratch = f.arguments
        c = self.words = ContextWords(f, context)
        number, place = chunk // c["blocks"], chunk % c["blocks"]
        moving, *self.start, packed, to_c = c.batch(number)
        self.first = place * c["block"]
        self.last = f.minimum(self.first + c["block"], c[extent])
        self.moving, self.result = c["moving"].at(moving), c["C"].at(to_c)
        self.resting = c["P"].at(packed)
        self.tile = self.scratch.at(PACKED_BYTES)
        self._places = self.scratch.at(PACKED_BYTES + _TILE)
        self.nowhere = f.emit("llvm.mlir.zero : !llvm.ptr", POINTER)
        self.in_parts = c["parts"] != 0
        f.if_(self.in_parts, self._list_places)

    def _list_places(self) -> None:
        """Write where in the result rows (or columns) lie that are no fixed step apart."""
        f, (axes, count) = self.function, self.words.result_axes()

        def one(n: Value) -> None:
            (offset,) = packing.decoded(f, axes, count, n, _REST_WORDS)
            f.store(offset, self.place_of(n))

        f.loop(self.first, self.last, 1, one)

    def place_of(self, number: Value) -> Value:
        """Where the place of a row or column is written."""
        return self._places.at((number - self.first) * 8)
