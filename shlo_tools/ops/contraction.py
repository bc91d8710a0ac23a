"""Ops that multiply and sum: dot products."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from shlo_tools.constraints import (
    as_declared,
    every,
    in_range,
    is_unique,
    meet_dims,
    require,
    same,
)
from shlo_tools.dtypes import QuantizedElementType, TensorType
from shlo_tools.ops._attributes import AttributeEnum, AttributeStruct, Struct
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import require_product, require_weights
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


class Precision(AttributeEnum):
    """How exactly a contraction computes."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


@dataclass(frozen=True)
class DotAlgorithm(AttributeStruct):
    """What a dot product computes with; types are names of float types, or ``tf32``.

    Attributes:
        lhs_precision_type, rhs_precision_type: what operands are rounded to.
        accumulation_type: the precision of sums.
        lhs_component_count, rhs_component_count, num_primitive_operations: into how many parts
            operands are decomposed, and how many products of parts are summed.
        allow_imprecise_accumulation: whether some sums may be less precise.
    """

    lhs_precision_type: str
    rhs_precision_type: str
    accumulation_type: str
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False

    @property
    def precisions(self) -> tuple[str, str]:
        """What lhs and rhs are to be rounded to, for those that compute each product at once.

        Several primitive operations emulate the type of accumulation.
        """
        counts = (self.lhs_component_count, self.rhs_component_count)
        if max(*counts, self.num_primitive_operations) > 1:
            return self.accumulation_type, self.accumulation_type
        return self.lhs_precision_type, self.rhs_precision_type

    def written(self) -> str:
        rows = [(name, getattr(self, name)) for name in (*_TYPES, *_COUNTS)]
        rows.append((_IMPRECISE, str(bool(self.allow_imprecise_accumulation)).lower()))
        return f"#stablehlo.dot_algorithm<{', '.join(f'{name} = {value}' for name, value in rows)}>"

    @classmethod
    def read(cls, text: str) -> Self:
        fields = dict(re.findall(r"(\w+) = (\w+)", text))
        values: dict[str, Any] = {name: fields[name] for name in _TYPES}
        values |= {name: int(fields[name]) for name in _COUNTS}
        return cls(**values, allow_imprecise_accumulation=fields[_IMPRECISE] == "true")


_TYPES = ("lhs_precision_type", "rhs_precision_type", "accumulation_type")
_COUNTS = ("lhs_component_count", "rhs_component_count", "num_primitive_operations")
_IMPRECISE = "allow_imprecise_accumulation"

DOT_DIMENSION_NUMBERS = Struct(
    "dot_dimension_numbers",
    "dot",
    (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
    ),
)


@op(structs=[DOT_DIMENSION_NUMBERS], traits=Trait.ARITHMETIC | Trait.QUANTIZED_PER_AXIS)
def dot_general(
    lhs: Tensor,
    rhs: Tensor,
    lhs_batching_dimensions: Sequence[int] = (),
    rhs_batching_dimensions: Sequence[int] = (),
    lhs_contracting_dimensions: Sequence[int] = (),
    rhs_contracting_dimensions: Sequence[int] = (),
    precision_config: Sequence[Precision] | None = None,
    result_type: TensorType | None = None,
    algorithm: DotAlgorithm | None = None,
) -> Tensor:
    """Sums of products over the contracting dimensions.

    Result dimensions: batching, the other ones of lhs, the other ones of rhs. ``result_type``
    gives a wider element type to accumulate in, such as i32 for i8 operands; ``algorithm`` says
    what operands are rounded to, whatever the types of operands and result.
    """
    lhs_used = (*lhs_batching_dimensions, *lhs_contracting_dimensions)
    rhs_used = (*rhs_batching_dimensions, *rhs_contracting_dimensions)
    require(
        "C1",
        len(lhs_batching_dimensions) == len(rhs_batching_dimensions),
        "lhs and rhs have different numbers of batching dimensions",
    )
    require(
        "C2",
        len(lhs_contracting_dimensions) == len(rhs_contracting_dimensions),
        "lhs and rhs have different numbers of contracting dimensions",
    )
    require("C3", is_unique(lhs_used), f"lhs dimensions {list(lhs_used)} repeat")
    require("C4", is_unique(rhs_used), f"rhs dimensions {list(rhs_used)} repeat")
    for label, axes, operand in (
        ("C5", lhs_batching_dimensions, lhs),
        ("C6", lhs_contracting_dimensions, lhs),
        ("C7", rhs_batching_dimensions, rhs),
        ("C8", rhs_contracting_dimensions, rhs),
    ):
        require(label, in_range(axes, operand.rank), f"{list(axes)} leave rank {operand.rank}")
    pairs = [(lhs.shape[a], rhs.shape[b]) for a, b in zip(lhs_used, rhs_used, strict=True)]
    batches = len(lhs_batching_dimensions)
    for label, sizes in (("C9", pairs[:batches]), ("C10", pairs[batches:])):
        require(label, every(same(a, b) for a, b in sizes), f"{lhs.type} and {rhs.type} differ")
    if precision_config is not None:
        require("C11", len(precision_config) in (0, 2), "precision_config is not one per operand")
    if algorithm is not None:
        default = all(precision is Precision.DEFAULT for precision in precision_config or ())
        require("C21", default, "precision_config is not DEFAULT beside an algorithm")
    if lhs.element_type.is_quantized or rhs.element_type.is_quantized:
        declared = result_type.element_type if result_type else None
        require_product("C14 C17 C18 C19 C20", lhs, rhs, declared)
        require("C15", _is_centered(rhs), f"{rhs.type} has zero points")
        free = [d for d in range(rhs.rank) if d not in rhs_contracting_dimensions]
        require_weights("C16", rhs, free)
    else:
        require("C13", lhs.element_type == rhs.element_type, "element types differ")
    batch = [meet_dims(a, b) for a, b in pairs[:batches]]
    free_lhs = [dim for d, dim in enumerate(lhs.shape) if d not in lhs_used]
    free_rhs = [dim for d, dim in enumerate(rhs.shape) if d not in rhs_used]
    element = result_type.element_type if result_type else lhs.element_type
    result = lhs.like(shape=[*batch, *free_lhs, *free_rhs], element_type=element)
    return as_declared("C12", result, result_type)


def _is_centered(tensor: Tensor) -> bool:
    element = tensor.element_type
    return not (isinstance(element, QuantizedElementType) and any(element.zero_points))
