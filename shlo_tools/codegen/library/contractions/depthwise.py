"""Convolutions of every channel with its own window, and their gradients: lanes are channels.

C[m, c] = sum over k of X[y(m, k), x(m, k), c] W[k, c], where m and k have two axes each, along
which places in an image move. A forward pass has many m (windows) and few k (taps), the gradient of
the kernel few m and many k. A chunk is some channels of some m: of the image, the box that it reads
is copied with its padding into scratch memory, for some k after others, and then no place is
outside.

``shlo_rt_depthwise_<source>_<element>(context, chunk, scratch)``.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions import packing
from shlo_tools.codegen.library.contractions.micro_kernels import multiply_add
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

_ROWS, _VECTORS = 4, 2  # of a tile

# Sizes: of C's images, its rows (m0, m1) and those of a chunk; of k's images and rows; of a block
# of k. Steps: of y and x along m and k, from y0 and x0 on. Strides in bytes: of X by image and
# place, of W, of C. ``width``: places of a row of the box; ``channels``: in all, and of a chunk.
_WORDS = (
    *("X", "W", "C", "images", "m0", "m1", "m0_block", "k_images", "k0", "k1", "k0_block"),
    *("m0_step", "m1_step", "k0_step", "k1_step", "y", "x", "x_image", "x_k_image", "x_y", "x_x"),
    *("w_image", "w_k0", "w_k1", "c_image", "c_m0", "c_m1"),
    *("width", "channels", "channel_block"),
)
CONTEXT = {name: place for place, name in enumerate(_WORDS)}
VIEW = len(_WORDS)  # where the words of the box's view begin


def name(source: str, element: Type) -> str:
    """The name of the function for element types of operands and sums."""
    return f"shlo_rt_depthwise_{source}_{element.element}"


def functions(target: Target, names: str) -> list[Function]:
    """The function for ``<source>_<element>``."""
    source, _, element = names.partition("_")
    return Depthwise(target, source, Type(element)).functions()


class Depthwise:
    """The functions for two element types."""

    def __init__(self, target: Target, source: str, element: Type) -> None:
        self.target, self.source, self.element = target, source, element
        self.packing = packing.Packing(target, source, element)
        self.lanes = target.lanes(element.bits)
        self.vector = element.vector(self.lanes)

    def functions(self) -> list[Function]:
        return [self.tile(), self.run()]

    def _private(self) -> str:
        return f"depthwise_tile_{self.source}_{self.element.element}"

    def tile(self) -> Function:
        """Some rows of C by some vectors of channels, all of a block of k.

        (X, x_row, x_k0, x_k1, W, w_k0, w_k1, k0, k1, C, c_row, rows, channels, adds)
        """
        types = [POINTER, I64, I64, I64, POINTER, I64, I64, I64, I64]
        types += [POINTER, I64, I64, I64, I64]
        f = Function(self._private(), types, exported=False)
        x, x_row, x_k0, x_k1, w, w_k0, w_k1, k0, k1, c, c_row, rows, channels, adds = f.arguments
        masks = [f.mask_below(channels, self.lanes, self.lanes * v) for v in range(_VECTORS)]

        def outer(_: Value, x_at: Value, w_at: Value, *sums: Value) -> list[Value]:
            def inner(_: Value, x_here: Value, w_here: Value, *sums: Value) -> list[Value]:
                weights = [
                    self.packing.load(
                        f, w_here.at(self.lanes * v, self.packing.stored), self.lanes, mask
                    )
                    for v, mask in enumerate(masks)
                ]
                added, row = [], x_here
                for r in range(_ROWS):
                    for v, weight in enumerate(weights):
                        value = f.load(row.at(self.lanes * v, self.element), self.vector)
                        total = sums[r * _VECTORS + v]
                        added.append(multiply_add(f, self.target, value, weight, total))
                    row = row.at(x_row) if r + 1 < _ROWS else row
                return [x_here.at(x_k1), w_here.at(w_k1), *added]

            done = f.loop(f.constant(0), k1, 1, inner, [x_at, w_at, *sums])
            return [x_at.at(x_k0), w_at.at(w_k0), *done[2:]]

        zeros = [f.zero(self.vector)] * (_ROWS * _VECTORS)
        sums = f.loop(f.constant(0), k0, 1, outer, [x, w, *zeros])[2:]
        is_adding = adds != 0
        for r in range(_ROWS):

            def put(r: int = r) -> None:
                row = c.at(c_row * r)
                for v, mask in enumerate(masks):
                    place, value = row.at(self.lanes * v, self.element), sums[r * _VECTORS + v]
                    old = f.load_masked(place, mask, self.vector)
                    f.store_masked(f.select(is_adding, old + value, value), place, mask)

            f.if_(rows > r, put)
        return f

    def run(self) -> Function:
        """A chunk is some channels of some rows of one image of C."""
        f = Function(name(self.source, self.element), JOB)
        context, chunk, box = f.arguments
        pointers = ("X", "W", "C")
        c = {
            n: f.load(context.at(8 * place), POINTER if n in pointers else I64)
            for n, place in CONTEXT.items()
        }
        parts = (c["channels"] + (c["channel_block"] - 1)) // c["channel_block"]
        part, rest = chunk % parts, chunk // parts
        blocks = (c["m0"] + (c["m0_block"] - 1)) // c["m0_block"]
        block, image = rest % blocks, rest // blocks
        first = part * c["channel_block"]
        channels = f.minimum(c["channels"] - first, c["channel_block"])
        m_first = block * c["m0_block"]
        m_count = f.minimum(c["m0"] - m_first, c["m0_block"])
        size = self.element.bytes
        place_bytes = c["channel_block"] * size
        row_bytes = c["width"] * place_bytes
        stored = self.packing.stored
        x = c["X"].at(image * c["x_image"]).at(first, stored)
        w = c["W"].at(first, stored)
        out = c["C"].at(image * c["c_image"]).at(m_first * c["c_m0"]).at(first, self.element)
        x_row = c["m1_step"] * place_bytes
        x_ks = [c["k0_step"] * row_bytes, c["k1_step"] * place_bytes]
        zero = f.constant(0)

        def k_image(number: Value) -> None:
            def k_block(k: Value) -> None:
                k_count = f.minimum(c["k0"] - k, c["k0_block"])
                y = c["y"] + m_first * c["m0_step"] + k * c["k0_step"]
                height = (m_count - 1) * c["m0_step"] + (k_count - 1) * c["k0_step"] + 1
                corner = x.at(number * c["x_k_image"]).at(y * c["x_y"] + c["x"] * c["x_x"])
                f.run(
                    packing.name(self.source, self.element),
                    [
                        *(context.at(8 * VIEW), corner, zero, y, c["x"]),
                        *(zero, height * c["width"], zero, channels, box, place_bytes),
                    ],
                )
                w_at = w.at(number * c["w_image"]).at(k * c["w_k0"])
                adds = f.select((number > 0) | (k > 0), f.constant(1), zero)

                def vectors(v: Value) -> None:
                    def row(m: Value) -> None:
                        x_at = box.at(m * c["m0_step"] * row_bytes).at(v, self.element)
                        c_at = out.at(m * c["c_m0"]).at(v, self.element)

                        def tile(n: Value) -> None:
                            f.run(
                                self._private(),
                                [
                                    *(x_at.at(n * x_row), x_row, *x_ks),
                                    *(w_at.at(v, stored), c["w_k0"], c["w_k1"], k_count, c["k1"]),
                                    *(c_at.at(n * c["c_m1"]), c["c_m1"]),
                                    *(c["m1"] - n, channels - v, adds),
                                ],
                            )

                        f.loop(zero, c["m1"], _ROWS, tile)

                    f.loop(zero, m_count, 1, row)

                f.loop(zero, channels, self.lanes * _VECTORS, vectors)

            f.loop(zero, f.maximum(c["k0"], 1), c["k0_block"], k_block)

        f.loop(zero, f.maximum(c["k_images"], 1), 1, k_image)
        return f


def channels_of_tile(target: Target, element: Type) -> int:
    """Channels that a tile computes at once."""
    return _VECTORS * target.lanes(element.bits)


def box_bytes(rows: int, width: int, channels: int, m1_step: int, element: Type) -> int:
    """Scratch memory for a box, and what tiles read behind it."""
    return (rows * width + _ROWS * m1_step + 1) * channels * element.bytes
