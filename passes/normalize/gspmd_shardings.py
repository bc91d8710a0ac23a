"""Shardings as GSPMD spells them: XLA's ``HloSharding`` in text.

    {replicated}                                        every device holds the whole array
    {devices=[2,1,2]<=[4] last_tile_dim_replicate}      2 x 1 parts, each on two devices
    {devices=[2,2]<=[2,2]T(1,0)}                        2 x 2 parts; devices 0, 2, 1, 3 hold them
    {devices=[2,2]0,2,1,3}                              the same, with the devices listed
    {devices=[2,1,1,2]<=[4] last_tile_dims={manual, replicated}}

The sizes are those of an array of devices, of which the first dimensions cut those of the tensor;
``<=[a,b]T(..)`` numbers the devices in the order of an array of that shape, transposed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

import numpy as np

from shlo_tools.errors import ShloError
from shlo_tools.sharding import Mesh, Sharding, SubAxis

_NUMBERS = r"\d{1,9}(?:,\d{1,9})*"
_TILED = re.compile(
    rf"\{{devices=\[(?P<tiles>{_NUMBERS})\]"
    rf"(?:<=\[(?P<order>{_NUMBERS})\](?:T\((?P<turn>{_NUMBERS})\))?|(?P<devices>{_NUMBERS}))"
    r"(?P<rest>\s*last_tile_dim_replicate|\s*last_tile_dims=\{(?P<kinds>[\w, ]*)\})?"
    r"(?:\s*metadata=\{.*\})?\}"
)
_WHOLE = re.compile(r"\{replicated(?:\s*metadata=\{.*\})?\}")


def sharding_of(text: str, rank: int, size: int) -> Sharding:
    """How a tensor is cut.

    Args:
        rank: of the tensor.
        size: how many devices the program is for.

    Raises:
        ShloError: the text says something else, or something about other tensors or devices.
    """
    if _WHOLE.fullmatch(text):
        return Sharding(Mesh((("devices", size),)), ((),) * rank)
    match = _TILED.fullmatch(text)
    if match is None:
        raise ShloError(f"{text} says no parts of an array")
    tiles = _numbers(match["tiles"])
    others = _others(match["rest"], match["kinds"])
    if len(tiles) != rank + others:
        raise ShloError(f"{text} is not for a tensor of {rank} dimensions")
    devices = _devices(match["order"], match["turn"], match["devices"])
    if len(devices) != prod(tiles) or sorted(devices) != list(range(size)):
        raise ShloError(f"{text} is not for the {size} devices of the program")
    is_in_order = devices == list(range(size))
    axes = tuple((str(number), count) for number, count in enumerate(tiles))
    mesh = Mesh(axes, () if is_in_order else tuple(devices))
    cuts = [(SubAxis(name, 1, count),) if count > 1 else () for name, count in axes]
    return Sharding(mesh, tuple(cuts[:rank]))


def _others(rest: str | None, kinds: str | None) -> int:
    """How many dimensions of the devices cut none of the tensor."""
    return len(kinds.split(",")) if kinds else int(bool(rest))


def _devices(order: str | None, turn: str | None, listed: str | None) -> Sequence[int]:
    """The devices, in row-major order of the parts; none where the text contradicts itself."""
    if listed or not order:
        return _numbers(listed or "")
    shape = _numbers(order)
    axes = _numbers(turn) if turn else list(range(len(shape)))
    if sorted(axes) != list(range(len(shape))) or prod(shape) > np.iinfo(np.int16).max:
        return []
    numbers: list[int] = np.arange(prod(shape)).reshape(shape).transpose(axes).ravel().tolist()
    return numbers


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]
