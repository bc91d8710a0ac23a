"""Custom calls as calls of C functions, which whoever links the object provides.

A target ``my.op`` is the function ``shlo_call_my_op``. What it is told of the call is a constant
of the object: ``struct shlo_custom_call`` of the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.aot import layout, relocatable
from shlo_tools.aot.relocatable import Relocatable
from shlo_tools.codegen.manifest import HostKernel
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError
from shlo_tools.extend.description import Call
from shlo_tools.extend.targets import Meaning, meaning_of

_PREFIX = "shlo_call_"
_CALL_WORDS = 6  # of struct shlo_custom_call
_TENSOR_WORDS = 4  # of struct shlo_tensor

Addresses = dict[int, tuple[str, int]]


def is_hook(target: str) -> bool:
    """Whether the function of a target is for whoever links the object to provide."""
    return meaning_of(target) is not Meaning.ASSERTION


def symbol(target: str) -> str:
    """The C function that stands for a target."""
    if not is_hook(target):
        return layout.ASSERT
    return _PREFIX + re.sub(r"\W", "_", target, flags=re.ASCII)


def of_program(calls: Mapping[int, HostKernel], name: str) -> Relocatable:
    """What the runtime reads of a program's calls, under a name.

    Raises:
        ShloError: two targets would be the same function.
    """
    targets: dict[str, str] = {}
    for kernel in calls.values():
        other = targets.setdefault(symbol(kernel.call.target), kernel.call.target)
        if other != kernel.call.target and is_hook(other):
            message = f"custom calls of {other!r} and {kernel.call.target!r} would both be"
            raise ShloError(f"{message} the C function {symbol(other)}", place=kernel.call.place)
    words: list[int] = []
    addresses: Addresses = {}
    parts = []
    for number, kernel in sorted(calls.items()):
        described = f"{name}.{number}"
        addresses[len(words)] = symbol(kernel.call.target), 0
        addresses[len(words) + 1] = described, 0
        words += [0, 0, len(kernel.call.result_types)]
        parts += _described(kernel.call, described)
    return relocatable.join([relocatable.table(name, words, addresses), *parts])


def _described(call: Call, name: str) -> list[Relocatable]:
    """A ``struct shlo_custom_call``, the tensors behind it, and their sizes behind those."""
    groups: tuple[Sequence[TensorType], ...] = (call.input_types, call.result_types)
    types = [type for group in groups for type in group]
    text, places = _texts([call.target, config_text(call), *(_element(type) for type in types)])
    texts = f"{name}.text"
    tensors = _CALL_WORDS
    sizes = tensors + _TENSOR_WORDS * len(types)
    words = [0, 0, *map(len, groups), 0, 0]
    addresses: Addresses = {
        0: (texts, places[0]),
        1: (texts, places[1]),
        4: (name, 8 * tensors),
        5: (name, 8 * (tensors + _TENSOR_WORDS * len(groups[0]))),
    }
    for type, place in zip(types, places[2:], strict=True):
        addresses[len(words)] = texts, place
        addresses[len(words) + 2] = name, 8 * sizes
        words += [0, type.rank, 0, type.nbytes]
        sizes += type.rank
    words += [size for type in types for size in type.static_shape]
    return [relocatable.table(name, words, addresses), relocatable.data(texts, text)]


def _element(type: TensorType) -> str:
    return str(type.element_type)


def _texts(texts: Sequence[str]) -> tuple[bytes, list[int]]:
    """Texts of C behind each other, and where each begins."""
    contents, places = b"", []
    for text in texts:
        places.append(len(contents))
        contents += text.encode() + b"\0"
    return contents, places


def config_text(call: Call) -> str:
    """What ``backend_config`` says, as text; dictionaries as JSON.

    Raises:
        UnsupportedError: it holds bytes, or what JSON cannot hold.
    """
    config = call.config
    if config is None or isinstance(config, str):
        text = config or ""
    else:
        try:
            text = json.dumps(config, default=_plain, sort_keys=True)
        except TypeError:
            raise call.unsupported("its backend_config is no text, nor numbers and texts") from None
    if "\0" in text:
        raise call.unsupported("its backend_config holds a NUL, where texts of C end")
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is nothing that JSON holds")
