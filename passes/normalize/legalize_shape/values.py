"""What values of the shape dialect become: extents as integers, and what makes them valid.

An ``index`` is a ``tensor<i64>`` and an extent tensor a vector of i64. ``!shape.shape`` and
``!shape.size`` can be invalid: beside the integers stand the conditions that have to hold, in the
order that they were met. Nobody pays for a condition that is known to hold; where the integers
leave for a value that cannot be invalid, the others become assertions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shlo_tools.mlir import Location, Value


@dataclass(frozen=True, eq=False)
class Guard:
    """A condition that a valid shape or size meets; one object is one condition.

    Attributes:
        holds: a ``tensor<i1>``.
        message: what is said where it does not hold; ``{0}``, ``{1}``, ... stand for ``words``.
        words: ``tensor<i64>`` values.
        location: of the op that demands it.
    """

    holds: Value
    message: str
    words: tuple[Value, ...] = ()
    location: Location | None = None


@dataclass(frozen=True)
class Shape:
    """A ``!shape.shape``.

    Attributes:
        extents: one ``tensor<i64>`` for each; where the rank is unknown, a ``tensor<?xi64>``.
        guards: what makes it valid.
    """

    extents: tuple[Value, ...] | Value
    guards: tuple[Guard, ...] = ()

    @property
    def known(self) -> tuple[Value, ...]:
        """The extents of a shape whose rank is known."""
        if not isinstance(self.extents, tuple):
            raise TypeError("the rank of this shape is unknown")
        return self.extents

    @property
    def has_rank(self) -> bool:
        return isinstance(self.extents, tuple)

    def guarded(self, *guards: Guard) -> Shape:
        return replace(self, guards=merged(self.guards, guards))


@dataclass(frozen=True)
class Size:
    """A ``!shape.size``: a ``tensor<i64>``, and what makes it valid."""

    value: Value
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True)
class ValueShape:
    """A ``!shape.value_shape``: a lowered tensor, and the shape that it is said to have."""

    value: Value
    shape: Shape


@dataclass(frozen=True)
class Witness:
    """A ``!shape.witness``: its assertions stand before it.

    Attributes:
        refusal: why what it guards must never run; '' where it may.
    """

    refusal: str = ""


def merged(*rows: tuple[Guard, ...]) -> tuple[Guard, ...]:
    """Guards of several values, each once: the first that does not hold is the error."""
    return tuple(dict.fromkeys(guard for row in rows for guard in row))
