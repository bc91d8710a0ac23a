"""The notation of ``--input`` and ``--expected-output``: how values are written on a command line.

    value  ::= "@" file                       x.npy, or x.npz with arg0, arg1, ... (or names)
             | "@" file.npz ":" name          one array of an .npz
             | (type "=")? "random:" seed     values drawn for the argument's type, or for this one
             | (type "=")? values             2x3xf32=[[1,2,3],[4,5,6]]; the type may be left out
    values ::= (literal | "[" values "]")*    separated by commas or spaces

One literal fills its tensor; brackets may be left out where the type tells them (``[1 2][3 4]`` as
iree-run-module has it, or all elements in a row). This module reads the text, and finds for each
argument what is meant for it; ``literals`` makes arrays of what stands between the brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shlo_tools import dtypes
from shlo_tools.cpu import memory
from shlo_tools.dtypes import Array, ElementType, Kind, TensorType
from shlo_tools.errors import ArgumentError
from shlo_tools.tools.run.values import array_files, literals
from shlo_tools.tools.run.values.signature import Slot, with_sizes


@dataclass(frozen=True)
class Given:
    """One array that somebody gave, and how they wrote it."""

    array: Array
    text: str


@dataclass(frozen=True)
class Wanted:
    """What values are for: the arguments or the results of a function.

    Attributes:
        option: the command-line option, for messages.
        what: ``argument`` or ``result``.
        prefix: what their names in an .npz begin with: ``arg`` or ``result``.
        slots: their names and types.
        cast: whether values of another element type are converted.
    """

    option: str
    what: str
    prefix: str
    slots: tuple[Slot, ...]
    cast: bool = False

    def name(self, number: int) -> str:
        """How messages call one of them: ``argument 4 (images)``."""
        named = self.slots[number].name if number < len(self.slots) else ""
        return f"{self.what} {number}" + (f" ({named})" if named else "")


def read(texts: Sequence[str], request: Wanted) -> list[Array]:
    """The arrays that options stand for, one for each slot.

    Raises:
        ParseError: a value is malformed; with a caret.
        ArgumentError: too many or too few, or wrong types or shapes.
        ShloError: a file cannot be read.
    """
    inputs: list[Given] = []
    for number, text in enumerate(texts):
        last = number == len(texts) - 1
        inputs += _expand(text, request, len(inputs), last=last)
    if len(inputs) != len(request.slots):
        types = ", ".join(slot.type for slot in request.slots)
        count = f"{len(inputs)} {request.what}{'' if len(inputs) == 1 else 's'}"
        raise ArgumentError(
            f"{count} given, {len(request.slots)} wanted",
            hint=f"{request.what}s: {types}" if types else "",
        )
    return [_fit(each, request, number) for number, each in enumerate(inputs)]


def _expand(text: str, request: Wanted, position: int, *, last: bool) -> list[Given]:
    """What one option gives, to the slots from ``position`` on."""
    if text.startswith("@"):
        return [Given(array, text) for array in _from_file(text, request)]
    if _RANDOM.match(text):
        left = len(request.slots) - position
        count = left if last and (left > 0 or not request.slots) else 1
        return [Given(_random(text, request, position + i), text) for i in range(count)]
    slot = request.slots[position] if position < len(request.slots) else None
    if slot is None:  # one too many, as will be said
        return [Given(np.zeros(0), text)]
    type, start = literals.typed(text, slot.tensor, request.option)
    if _RANDOM.match(text, start):
        return [Given(_random(text, request, position, start, type), text)]
    return [Given(literals.read(text, slot.tensor, request.option), text)]


# --- files ----------------------------------------------------------------------------------------
def _from_file(text: str, request: Wanted) -> list[Array]:
    path, member = text[1:], None
    if not Path(path).exists():
        match = re.fullmatch(r"(.*\.npz):(.+)", path)
        if match:
            path, member = match[1], match[2]
    if member is not None:
        return [array_files.read(path, member)]
    names = array_files.members(path)
    if names is None:
        return [array_files.read(path)]
    return [array_files.read(path, name) for name in _chosen(names, path, request)]


def _chosen(names: list[str], path: str, request: Wanted) -> list[str]:
    """The members of an archive to take, in order: arg0.. or arr_0.. or the program's names."""
    for prefix in (request.prefix, "arr_"):
        numbered = _numbered(names, prefix, path)
        if numbered:
            return numbered
    known = [slot.name for slot in request.slots]
    if all(known) and set(known) <= set(names) and len(set(known)) == len(known):
        return known
    first = f"{request.prefix}0, {request.prefix}1, ..."
    raise ArgumentError(
        f"{path!r} names its arrays {', '.join(names[:10]) or 'nothing'}; {first} wanted",
        hint=f"choose them one by one: {request.option}=@{path}:{names[0]}" if names else "",
    )


