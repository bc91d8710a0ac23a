"""Steps of random programs: loops, branches, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shlo_tools import ops
from shlo_tools.tools.campaign.programs.drawing import Drawn, Program
from shlo_tools.types import Tensor

DEEPEST = 2
Grow = Callable[[Program, int], None]


@contextmanager
def inside(p: Program) -> Iterator[None]:
    """Values that are drawn here are not seen behind the block."""
    count = len(p.values)
    p.depth += 1
    try:
        yield
    finally:
        p.depth -= 1
        del p.values[count:]


def _alike(p: Program, one: Drawn) -> Tensor:
    """A value of exactly the type of another one, whatever sizes that leaves open."""
    same = p.some(lambda v: str(v.tensor.type) == str(one.tensor.type))
    return (same or one).tensor


def _predicate(p: Program) -> Tensor:
    flag = p.some(lambda v: v.element == "i1" and v.shape == () and not v.rough)
    return flag.tensor if flag is not None and p.chance(0.6) else p.number(p.chance(0.5), "i1")


def branch(p: Program, grow: Grow) -> None:
    """An ``if`` or a ``case`` whose index may lie outside."""
    one = p.some(lambda v: not v.rough)
    if one is None or p.depth >= DEEPEST:
        return

    def side() -> tuple[Tensor, ...]:
        with inside(p):
            grow(p, p.random.randint(0, 2))
            return _alike(p, one), _alike(p, one)

    if p.chance(0.6):
        result = ops.if_(_predicate(p), side, side)
    else:
        index = p.number(p.random.randint(-1, 3))
        result = ops.case(index, [side] * p.random.randint(1, 3))
    for tensor in result[: p.random.randint(1, 2)]:
        p.define(tensor, one.shape, one, bound=float("inf"))


def loop(p: Program, grow: Grow) -> None:
    """Up to three iterations over some values: changed, swapped or left alone."""
    carried = [p.some(lambda v: not v.rough) for _ in range(p.random.randint(1, 3))]
    if None in carried or p.depth >= DEEPEST:
        return
    ones: Sequence[Drawn] = [one for one in carried if one is not None]
    trips = p.number(p.random.choice((0, 1, 2, 3)))

    def going(index: Tensor, *_: Tensor) -> Tensor:
        return ops.compare(index, p.number(0), "GT")

    def body(index: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        with inside(p):
            for one, tensor in zip(ones, state, strict=True):
                p.add(Drawn(tensor, one.shape, one.element))
            grow(p, p.random.randint(0, 3))
            following = [_alike(p, one) for one in ones]
        return (ops.subtract(index, p.number(1)), *following)

    results: Any = ops.while_([trips, *(one.tensor for one in ones)], going, body)
    for tensor, one in zip(results[1:], ones, strict=True):
        p.define(tensor, one.shape, one, bound=float("inf"))


STEPS = (branch, loop, loop)
