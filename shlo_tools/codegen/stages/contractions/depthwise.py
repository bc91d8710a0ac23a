"""Depthwise convolutions by ``library.depthwise``: how they are cut into chunks."""

from __future__ import annotations

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.library.contractions import depthwise as library
from shlo_tools.codegen.library.contractions import element_copies, packing
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.codegen.stages.contractions.convolutions import Depthwise
from shlo_tools.codegen.target import Target

_BOX = 256 * 1024  # bytes of a box, if it may be so small
_CHUNKS = 8  # wanted
_CHANNELS = 128  # of a chunk, at most
_ANY = 1 << 40  # rows of a box


def context(
    form: Depthwise, target: Target, element: Type, c: Place
) -> tuple[tuple[Word, ...], int] | None:
    """The words of a context and its number of chunks; None where rows are too long for a box."""
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
    for name in ("x_image", "x_k_image", "x_y", "x_x", "w_image", "w_k0", "w_k1"):
        words[name] = words.get(name, 0) * stored
    for name in ("c_image", "c_m0", "c_m1"):
        words[name] = words.get(name, 0) * element.bytes
    axes = (
        [(_ANY, words["x_y"], 0, 1, 0), (width, words["x_x"], 0, 0, 1)],
        [(words["channels"], stored, 0, 0, 0)],
    )
    places = {"X": form.x, "W": form.w, "C": c}
    named: list[Word] = [
        places[name] if name in places else words[name] for name in library.CONTEXT
    ]
    return (*named, *packing.view_words(axes, (1, *form.sizes), 0, 0)), chunks


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
