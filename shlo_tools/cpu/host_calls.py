"""Calls from compiled code back to Python: custom calls on numpy views."""

from __future__ import annotations

import ctypes
import functools
import gc
import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import dtypes, errors, extend, mlir
from shlo_tools.cpu import custom_calls
from shlo_tools.cpu.frame import read_place
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import Diagnostic, ExecutionError, UnsupportedError


def find(target: str) -> Callable[..., Any] | None:
    """The function for a custom_call target: registered, built in, or of an installed package."""
    return (
        extend.registered(target) or custom_calls.TARGETS.get(target) or extend.plugged_in(target)
    )


@dataclass(frozen=True)
class _Memory:
    """What is where: the shape and dtype of a tensor's memory, and it as bytes of ctypes."""

    type: TensorType
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    bytes: Any


class HostCall:
    """One custom call of a program; called with the address of a table of addresses."""

    def __init__(self, kernel: Any) -> None:
        described = {item.name: item.attr for item in kernel}
        self.target = described["target"].value
        self.inputs = _memories(described["inputs"])
        self.results = _memories(described["results"])
        self.place = read_place(described["place"].value if "place" in described else None)
        self.table = ctypes.c_int64 * (len(self.results) + len(self.inputs))
        self.attributes = _attributes(described.get("config"))
        self.function = self._find()
        if self.function is None:
            message = f"custom_call target {self.target!r} is not registered; running it fails"
            errors.warn(message, self.place)

    def __call__(self, table: int) -> None:
        """Run it on a table of addresses, results first."""
        addresses = list(self.table.from_address(table))
        outputs = addresses[: len(self.results)]
        arrays, owners = _borrow(addresses[len(self.results) :], self.inputs)
        returned = self._function()(*arrays)
        self._store(outputs, returned)
        del arrays, returned
        self._check_returned(owners)

    def _function(self) -> Callable[..., Any]:
        self.function = self.function or self._find()  # it may be registered by now
        if self.function is None:
            message = f"custom_call target {self.target!r} is not registered"
            hint = f"register a function with @shlo_tools.custom_call({self.target!r})"
            raise UnsupportedError(Diagnostic("error", message, self.place, hint=hint))
        return self.function

    def _find(self) -> Callable[..., Any] | None:
        """The target's function, with the keywords that it takes."""
        function = find(self.target)
        if function is None:
            return None
        types = [result.type for result in self.results]
        given = {"attributes": self.attributes, "result_types": types, "place": self.place}
        names = _parameters(function)
        taken = {name: value for name, value in given.items() if name in names}
        return functools.partial(function, **taken)

    def _store(self, outputs: Sequence[int], returned: Any) -> None:
        several = tuple if len(outputs) == 1 else (tuple, list)  # one result may be a list
        values = returned if isinstance(returned, several) else [returned]
        if returned is None:
            values = []
        if len(values) != len(outputs):
            raise self._error(f"returned {len(values)} results, not {len(outputs)}")
        for number, (address, value, memory) in enumerate(
            zip(outputs, values, self.results, strict=True)
        ):
            array = np.asarray(value)
            if array.shape != memory.shape or array.dtype != memory.dtype:
                given = f"{array.dtype} array of shape {array.shape}"
                raise self._error(f"returned a {given} as result {number}, which is {memory.type}")
            _array_at(address, memory)[0][...] = array

    def _check_returned(self, owners: Sequence[weakref.ref[Any]]) -> None:
        """Refuse a function that kept an operand: the memory is about to be used again."""
        if all(owner() is None for owner in owners):
            return
        gc.collect()  # it may have kept it in garbage only
        if any(owner() is not None for owner in owners):
            raise self._error("kept an operand, which is valid during the call only: copy it")

    def _error(self, what: str) -> ExecutionError:
        return ExecutionError(
            Diagnostic("error", f"custom_call {self.target!r} {what}", self.place)
        )


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # builtin functions may have no signature
        return []


def _memories(types: Any) -> list[_Memory]:
    """The memory that tensors of some types take; ``types`` is an array attribute."""
    read = [dtypes.tensor_type(item.value) for item in types]
    return [
        _Memory(t, t.static_shape, t.element_type.dtype, ctypes.c_uint8 * max(1, t.nbytes))
        for t in read
    ]


def _borrow(
    addresses: Sequence[int], memories: Sequence[_Memory]
) -> tuple[list[Array], list[weakref.ref[Any]]]:
    """Read-only arrays over memory of compiled code, and references that tell who still has one."""
    found = [_array_at(*pair, writeable=False) for pair in zip(addresses, memories, strict=True)]
    return [array for array, _ in found], [weakref.ref(owner) for _, owner in found]


def _array_at(address: int, memory: _Memory, *, writeable: bool = True) -> tuple[Array, Any]:
    """An array over memory of compiled code, and the object that lives as long as its views."""
    owner = memory.bytes.from_address(address)
    view = memoryview(owner)[: memory.type.nbytes]
    flat = np.asarray(view if writeable else view.toreadonly())
    return flat.view(memory.dtype).reshape(memory.shape), owner


# --- attributes -----------------------------------------------------------------------------------
def _attributes(config: Any) -> dict[str, Any]:
    """``backend_config`` as Python values."""
    if config is None:
        return {}
    value = python_value(config)
    return value if isinstance(value, dict) else {"backend_config": value}


def python_value(attribute: Any) -> Any:
    """An attribute as a Python value; one that has none as its text."""
    if mlir.is_dense(attribute):
        return dtypes.from_attribute(attribute)
    if hasattr(attribute, "value_bytes"):  # a string; text unless it is none
        raw = bytes(attribute.value_bytes)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw
    held = getattr(attribute, "value", None)
    if held is not None:
        return held if isinstance(held, bool | int | float | str) else str(attribute)
    try:
        members = list(attribute)
    except TypeError:
        return True if str(attribute) == "unit" else str(attribute)
    if str(attribute).startswith("{"):
        return {item.name: python_value(item.attr) for item in members}
    return [python_value(item) if mlir.is_attribute(item) else item for item in members]
