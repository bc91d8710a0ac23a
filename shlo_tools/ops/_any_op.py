"""What the op functions do not say: ops of other dialects, other results, further attributes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError, did_you_mean
from shlo_tools.ops._attributes import as_attribute, text_of
from shlo_tools.ops._op import BuiltRegion, operand_of, verify
from shlo_tools.text import guards
from shlo_tools.types import Tensor, Value, coerce_type, of_value, ssa


def attribute(text: str) -> mlir.Attribute:
    """An attribute as MLIR spells it, such as ``attribute("array<i64: 1, 2>")``.

    Raises:
        ShloError: it is none.
    """
    guards.require_harmless(text, "attribute")
    with mlir.library_context():
        try:
            return mlir.parse_attribute(text)
        except mlir.MLIRError as error:
            reason = mlir.diagnostics_of(error)[0].message
            raise ShloError(f"{text[:200]!r} is no attribute: {reason}") from error


def as_attributes(values: Mapping[str, Any], of: str) -> dict[str, mlir.Attribute]:
    """The attributes that Python values stand for: numbers, text, arrays, lists, dictionaries.

    An ``int`` is 64 bits wide, a ``float`` as well; numpy's numbers have their own types. What
    Python has no value for is written by ``attribute``.

    Raises:
        ShloError: a value stands for none, or ``values`` are no dictionary.
    """
    if not isinstance(values, Mapping):
        raise ShloError(f"{of} are a dictionary, not {values!r}")
    attributes = {}
    for name, value in values.items():
        if not text_of(name, f"name of an attribute of {of}"):
            raise ShloError(f"an attribute of {of} has no name")
        try:
            attributes[name] = as_attribute(value)
        except ShloError as error:
            raise ShloError(f"{of}: {name}: {error.diagnostics[0].message}") from error
    return attributes


@contextmanager
def attributes(values: Mapping[str, Any]) -> Iterator[None]:
    """Within the block, ops and calls have these attributes beside their own.

        with attributes({"mhlo.frontend_attributes": {"layer": "0"}}):
            y = ops.tanh(x)

    What functions of regions build does not get them.
    """
    build = copy.copy(ir.insertion())
    known = getattr(build, "attributes", None)
    if known is None:
        raise ShloError("attributes are given to ops inside a function given to Module.func")
    build.attributes = {**known, **as_attributes(values, "attributes")}  # type: ignore[attr-defined]
    with ir.inserting(build):
        yield


def operation(
    name: str,
    operands: Sequence[Value | Any] = (),
    result_types: Sequence[Any] = (),
    attributes: Mapping[str, Any] | None = None,
    regions: Sequence[Callable[..., Any] | None] = (),
    terminators: str | Sequence[str] = "stablehlo.return",
) -> Any:
    """Build an op of any dialect, with the results that are said.

        size = operation("shape.shape_of", [x], ["2xindex"])

    For the ops of StableHLO and CHLO their functions are better: they check operands, and know
    the results. MLIR checks what is built here when its function is complete.

    Args:
        name: with its dialect.
        operands: tensors and other values; arrays and numbers become constants.
        result_types: as in ``Module.func``.
        attributes: see ``attribute`` for those that Python has no values for.
        regions: functions that fill them, with parameters annotated by types; ``None`` for an
            empty one.
        terminators: the op that returns what a region's function returns, or one per region.

    Returns:
        a value, or a tuple of several; ``()`` of none.

    Raises:
        ShloError: there is no such op, or an argument cannot be used.
    """
    if not mlir.current_context().is_registered_operation(text_of(name, "name of an op")):
        hint = did_you_mean(name, mlir.registered_op_names())
        raise ShloError(f"there is no op {name!r}", hint=hint)
    build = ir.insertion()
    first = next((value for value in operands if isinstance(value, Tensor)), None)
    values = [operand_of(value, first, scalar=False) for value in operands]
    types = [coerce_type(type, None).mlir() for type in result_types]
    own = as_attributes(attributes or {}, name)
    if "-" in str(own.get("broadcast_dimensions", "")):  # MLIR's verifier takes them for positions
        raise ShloError(f"{name}: broadcast_dimensions are negative")
    ends = [terminators] * len(regions) if isinstance(terminators, str) else list(terminators)
    if len(ends) != len(regions):
        raise ShloError(f"{name}: {len(ends)} terminators for {len(regions)} regions")
    filled: list[BuiltRegion | None] = []
    try:
        for function, end in zip(regions, ends, strict=True):
            filled.append(None if function is None else BuiltRegion(function, build, end))
            if (region := filled[-1]) is not None:
                region.fill_as_annotated()
        op = build.op(name, [ssa(value) for value in values], types, own, len(filled))
        for region, target in zip(filled, op.regions, strict=True):
            if region is not None:
                region.move_into(target)
    finally:
        for region in reversed(filled):
            if region is not None:
                region.discard()
    if name == "stablehlo.all_to_all":  # MLIR's verifier divides by what ours refuses
        verify(op)
    results = tuple(of_value(result) for result in op.results)
    return results[0] if len(results) == 1 else results
