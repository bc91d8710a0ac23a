"""Shows how long programs take to build in Python.

    python -m shlo_tools.tools.bench.building --ops 10000

Each kind of program is built in one function, from the first op to the verified module; the best of
several times is shown. The last row runs the source that ``to_python`` prints of the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from shlo_tools import mlir, ops
from shlo_tools.builder import Module
from shlo_tools.interop.lifting import to_python

Step = Callable[[Any, int], Any]


def _elementwise(x: Any, number: int) -> Any:
    return (ops.add, ops.multiply, ops.maximum)[number % 3](x, x)


def _functions(x: Any, number: int) -> Any:
    return (ops.tanh, ops.negate, ops.abs)[number % 3](x)


def _operators(x: Any, number: int) -> Any:
    """Three ops: a constant, its broadcast, a sum."""
    return x + 1.0


def _attributes(x: Any, number: int) -> Any:
    return ops.transpose(x, (1, 0))


def _products(x: Any, number: int) -> Any:
    return ops.dot_general(x, x, lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))


def _slices(x: Any, number: int) -> Any:
    """Two ops: a slice and a pad."""
    return ops.pad(x[1:], 0.0, (1, 0), (0, 0), (0, 0))


def _reductions(x: Any, number: int) -> Any:
    """Five ops: a constant, the reduction, two in its region, a broadcast."""
    (total,) = ops.reduce([x], [0.0], (1,), ops.add)
    return ops.broadcast_in_dim(total, (0,), (8, 8))


KINDS: Sequence[tuple[str, Step]] = (
    ("elementwise", _elementwise),
    ("functions", _functions),
    ("numbers and operators", _operators),
    ("transpositions", _attributes),
    ("products", _products),
    ("slices and pads", _slices),
    ("reductions", _reductions),
)


def build(step: Step, count: int) -> Module:
    """A module of at least ``count`` ops made by a step."""
    module = Module()

    def main(x: Any) -> Any:
        per_step = max(1, _count(step))
        for number in range(-(-count // per_step)):
            x = step(x, number)
        return x

    module.func("8x8xf32")(main)
    return module


def _count(step: Step) -> int:
    """The ops that a step makes."""
    module = Module()
    module.func("8x8xf32", name="main")(lambda x: step(x, 0))
    return size(module)


def size(module: Module) -> int:
    """The ops in a module's functions."""
    with mlir.library_context():
        return len(mlir.walk(module.module.operation)) - 3  # but for the frame: it, @main, return


def best(run: Callable[[], Any], repeat: int) -> float:
    """The shortest of several times, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


@click.command()
@click.option("--ops", "count", default=10_000, show_default=True, help="Ops to build.")
@click.option("--repeat", default=3, show_default=True, help="Times to build each program.")
def main(count: int, repeat: int) -> None:
    """Build programs of COUNT ops of several kinds.

    Example: python -m shlo_tools.tools.bench.building --ops 10000
    """
    click.echo(f"{'kind':24}{'ops':>8}{'seconds':>10}{'us/op':>8}")
    for name, step in KINDS:
        seconds = best(partial(build, step, count), repeat)
        _show(name, size(build(step, count)), seconds)
    module = build(_elementwise, count)
    code = compile(to_python(module), "lifted.py", "exec")
    _show("elementwise, lifted", size(module), best(lambda: exec(code, {}), repeat))


def _show(name: str, ops: int, seconds: float) -> None:
    click.echo(f"{name:24}{ops:8}{seconds:10.2f}{seconds / ops * 1e6:8.0f}")


if __name__ == "__main__":
    main()
