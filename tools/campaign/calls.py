"""Arrays and how people pass them: results as the reference's, or the same refusal by both."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools import dtypes
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.tools.campaign.outcome import REFUSED, RIGHT, WRONG, Case, Outcome
from shlo_tools.tools.campaign.programs import examination
from shlo_tools.tools.campaign.programs.drawing import COMMON, RARE, small, spelled

SHAPES = ((), (1,), (3,), (2, 3), (0,), (3, 1), (2, 0, 2))


def _unaligned(array: Array) -> Array:
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    memory[:] = np.frombuffer(array.tobytes(), np.uint8)
    return memory.view(array.dtype).reshape(array.shape)


def _spread(array: Array) -> Array:
    """Every other element of a larger array."""
    if not array.ndim:
        return array
    return np.repeat(array, 2, axis=-1)[..., ::2]


def _read_only(array: Array) -> Array:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _masked(array: Array) -> Any:
    mask = np.zeros(array.shape, bool)
    mask.reshape(-1)[:1] = True
    return np.ma.masked_array(array, mask)


class _WithArray:
    """An object that numpy can read, and no array."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self._array if dtype is None else self._array.astype(dtype)


def _cast(dtype: str) -> Callable[[Array], Any]:
    return lambda array: np.real(array).astype(np.float64).astype(dtype)


SPELLINGS: dict[str, Callable[[Array], Any]] = {
    "plain": lambda array: array,
    "list": lambda array: array.tolist(),
    "tuple": lambda array: tuple(array.tolist()) if array.ndim else array.tolist(),
    "scalar": lambda array: array.reshape(-1)[0] if array.size else array,
    "item": lambda array: array.reshape(-1)[0].item() if array.size else 0,
    "fortran": np.asfortranarray,
    "reversed": lambda array: array[::-1] if array.ndim else array,
    "spread": _spread,
    "unaligned": _unaligned,
    "read-only": _read_only,
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "masked": _masked,
    "memoryview": memoryview,  # type: ignore[dict-item]
    "object": lambda array: array.astype(object),
    "with __array__": _WithArray,
    "float64": _cast("float64"),
    "float16": _cast("float16"),
    "int64": _cast("int64"),
    "bool": _cast("bool"),
    "complex": _cast("complex64"),
    "text": lambda array: array.astype(str),
    "date": lambda array: np.zeros(array.shape, "datetime64[s]"),
    "one dimension more": lambda array: array[None],
    "flat": lambda array: array.reshape(-1),
    "None": lambda array: None,
    "a word": lambda array: "word",
    "bytes": lambda array: array.tobytes(),
    "2^70": lambda array: 1 << 70,
    "1.5": lambda array: 1.5,
    "1j": lambda array: 1j,
    "nan": lambda array: float("nan"),
    "-1": lambda array: -1,
    "ragged": lambda array: [[1], [1, 2]],
    "a dict": lambda array: {},
    "a class": lambda array: dict,
}


def case(seed: int) -> Case:
    """A signature, and a spelling per argument; too few or too many now and then."""
    chance = random.Random(seed)
    elements = [chance.choice((*COMMON, *RARE)) for _ in range(chance.randint(1, 3))]
    types = [spelled(chance.choice(SHAPES), element) for element in elements]
    count = len(types) + chance.choice((0, 0, 0, 0, 0, 0, 0, 1, -1))
    named = [chance.choice(("plain", *SPELLINGS)) for _ in range(count)]
    return Case("calls", seed, named, {"types": types, "cast": chance.random() < 0.1})


def _program(types: list[str]) -> str:
    tensors = [f"tensor<{type}>" for type in types]
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(tensors))
    lines = [f"%r{i} = stablehlo.add %a{i}, %a{i} : {type}" for i, type in enumerate(tensors)]
    returned = ", ".join(f"%r{i}" for i in range(len(types)))
    ending = f"return {returned} : {', '.join(tensors)}"
    body = "\n".join([*lines, ending])
    return f"func.func @main({arguments}) -> ({', '.join(tensors)}) {{\n{body}\n}}"


def check(case: Case) -> Outcome:
    text, types = _program(case.rest["types"]), case.rest["types"]
    ways = [shlo_tools.compile(text), shlo_tools.compile(text, backend="reference")]
    arrays = []
    for number in range(len(case.parts)):
        type = dtypes.parse_tensor_type(f"tensor<{types[number % len(types)]}>")
        arrays.append(small(random.Random(case.seed), type.static_shape, type.element_type.name))
    endings: list[Any] = []
    for way in ways:
        arguments = []
        for spelling, array in zip(case.parts, arrays, strict=True):
            try:
                arguments.append(SPELLINGS[spelling](array.copy()))
            except (TypeError, ValueError, BufferError):  # numpy has no such array
                return Outcome(REFUSED, f"numpy makes no {array.dtype} {spelling!r}")
        before = [np.asarray(x).tobytes() for x in arguments if isinstance(x, np.ndarray)]
        try:
            endings.append(examination.listed(way(*arguments, cast=case.rest["cast"])))
        except ShloError as error:
            endings.append(str(error))
        if before != [np.asarray(x).tobytes() for x in arguments if isinstance(x, np.ndarray)]:
            return Outcome(WRONG, "an argument was written")
    return _compared(*endings)


def _compared(native: Any, reference: Any) -> Outcome:
    if isinstance(native, str) or isinstance(reference, str):
        if isinstance(native, str) and isinstance(reference, str):
            if native.splitlines()[0] == reference.splitlines()[0]:
                return Outcome(REFUSED, native.splitlines()[0])
            return Outcome(WRONG, f"refusals differ: {native} / {reference}"[:300])
        one, refusal = ("native", native) if isinstance(native, str) else ("reference", reference)
        return Outcome(WRONG, f"only one refuses, the {one}: {refusal}"[:300])
    for number, (got, expected) in enumerate(zip(native, reference, strict=True)):
        difference = examination.exact(got, expected)
        if difference:
            return Outcome(WRONG, f"native differs from the reference: result{number} {difference}")
    return Outcome(RIGHT)
