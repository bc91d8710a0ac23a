"""Calls of C functions: memory in the layouts that the op names, and tables of pointers to it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.extend.c_functions import CALLABLE_VERSIONS, VERSIONS, CFunction, Status, code
from shlo_tools.extend.description import Call, Layout
from shlo_tools.extend.typed_calls import Handler, Memory

# Runs the function of a target on operands. ``outputs`` is memory for the results, if there is
# some, which not every function uses: the values that it returns are the results.
Applied = Callable[[Sequence[Array], Sequence[Array] | None], Sequence[Array]]


def applied(function: CFunction, call: Call) -> Applied:
    """How a C function is run for a call.

    Raises:
        UnsupportedError: its signature is none that can be called, or cannot express the call.
    """
    version = function.api_version or call.api_version
    if version not in CALLABLE_VERSIONS or (version == 4 and not function.api_version):
        name = VERSIONS.get(version, "unknown")
        # What is no handler must not be called as one, and every dictionary makes a call typed.
        raise call.unsupported(
            f"C functions of api_version {version} ({name}) cannot be called unasked",
            "register a Python function, or tell the function's signature by api_version=1 to 4",
        )
    typed = Handler(call, function.address) if version == 4 else None
    routine, opaque = code(function, version), _opaque(call) if version == 3 else b""
    aliases = call.output_operand_aliases
    sources = list(_in_memory(call.inputs, call.operand_layouts))
    targets = list(_in_memory(call.results, call.result_layouts))

    def run(operands: Sequence[Array], outputs: Sequence[Array] | None) -> Sequence[Array]:
        outputs = started(call, operands, outputs)
        written = [_placed(outputs[n], order) for n, order in _arrays(targets)]
        # An alias is one memory for both; where layouts differ, it is the result's.
        shared = {operand: written[result] for result, operand in aliases.items()}
        inputs = [
            shared[n] if n in shared else _placed(operands[n], order)
            for n, order in _arrays(sources)
        ]
        ins, outs = _pointers(sources, inputs), _pointers(targets, written)
        if typed is not None:
            typed(
                _memory(call.inputs, operands, ins),
                _memory(call.results, outputs, outs),
            )
        else:
            status = Status()
            out = outs[0] if call.is_single else _address_of(outs)
            extra = {2: (_address_of(status),), 3: (opaque, len(opaque), _address_of(status))}
            routine(out, _address_of(ins), *extra.get(version, ()))
            message = status.failure()
            if message is not None:
                raise call.error(f"failed: {message}")
        for output, memory, (_, order) in zip(outputs, written, _arrays(targets), strict=True):
            if memory.ctypes.data != output.ctypes.data:
                output.transpose(order)[...] = memory
        return outputs

    return run


def _memory(
    types: Sequence[TensorType | None], arrays: Sequence[Array], addresses: Sequence[int]
) -> list[Memory]:
    """What a call frame says of values; of tokens nothing but that they are."""
    rest = iter(arrays)
    return [
        (None if type is None else (type.element_type, next(rest).shape), address)
        for type, address in zip(types, addresses, strict=False)  # a table is never empty
    ]


def _opaque(call: Call) -> bytes:
    if isinstance(call.config, Mapping):
        raise call.unsupported(
            "its backend_config is a dictionary, of which a C function cannot be told",
            "register a Python function",
        )
    config = call.config or b""
    return config if isinstance(config, bytes) else config.encode()


def started(
    call: Call, operands: Sequence[Array], outputs: Sequence[Array] | None
) -> Sequence[Array]:
    """The memory of the results; those that alias an operand hold its values."""
    if outputs is None:
        if not all(type.is_static for type in call.result_types):
            raise call.unsupported("its results have sizes that only its function knows")
        outputs = [np.empty(t.static_shape, t.element_type.dtype) for t in call.result_types]
    for result, operand in call.output_operand_aliases.items():
        outputs[result][...] = operands[operand]
    return outputs


Position = tuple[int, Layout]  # an array's number, and its dimensions from the slowest one on


def _in_memory(
    types: Sequence[TensorType | None], layouts: Sequence[Layout]
) -> Iterator[Position | None]:
    """For each value its array, or None for a token."""
    rest = enumerate(layouts)
    for type in types:
        if type is None:
            yield None
        else:
            number, layout = next(rest)
            yield number, tuple(reversed(layout))


def _arrays(positions: Sequence[Position | None]) -> list[Position]:
    return [position for position in positions if position is not None]


def _placed(array: Array, order: Layout) -> Array:
    """The array's memory in a layout: its own where it lies so, else a copy."""
    return np.ascontiguousarray(array.transpose(order))


_token = ctypes.c_uint64()  # what the pointer of a token points to


def _pointers(positions: Sequence[Position | None], arrays: Sequence[Array]) -> Any:
    """A table of the memory of values."""
    rest = iter(arrays)
    addresses = [_address_of(_token) if p is None else next(rest).ctypes.data for p in positions]
    return (ctypes.c_void_p * max(1, len(addresses)))(*addresses)


def _address_of(owner: Any) -> int:
    return ctypes.addressof(owner)
