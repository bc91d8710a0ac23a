"""Random programs over tensors of unknown sizes, with the shape that every value must have.

A program is built for one choice of its arguments' sizes. Its types say some sizes and leave others
to be found out: ``tensor<?x4xf32>``. Every value is returned, so that shapes can be compared with
what the reference really computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

SCALAR = "tensor<i32>"
FUNCTIONS = {
    "@double": """
func.func private @double(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0
    : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}""",
    "@ramp": """
func.func private @ramp(%n: tensor<i32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rows = stablehlo.add %n, %one : tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}""",
}


@dataclass(frozen=True)
class Made:
    """A value: its name, its type as the program says it, and its shape."""

    name: str
    type: str
    shape: Shape


@dataclass
class SymbolicProgram:
    """A function ``@main`` that returns all its values.

    Attributes:
        text: the module.
        arguments: arrays to call it with.
        argument_types: their types, all sizes known.
        values: what it returns.
    """

    seed: int
    steps: int = 12
    text: str = ""
    arguments: list[Array] = field(default_factory=list)
    argument_types: list[str] = field(default_factory=list)
    values: list[Made] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.lines: list[str] = []
        self.count = 0
        sizes = [int(n) for n in self.random.integers(1, 6, 3)]
        for _ in range(int(self.random.integers(1, 4))):
            shape = tuple(int(self.random.choice(sizes)) for _ in range(2))
            name = f"%a{len(self.arguments)}"
            self.arguments.append(self.random.integers(-4, 5, shape).astype(np.float32))
            self.argument_types.append(_spelled(shape, "f32"))
            self.values.append(Made(name, self.type_of(shape), shape))
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.values)
        self.scalars = [self.constant(int(n)) for n in (1, 2)]
        tensors = list(self.values)
        for _ in range(self.steps):
            drawn: Callable[..., Made | None] = self.random.choice(np.array(STEPS, object))
            value = drawn(self, tensors)
            if value is not None and math.prod(value.shape) <= 4000:
                tensors.append(value)
        self.values = tensors
        types = ", ".join(value.type for value in tensors)
        self.text = "\n".join(
            [
                f"func.func @main({arguments}) -> ({types}) {{",
                *self.lines,
                f"return {', '.join(value.name for value in tensors)} : {types}",
                "}",
                *(text for name, text in FUNCTIONS.items() if name in str(self.lines)),
            ]
        )

    # --- pieces -----------------------------------------------------------------------------------
    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def type_of(self, shape: Sequence[int]) -> str:
        """A type that says some of the sizes."""
        sizes = [str(n) if self.random.random() < 0.25 else "?" for n in shape]
        return f"tensor<{''.join(f'{size}x' for size in sizes)}f32>"

    def some(self, tensors: list[Made], rank: int | None = None) -> Made | None:
        fitting = [value for value in tensors if rank is None or len(value.shape) == rank]
        return None if not fitting else fitting[int(self.random.integers(len(fitting)))]

    def constant(self, number: int) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = stablehlo.constant dense<{number}> : {SCALAR}")
        return name

    def op(self, form: str, shape: Sequence[int], operands: Sequence[Made]) -> Made:
        """A line ``name = form : (types) -> type``."""
        name, result = self.fresh(), self.type_of(shape)
        types = ", ".join(operand.type for operand in operands)
        self.lines.append(f"{name} = {form} : ({types}) -> {result}")
        return Made(name, result, tuple(shape))

    def scalar(self, form: str, operands: Sequence[str]) -> str:
        name = self.fresh()
        listed = ", ".join(operands)
        self.lines.append(f"{name} = stablehlo.{form} {listed} : {SCALAR}")
        return name

    def size(self, value: Made, d: int) -> str:
        name = self.fresh()
        self.lines.append(
            f"{name} = stablehlo.get_dimension_size {value.name}, dim = {d}"
            f" : ({value.type}) -> {SCALAR}"
        )
        return name

    def computed(self, tensors: list[Made]) -> tuple[str, int]:
        """A positive number that the program computes from sizes."""
        one, two = self.some(tensors), self.some(tensors)
        if one is None or two is None or not one.shape or not two.shape:
            return self.constant(3), 3
        d, e = int(self.random.integers(len(one.shape))), int(self.random.integers(len(two.shape)))
        n, m = one.shape[d], two.shape[e]
        a, b = self.size(one, d), self.size(two, e)
        forms: list[Callable[[], tuple[str, int]]] = [
            lambda: (a, n),
            lambda: (self.scalar("add", [a, b]), n + m),
            lambda: (self.scalar("multiply", [a, b]), n * m),
            lambda: (self.scalar("maximum", [a, b]), max(n, m)),
            lambda: (self.scalar("minimum", [a, b]), min(n, m)),
            lambda: (self._over(a), n // 2 + 1),
            lambda: (self._rest(a), n % 2 + 1),
            lambda: (self._distance(a, b), abs(n - m) + 1),
            lambda: (self._chosen(a, b), n if n > m else m + 1),
        ]
        return forms[int(self.random.integers(len(forms)))]()

    def _over(self, a: str) -> str:
        one, two = self.scalars
        return self.scalar("add", [self.scalar("divide", [a, two]), one])

    def _rest(self, a: str) -> str:
        one, two = self.scalars
        return self.scalar("add", [self.scalar("remainder", [a, two]), one])

    def _distance(self, a: str, b: str) -> str:
        apart = self.scalar("abs", [self.scalar("subtract", [a, b])])
        return self.scalar("add", [apart, self.scalars[0]])

    def _chosen(self, a: str, b: str) -> str:
        """The first number if it is greater, else the second one plus 1."""
        greater, chosen = self.fresh(), self.fresh()
        other = self.scalar("add", [b, self.scalars[0]])
        self.lines.append(
            f"{greater} = stablehlo.compare GT, {a}, {b} : ({SCALAR}, {SCALAR}) -> tensor<i1>"
        )
        self.lines.append(
            f"{chosen} = stablehlo.select {greater}, {a}, {other} : tensor<i1>, {SCALAR}"
        )
        return chosen

    def vector(self, scalars: Sequence[str]) -> Made:
        """A shape operand of scalars."""
        parts = []
        for scalar in scalars:
            name = self.fresh()
            self.lines.append(f"{name} = stablehlo.reshape {scalar} : ({SCALAR}) -> tensor<1xi32>")
            parts.append(name)
        name, count = self.fresh(), len(parts)
        types = ", ".join(["tensor<1xi32>"] * count)
        self.lines.append(
            f"{name} = stablehlo.concatenate {', '.join(parts)}, dim = 0"
            f" : ({types}) -> tensor<{count}xi32>"
        )
        return Made(name, f"tensor<{count}xi32>", (count,))


def _spelled(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


# --- steps ----------------------------------------------------------------------------------------
Step = Callable[[SymbolicProgram, list[Made]], Made | None]
STEPS: list[Step] = []


def step(function: Step) -> Step:
    STEPS.append(function)
    return function


@step
def unary(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors)
    return x and p.op(f"stablehlo.negate {x.name}", x.shape, [x])


@step
def binary(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    """Of two values that happen to have one shape: a check, after which their sizes are one."""
    x = p.some(tensors)
    same = [y for y in tensors if x is not None and y.shape == x.shape]
    y = p.some(same)
    return x and y and p.op(f"stablehlo.add {x.name}, {y.name}", x.shape, [x, y])


@step
def transpose(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors)
    if x is None:
        return None
    order = [int(d) for d in p.random.permutation(len(x.shape))]
    form = f"stablehlo.transpose {x.name}, dims = {order}"
    return p.op(form, [x.shape[d] for d in order], [x])


@step
def concatenate(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    y = p.some([v for v in tensors if x is not None and v.shape[1:] == x.shape[1:]], 2)
    if x is None or y is None:
        return None
    form = f"stablehlo.concatenate {x.name}, {y.name}, dim = 0"
    return p.op(form, [x.shape[0] + y.shape[0], x.shape[1]], [x, y])


@step
def slice(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None or min(x.shape) < 1:
        return None
    start = int(p.random.integers(x.shape[0]))
    limit = int(p.random.integers(start, x.shape[0] + 1))
    stride = int(p.random.integers(1, 3))
    form = f"stablehlo.slice {x.name} [{start}:{limit}:{stride}, 0:{x.shape[1]}]"
    name, shape = p.fresh(), (len(range(start, limit, stride)), x.shape[1])
    result = _spelled(shape, "f32")  # slices have static results wherever limits are static
    p.lines.append(f"{name} = {form} : ({x.type}) -> {result}")
    return Made(name, result, shape)


@step
def pad(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None:
        return None
    zero = p.fresh()
    p.lines.append(f"{zero} = stablehlo.constant dense<0.0> : tensor<f32>")
    low, high, inner = (int(n) for n in p.random.integers(0, 3, 3))
    size = low + x.shape[0] + max(x.shape[0] - 1, 0) * inner + high
    form = (
        f"stablehlo.pad {x.name}, {zero}, low = [{low}, 0], high = [{high}, 1],"
        f" interior = [{inner}, 0]"
    )
    return p.op(form, [size, x.shape[1] + 1], [x, Made(zero, "tensor<f32>", ())])


@step
def flatten(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None:
        return None
    count = p.scalar("multiply", [p.size(x, 0), p.size(x, 1)])
    shape = p.vector([count])
    form = f"stablehlo.dynamic_reshape {x.name}, {shape.name}"
    return p.op(form, [math.prod(x.shape)], [x, shape])


@step
def unflatten(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    """Rows of what is known to be as long as another value has columns."""
    x = p.some(tensors, 1)
    fitting = [y for y in tensors if x and len(y.shape) == 2 and y.shape[1]]
    y = p.some([y for y in fitting if x and x.shape[0] % y.shape[1] == 0])
    if x is None or y is None:
        return None
    columns = p.size(y, 1)
    rows = p.scalar("divide", [p.size(x, 0), columns])
    shape = p.vector([rows, columns])
    form = f"stablehlo.dynamic_reshape {x.name}, {shape.name}"
    return p.op(form, [x.shape[0] // y.shape[1], y.shape[1]], [x, shape])


@step
def broadcast(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 1)
    if x is None:
        return None
    scalar, number = p.computed(tensors)
    shape = p.vector([scalar, p.size(x, 0)])
    form = f"stablehlo.dynamic_broadcast_in_dim {x.name}, {shape.name}, dims = [1]"
    return p.op(form, [number, x.shape[0]], [x, shape])


@step
def iota(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    (a, n), (b, m) = p.computed(tensors), p.computed(tensors)
    shape = p.vector([a, b])
    return p.op(f"stablehlo.dynamic_iota {shape.name}, dim = 1", [n, m], [shape])


@step
def dynamic_pad(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 1)
    if x is None:
        return None
    zero = p.fresh()
    p.lines.append(f"{zero} = stablehlo.constant dense<0.0> : tensor<f32>")
    scalar, number = p.computed(tensors)
    low, high, inner = p.vector([scalar]), p.vector([p.scalars[0]]), p.vector([p.scalars[1]])
    size = number + x.shape[0] + max(x.shape[0] - 1, 0) * 2 + 1
    form = f"stablehlo.dynamic_pad {x.name}, {zero}, {low.name}, {high.name}, {inner.name}"
    return p.op(form, [size], [x, Made(zero, "tensor<f32>", ()), low, high, inner])


@step
def dynamic_slice(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    """From 0 to half of the size and one more."""
    x = p.some(tensors, 1)
    if x is None or not x.shape[0]:
        return None
    half = p._over(p.size(x, 0))
    limit = p.scalar("minimum", [half, p.size(x, 0)])
    start, end, stride = p.vector([p.constant(0)]), p.vector([limit]), p.vector([p.scalars[0]])
    form = f"stablehlo.real_dynamic_slice {x.name}, {start.name}, {end.name}, {stride.name}"
    return p.op(form, [min(x.shape[0] // 2 + 1, x.shape[0])], [x, start, end, stride])


@step
def total(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None:
        return None
    zero = p.fresh()
    p.lines.append(f"{zero} = stablehlo.constant dense<0.0> : tensor<f32>")
    d = int(p.random.integers(2))
    form = (
        f"stablehlo.reduce({x.name} init: {zero}) applies stablehlo.add across dimensions = [{d}]"
    )
    return p.op(form, [x.shape[1 - d]], [x, Made(zero, "tensor<f32>", ())])


@step
def product(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    y = p.some([v for v in tensors if x is not None and v.shape[:1] == x.shape[1:]], 2)
    if x is None or y is None:
        return None
    form = f"stablehlo.dot_general {x.name}, {y.name}, contracting_dims = [1] x [0]"
    return p.op(form, [x.shape[0], y.shape[1]], [x, y])


@step
def stretched_sum(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    """CHLO: a vector against the last dimension of a matrix."""
    x = p.some(tensors, 2)
    y = p.some([v for v in tensors if x is not None and v.shape == x.shape[1:]], 1)
    if x is None or y is None:
        return None
    return p.op(f"chlo.broadcast_add {x.name}, {y.name}", x.shape, [x, y])


@step
def sort(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None:
        return None
    name = p.fresh()
    p.lines.append(f"""{name} = "stablehlo.sort"({x.name}) ({{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}) {{dimension = 0 : i64}} : ({x.type}) -> {x.type}""")
    return Made(name, x.type, x.shape)


@step
def loop(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    """Carried values keep their sizes."""
    x = p.some(tensors, 2)
    y = p.some([v for v in tensors if x is not None and v.shape == x.shape], 2)
    if x is None or y is None:
        return None
    name, sum_type = p.fresh(), p.type_of(x.shape)
    types = f"{x.type}, {y.type}, {SCALAR}"
    p.lines.append(f"""{name}:3 = "stablehlo.while"({x.name}, {y.name}, {p.scalars[1]}) ({{
      ^bb0(%x: {x.type}, %y: {y.type}, %i: {SCALAR}):
        %zero = stablehlo.constant dense<0> : {SCALAR}
        %c = stablehlo.compare GT, %i, %zero : ({SCALAR}, {SCALAR}) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}, {{
      ^bb0(%x: {x.type}, %y: {y.type}, %i: {SCALAR}):
        %n = stablehlo.subtract %i, {p.scalars[0]} : {SCALAR}
        %s = stablehlo.add %x, %y : ({x.type}, {y.type}) -> {sum_type}
        stablehlo.return %s, %x, %n : {sum_type}, {x.type}, {SCALAR}
      }}) : ({types}) -> ({types})""")
    return Made(f"{name}#0", x.type, x.shape)


@step
def branch(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    """Of two values that happen to have one shape, or not even that: a type says what is shared."""
    x = p.some(tensors, 2)
    y = p.some([v for v in tensors if x is not None and v.shape == x.shape], 2)
    if x is None or y is None:
        return None
    condition, name, result = p.fresh(), p.fresh(), p.type_of(x.shape)
    a, b = p.size(x, 0), p.size(x, 1)
    p.lines.append(
        f"{condition} = stablehlo.compare LT, {a}, {b} : ({SCALAR}, {SCALAR}) -> tensor<i1>"
    )
    p.lines.append(f"""{name} = "stablehlo.if"({condition}) ({{
        %s = stablehlo.add {x.name}, {y.name} : ({x.type}, {y.type}) -> {result}
        stablehlo.return %s : {result}
      }}, {{
        stablehlo.return {y.name} : {y.type}
      }}) : (tensor<i1>) -> {result}""")
    return Made(name, result, x.shape)


def loose(p: SymbolicProgram, x: Made) -> Made:
    """A matrix as the functions take it."""
    name = p.fresh()
    p.lines.append(f"{name} = stablehlo.abs {x.name} : ({x.type}) -> tensor<?x?xf32>")
    return Made(name, "tensor<?x?xf32>", x.shape)


@step
def call(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None:
        return None
    x, name = loose(p, x), p.fresh()
    p.lines.append(f"{name} = func.call @double({x.name}) : ({x.type}) -> {x.type}")
    return Made(name, x.type, (2 * x.shape[0], x.shape[1]))


@step
def call_with_size(p: SymbolicProgram, tensors: list[Made]) -> Made | None:
    x = p.some(tensors, 2)
    if x is None:
        return None
    scalar, number = p.computed(tensors)
    x, name = loose(p, x), p.fresh()
    p.lines.append(
        f"{name} = func.call @ramp({scalar}, {x.name}) : ({SCALAR}, {x.type}) -> {x.type}"
    )
    return Made(name, x.type, (number + 1, x.shape[1]))
