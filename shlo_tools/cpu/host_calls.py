"""Calls from compiled code back to Python: custom calls on numpy views."""

from __future__ import annotations

import ctypes
import gc
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shlo_tools import dtypes, errors, extend
from shlo_tools.codegen.manifest import HostKernel
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.extend.c_calls import Applied
from shlo_tools.extend.calls import applied
from shlo_tools.extend.description import Call


@dataclass(frozen=True)
class _Memory:
    """What is where: the shape and dtype of a tensor's memory, and it as bytes of ctypes."""

    type: TensorType
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    bytes: Any


@dataclass(frozen=True)
class _Sized:
    """A call with all sizes known.

    Attributes:
        sizes: those that the types leave open.
        memories: of the results, then of the operands.
    """

    sizes: list[int]
    memories: list[_Memory]
    run: Applied


class HostCall:
    """One custom call of a program; called with the address of a table.

    The table holds addresses, results first, then the sizes that types leave open. Where only
    the function knows sizes of its results, it takes two steps: the first calls the function and
    gives the sizes, the second the values that were kept meanwhile.

    """

    def __init__(self, kernel: HostKernel) -> None:
        self.call = kernel.call
        self._step = kernel.step
        results, inputs = self.call.result_types, self.call.input_types
        if self._step == "sizes":
            results = [_sizes_type(results)]
        elif self._step == "values":
            inputs = [_sizes_type(results)]
        self._types = [*results, *inputs]
        self._results = len(results)
        unknown = sum(not isinstance(dim, int) for type in self._types for dim in type.shape)
        self.table = ctypes.c_int64 * (len(self._types) + unknown)
        self._called = kernel.called
        self._computations: list[Callable[..., Any]] = []
        self._run: Applied | None = None
        self._sized: _Sized | None = None  # of the last sizes, or of all where they are known

    def link(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Make the call ready to run: find its function, hand it the computations it may call.

        Raises:
            UnsupportedError: what is registered cannot be called in the way that the op asks for.
        """
        self._computations = [functions[name] for name in self._called]
        self._run = _take if self._step == "values" else self._found(self.call)
        if self._run is None:
            message = f"{self.call.unregistered().diagnostics[0].message}; running it fails"
            errors.warn(message, self.call.place)

    def _found(self, call: Call) -> Applied | None:
        function = extend.find(call.target)
        return None if function is None else applied(function, call, self._computations)

    def __call__(self, table: int) -> None:
        """Run it on a table of addresses, results first."""
        self._run = self._run or self._found(self.call)  # it may be registered by now
        if self._run is None:
            raise self.call.unregistered()
        words = list(self.table.from_address(table))
        count = len(self._types)
        sized = self._sized
        if sized is None or sized.sizes != words[count:]:
            sized = self._sized = self._with(words[count:])
        outputs, written = _borrow(
            words[: self._results], sized.memories[: self._results], writeable=True
        )
        operands, results = _borrow(
            words[self._results : count], sized.memories[self._results :], writeable=False
        )
        values: Sequence[Array]
        if self._step == "sizes":
            values = _keep(sized.run(operands, None), self.call.result_types)
        else:
            values = sized.run(operands, outputs)
        _store(outputs, values)
        del operands, outputs, values
        self._check_returned([*written, *results])

    def _with(self, sizes: list[int]) -> _Sized:
        """The call for sizes that are known now."""
        rest = iter(sizes)
        types = [
            type.with_shape([dim if isinstance(dim, int) else next(rest) for dim in type.shape])
            for type in self._types
        ]
        run = self._run
        if sizes and self._step != "values":
            results = self.call.result_types if self._step else types[: self._results]
            run = self._found(_exact(self.call, types[self._results :], results))
        if run is None:
            raise self.call.unregistered()
        return _Sized(sizes, [_memory(type) for type in types], run)

    def _check_returned(self, owners: Sequence[weakref.ref[Any]]) -> None:
        """Refuse a function that kept an array: the memory is about to be used again."""
        if all(owner() is None for owner in owners):
            return
        gc.collect()  # it may have kept it in garbage only
        if any(owner() is not None for owner in owners):
            raise self.call.error(
                "kept an operand or output, which is valid during the call only: copy it"
            )


# --- results whose sizes only the function knows --------------------------------------------------
def _sizes_type(results: Sequence[TensorType]) -> TensorType:
    """What the first step gives: a number for the values that are kept, and their open sizes."""
    unknown = sum(not isinstance(dim, int) for type in results for dim in type.shape)
    return TensorType((1 + unknown,), dtypes.element_type("i64"))


class _Kept(threading.local):
    """Values of a function until the second step, which follows the first one at once."""

    number = 0
    values: Sequence[Array] = ()


_kept = _Kept()


def _keep(values: Sequence[Array], types: Sequence[TensorType]) -> list[Array]:
    # What only views memory of the call, such as an operand, does not outlive it.
    _kept.values = [value if value.flags.owndata else np.array(value) for value in values]
    _kept.number += 1
    sizes = [
        size
        for value, type in zip(values, types, strict=True)
        for size, dim in zip(value.shape, type.shape, strict=True)
        if not isinstance(dim, int)
    ]
    return [np.array([_kept.number, *sizes], np.int64)]


def _take(operands: Sequence[Array], outputs: Sequence[Array] | None) -> Sequence[Array]:
    if int(operands[0][0]) != _kept.number:
        raise errors.ExecutionError("values of a custom call were taken twice or out of turn")
    values, _kept.values = _kept.values, ()
    return values


def _store(outputs: Sequence[Array], values: Sequence[Array]) -> None:
    for output, value in zip(outputs, values, strict=True):
        if value is not output:
            output[...] = value


def _exact(call: Call, inputs: Sequence[TensorType], results: Sequence[TensorType]) -> Call:
    """The call as if its types had these sizes."""
    arrays, outputs = iter(inputs), iter(results)
    return replace(
        call,
        inputs=tuple(None if type is None else next(arrays) for type in call.inputs),
        results=tuple(None if type is None else next(outputs) for type in call.results),
    )


def _memory(type: TensorType) -> _Memory:
    shape = type.static_shape
    return _Memory(type, shape, type.element_type.dtype, ctypes.c_uint8 * max(1, type.nbytes))


def _borrow(
    addresses: Sequence[int], memories: Sequence[_Memory], *, writeable: bool
) -> tuple[list[Array], list[weakref.ref[Any]]]:
    """Arrays over memory of compiled code, and references that tell who still has one."""
    arrays = [_array_at(*pair, writeable) for pair in zip(addresses, memories, strict=True)]
    return [array for array, _ in arrays], [weakref.ref(owner) for _, owner in arrays]


def _array_at(address: int, memory: _Memory, writeable: bool) -> tuple[Array, Any]:
    """An array over memory of compiled code, and the object that lives as long as its views."""
    owner = memory.bytes.from_address(address)
    if writeable:
        return np.ndarray(memory.shape, memory.dtype, owner), owner
    flat = np.asarray(memoryview(owner)[: memory.type.nbytes].toreadonly())
    return flat.view(memory.dtype).reshape(memory.shape), owner
