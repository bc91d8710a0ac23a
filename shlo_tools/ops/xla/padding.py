"""Padding: SAME and VALID for windows, and PaddingConfig for ``Pad``.

Source: XLA's operation semantics, "Conv", "ReduceWindow" and "Pad".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from shlo_tools.dims import Dim
from shlo_tools.errors import ShloError
from shlo_tools.ops.windows import dilated


class Padding(Enum):
    """How the base area of a window is padded.

    ``SAME``: so that there are as many windows as elements where the stride is 1, else as many as
    the stride, rounded up; an odd element goes to the high side. ``VALID``: not at all.
    """

    SAME = "kSame"
    VALID = "kValid"


Edges: TypeAlias = list[tuple[int, int]]
# The enum, the name of a member, or pairs (low, high), one for each dimension.
PaddingLike: TypeAlias = Padding | str | Sequence[Sequence[int]]


@dataclass(frozen=True)
class PaddingConfigDimension:
    """How ``Pad`` pads one dimension.

    Attributes:
        edge_padding_low: elements next to index 0; negative ones are removed.
        edge_padding_high: elements next to the highest index; negative ones are removed.
        interior_padding: elements between any two.
    """

    edge_padding_low: int = 0
    edge_padding_high: int = 0
    interior_padding: int = 0


@dataclass(frozen=True)
class PaddingConfig:
    """How ``Pad`` pads: one ``PaddingConfigDimension`` for each dimension."""

    dimensions: tuple[PaddingConfigDimension, ...]


# A PaddingConfig, or (low, high) or (low, high, interior) for each dimension.
PaddingConfigLike: TypeAlias = PaddingConfig | Sequence[PaddingConfigDimension | Sequence[int]]


def padding_config(config: PaddingConfigLike) -> PaddingConfig:
    """A PaddingConfig of whatever people write for it.

    Raises:
        ShloError: a dimension has neither two nor three numbers.
    """
    if isinstance(config, PaddingConfig):
        return config
    if not isinstance(config, Sequence):
        raise ShloError(f"{config!r} is no PaddingConfig")
    return PaddingConfig(tuple(_config_dimension(row) for row in config))


def _config_dimension(row: PaddingConfigDimension | Sequence[int]) -> PaddingConfigDimension:
    if isinstance(row, PaddingConfigDimension):
        return row
    if isinstance(row, Sequence) and len(row) in (2, 3):
        return PaddingConfigDimension(*row)
    raise ShloError(f"{row!r} is not (low, high) or (low, high, interior)")


def edges(
    padding: PaddingLike,
    sizes: Sequence[Dim],
    window: Sequence[Dim],
    strides: Sequence[int],
    base_dilations: Sequence[int] | None = None,
    window_dilations: Sequence[int] | None = None,
) -> Edges:
    """Low and high padding of each dimension that a window slides along.

    Args:
        padding: the enum, its name, or the pairs themselves.
        sizes: of the base area.
        window: sizes of the window.
        strides: of the window.
        base_dilations: of the base area; 1 where there are none.
        window_dilations: of the window; 1 where there are none.

    Raises:
        ShloError: it is no padding, or SAME of a size that is known only at run time.
    """
    if isinstance(padding, str):
        padding = _named(padding)
    if not isinstance(padding, Padding | Sequence):
        raise ShloError(f"{padding!r} is no padding", hint="SAME, VALID, or pairs")
    if not isinstance(padding, Padding):
        return [_pair(pair) for pair in padding]
    if padding is Padding.VALID:
        return [(0, 0)] * len(sizes)
    ones = [1] * len(sizes)
    columns = (sizes, window, strides, base_dilations or ones, window_dilations or ones)
    if any(len(column) != len(sizes) for column in columns):
        raise ShloError("sizes, strides and dilations of a window differ in number")
    return [
        _same(dilated(size, base), dilated(extent, apart), stride)
        for size, extent, stride, base, apart in zip(*columns, strict=True)
    ]


def _named(padding: str) -> Padding:
    names = {key: member for member in Padding for key in (member.name, member.value)}
    if padding not in names:
        raise ShloError(f"{padding!r} is no padding", hint="SAME, VALID, or pairs")
    return names[padding]


def _pair(pair: str | Sequence[int]) -> tuple[int, int]:
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise ShloError(f"padding {pair!r} is no pair (low, high)")
    return pair[0], pair[1]


def _same(size: Dim, window: Dim, stride: int) -> tuple[int, int]:
    if not isinstance(size, int) or not isinstance(window, int):
        raise ShloError("SAME padding of a dimension of unknown size")
    if stride < 1:
        raise ShloError(f"stride {stride} is below 1")
    count = -(-size // stride)
    total = max((count - 1) * stride + window - size, 0)
    return total // 2, total - total // 2