def _numbered(names: Sequence[str], prefix: str, path: str) -> list[str]:
    """prefix0, prefix1, ... as far as they go without a gap."""
    numbers = sorted(int(n[len(prefix) :]) for n in names if re.fullmatch(rf"{prefix}\d+", n))
    if numbers != list(range(len(numbers))):
        missing = min(set(range(len(numbers))) - set(numbers))
        raise ArgumentError(f"{path!r} has {prefix}{numbers[-1]}, but no {prefix}{missing}")
    return [f"{prefix}{number}" for number in numbers]


# --- random values --------------------------------------------------------------------------------
_RANDOM = re.compile(r"random\b")


def _random(
    text: str, request: Wanted, number: int, start: int = 0, type: TensorType | None = None
) -> Array:
    match = re.compile(r"random:(\d+)").fullmatch(text, start)
    if not match:
        at = start + len("random")
        raise literals.error(text, at, "a seed is missing", request.option, hint="random:0")
    if request.what != "argument":
        raise ArgumentError(f"{request.option}={text}: random results cannot be expected")
    if number >= len(request.slots):
        raise ArgumentError(f"{request.option}={text}: there are only {number} arguments")
    type = type or request.slots[number].tensor
    if not type.is_static:
        raise ArgumentError(
            f"{request.name(number)}: random values need a size for every ? in {type}",
            hint=f"for example {request.option}={with_sizes(type)}={text}",
        )
    memory.check_fits(type.size * 8)
    return random_values(type, np.random.default_rng((int(match[1]), number)))


def random_values(type: TensorType, generator: np.random.Generator) -> Array:
    """Values of a static type: normal floats, integers from 0 to 9, fair booleans.

    Types that hold no 9, or no negative number, get what they hold.
    """
    element, shape = type.element_type, type.static_shape
    if element.kind is Kind.BOOLEAN:
        return np.asarray(generator.integers(0, 2, shape, np.uint8).astype(np.bool_))
    if element.kind in (Kind.SIGNED, Kind.UNSIGNED, Kind.INDEX):
        width = element.bits - (element.kind is not Kind.UNSIGNED)
        values = generator.integers(0, min(10, 1 << width), shape, np.uint8)
        return np.asarray(values).astype(element.dtype)
    if element.kind is Kind.COMPLEX:
        parts = generator.standard_normal((*shape, 2))
        return np.asarray((parts[..., 0] + 1j * parts[..., 1]).astype(element.dtype))
    normal = np.asarray(generator.standard_normal(shape))
    if element.name == "f8E8M0FNU":  # powers of two: no sign, no zero
        normal = np.abs(normal)
    return normal.astype(element.dtype)


# --- fitting --------------------------------------------------------------------------------------
def _fit(source: Given, request: Wanted, number: int) -> Array:
    """The array, checked against its slot; raises ArgumentError."""
    type = request.slots[number].tensor
    array = _retyped(source.array, type.element_type)
    what = f"{request.option}={_short(source.text)}: {request.name(number)}"
    fits = len(array.shape) == type.rank and all(
        not isinstance(dim, int) or dim == size
        for dim, size in zip(type.shape, array.shape, strict=True)
    )
    if not fits:
        raise ArgumentError(f"{what} is a {type}; shape {_shown(array)} given")
    if array.dtype == type.element_type.dtype:
        return array
    swapped = array.dtype.newbyteorder("=") == type.element_type.dtype
    if not request.cast:
        given_as = f"{array.dtype.name} in another byte order" if swapped else array.dtype.name
        hint = _how_to_convert(array, type.element_type)
        raise ArgumentError(f"{what} is a {type}; {given_as} given", hint=hint)
    return _cast(array, type.element_type, what)


def _how_to_convert(array: Array, element: ElementType) -> str:
    stored = array_files.storable(np.zeros(0, element.dtype)).dtype
    if stored.kind == "V" and array.dtype == f"u{stored.itemsize}":
        return f"if these are the bits of {element}, save x.view({stored.str[1:]!r}) instead"
    return f"convert it with --cast, or in Python with x.astype({element.dtype.name!r})"


def _retyped(array: Array, element: ElementType) -> Array:
    """Void of the right width is how files hold the types that numpy has no name for."""
    stored = array_files.storable(np.zeros(0, element.dtype)).dtype
    if array.dtype != stored or stored.kind != "V":
        return array
    if element.bits < 8:
        array = array.view(np.uint8) & np.uint8((1 << element.bits) - 1)
    return array.view(element.dtype)


def _cast(array: Array, element: ElementType, what: str) -> Array:
    if array.dtype.kind not in "biufc" and not _is_known(array):
        raise ArgumentError(f"{what}: {array.dtype} cannot be converted to {element}")
    if array.dtype.kind == "c" and element.kind is not Kind.COMPLEX:
        raise ArgumentError(f"{what}: complex values given, {element} wanted")
    with np.errstate(all="ignore"):
        return array.astype(element.dtype)


def _is_known(array: Array) -> bool:
    return any(array.dtype == element.dtype for element in dtypes.ELEMENT_TYPES.values())


def _shown(array: Array) -> str:
    return f"({', '.join(str(size) for size in array.shape)})"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
