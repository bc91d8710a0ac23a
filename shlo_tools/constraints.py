"""Constraints of the specification, checked with what is known: yes, no, or unknown.

A verdict on sizes that are expressions may be a list of facts, which decide at run time. Within
``collecting`` they are kept for whoever makes the program check them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType

from shlo_tools import dims
from shlo_tools.dims import Size
from shlo_tools.dtypes import Dim, ElementType, QuantizedElementType, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.types import Region, Tensor, Value


@dataclass(frozen=True)
class Fact:
    """``a == b``, ``a <= b``, or ``a stretches to b``: it is 1 or the same."""

    relation: str
    a: Dim
    b: Dim

    def __str__(self) -> str:
        return f"{self.a} {self.relation} {self.b}"


Facts = tuple[Fact, ...]
Verdict = bool | Facts | None  # None: not known before run time


@dataclass(frozen=True)
class Obligation:
    """A constraint that holds if its facts do."""

    label: str
    facts: Facts
    message: str


_open: ContextVar[list[Obligation] | None] = ContextVar("open", default=None)


@contextmanager
def collecting() -> Iterator[list[Obligation]]:
    """Within the block, constraints that only run time decides are added to the list."""
    obligations: list[Obligation] = []
    token = _open.set(obligations)
    try:
        yield obligations
    finally:
        _open.reset(token)


_citation: ContextVar[Mapping[str, str]] = ContextVar("citation", default=MappingProxyType({}))


@contextmanager
def citing(labels: Mapping[str, str]) -> Iterator[None]:
    """Within the block, constraints are cited by the labels that another op has for them."""
    token = _citation.set(labels)
    try:
        yield
    finally:
        _citation.reset(token)


def require(label: str, verdict: Verdict, message: str) -> None:
    """Raise ConstraintError citing the spec's ``label`` when ``verdict`` is a proven no."""
    if verdict is True or verdict is None:
        return
    label = _citation.get().get(label, label)
    if verdict is False:
        raise ConstraintError(f"({label}) {message}")
    obligations = _open.get()
    if obligations is not None and isinstance(verdict, tuple):
        obligations.append(Obligation(label, verdict, message))


def same(a: Dim, b: Dim) -> Verdict:
    """Whether two dimensions are equal."""
    return _fact("==", a, b, dims.equal(a, b))


def at_most(a: Dim, b: Dim) -> Verdict:
    return _fact("<=", a, b, dims.at_most(a, b))


def stretches(a: Dim, b: Dim) -> Verdict:
    """Whether a dimension is 1 or ``b``, as broadcasting wants it."""
    one, alike = dims.equal(a, 1), dims.equal(a, b)
    if one or alike:
        return True
    if one is False:
        return same(a, b)
    return dims.equal(a, 1) if alike is False else _fact("stretches to", a, b, None)


def divides(count: int, size: Dim) -> Verdict:
    return same(dims.remainder(size, count), 0)


def _fact(relation: str, a: Dim, b: Dim, known: bool | None) -> Verdict:
    if known is None and all(isinstance(dim, int | Size) for dim in (a, b)):
        return (Fact(relation, a, b),)
    return known


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """No if any is no, else unknown if any is unknown, else yes."""
    answer: Verdict = True
    for verdict in verdicts:
        if verdict is False:
            return False
        if isinstance(verdict, tuple):
            answer = (*answer, *verdict) if isinstance(answer, tuple) else verdict
        elif verdict is None and answer is True:
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


def same_baseline(a: ElementType, b: ElementType) -> bool:
    """Whether two element types are the same but for scales and zero points."""
    if isinstance(a, QuantizedElementType) and isinstance(b, QuantizedElementType):
        return a.baseline == b.baseline
    return a == b


def is_promotable(a: ElementType, b: ElementType) -> bool:
    """The spec's ``is_promotable``: ``b`` is of the same kind and at least as wide.

    Of quantized types the storage is meant; the numbers are of one type.
    """
    if isinstance(a, QuantizedElementType) and isinstance(b, QuantizedElementType):
        return a.expressed == b.expressed and a.bits <= b.bits
    integers = a.is_integer and b.is_integer
    return (a.kind is b.kind or integers) and a.bits <= b.bits


def accumulators_of(body: Region, init_values: Sequence[Tensor], label: str = "C6") -> list[Tensor]:
    """What a reduction's body accumulates in: the init values' types, or wider ones.

    A region that exists declares them; one being built is given the init values' types.
    """
    accumulators = [value.like(shape=()) for value in init_values]
    declared = getattr(body, "arguments", ())[: len(accumulators)]
    if len(declared) < len(accumulators):
        return accumulators
    for have, want in zip(declared, accumulators, strict=True):
        wider = isinstance(have, Tensor) and is_promotable(want.element_type, have.element_type)
        require(label, wider, f"the body accumulates in {have.type} what is {want.type}")
    return list(declared)


def is_permutation(axes: Sequence[int], rank: int) -> bool:
    return sorted(axes) == list(range(rank))


def is_unique(items: Sequence[int]) -> bool:
    return len(set(items)) == len(items)


def in_range(axes: Iterable[int], rank: int) -> bool:
    return all(0 <= axis < rank for axis in axes)


def meet_dims(a: Dim, b: Dim) -> Dim:
    """The more exact of two dimensions that are the same."""
    if isinstance(b, int) or (isinstance(b, Size) and not isinstance(a, int | Size)):
        return b
    return a


def meet(a: TensorType, b: TensorType) -> TensorType:
    """The more exact of two types of one value; raises ConstraintError where they contradict."""
    if a.element_type != b.element_type or same_shape(a.shape, b.shape) is False:
        raise ConstraintError(f"one value cannot be both {a} and {b}")
    shape = tuple(meet_dims(x, y) for x, y in zip(a.shape, b.shape, strict=True))
    return TensorType(shape, a.element_type, a.bounds or b.bounds)


def as_declared(label: str, result: Tensor, declared: TensorType | None) -> Tensor:
    """A result that has the sizes which an op declares, if it does; ``label`` is the spec's."""
    if declared is None:
        return result
    fits = same_shape(result.shape, declared.shape)
    require(label, fits, f"the result is {result.type}, not {declared}")
    return Tensor(meet(result.type, declared))


def meet_all(tensors: Sequence[Tensor]) -> Tensor:
    """The most exact type of values that have one type."""
    type = tensors[0].type
    for tensor in tensors[1:]:
        type = meet(type, tensor.type)
    return Tensor(type)
