"""What rules see of a step, and how they are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

Run = Callable[..., Any]  # tensors in; one tensor out, or several in a sequence
Inner = Callable[[Sequence[Tensor]], Sequence[Tensor]]  # a region

DTYPES: Mapping[str, torch.dtype] = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "ui8": torch.uint8,
    "ui16": torch.uint16,
    "ui32": torch.uint32,
    "ui64": torch.uint64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "complex<f32>": torch.complex64,
    "complex<f64>": torch.complex128,
}


class UnsupportedOp(Exception):
    """An op that torch has nothing for, by its name, and which form of it."""


@dataclass(frozen=True)
class Type:
    """An element type and sizes, which are None for what is no tensor."""

    element: str
    sizes: tuple[int, ...] | None

    @property
    def dtype(self) -> torch.dtype:
        """Torch's type; raises UnsupportedOp where it has none."""
        self.check()
        return DTYPES[self.element]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of a tensor."""
        if self.sizes is None:
            raise UnsupportedOp(f"a value of {self.element}")
        return self.sizes

    def check(self) -> None:
        """Raise UnsupportedOp for a tensor that torch does not have."""
        if self.sizes is not None and self.element not in DTYPES:
            raise UnsupportedOp(f"elements of {self.element}")

    @property
    def is_integer(self) -> bool:
        return self.element.startswith(("i", "ui")) and self.element != "i1"


@dataclass(frozen=True)
class Step:
    """An op, as ``listing`` wrote it.

    Attributes:
        regions: its regions, ready to run.
        bodies: the same as data.
        fills: by number of an operand, the constant that fills it.
    """

    name: str
    attributes: Mapping[str, Any]
    operands: Sequence[Type]
    results: Sequence[Type]
    regions: Sequence[Inner] = ()
    bodies: Sequence[Mapping[str, Any]] = ()
    fills: Mapping[int, float] = field(default_factory=dict)

    @property
    def result(self) -> Type:
        return self.results[0]

    def unsupported(self, form: str = "") -> UnsupportedOp:
        """The error for an op of this form."""
        return UnsupportedOp(f"{self.name} ({form})" if form else self.name)

    def combiner(self) -> str:
        """The name of the only op of a region of two arguments, which takes both in order.

        '' where the region is another one.
        """
        body = self.bodies[0]
        if len(body["arguments"]) != 2 or len(body["steps"]) != 1:
            return ""
        (step,) = body["steps"]
        takes = sorted(step["operands"]) == sorted(body["arguments"])
        name = str(step["op"])
        return name if takes and step["results"] == body["yields"] else ""


Rule = Callable[[Step], Run]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register what makes a call of torch for the ops of some names."""

    def register(function: Rule) -> Rule:
        RULES.update((name, function) for name in names)
        return function

    return register
