"""Convolutions of every channel with its own window: lanes are channels, read where they lie.

C[m, c] = sum over k of X[m * step + k * dilation + start, c] W[k, c], where m and k have two axes
each. A tile is some neighbours along the second axis of m by some vectors of channels: of each row
of its windows, every vector is read once, and multiplied with the weights of all the places in
windows that it takes. What lies outside of the image is read from zeros. A chunk is some rows of
C, parts of rows or of channels where those are few.

``shlo_rt_channel_windows_<source>_<element>_<taps>_<step>_<dilation>_<vectors>`` is the function
for rows of windows of one form, and for a number of vectors; 0 is one of too many channels.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions.element_copies import ElementCopies
from shlo_tools.codegen.library.contractions.micro_kernels import multiply_add
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

ROWS = 7  # of a tile; what images are wide is often a multiple of it

# Sizes: of C's images, its rows (m0, m1) and those of a chunk; the rows of a window; of an image of
# X along y and x. Steps: of y along m and k, from y and x on. Strides in bytes: of X by image and
# place, of W, of C. ``channels``: in all, and of a chunk.
_WORDS = (
    *("X", "W", "C", "images", "m0", "m1", "m0_block", "m1_block", "k0", "height", "width"),
    *("m0_step", "k0_step", "y", "x", "x_image", "x_y", "x_x", "w_k0", "w_k1"),
    *("c_image", "c_m0", "c_m1", "channels", "channel_block"),
)
CONTEXT = {name: place for place, name in enumerate(_WORDS)}


def name(source: str, element: Type, window: Sequence[int], vectors: int) -> str:
    """The name of the function for element types of operands and sums.

    Args:
        window: taps of a row, the step from window to window, that from tap to tap.
    """
    numbers = "_".join(map(str, (*window, vectors)))
    return f"shlo_rt_channel_windows_{source}_{element.element}_{numbers}"


def functions(target: Target, names: str) -> list[Function]:
    """The function for ``<source>_<element>_<taps>_<step>_<dilation>_<vectors>``."""
    source, element, *numbers = names.split("_")
    taps, step, dilation, vectors = map(int, numbers)
    return [ChannelWindows(target, source, Type(element), (taps, step, dilation), vectors).run()]


def vectors_of(target: Target, element: Type, taps: int, channels: int) -> int | None:
    """The vectors of a tile for so many channels; None where a row's taps are too many."""
    lanes, registers = target.lanes(element.bits), target.vector_registers
    if 2 * taps > registers:
        return None
    # A tile has its sums, the weights of a row of taps and what they are multiplied with.
    has_room = 2 * (taps + ROWS + 1) <= registers
    are_even = channels >= 2 * lanes and -(-channels // lanes) % 2 == 0
    return 2 if has_room and are_even else min(1, channels // lanes)


class ChannelWindows:
    """The function for two element types and one form of windows."""

    def __init__(
        self,
        target: Target,
        source: str,
        element: Type,
        window: tuple[int, int, int],
        vectors: int,
    ) -> None:
        self.target, self.source, self.element = target, source, element
        self.taps, self.step, self.dilation = self.window = window
        self.is_masked, self.vectors = vectors == 0, max(1, vectors)
        self.name = name(source, element, window, vectors)
        self.copies = ElementCopies(target, source, element)
        self.lanes = target.lanes(element.bits)
        self.vector = element.vector(self.lanes)

    def run(self) -> Function:
        """A chunk is some channels of some rows of one image of C."""
        f = Function(self.name, JOB)
        context, chunk, zeros = f.arguments
        self.f, self.zeros = f, zeros
        self.c = c = {
            n: f.load(context.at(8 * place), POINTER if n in ("X", "W", "C") else I64)
            for n, place in CONTEXT.items()
        }
        stored = self.copies.stored
        for v in range(self.vectors):
            f.store(f.zero(stored.vector(self.lanes)), zeros.at(v * self.lanes, stored))
        first = []
        for size in ("channel", "m1", "m0"):
            all_of, block = c["channels" if size == "channel" else size], c[f"{size}_block"]
            parts = (all_of + (block - 1)) // block
            chunk, number = chunk // parts, chunk % parts
            first.append((number * block, f.minimum(all_of, number * block + block)))
        (channel, channel_end), (n_first, n_end), (m_first, m_end) = first
        x = c["X"].at(chunk * c["x_image"])
        out = c["C"].at(chunk * c["c_image"])
        span = self.lanes * self.vectors

        def column(n: Value) -> None:
            # The last tile reaches back over its neighbour.
            n = f.maximum(f.minimum(n, n_end - ROWS), n_first)
            x_first = n * self.step + c["x"]
            reach = (ROWS - 1) * self.step + (self.taps - 1) * self.dilation
            is_inside = (x_first >= 0) & (x_first < c["width"] - reach)

            def some(v: Value) -> None:
                mask = f.mask_below(channel_end - v, self.lanes) if self.is_masked else None
                v = v if self.is_masked else f.minimum(v, channel_end - span)
                c_at = out.at(n * c["c_m1"]).at(v, self.element)

                def row(m: Value) -> None:
                    y, here = m * c["m0_step"] + c["y"], c_at.at(m * c["c_m0"])

                    def tile(part: Value | int, vectors: int, *, is_inside: bool) -> None:
                        start = (x.at(v + part, stored), y, x_first)
                        sums = self._sums(start, v + part, mask, vectors, is_inside=is_inside)
                        self._store(sums, here.at(part, self.element), n_end - n, mask)

                    def parts() -> None:
                        f.loop(0, span, self.lanes, lambda part: tile(part, 1, is_inside=False))

                    f.if_(is_inside, lambda: tile(0, self.vectors, is_inside=True), parts)

                f.loop(m_first, m_end, 1, row)

            f.loop(channel, channel_end, span, some)

        f.loop(n_first, n_end, ROWS, column)
        return f

    def _sums(
        self,
        start: tuple[Value, Value, Value],
        channel: Value,
        mask: Value | None,
        vectors: int,
        *,
        is_inside: bool,
    ) -> list[Value]:
        """The sums of a tile, whose first window starts at X and (y, x)."""
        f, c, copies = self.f, self.c, self.copies
        x, y, x_first = start
        takers_of: dict[int, list[tuple[int, int]]] = {}  # rows and taps that take a place
        for r in range(ROWS):
            for k in range(self.taps):
                takers_of.setdefault(r * self.step + k * self.dilation, []).append((r, k))

        def loaded(address: Value) -> list[Value]:
            return [
                copies.load(f, address.at(self.lanes * v, copies.stored), self.lanes, mask)
                for v in range(vectors)
            ]

        def window_row(_number: Value, y: Value, w_row: Value, *old: Value) -> list[Value]:
            sums, weights, w = list(old), [], w_row
            for _ in range(self.taps):
                weights.append(loaded(w))
                w = w.at(c["w_k1"])
            exists = y.compare("ult", c["height"])
            place_bytes = f.select(exists, c["x_x"], 0)
            at = f.select(exists, x.at(y * c["x_y"]), self.zeros).at(x_first * place_bytes)
            before = 0
            for place, takers in sorted(takers_of.items()):
                at = at.at(place_bytes * (place - before))
                before = place
                is_there = None if is_inside else (x_first + place).compare("ult", c["width"])
                values = loaded(f.select(is_there, at, self.zeros) if is_there else at)
                for r, k in takers:
                    for v, (value, weight) in enumerate(zip(values, weights[k], strict=True)):
                        total = sums[r * vectors + v]
                        sums[r * vectors + v] = multiply_add(f, self.target, value, weight, total)
            return [y + c["k0_step"], w_row.at(c["w_k0"]), *sums]

        zeros = [f.zero(self.vector)] * (ROWS * vectors)
        w = c["W"].at(channel, copies.stored)
        return f.loop(0, c["k0"], 1, window_row, [y, w, *zeros])[2:]

    def _store(self, sums: list[Value], c: Value, rows: Value, mask: Value | None) -> None:
        f, vectors = self.f, len(sums) // ROWS
        for r in range(ROWS):
            parts = sums[r * vectors : (r + 1) * vectors]

            def put(parts: list[Value] = parts, row: Value = c) -> None:
                for v, value in enumerate(parts):
                    f.store_masked(value, row.at(self.lanes * v, self.element), mask)

            f.if_(rows > r, put)
            c = c.at(self.c["c_m1"])
