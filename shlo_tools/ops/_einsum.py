"""``einsum_config``: which label each dimension of the operands and of the result has.

``"ij,jk->ik"`` names dimensions by letters. Without ``->`` the result has, in alphabetical order,
the letters that occur once. ``...`` stands for dimensions without a letter, aligned at the last
one, of which those of size 1 stretch. The specification describes none of this any more; numpy
and XLA do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import dims
from shlo_tools.constraints import meet_dims, require, same, same_shape
from shlo_tools.dims import Dim
from shlo_tools.dtypes import TensorType

Labels = tuple[str, ...]  # one for each dimension: a letter, or ``...2`` for the last but one

_DOTS = "..."
_TERM = re.compile(r"([a-zA-Z]*)(\.\.\.)?([a-zA-Z]*)")


@dataclass(frozen=True)
class Einsum:
    """What a text says of operands and a result of given shapes.

    Attributes:
        operands: the labels of each operand; a repeated one is a diagonal.
        result: the labels of the result.
        sizes: what the dimensions of each label measure.
    """

    operands: list[Labels]
    result: Labels
    sizes: dict[str, Dim]


def read(config: str, shapes: Sequence[Sequence[Dim]], result: TensorType) -> Einsum:
    """Read ``einsum_config`` for operands of these shapes, and a result.

    Raises:
        ConstraintError: the text is not understood or written for another number of operands
            (C1), does not fit an operand's rank (C2), dimensions of one label differ (C3), or the
            result has another shape (C4).
    """
    before, arrow, after = config.replace(" ", "").partition("->")
    texts = before.split(",")
    require("C1", len(texts) == len(shapes), f"{config!r} for {len(shapes)} operands")
    hidden = []  # how many dimensions stand behind the dots of each operand
    for text, shape in zip(texts, shapes, strict=True):
        letters = len("".join(_parts(text, config)))
        fits = letters <= len(shape) if _DOTS in text else letters == len(shape)
        require("C2", fits, f"{text!r} names the dimensions of an operand of rank {len(shape)}")
        hidden.append(len(shape) - letters)
    operands = [_labels(text, count, config) for text, count in zip(texts, hidden, strict=True)]
    behind = max((n for text, n in zip(texts, hidden, strict=True) if _DOTS in text), default=0)
    out = _labels(after if arrow else _implied(before), behind, config)
    sizes = _sizes(operands, shapes)
    fits = all(label in sizes for label in out)
    alike = fits and same_shape([sizes[label] for label in out], result.shape)
    require("C4", alike, f"{result} is not {config!r}")
    return Einsum(operands, out, sizes)


def _parts(text: str, config: str) -> tuple[str, str]:
    """The letters before and behind the dots."""
    match = _TERM.fullmatch(text)
    require("C1", match is not None, f"{config!r} is not understood")
    return (match[1], match[3]) if match else ("", "")


def _labels(text: str, hidden: int, config: str) -> Labels:
    front, back = _parts(text, config)
    middle = [f"{_DOTS}{number}" for number in range(hidden, 0, -1)] if _DOTS in text else []
    return (*front, *middle, *back)


def _implied(before: str) -> str:
    """What the result of a text without an arrow has."""
    single = sorted(x for x, count in Counter(before).items() if count == 1 and x.isalpha())
    return (_DOTS if _DOTS in before else "") + "".join(single)


def _sizes(labels: Sequence[Labels], shapes: Sequence[Sequence[Dim]]) -> dict[str, Dim]:
    """Of dimensions without a letter those that are known to be 1 stretch."""
    sizes: dict[str, Dim] = {}
    for names, shape in zip(labels, shapes, strict=True):
        for label, dim in zip(names, shape, strict=True):
            known = sizes.setdefault(label, dim)
            if label.startswith(_DOTS) and dims.equal(known, 1):
                sizes[label] = dim
            elif not (label.startswith(_DOTS) and dims.equal(dim, 1)):
                require("C3", same(known, dim), f"{label!r} has sizes {known} and {dim}")
                sizes[label] = meet_dims(known, dim)
    return sizes
