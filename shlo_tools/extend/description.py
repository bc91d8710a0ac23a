"""One ``custom_call`` of a program: what its op says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import Array, TensorType, tensor_type
from shlo_tools.errors import Diagnostic, ExecutionError, Place, UnsupportedError
from shlo_tools.quantized_types import holds_quantized


@dataclass(frozen=True)
class Untyped:
    """An attribute that is no number, array, text or dictionary."""

    text: str


Layout = tuple[int, ...]  # dimensions, the fastest varying one first

_CONFIGS = ("mhlo.backend_config", "backend_config")
TOKEN_TYPE = "!stablehlo.token"


@dataclass(frozen=True)
class Call:
    """What an op says of its call.

    Attributes:
        inputs, results: the types of operands and results, tuples spread out; None for a token.
        is_single: whether there is one result, and that in no tuple.
        config: ``backend_config``: text, bytes, or a dictionary of Python values.
        typed_config: the same dictionary with numbers of the widths that the attributes have.
        op_attributes: the other attributes, as Python values.
        input_paths, result_paths: for each type the number of the value, and the way in its tuple.
    """

    target: str
    inputs: tuple[TensorType | None, ...]
    results: tuple[TensorType | None, ...]
    is_single: bool = True
    config: str | bytes | Mapping[str, Any] | None = None
    typed_config: Mapping[str, Any] = field(default_factory=dict)
    op_attributes: Mapping[str, Any] = field(default_factory=dict)
    api_version: int = 1
    has_side_effect: bool = False
    input_paths: tuple[tuple[int, ...], ...] = ()
    result_paths: tuple[tuple[int, ...], ...] = ()
    place: Place | None = None

    @cached_property
    def input_types(self) -> list[TensorType]:
        """Without tokens, as all that follows."""
        return [type for type in self.inputs if type is not None]

    @cached_property
    def result_types(self) -> list[TensorType]:
        return [type for type in self.results if type is not None]

    @cached_property
    def operand_layouts(self) -> tuple[Layout, ...]:
        return self._layouts("operand_layouts", self.inputs)

    @cached_property
    def result_layouts(self) -> tuple[Layout, ...]:
        return self._layouts("result_layouts", self.results)

    def _layouts(self, name: str, types: Sequence[TensorType | None]) -> tuple[Layout, ...]:
        layouts = self.op_attributes.get(name)
        if layouts is not None and len(layouts) != len(types):
            raise self.unsupported(f"{name} are given for {len(layouts)} of {len(types)} values")
        return tuple(
            tuple(reversed(range(type.rank)))
            if layouts is None
            else tuple(map(int, layouts[number]))
            for number, type in enumerate(types)
            if type is not None
        )

    @cached_property
    def output_operand_aliases(self) -> dict[int, int]:
        """Number of a result -> number of the operand that it starts as."""
        inputs = _positions(self.inputs, self.input_paths)
        # The way to a result starts in the tuple, where that is all there is.
        skip = len({path[0] for path in self.result_paths} | {0}) == 1
        ways = [path[1:] if skip else path for path in self.result_paths]
        results = _positions(self.results, ways)
        aliases = {}
        for text in self.op_attributes.get("output_operand_aliases", ()):
            words = {name: _numbers(rest) for name, rest in _ALIAS.findall(text)}
            output = words.get("output_tuple_indices", ())
            operand = (*words["operand_index"], *words.get("operand_tuple_indices", ()))
            if output not in results or operand not in inputs:
                raise self.unsupported(f"{text} names no array")
            aliases[results[output]] = inputs[operand]
        return aliases

    @cached_property
    def shape_operands(self) -> tuple[int, ...]:
        """Numbers of the operands that hold the shape of a result each, and are no others."""
        listed = self.op_attributes.get("indices_of_shape_operands", ())
        return tuple(int(number) for number in np.atleast_1d(listed)) if len(listed) else ()

    def with_shapes(self, shapes: Sequence[Array]) -> Call:
        """The call without its shape operands, whose values are given."""
        if len(shapes) != len(self.results) or len(self.input_types) != len(self.inputs):
            raise self.unsupported(f"{len(shapes)} shapes are given for its results")
        kept = [n for n in range(len(self.inputs)) if n not in self.shape_operands]
        attributes = {
            n: v for n, v in self.op_attributes.items() if n != "indices_of_shape_operands"
        }
        if "operand_layouts" in attributes:
            attributes["operand_layouts"] = [attributes["operand_layouts"][n] for n in kept]
        results = [
            type if type is None else type.with_shape(map(int, shape))
            for type, shape in zip(self.results, shapes, strict=True)
        ]
        return replace(
            self,
            inputs=tuple(self.inputs[n] for n in kept),
            input_paths=tuple(self.input_paths[n] for n in kept),
            results=tuple(results),
            op_attributes=attributes,
        )

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        """``backend_config`` as a dictionary."""
        if self.config is None or isinstance(self.config, dict):
            return self.config or {}
        return {"backend_config": self.config}

    def error(self, what: str) -> ExecutionError:
        message = f"custom_call {self.target!r} {what}"
        return ExecutionError(Diagnostic("error", message, self.place))

    def unsupported(self, what: str, hint: str = "") -> UnsupportedError:
        message = f"custom_call {self.target!r}: {what}"
        return UnsupportedError(Diagnostic("error", message, self.place, hint=hint))

    def unregistered(self) -> UnsupportedError:
        message = f"custom_call target {self.target!r} is not registered"
        hint = f"register a function with @shlo_tools.custom_call({self.target!r})"
        return UnsupportedError(Diagnostic("error", message, self.place, hint=hint))


_ALIAS = re.compile(r"(\w+) = (\[[^\]]*\]|\d+)")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def _positions(
    types: Sequence[TensorType | None], paths: Sequence[tuple[int, ...]]
) -> dict[tuple[int, ...], int]:
    """Where in the types without tokens each path leads."""
    named = [path for type, path in zip(types, paths, strict=True) if type is not None]
    return {path: number for number, path in enumerate(named)}


# --- reading --------------------------------------------------------------------------------------
def read(
    attributes: Mapping[str, Any],
    inputs: Sequence[mlir.Type],
    results: Sequence[mlir.Type],
    place: Place | None,
) -> Call:
    """What a ``custom_call`` of these attributes and types says.

    Raises:
        UnsupportedError: a value is no tensor, tuple or token.
    """
    own_attributes = {name: value for name, value in attributes.items() if name not in _CONFIGS}
    target = own_attributes.pop("call_target_name").value
    own_attributes.pop("called_computations", None)  # these are given as functions
    config = config_of(attributes)
    version = own_attributes.pop("api_version", None)
    effect = own_attributes.pop("has_side_effect", None)
    flat_inputs, flat_results = list(leaves(inputs)), list(leaves(results))
    return Call(
        target,
        tuple(_tensor(target, type, place) for _, type in flat_inputs),
        tuple(_tensor(target, type, place) for _, type in flat_results),
        is_single=len(results) == 1 and not mlir.is_tuple(results[0]),
        config=None if config is None else python_value(config),
        typed_config=typed_value(config) if _is_dictionary(config) else {},
        op_attributes={name: python_value(value) for name, value in own_attributes.items()},
        # Exporters write XLA's typed calls with an attribute that any version of StableHLO takes.
        api_version=4 if _is_dictionary(config) else 1 if version is None else version.value,
        has_side_effect=effect is not None and effect.value,
        input_paths=tuple(path for path, _ in flat_inputs),
        result_paths=tuple(path for path, _ in flat_results),
        place=place,
    )


def config_of(attributes: Any) -> Any:
    """The attribute that tells the target more, of an op's attributes; None where all are empty."""
    configs = (attributes[name] for name in _CONFIGS if name in attributes)
    return next((config for config in configs if getattr(config, "value_bytes", True)), None)


