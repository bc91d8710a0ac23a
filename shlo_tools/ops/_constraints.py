"""Constraints of the specification, checked with what is known: yes, no, or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shlo_tools.dtypes import Dim, ElementType, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.ops._value import Region, Tensor, Value

Verdict = bool | None  # None: not known before run time


def require(label: str, verdict: Verdict, message: str) -> None:
    """Raise ConstraintError citing the spec's ``label`` when ``verdict`` is a proven no."""
    if verdict is False:
        raise ConstraintError(f"({label}) {message}")


def same(a: Dim, b: Dim) -> Verdict:
    """Whether two dimensions are equal."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return True if a is b else None


def at_most(a: Dim, b: Dim) -> Verdict:
    return a <= b if isinstance(a, int) and isinstance(b, int) else None


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """No if any is no, else unknown if any is unknown, else yes."""
    answer: Verdict = True
    for verdict in verdicts:
        if verdict is False:
            return False
        if verdict is None:
            answer = None
    return answer


def same_shape(a: Sequence[Dim], b: Sequence[Dim]) -> Verdict:
    if len(a) != len(b):
        return False
    return every(same(x, y) for x, y in zip(a, b, strict=True))


def compatible(a: Value, b: Value) -> Verdict:
    """Whether two types can be the same type, element type included."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.element_type == b.element_type and same_shape(a.shape, b.shape)
    return str(a.type) == str(b.type)


def is_promotable(a: ElementType, b: ElementType) -> bool:
    """The spec's ``is_promotable``: ``b`` is of the same kind and at least as wide."""
    integers = a.is_integer and b.is_integer
    return (a.kind is b.kind or integers) and a.bits <= b.bits


def accumulators_of(body: Region, init_values: Sequence[Tensor]) -> list[Tensor]:
    """What a reduction's body accumulates in: the init values' types, or wider ones (C6).

    A region that exists declares them; one being built is given the init values' types.
    """
    accumulators = [value.like(shape=()) for value in init_values]
    declared = getattr(body, "arguments", ())[: len(accumulators)]
    if len(declared) < len(accumulators):
        return accumulators
    for have, want in zip(declared, accumulators, strict=True):
        wider = isinstance(have, Tensor) and is_promotable(want.element_type, have.element_type)
        require("C6", wider, f"the body accumulates in {have.type} what is {want.type}")
    return list(declared)


def is_permutation(axes: Sequence[int], rank: int) -> bool:
    return sorted(axes) == list(range(rank))


def is_unique(items: Sequence[int]) -> bool:
    return len(set(items)) == len(items)


def in_range(axes: Iterable[int], rank: int) -> bool:
    return all(0 <= axis < rank for axis in axes)


def meet_dims(a: Dim, b: Dim) -> Dim:
    """The more exact of two dimensions that are the same."""
    return a if isinstance(a, int) else b


def meet(a: TensorType, b: TensorType) -> TensorType:
    """The more exact of two types of one value; raises ConstraintError where they contradict."""
    if a.element_type != b.element_type or same_shape(a.shape, b.shape) is False:
        raise ConstraintError(f"one value cannot be both {a} and {b}")
    shape = tuple(meet_dims(x, y) for x, y in zip(a.shape, b.shape, strict=True))
    return TensorType(shape, a.element_type, a.bounds or b.bounds)


def meet_all(tensors: Sequence[Tensor]) -> Tensor:
    """The most exact type of values that have one type."""
    type = tensors[0].type
    for tensor in tensors[1:]:
        type = meet(type, tensor.type)
    return Tensor(type)
