"""Arrays written out: ``2x3xf32=[[1,2,3],[4,5,6]]``, ``[1 2 3][4 5 6]``, ``i8=-1``.

Numbers are written as in Python or MLIR: ``1``, ``-2.5e3``, ``nan``, ``-inf``, ``true``,
``(1,-2)`` or ``1-2j`` for complex values, and for the bits of a float ``0x7FC00000``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools import dtypes
from shlo_tools.cpu import memory
from shlo_tools.dtypes import Array, ElementType, Kind, TensorType
from shlo_tools.errors import ParseError, ShloError, place_in

MAX_RANK = 64  # numpy's

_TYPE = re.compile(r"\s*([^=\[(\s]*)\s*=")
_TOKEN = re.compile(r"\s+|[\[\],]|\([^()]*\)|[^\s,\[\]()]+|.", re.DOTALL)


def error(text: str, at: int, message: str, option: str, hint: str = "") -> ParseError:
    """A ParseError with a caret under ``text[at]``."""
    return ParseError(message, place=place_in(text, at, option), hint=hint, source=text)


def read(text: str, expected: TensorType, option: str) -> Array:
    """The array that a text stands for.

    Args:
        text: values, or a type and values.
        expected: the type where the text names none; its ``?`` are taken from the values.
        option: what messages call the source.

    Raises:
        ParseError: malformed, or values that do not fit their type; with a caret.
    """
    type, start = typed(text, expected, option)
    return _Reader(text, option, type).array(start)


def typed(text: str, expected: TensorType, option: str) -> tuple[TensorType, int]:
    """The type that a text begins with, else ``expected``; and where what follows starts."""
    match = _TYPE.match(text)
    if not match:
        return expected, 0
    try:
        type = dtypes.parse_tensor_type(match[1])
    except ShloError as refused:
        message = refused.diagnostics[0].message
        raise error(text, match.start(1), message, option, hint="2x3xf32=[...]") from refused
    if not type.is_static:
        raise error(text, match.start(1), "sizes must be numbers here", option)
    return type, match.end()


def written(array: Array, limit: int) -> str:
    """The values as text that ``read`` reads back; of more than ``limit`` the first and last."""
    return np.array2string(
        array,
        threshold=limit,
        max_line_width=100,
        floatmode="unique",
        formatter={"complexfloat": lambda value: f"({value.real},{value.imag})"},
    )


@dataclass
class _Leaf:
    """One number as written."""

    text: str
    at: int


@dataclass
class _List:
    """A bracket and what is in it."""

    items: list[_Leaf | _List]
    at: int


class _Reader:
    def __init__(self, text: str, option: str, type: TensorType) -> None:
        self.text = text
        self.option = option
        self.type = type

    def error(self, at: int, message: str, hint: str = "") -> ParseError:
        return error(self.text, at, message, self.option, hint)

    def array(self, start: int) -> Array:
        top = self._parse(start)
        if not top.items and 0 not in self.type.shape:
            raise self.error(len(self.text), "values are missing", _file_hint(self.text))
        single = top.items[0] if len(top.items) == 1 else None
        if isinstance(single, _Leaf) and self.type.is_static:
            memory.check_fits(self.type.nbytes)
            one = self._convert([single])
            return np.full(self.type.static_shape, one[0], self.type.element_type.dtype)
        shape, leaves = self._measure(top, single)
        return self._convert(leaves).reshape(shape)

    def _parse(self, start: int) -> _List:
        """The text as nested lists; the outermost stands for the whole text."""
        top = _List([], start)
        stack = [top]
        comma: int | None = None  # where a comma waits for what follows it
        for match in _TOKEN.finditer(self.text, start):
            token, at = match[0], match.start()
            if token.isspace():
                continue
            if token in ",]" and (comma is not None or (token == "," and not stack[-1].items)):
                raise self.error(at, "a value is missing")
            if token == "]" and len(stack) == 1:
                raise self.error(at, "this bracket closes none")
            if token in "()":
                raise self.error(at, "this parenthesis has no partner")
            comma = at if token == "," else None
            if token == "[":
                inner = _List([], at)
                stack[-1].items.append(inner)
                stack.append(inner)
                if len(stack) > MAX_RANK:
                    raise self.error(at, f"nested more than {MAX_RANK} levels deep")
            elif token == "]":
                stack.pop()
            elif token != ",":
                stack[-1].items.append(_Leaf(token, at))
        if comma is not None:
            raise self.error(comma, "a value is missing after this comma")
        if len(stack) > 1:
            raise self.error(stack[-1].at, "this bracket is not closed")
        return top

    def _measure(
        self, top: _List, single: _Leaf | _List | None
    ) -> tuple[tuple[int, ...], list[_Leaf]]:
        """Shape and leaves: as bracketed, one bracket short, or all elements in a row."""
        whole = single if isinstance(single, _List) else top
        shape, leaves = self._shape(whole)
        if len(shape) == 1 and self.type.is_static and len(leaves) == self.type.size:
            return self.type.static_shape, leaves
        if len(shape) == self.type.rank - 1 and whole is single:
            whole, shape = top, (1, *shape)
        fits = len(shape) == self.type.rank and all(
            not isinstance(dim, int) or dim == size
            for dim, size in zip(self.type.shape, shape, strict=True)
        )
        if not fits:
            message = f"{'x'.join(str(size) for size in shape)} values given"
            raise self.error(whole.at, f"{message}, {self.type} wanted")
        return shape, leaves

    def _shape(self, item: _List) -> tuple[tuple[int, ...], list[_Leaf]]:
        """The shape of nested lists, which must be even, and their leaves in order."""
        lists = [inner for inner in item.items if isinstance(inner, _List)]
        leaves = [inner for inner in item.items if isinstance(inner, _Leaf)]
        if not lists:
            return (len(leaves),), leaves
        if leaves:
            raise self.error(leaves[0].at, "a number beside a bracket")
        first, leaves = self._shape(lists[0])
        for inner in lists[1:]:
            shape, more = self._shape(inner)
            if shape != first:
                have, want = ("x".join(str(size) for size in each) for each in (shape, first))
                raise self.error(inner.at, f"{have} values here, {want} in the first of its row")
            leaves += more
        return (len(lists), *first), leaves

    # --- elements ---------------------------------------------------------------------------------
    def _convert(self, leaves: list[_Leaf]) -> Array:
        element = self.type.element_type
        if element.kind is Kind.COMPLEX:
            return self._complex(leaves, element)
        if element.kind is Kind.FLOAT:
            return self._floats(leaves, element)
        return self._integers(leaves, element)

    def _integers(self, leaves: list[_Leaf], element: ElementType) -> Array:
        low, high = _range(element)
        values = []
        for leaf in leaves:
            value = _integer(leaf.text)
            if value is None:
                expected = "true or false" if element.is_boolean else "an integer"
                message = f"{leaf.text!r} is not {expected}"
                raise self.error(leaf.at, message, _file_hint(leaf.text))
            if not low <= value <= high:
                raise self.error(leaf.at, f"{leaf.text} does not fit {element}: {low} to {high}")
            values.append(value)
        wide: Any = np.uint64 if element.kind is Kind.UNSIGNED else np.int64
        return np.array(values, wide).astype(element.dtype)

    def _floats(self, leaves: list[_Leaf], element: ElementType) -> Array:
        values = np.array([self._float(leaf.text, leaf.at, element) for leaf in leaves], np.float64)
        with np.errstate(all="ignore"):
            array = values.astype(element.dtype)
        back = array.astype(np.float64)
        unheld = (
            (np.isnan(values) != np.isnan(back))
            | (np.isinf(values) != np.isinf(back))
            | (values * back < 0)
            | ((values == 0) & (back != 0))
            | (np.abs(np.where(np.isfinite(values), values, 0)) > _beyond(element))
        )
        bits = [_bits(leaf.text) for leaf in leaves]
        for number, leaf in enumerate(leaves):
            if bits[number] is None and unheld[number]:
                raise self.error(leaf.at, f"{leaf.text} does not fit {element}")
        return _with_bits(array, bits)

    def _float(self, text: str, at: int, element: ElementType) -> float:
        bits = _bits(text)
        if bits is not None:
            if bits >> element.bits:
                raise self.error(at, f"{text} has more than the {element.bits} bits of {element}")
            return 0.0
        value = _decimal(text)
        if value is None:
            raise self.error(at, f"{text!r} is not a number", _file_hint(text))
        if math.isinf(value) and "inf" not in text.lower():
            raise self.error(at, f"{text} does not fit {element}")
        return value

    def _complex(self, leaves: list[_Leaf], element: ElementType) -> Array:
        part = dtypes.element_type(element.name[len("complex<") : -1])
        parts = []
        for leaf in leaves:
            if leaf.text.startswith("("):
                inner = leaf.text[1:-1].split(",")
                if len(inner) != 2:
                    raise self.error(leaf.at, f"{leaf.text!r} is not (real, imaginary)")
                offsets = (1, 2 + len(inner[0]))
                pairs = zip(inner, offsets, strict=True)
                parts += [_Leaf(text.strip(), leaf.at + offset) for text, offset in pairs]
            else:
                parts += [_Leaf(text, leaf.at) for text in self._cartesian(leaf)]
        return self._floats(parts, part).view(element.dtype)

    def _cartesian(self, leaf: _Leaf) -> tuple[str, str]:
        """Real and imaginary part of a Python complex literal."""
        if _decimal(leaf.text) is not None or _bits(leaf.text) is not None:
            return leaf.text, "0"
        try:
            value = complex(leaf.text)
        except ValueError:
            raise self.error(leaf.at, f"{leaf.text!r} is not a number") from None
        return repr(value.real), repr(value.imag)


# --- numbers --------------------------------------------------------------------------------------
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf|infinity|nan)", re.I)
_INTEGER = re.compile(r"[+-]?(\d+|0x[0-9a-f]+)", re.I)
_WORDS = {"true": 1, "false": 0}


def _integer(text: str) -> int | None:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if not _INTEGER.fullmatch(text) or len(text) > 100:
        return None
    return int(text, 16 if "x" in text.lower() else 10)


def _decimal(text: str) -> float | None:
    return float(text) if _DECIMAL.fullmatch(text) else None


def _bits(text: str) -> int | None:
    """The bits of a float that is written ``0x...``, as MLIR does; None for any other."""
    return int(text, 16) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,32}", text) else None


def _with_bits(array: Array, bits: list[int | None]) -> Array:
    raw = array.view(f"u{array.dtype.itemsize}")
    for number, value in enumerate(bits):
        if value is not None:
            raw[number] = value
    return array


def _range(element: ElementType) -> tuple[int, int]:
    if element.is_boolean:
        return 0, 1
    if element.kind is Kind.UNSIGNED:
        return 0, (1 << element.bits) - 1
    return -(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1


def _beyond(element: ElementType) -> float:
    """A bound that finite values of types without infinity or NaN must keep: they saturate."""
    if element.bits >= 8:
        return math.inf
    return float(ml_dtypes.finfo(element.dtype).max)  # type: ignore[no-untyped-call]


def _file_hint(text: str) -> str:
    return "a file is written @x.npy" if re.search(r"\.np[yz]$|/", text) else ""