def _is_dictionary(config: Any) -> bool:
    return config is not None and str(config).startswith("{")


def leaves(
    types: Sequence[mlir.Type], path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], mlir.Type]]:
    """Types with tuples spread out, each with the positions that lead to it."""
    for number, type in enumerate(types):
        if mlir.is_tuple(type):
            yield from leaves(mlir.members(type), (*path, number))
        else:
            yield (*path, number), type


def _tensor(target: str, type: mlir.Type, place: Place | None) -> TensorType | None:
    if str(type) == TOKEN_TYPE:
        return None
    if mlir.is_tensor(type) and not holds_quantized(type):
        return tensor_type(type)
    message = f"custom_call {target!r}: {type} is no tensor that functions can take"
    raise UnsupportedError(Diagnostic("error", message, place))


def python_value(attribute: Any) -> Any:
    """An attribute as a Python value; one that has none as its text."""
    if mlir.is_dense(attribute):
        if str(attribute.type).endswith("index>"):
            return list(attribute)
        return dtypes.from_attribute(attribute)
    if hasattr(attribute, "value_bytes"):  # a string; text unless it is none
        raw = bytes(attribute.value_bytes)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw
    number = getattr(attribute, "value", None)
    if number is not None:
        return number if isinstance(number, bool | int | float | str) else str(attribute)
    try:
        members = list(attribute)
    except TypeError:
        return True if str(attribute) == "unit" else str(attribute)
    if str(attribute).startswith("{"):
        return {item.name: python_value(item.attr) for item in members}
    return [python_value(item) if mlir.is_attribute(item) else item for item in members]


def typed_value(attribute: Any) -> Any:
    """An attribute as numpy's number or array, text, or a dictionary of such; else ``Untyped``."""
    text = str(attribute)
    if text.startswith("{"):
        return {item.name: typed_value(item.attr) for item in attribute}
    if mlir.is_dense(attribute) or hasattr(attribute, "value_bytes"):
        plain = python_value(attribute)
        return plain if isinstance(plain, np.ndarray | str | bytes) else Untyped(text)
    if match := re.match(r"array<(\w+)", text):
        return np.array(list(attribute), dtypes.element_type(match[1]).dtype)
    name = "i1" if text in ("true", "false") else str(getattr(attribute, "type", ""))
    value = getattr(attribute, "value", None)
    if name not in dtypes.ELEMENT_TYPES or not isinstance(value, bool | int | float):
        return Untyped(text)
    return np.array(value).astype(dtypes.element_type(name).dtype)[()]
