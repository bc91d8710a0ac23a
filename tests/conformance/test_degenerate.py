"""Reductions and products that sum nothing, or one element, before ops that repeat what they give.

As loops they have parallel dimensions only and yet start from a value: fused into a loop with
more iterations, or computed in the memory of another tensor, each must still start from it once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import shlo_tools

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
PROGRAMS = 12  # per seed
SHAPES: list[Shape] = [(), (1,), (2,), (4,), (1, 3), (2, 3), (3, 1), (2, 1, 3), (2, 2, 2)]


class Degenerate:
    """A random program of integer tensors, or of floats that hold small integers."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.element = str(self.random.choice(["i32", "f32", "f64", "ui8", "i64"]))
        self.lines = [f"%zero = stablehlo.constant dense<0> : tensor<{self.element}>"]
        if self.element[0] == "f":
            self.lines = [f"%zero = stablehlo.constant dense<0.0> : tensor<{self.element}>"]
        self.shapes: dict[str, Shape] = {}
        for number in range(3):
            self.shapes[f"%a{number}"] = SHAPES[int(self.random.integers(len(SHAPES)))]
        self.arguments = list(self.shapes)
        rules: list[Callable[[], None]] = [
            *(self.product, self.reduce, self.window, self.convolve, self.normalize),
            *(self.broadcast, self.broadcast, self.concatenate, self.update, self.add),
            *(self.reshape, self.pad, self.choose, self.repeat, self.scatter),
        ]
        for _ in range(int(self.random.integers(3, 10))):
            rules[int(self.random.integers(len(rules)))]()
        result = list(self.shapes)[len(self.arguments) :] or self.arguments
        count = min(len(result), 3)
        self.results = [result[-1], *self.random.choice(result, count - 1, replace=False).tolist()]

    # --- text -------------------------------------------------------------------------------------
    def type(self, shape: Shape) -> str:
        return f"tensor<{''.join(f'{n}x' for n in shape)}{self.element}>"

    def text(self) -> str:
        branch = ", ".join(f"{name}: {self.type(self.shapes[name])}" for name in self.arguments)
        types = ", ".join(self.type(self.shapes[name]) for name in self.results)
        ending = f"return {', '.join(self.results)} : {types}"
        body = "\n".join([*self.lines, ending])
        return f"func.func @main(%p: tensor<i1>, {branch}) -> ({types}) {{\n{body}\n}}"

    def define(self, op: str, operands: list[str], shape: Shape) -> str:
        """Add an op whose text has ``{}`` for its operands; values stay small."""
        names = iter(f"%v{len(self.lines)}{mark}" for mark in ("a", ""))
        types = ", ".join(self.type(self.shapes.get(name, ())) for name in operands)
        result, kept = next(names), next(names)
        self.lines.append(
            f"{result} = {op.format(', '.join(operands))} : ({types}) -> {self.type(shape)}"
        )
        one = "1" if self.element[0] != "f" else "3.0"
        self.lines.append(
            f"%c{result[1:]} = stablehlo.constant dense<{one}> : {self.type(shape)}\n"
            f"{kept} = stablehlo.{'add' if self.element[0] != 'f' else 'remainder'} {result}, "
            f"%c{result[1:]} : {self.type(shape)}"
        )
        self.shapes[kept] = shape
        self.shapes[result] = shape
        return kept

    def body(self, *, op: str = "") -> str:
        """A computation of two scalars, for reductions."""
        op = op or str(self.random.choice(["add", "add", "multiply", "maximum", "subtract"]))
        t = self.type(())
        return (
            f"({{\n^bb0(%x: {t}, %y: {t}):\n%s = stablehlo.{op} %x, %y : {t}\n"
            f"stablehlo.return %s : {t}\n}})"
        )

    # --- choosing ---------------------------------------------------------------------------------
    def pick(self, where: Callable[[Shape], bool] = lambda _: True) -> str:
        """A value whose shape fits, the latest ones more often; '' where there is none."""
        names = [name for name, shape in self.shapes.items() if where(shape)]
        return names[-1 - int(len(names) * self.random.random() ** 2)] if names else ""

    def coin(self) -> bool:
        return bool(self.random.integers(2))

    def initial(self) -> str:
        return self.pick(lambda shape: shape == ()) or "%zero"

    # --- ops --------------------------------------------------------------------------------------
    def product(self) -> None:
        """Without contraction, or over dimensions of one element; batched or not."""
        lhs, rhs = self.pick(), self.pick()
        a, b = self.shapes[lhs], self.shapes[rhs]
        batch = [0] if a and b and a[0] == b[0] and self.coin() else []
        ones_a = [d for d, n in enumerate(a) if n == 1 and d not in batch][:1]
        ones_b = [d for d, n in enumerate(b) if n == 1 and d not in batch][:1]
        if not (ones_a and ones_b and self.coin()):
            ones_a, ones_b = [], []
        left = [n for d, n in enumerate(a) if d not in batch + ones_a]
        right = [n for d, n in enumerate(b) if d not in batch + ones_b]
        shape = (*(a[d] for d in batch), *left, *right)
        if len(shape) > 4 or math.prod(shape) > 200:
            return
        op = f"stablehlo.dot_general {{}}, contracting_dims = {ones_a} x {ones_b}"
        op += f", batching_dims = {batch} x {batch}" if batch else ""
        op = op.replace(f", contracting_dims = {ones_a} x {ones_b}", "", 1) if batch else op
        op += f", contracting_dims = {ones_a} x {ones_b}" if batch else ""
        self.define(op, [lhs, rhs], shape)

    def reduce(self) -> None:
        operand = self.pick()
        shape = self.shapes[operand]
        ones = [d for d, n in enumerate(shape) if n == 1]
        along = ones if self.coin() else []
        op = f'"stablehlo.reduce"({{}}) {_escaped(self.body())} '
        op += f"{{{{dimensions = array<i64{': ' if along else ''}{_listed(along)}>}}}}"
        rest = tuple(n for d, n in enumerate(shape) if d not in along)
        self.define(op, [operand, self.initial()], rest)

    def window(self) -> None:
        operand = self.pick(lambda shape: len(shape) > 0)
        if not operand:
            return
        shape = self.shapes[operand]
        sizes = [min(n, 2) if self.random.random() < 0.3 else 1 for n in shape]
        op = f'"stablehlo.reduce_window"({{}}) {_escaped(self.body())} '
        op += f"{{{{window_dimensions = array<i64: {_listed(sizes)}>}}}}"
        rest = tuple(n - size + 1 for n, size in zip(shape, sizes, strict=True))
        self.define(op, [operand, self.initial()], rest)

    def convolve(self) -> None:
        """Windows of one element, or two; one input feature per group."""
        operand = self.pick(lambda shape: len(shape) == 3)
        if not operand:
            return
        batch, size, features = self.shapes[operand]
        window = min(size, int(self.random.integers(1, 3)))
        kernels = [
            name
            for name, shape in self.shapes.items()
            if shape[:2] == (window, 1) and len(shape) == 3 and shape[2] % features == 0
        ]
        if kernels:
            groups = features
        else:
            kernels = [self.constant((window, 1, features))]
            groups = features
        kernel = kernels[-1]
        op = "stablehlo.convolution({}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
        op += "window = {{}} {{batch_group_count = 1 : i64, "
        op += f"feature_group_count = {groups} : i64}}}}"
        self.define(op, [operand, kernel], (batch, size - window + 1, self.shapes[kernel][2]))

    def constant(self, shape: Shape) -> str:
        name = f"%k{len(self.lines)}"
        value = "2" if self.element[0] != "f" else "2.0"
        self.lines.append(f"{name} = stablehlo.constant dense<{value}> : {self.type(shape)}")
        self.shapes[name] = shape
        return name

    def normalize(self) -> None:
        """Statistics over nothing but the batch, of one dimension."""
        operand = self.pick(lambda shape: len(shape) in (1, 2))
        if self.element[0] != "f" or not operand:
            return
        shape = self.shapes[operand]
        feature = len(shape) - 1
        scale, offset = self.constant(shape[feature:]), self.constant(shape[feature:])
        of = self.type(shape[feature:])
        name = f"%v{len(self.lines)}"
        self.lines.append(
            f'{name}:3 = "stablehlo.batch_norm_training"({operand}, {scale}, {offset}) '
            f"{{epsilon = 0.5 : f32, feature_index = {feature} : i64}} : "
            f"({self.type(shape)}, {of}, {of}) -> ({self.type(shape)}, {of}, {of})"
        )
        self.shapes |= {f"{name}#0": shape, f"{name}#1": shape[feature:], f"{name}#2": (shape[-1],)}

    def broadcast(self) -> None:
        operand = self.pick(lambda shape: len(shape) < 4)
        if not operand:
            return
        shape = [*self.shapes[operand]]
        at, count = int(self.random.integers(len(shape) + 1)), int(self.random.integers(1, 4))
        along = [d + (d >= at) for d in range(len(shape))]
        shape = [3 if n == 1 and self.coin() else n for n in shape]
        shape.insert(at, count)
        if math.prod(shape) <= 200:
            self.define(f"stablehlo.broadcast_in_dim {{}}, dims = {along}", [operand], (*shape,))

    def concatenate(self) -> None:
        operand = self.pick(lambda shape: len(shape) > 0)
        if not operand:
            return
        shape = self.shapes[operand]
        other = self.pick(lambda s: s == shape)
        d = int(self.random.integers(len(shape)))
        whole = (*shape[:d], 2 * shape[d], *shape[d + 1 :])
        self.define(f"stablehlo.concatenate {{}}, dim = {d}", [operand, other], whole)

    def update(self) -> None:
        part = self.pick()
        shape = self.shapes[part]
        whole = self.pick(
            lambda s: len(s) == len(shape) and all(n >= m for n, m in zip(s, shape, strict=True))
        )
        at = f"%i{len(self.lines)}"
        self.lines.append(
            f"{at} = stablehlo.constant dense<{self.random.integers(2)}> : tensor<i32>"
        )
        types = ", ".join(
            [self.type(self.shapes[whole]), self.type(shape), *["tensor<i32>"] * len(shape)]
        )
        name = f"%v{len(self.lines)}"
        names = ", ".join([whole, part, *[at] * len(shape)])
        self.lines.append(
            f"{name} = stablehlo.dynamic_update_slice {names} : "
            f"({types}) -> {self.type(self.shapes[whole])}"
        )
        self.shapes[name] = self.shapes[whole]

    def add(self) -> None:
        one = self.pick()
        shape = self.shapes[one]
        op = str(self.random.choice(["add", "multiply", "subtract", "maximum"]))
        self.define(f"stablehlo.{op} {{}}", [one, self.pick(lambda s: s == shape)], shape)

    def reshape(self) -> None:
        one = self.pick()
        shape = self.shapes[one]
        same = [s for s in SHAPES if math.prod(s) == math.prod(shape)]
        self.define("stablehlo.reshape {}", [one], same[-1] if same else (math.prod(shape),))

    def pad(self) -> None:
        one = self.pick(lambda shape: len(shape) > 0)
        if not one:
            return
        shape = self.shapes[one]
        low, high, inside = (
            [int(n) for n in self.random.integers(0, 2, len(shape))] for _ in "lhi"
        )
        op = f"stablehlo.pad {{}}, low = {low}, high = {high}, interior = {inside}"
        rows = zip(shape, low, high, inside, strict=True)
        whole = tuple(n + a + b + (n - 1) * i for n, a, b, i in rows)
        self.define(op, [one, self.initial()], whole)

    def choose(self) -> None:
        """A value that one branch gives and others use, too."""
        one = self.pick()
        shape = self.shapes[one]
        other, type = self.pick(lambda s: s == shape), self.type(shape)
        name = f"%v{len(self.lines)}"
        branches = ", ".join(
            f'{{\n"stablehlo.return"({v}) : ({type}) -> ()\n}}' for v in (one, other)
        )
        self.lines.append(f'{name} = "stablehlo.if"(%p) ({branches}) : (tensor<i1>) -> {type}')
        self.shapes[name] = shape

    def repeat(self) -> None:
        """A loop that carries a value and reads another."""
        one = self.pick()
        shape = self.shapes[one]
        other, type = self.pick(lambda s: s == shape), self.type(shape)
        name = f"%v{len(self.lines)}"
        self.lines.append(
            f"%n{name[1:]} = stablehlo.constant dense<0> : tensor<i32>\n"
            f'{name}:2 = "stablehlo.while"({one}, %n{name[1:]}) ({{\n'
            f"^bb0(%x: {type}, %i: tensor<i32>):\n"
            f"%t = stablehlo.constant dense<2> : tensor<i32>\n"
            f"%c = stablehlo.compare LT, %i, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            f"stablehlo.return %c : tensor<i1>\n}}, {{\n"
            f"^bb0(%x: {type}, %i: tensor<i32>):\n"
            f"%y = stablehlo.add %x, {other} : {type}\n"
            f"%t = stablehlo.constant dense<1> : tensor<i32>\n"
            f"%j = stablehlo.add %i, %t : tensor<i32>\n"
            f"stablehlo.return %y, %j : {type}, tensor<i32>\n}}) "
            f": ({type}, tensor<i32>) -> ({type}, tensor<i32>)"
        )
        self.shapes[f"{name}#0"] = shape

    def scatter(self) -> None:
        """Adds a value to another, a row each, by way of windows of one element."""
        operand = self.pick(lambda shape: len(shape) > 0)
        if not operand:
            return
        shape = self.shapes[operand]
        source = self.pick(lambda s: s == shape)
        op = f'"stablehlo.select_and_scatter"({{}}) ({_escaped(_greater(self.type(())))}, '
        op += f"{_escaped(self.body(op='add')[1:])} "
        op += f"{{{{window_dimensions = array<i64: {_listed([1] * len(shape))}>}}}}"
        self.define(op, [operand, source, self.initial()], shape)


def _greater(scalar: str) -> str:
    return (
        f"{{\n^bb0(%x: {scalar}, %y: {scalar}):\n"
        f"%g = stablehlo.compare GE, %x, %y : ({scalar}, {scalar}) -> tensor<i1>\n"
        "stablehlo.return %g : tensor<i1>\n}"
    )


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _listed(numbers: list[int]) -> str:
    return ", ".join(str(n) for n in numbers)


def _arguments(executable: shlo_tools.Executable, seed: int) -> Iterator[Array]:
    random = np.random.default_rng(seed)
    for type in executable.signature.inputs:
        yield random.integers(0, 4, type.static_shape).astype(type.element_type.dtype)


def check(seed: int) -> None:
    """Compile a program, and compare with the reference."""
    text = Degenerate(seed).text()
    native = shlo_tools.compile(text)
    arguments = list(_arguments(native, seed))
    got = native(*arguments)
    expected = shlo_tools.compile(text, backend="reference")(*arguments)
    pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
    for a, b in pairs:
        close = np.allclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True)
        assert close, f"seed {seed}: {a} instead of {b}\n{text}"


