"""Calls from compiled code back to Python: custom calls on numpy views."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes, errors, mlir
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ExecutionError, UnsupportedError
from shlo_tools.extend import find_custom_call


class HostCall:
    """One custom call of a program; called with a table of addresses, results first."""

    def __init__(self, kernel: Any) -> None:
        described = {item.name: item.attr for item in kernel}
        self.target = described["target"].value
        self.inputs = _types(described["inputs"])
        self.results = _types(described["results"])
        self.attributes = _attributes(described.get("config"))
        self.function = find_custom_call(self.target)
        if self.function is None:
            errors.warn(f"custom_call target {self.target!r} is not registered; running it fails")

    def __call__(self, table: int) -> None:
        if self.function is None:
            raise UnsupportedError(
                f"custom_call target {self.target!r} is not registered",
                hint=f"register a function with @shlo_tools.custom_call({self.target!r})",
            )
        count = len(self.results) + len(self.inputs)
        addresses = list((ctypes.c_int64 * count).from_address(table))
        outputs = [_view(a, t) for a, t in zip(addresses, self.results, strict=False)]
        inputs = [_view(a, t) for a, t in zip(addresses[len(outputs) :], self.inputs, strict=True)]
        for array in inputs:
            array.flags.writeable = False
        returned = _call(self.function, inputs, self.attributes)
        self._store(outputs, returned)

    def _store(self, outputs: Sequence[Array], returned: Any) -> None:
        values = [returned] if len(outputs) == 1 and not isinstance(returned, tuple) else returned
        values = [] if values is None else list(values)
        if len(values) != len(outputs):
            raise ExecutionError(
                f"custom_call {self.target!r} returned {len(values)} results, not {len(outputs)}"
            )
        for output, value, type in zip(outputs, values, self.results, strict=True):
            array = np.asarray(value)
            if array.shape != output.shape or array.dtype != output.dtype:
                raise ExecutionError(
                    f"custom_call {self.target!r} returned {array.dtype}{array.shape}, not {type}"
                )
            output[...] = array


def _call(function: Callable[..., Any], inputs: Sequence[Array], attributes: Any) -> Any:
    if "attributes" in inspect.signature(function).parameters:
        return function(*inputs, attributes=attributes)
    return function(*inputs)


def _types(attribute: Any) -> list[TensorType]:
    return [dtypes.tensor_type(item.value) for item in attribute]


def _view(address: int, type: TensorType) -> Array:
    if type.nbytes == 0:
        return np.empty(type.static_shape, type.element_type.dtype)
    memory = memoryview((ctypes.c_uint8 * type.nbytes).from_address(address))
    return np.asarray(memory).view(type.element_type.dtype).reshape(type.static_shape)


def _attributes(config: Any) -> dict[str, Any]:
    """``backend_config`` as Python values."""
    if config is None:
        return {}
    if hasattr(config, "value"):
        return {"backend_config": config.value}
    return {item.name: _python(item.attr) for item in config}


def _python(attribute: Any) -> Any:
    if mlir.is_dense(attribute):
        return dtypes.from_attribute(attribute)
    return getattr(attribute, "value", attribute)
