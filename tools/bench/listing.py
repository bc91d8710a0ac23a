"""A program of StableHLO as plain data, for interpreters that have no MLIR.

    {"functions": {"main": BODY, ...}}

A body has ``arguments`` and ``yields``, numbers of values, and ``steps``. A step has the name of an
``op``, ``operands`` and ``results`` by number, their types as ``[element, sizes]``, ``attributes``
by the names of the specification, and ``regions``: bodies that may use values from outside.
Constants are arrays, and steps say their places. Loads MLIR.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dtypes import Array, from_attribute, tensor_type
from shlo_tools.errors import ShloError
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops._op import OPERAND_ROLES, Role, read_arguments

_ENDS = ("stablehlo.return", "func.return")
_NO_ATTRIBUTES = (*OPERAND_ROLES, Role.REGION, Role.REGIONS)
_CONSTANTS = ("stablehlo.constant", "arith.constant")


@dataclass
class Listing:
    """A program as plain data.

    Attributes:
        functions: bodies by name; what ``main`` needs.
        constants: elements by the number that a step's ``constant`` says.
    """

    functions: dict[str, Any] = field(default_factory=dict)
    constants: list[Array] = field(default_factory=list)


def listing(module: mlir.Module) -> Listing:
    """List ``@main``, and what it calls.

    Raises:
        ShloError: sizes are unknown, or an attribute is no plain data.
    """
    with mlir.library_context():
        named = ir.functions_by_name(module.operation)
        result = Listing()
        names = ["main"]
        for name in names:  # it grows on the way
            if name not in named or ir.is_declaration(named[name]):
                raise ShloError(f"there is no function @{name} with a body")
            lister = _Lister(result)
            result.functions[name] = lister.body(named[name].regions[0])
            names += [callee for callee in lister.called if callee not in names]
    return result


class _Lister:
    """Lists one function; numbers its values."""

    def __init__(self, result: Listing) -> None:
        self._numbers: dict[mlir.Value, int] = {}
        self._result = result
        self.called: dict[str, None] = {}

    def body(self, region: mlir.Region) -> dict[str, Any]:
        block, *more = region.blocks
        if more:
            raise ShloError("a region has several blocks")
        body: dict[str, Any] = {"arguments": self._numbered(block.arguments), "steps": []}
        for view in block.operations:
            op = mlir.inner_operation(view)
            if op.name in _ENDS:
                body["yields"] = self._numbered(op.operands)
            else:
                body["steps"].append(self._step(op))
        return body

    def _numbered(self, values: Sequence[mlir.Value]) -> list[int]:
        return [self._numbers.setdefault(value, len(self._numbers)) for value in values]

    def _step(self, op: mlir.Operation) -> dict[str, Any]:
        step: dict[str, Any] = {
            "op": op.name,
            "operands": self._numbered(op.operands),
            "operand_types": [_type(value.type) for value in op.operands],
            "attributes": {},
            "regions": [self.body(region) for region in op.regions],
            "result_types": [_type(value.type) for value in op.results],
        }
        step["results"] = self._numbered(op.results)  # behind those inside
        if op.name in _CONSTANTS:
            step["constant"] = len(self._result.constants)
            self._result.constants.append(_elements(op))
        elif callee := ir.called_name(op):
            step["op"], step["callee"] = "func.call", callee
            self.called[callee] = None
        elif op.name in DESCRIPTIONS:
            step["attributes"] = _attributes(op)
        return step


def _type(type: mlir.Type) -> tuple[str, tuple[int, ...] | None]:
    """An element type and sizes; no sizes for what is no tensor."""
    if not mlir.is_tensor(type):
        return str(type), None
    tensor = tensor_type(type)
    return tensor.element_type.name, tensor.static_shape


def _elements(op: mlir.Operation) -> Array:
    """The elements of a constant; one where all are the same."""
    attribute: Any = op.attributes["value"]
    array = from_attribute(attribute)
    if mlir.is_splat(attribute) and array.size:
        return array.reshape(-1)[:1].copy()
    return array


def _attributes(op: mlir.Operation) -> dict[str, Any]:
    inside = {p.name for p in DESCRIPTIONS[op.name].parameters if p.role in _NO_ATTRIBUTES}
    values = read_arguments(op).items()
    return {name: _plain(value) for name, value in values if name not in inside}


def _plain(value: Any) -> Any:
    """An attribute as JSON has it; what has no such form is its text."""
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return str(value)
