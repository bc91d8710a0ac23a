"""Python's operators for whatever stands for values of a program: tensors, terms, numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Self, TypeVar

from shlo_tools.errors import ShloError

Other = TypeVar("Other")


class Operators(ABC, Generic[Other]):
    """Operators that build; a subclass says what in ``operate``.

    The names it gets are ``add``, ``subtract``, ``multiply``, ``divide``, ``remainder``, ``power``,
    ``matmul``, ``and``, ``or``, ``xor``, ``shift_left``, ``shift_right``, the directions ``EQ``,
    ``NE``, ``LT``, ``LE``, ``GT`` and ``GE``, and with one operand ``negate``, ``not`` and ``abs``.
    """

    @abstractmethod
    def operate(self, name: str, *operands: Self | Other) -> Self:
        """Build the operation of a name; at least one operand is of this class."""

    def __bool__(self) -> bool:
        raise ShloError(
            f"{self!r} has no truth value: it is computed when the program runs",
            hint="use `&`, `|` and `~` for `and`, `or` and `not`, and for a decision of the "
            "program ops.select, ops.if_ or ops.while_",
        )

    # A comparison builds, so only identity tells two of them apart. A dict finds its keys by
    # identity first, and hashes that are addresses are equal for nothing else.
    __hash__ = object.__hash__

    def __eq__(self, other: Self | Other) -> Self:  # type: ignore[override]
        return self.operate("EQ", self, other)

    def __ne__(self, other: Self | Other) -> Self:  # type: ignore[override]
        return self.operate("NE", self, other)

    def __lt__(self, other: Self | Other) -> Self:
        return self.operate("LT", self, other)

    def __le__(self, other: Self | Other) -> Self:
        return self.operate("LE", self, other)

    def __gt__(self, other: Self | Other) -> Self:
        return self.operate("GT", self, other)

    def __ge__(self, other: Self | Other) -> Self:
        return self.operate("GE", self, other)

    def __add__(self, other: Self | Other) -> Self:
        return self.operate("add", self, other)

    def __radd__(self, other: Self | Other) -> Self:
        return self.operate("add", other, self)

    def __sub__(self, other: Self | Other) -> Self:
        return self.operate("subtract", self, other)

    def __rsub__(self, other: Self | Other) -> Self:
        return self.operate("subtract", other, self)

    def __mul__(self, other: Self | Other) -> Self:
        return self.operate("multiply", self, other)

    def __rmul__(self, other: Self | Other) -> Self:
        return self.operate("multiply", other, self)

    def __truediv__(self, other: Self | Other) -> Self:
        return self.operate("divide", self, other)

    def __rtruediv__(self, other: Self | Other) -> Self:
        return self.operate("divide", other, self)

    def __mod__(self, other: Self | Other) -> Self:
        return self.operate("remainder", self, other)

    def __rmod__(self, other: Self | Other) -> Self:
        return self.operate("remainder", other, self)

    def __pow__(self, other: Self | Other) -> Self:
        return self.operate("power", self, other)

    def __rpow__(self, other: Self | Other) -> Self:
        return self.operate("power", other, self)

    def __matmul__(self, other: Self | Other) -> Self:
        return self.operate("matmul", self, other)

    def __rmatmul__(self, other: Self | Other) -> Self:
        return self.operate("matmul", other, self)

    def __and__(self, other: Self | Other) -> Self:
        return self.operate("and", self, other)

    def __rand__(self, other: Self | Other) -> Self:
        return self.operate("and", other, self)

    def __or__(self, other: Self | Other) -> Self:
        return self.operate("or", self, other)

    def __ror__(self, other: Self | Other) -> Self:
        return self.operate("or", other, self)

    def __xor__(self, other: Self | Other) -> Self:
        return self.operate("xor", self, other)

    def __rxor__(self, other: Self | Other) -> Self:
        return self.operate("xor", other, self)

    def __lshift__(self, other: Self | Other) -> Self:
        return self.operate("shift_left", self, other)

    def __rlshift__(self, other: Self | Other) -> Self:
        return self.operate("shift_left", other, self)

    def __rshift__(self, other: Self | Other) -> Self:
        return self.operate("shift_right", self, other)

    def __rrshift__(self, other: Self | Other) -> Self:
        return self.operate("shift_right", other, self)

    def __neg__(self) -> Self:
        return self.operate("negate", self)

    def __invert__(self) -> Self:
        return self.operate("not", self)

    def __abs__(self) -> Self:
        return self.operate("abs", self)
