"""Depthwise convolutions, by ``channel_windows`` or ``depthwise``: how they are cut into chunks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.library.contractions import channel_windows, element_copies, packing
from shlo_tools.codegen.library.contractions import depthwise as library
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.codegen.stages.contractions.convolutions import Depthwise
from shlo_tools.codegen.target import Target

_BOX = 256 * 1024  # bytes of a box, if it may be so small
_CHUNKS = 8  # wanted
_CHANNELS = 128  # of a chunk, at most
_ANY = 1 << 40  # rows of a box
# Of a chunk that reads elements where they lie:
_WORK, _LEAST = 1 << 20, 1 << 17  # products, at most and at least, about
_ROWS = 8  # at least, if there are so many


class DepthwiseJob(NamedTuple):
    """A function of the library, the words of its context and its number of chunks."""

    function: str
    words: tuple[Word, ...]
    chunks: int


def job(form: Depthwise, target: Target, element: Type, c: Place) -> DepthwiseJob | None:
    """What computes a convolution of each channel; None where nothing does."""
    words = form.words
    window = (words["k1"], words["m1_step"], words["k1_step"])
    vectors = channel_windows.vectors_of(target, element, words["k1"], words["channels"])
    if vectors is None or words["k_images"] > 1 or words["m1"] == 1 < words["k1"]:
        return _boxes(form, target, element, c)
    words = words | {"height": form.sizes[0], "width": form.sizes[1]}
    words |= _shares(words, target.lanes(element.bits) * max(1, vectors))
    parts = [-(-words[name] // words[f"{name}_block"]) for name in ("m0", "m1")]
    parts += [words["images"], -(-words["channels"] // words["channel_block"])]
    _to_bytes(words, form, element)
    function = channel_windows.name(form.element, element, window, vectors)
    named = _named(channel_windows.CONTEXT, words, form, c)
    return DepthwiseJob(function, tuple(named), math.prod(parts))


def _shares(words: dict[str, int], span: int) -> dict[str, int]:
    """What a chunk has of rows, of their places and of channels.

    Of few rows a chunk has a part of the channels: windows of neighbours share what they read.
    """
    images, m0, m1, channels = (words[name] for name in ("images", "m0", "m1", "channels"))
    work = images * m0 * m1 * channels * words["k0"] * words["k1"]
    chunks = max(-(-work // _WORK), min(_CHUNKS, work // _LEAST))
    chunks = -(-chunks // max(1, images))
    blocks = max(1, min(chunks, m0 // _ROWS))
    chunks = -(-chunks // blocks)
    parts = max(1, min(chunks, channels // (2 * span)))
    tiles = -(-m1 // channel_windows.ROWS)
    strips = max(1, min(-(-chunks // parts), tiles // 2))
    return {
        "m0_block": max(1, -(-m0 // blocks)),
        "m1_block": max(1, -(-tiles // strips)) * channel_windows.ROWS,
        "channel_block": max(1, -(-channels // span // parts)) * span,
    }


def _boxes(form: Depthwise, target: Target, element: Type, c: Place) -> DepthwiseJob | None:
    """The job that copies boxes of the image; None where rows are too long for one."""
    words = dict(form.words)
    width = (words["m1"] - 1) * words["m1_step"] + (words["k1"] - 1) * words["k1_step"] + 1
    words["width"] = width
    for channels in _channels(form, target, element):
        cut = _cut(words, width, channels, element)
        if cut is not None:
            break
    else:
        return None
    m0_block, k0_block = cut
    parts = -(-words["channels"] // channels)
    chunks = words["images"] * -(-words["m0"] // m0_block) * parts
    words |= {"m0_block": m0_block, "k0_block": k0_block, "channel_block": channels}
    stored = element_copies.stored_bytes(form.element)
    _to_bytes(words, form, element)
    axes = (
        [(_ANY, words["x_y"], 0, 1, 0), (width, words["x_x"], 0, 0, 1)],
        [(words["channels"], stored, 0, 0, 0)],
    )
    view = packing.view_words(axes, (1, *form.sizes), 0, 0)
    named = (*_named(library.CONTEXT, words, form, c), *view)
    return DepthwiseJob(library.name(form.element, element), named, chunks)


def _to_bytes(words: dict[str, int], form: Depthwise, element: Type) -> None:
    """Make bytes of strides that count elements."""
    for name in ("x_image", "x_k_image", "x_y", "x_x", "w_image", "w_k0", "w_k1"):
        words[name] = words.get(name, 0) * element_copies.stored_bytes(form.element)
    for name in ("c_image", "c_m0", "c_m1"):
        words[name] = words.get(name, 0) * element.bytes


def _named(names: Iterable[str], words: dict[str, int], form: Depthwise, c: Place) -> list[Word]:
    """The words of a context in their order."""
    places = {"X": form.x, "W": form.w, "C": c}
    return [places[name] if name in places else words[name] for name in names]


def _channels(form: Depthwise, target: Target, element: Type) -> list[int]:
    """Channels of a chunk, most first; fewer where there is nothing else to share."""
    tile = library.channels_of_tile(target, element)
    most = min(max(tile, _CHANNELS), -(-form.words["channels"] // tile) * tile)
    rows = form.words["images"] * form.words["m0"]
    parts = max(1, -(-_CHUNKS // rows))
    most = min(most, max(tile, most // parts // tile * tile))
    return list(range(most, 0, -tile))


def _cut(words: dict[str, int], width: int, channels: int, element: Type) -> tuple[int, int] | None:
    """Rows of m and of k of a block, such that a box has room; None where there is none."""
    m, k = words["m0"], words["k0"]

    def size() -> int:
        rows = (m - 1) * words["m0_step"] + (k - 1) * words["k0_step"] + 1
        return library.box_bytes(rows, width, channels, words["m1_step"], element)

    while size() > _BOX and max(m, k) > 1:
        if k == 1 or (m > 1 and m * words["m0_step"] >= k * words["k0_step"]):
            m = -(-m // 2)
        else:
            k = -(-k // 2)
    while m > 4 and words["images"] * -(-words["m0"] // m) < _CHUNKS:
        m = -(-m // 2)
    return (m, k) if size() <= SCRATCH_BYTES else None
