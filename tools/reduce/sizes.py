"""Smaller shapes: a size is changed wherever it stands, and with it its sums and products.

Sizes stand in types, in attributes (limits of slices, shapes of constants) and in what is
computed from them, so they change on the text as a whole. What does not fit together any more is
no valid program, and not tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SMALL = (1, 2, 3)
_TYPE = re.compile(r"tensor<((?:(?:\d+|\?)x)+)")
_DENSE = re.compile(r'dense<(?:\[.*?\]|"0x[0-9A-F]+")> : (tensor<(?:\d+x)+\w+>)', re.DOTALL)
# Numbers in brackets: limits, dimensions, window sizes; and of constants that hold one number.
_BRACKETS = re.compile(r"\[[^\[\]\"]*\]|dense<-?\d+>|array<i64: [^>]*>")
_RANGE = re.compile(r"\b(\d+):(\d+)\b")
_SLICE = re.compile(r"\bstablehlo\.slice %\S+ \[[^\]]*\]")


def smaller(text: str) -> Iterator[str]:
    """Programs with some size changed, the smallest first; they may be invalid."""
    present = _sizes(text)
    if any("?" in match[1] for match in _TYPE.finditer(text)):
        yield _TYPE.sub(lambda match: match[0].replace("?", "2"), text)
    for match in _SLICE.finditer(text):
        shifted = _RANGE.sub(lambda row: f"0:{int(row[2]) - int(row[1])}", match[0])
        yield text[: match.start()] + shifted + text[match.end() :]
    for size in sorted(present, reverse=True):
        for small in SMALL:
            if small >= size:
                break
            plain = {size: small}
            multiples = {n: n // size * small for n in present if n % size == 0}
            sums = plain | {n: n - size + small for n in present if n > size}
            for change in _different(plain, multiples, plain | sums):
                yield _changed(text, change, everywhere=True)
                yield _changed(text, change, everywhere=False)


def _different(*changes: dict[int, int]) -> list[dict[int, int]]:
    return [change for i, change in enumerate(changes) if change not in changes[:i]]


def _sizes(text: str) -> set[int]:
    sizes = (size for match in _TYPE.finditer(text) for size in match[1].split("x"))
    return {int(size) for size in sizes if size.isdecimal() and int(size) > 1}


def _changed(text: str, change: dict[int, int], *, everywhere: bool) -> str:
    def renumbered(match: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda n: str(change.get(int(n[0]), int(n[0]))), match[0])

    def of_type(match: re.Match[str]) -> str:
        sizes = match[1].split("x")
        return "tensor<" + "x".join(
            str(change.get(int(n), int(n))) if n.isdecimal() else n for n in sizes
        )

    # Constants that list their elements would have to be listed anew: they become one number.
    text = _DENSE.sub(
        lambda match: (
            f"dense<{_one(match[1])}> : {match[1]}"
            if any(int(n) in change for n in re.findall(r"(\d+)x", match[1]))
            else match[0]
        ),
        text,
    )
    if everywhere:
        text = _BRACKETS.sub(renumbered, text)
    return _TYPE.sub(of_type, text)


def _one(type: str) -> str:
    element = type.rsplit("x", 1)[1].rstrip(">")
    return "1.0" if element.startswith(("f", "bf")) else "true" if element == "i1" else "1"