@pytest.mark.parametrize("start", range(0, 96, PROGRAMS))
def test_a_sum_of_one_element_is_started_once(start: int) -> None:
    for seed in itertools.islice(itertools.count(start), PROGRAMS):
        check(seed)


def test_a_product_without_contraction_is_repeated_as_it_is() -> None:
    text = """
    func.func @main(%a: tensor<2xf32>) -> tensor<2x3xf32> {
      %0 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [] x []
        : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }"""
    got = shlo_tools.compile(text)(np.array([4, 3], np.float32))
    np.testing.assert_array_equal(got, [[16] * 3, [9] * 3])


def test_what_windows_read_is_a_result_of_a_branch_too() -> None:
    text = """
    func.func @main(%p: tensor<i1>, %a: tensor<4xi32>) -> (tensor<3xi32>, tensor<4xi32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %t = stablehlo.add %a, %a : tensor<4xi32>
      %w = "stablehlo.reduce_window"(%t, %z) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) {window_dimensions = array<i64: 2>}
        : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
      %r = "stablehlo.if"(%p) ({
        stablehlo.return %t : tensor<4xi32>
      }, {
        stablehlo.return %a : tensor<4xi32>
      }) : (tensor<i1>) -> tensor<4xi32>
      return %w, %r : tensor<3xi32>, tensor<4xi32>
    }"""
    sums, chosen = shlo_tools.compile(text)(True, np.array([1, 2, 3, 4], np.int32))
    np.testing.assert_array_equal(sums, [6, 10, 14])
    np.testing.assert_array_equal(chosen, [2, 4, 6, 8])
