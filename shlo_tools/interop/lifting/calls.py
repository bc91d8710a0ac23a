"""One op as a call of the builder: by its op function if that builds the very same op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import dtypes, ir, mlir
from shlo_tools.errors import ShloError
from shlo_tools.ops._attributes import FunctionSymbol
from shlo_tools.ops._op import (
    DESCRIPTIONS,
    OpDescription,
    Role,
    own_attributes,
    read_arguments,
    results_of,
)
from shlo_tools.types import Tensor, Value, of_value

_LARGE = 1 << 24  # bytes; a constant of one value everywhere is not written out beyond them


LEFT_OUT = object()  # an attribute that has a default, which the op does not spell out


@dataclass(frozen=True)
class Call:
    """How the builder makes an op.

    Attributes:
        arguments: of its function, by parameter, ``LEFT_OUT`` among them; None where
            ``operation`` makes it.
        results: what the function returns: a Value, or nested tuples of them.
        further: attributes that the function does not give it.
        declared: regions whose arguments have other types than the op gives them, by number.
    """

    arguments: Mapping[str, Any] | None = None
    results: Any = None
    further: Mapping[str, mlir.Attribute] = field(default_factory=dict)
    declared: frozenset[int] = frozenset()


class _Region:
    """An existing region as a rule calls it; it keeps what types it was given."""

    def __init__(self, region: mlir.Region) -> None:
        self.block = region.blocks[0]
        self.types: list[str] | None = None

    def __call__(self, *arguments: Value) -> tuple[Tensor, ...]:
        self.types = [str(argument.type) for argument in arguments]
        end = ir.terminator(self.block)
        return tuple(of_value(operand) for operand in end.operands)  # type: ignore[misc]

    @property
    def is_as_given(self) -> bool:
        """Whether a builder's region has these arguments where nothing is said of them."""
        return self.types == [str(of_value(argument).type) for argument in self.block.arguments]


def call_of(op: mlir.Operation) -> Call:
    """How the builder makes an op: by its function where results and attributes come out alike."""
    description = DESCRIPTIONS.get(op.name)
    if description is None or _is_huge(op) or not _has_plain_regions(op):
        return Call()
    try:
        arguments = read_arguments(op)
        declared = _declared(op, description, arguments)
        results = description.rule(**arguments)
        own = own_attributes(description, arguments, results)
    except (ShloError, TypeError):  # an op that breaks a constraint, or has what no function takes
        return Call()
    types = [value.type.mlir() for value in results_of(results)]
    attributes = dict(op.attributes.items())
    missing = [name for name in own if name not in attributes]
    if types != [result.type for result in op.results] or any(
        not _means(attributes[name], value) for name, value in own.items() if name not in missing
    ):
        return Call()
    arguments.update((name, LEFT_OUT) for name in missing)
    further = {name: value for name, value in attributes.items() if name not in own}
    return Call(arguments, results, further, declared)


def _means(attribute: mlir.Attribute, value: mlir.Attribute) -> bool:
    """Whether what the function gives the op is its attribute, or a resource's values."""
    return attribute == value or mlir.is_dense_resource(attribute)


def _declared(
    op: mlir.Operation, description: OpDescription, arguments: Mapping[str, Any]
) -> frozenset[int]:
    """The regions that must say what they take."""
    regions = [_Region(region) for region in op.regions]
    rest = iter(regions)
    views = dict(arguments)
    for parameter in description.parameters:
        if parameter.role is Role.REGION:
            views[parameter.name] = next(rest)
        elif parameter.role is Role.REGIONS:
            views[parameter.name] = tuple(rest)
    try:
        description.rule(**views)
    except ShloError:
        return frozenset(range(len(regions)))
    return frozenset(number for number, region in enumerate(regions) if not region.is_as_given)


def _is_huge(op: mlir.Operation) -> bool:
    """Whether an op is a constant that only MLIR's spelling keeps small."""
    if op.name != "stablehlo.constant":
        return False
    value = op.attributes["value"]
    return mlir.is_dense(value) and mlir.is_splat(value) and _bytes(value) > _LARGE


def _bytes(value: mlir.Attribute) -> int:
    return dtypes.tensor_type(value.type).nbytes


def _has_plain_regions(op: mlir.Operation) -> bool:
    """Whether all regions are of one block that returns by StableHLO's op."""
    blocks: Sequence[Sequence[mlir.Block]] = [list(region.blocks) for region in op.regions]
    return all(
        len(each) == 1 and ir.terminator(each[0]).name == "stablehlo.return" for each in blocks
    )


def is_symbol(value: Any) -> bool:
    """Whether an argument names a function."""
    return isinstance(value, FunctionSymbol)
