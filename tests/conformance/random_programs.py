"""Random programs of loops and branches over 3x3 integer matrices, with what they must give.

A program is built as StableHLO text and evaluated by numpy at the same time: every step is a
line of the one and a closure of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Values = dict[str, Array]
Step = Callable[[Values], None]

TYPE = "tensor<3x3xi32>"
SCALAR = "tensor<i32>"
MASK = "tensor<3x3xi1>"

UNARY: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "negate": (f"stablehlo.negate {{0}} : {TYPE}", lambda x: -x),
    "transpose": (
        f"stablehlo.transpose {{0}}, dims = [1, 0] : ({TYPE}) -> {TYPE}",
        lambda x: x.T,
    ),
    "reverse": (f"stablehlo.reverse {{0}}, dims = [0] : {TYPE}", lambda x: x[::-1]),
    "rotate": (
        f"stablehlo.slice {{0}} [1:3, 0:3] : ({TYPE}) -> tensor<2x3xi32>\n"
        f"{{1}}_top = stablehlo.slice {{0}} [0:1, 0:3] : ({TYPE}) -> tensor<1x3xi32>\n"
        "{1} = stablehlo.concatenate {1}_0, {1}_top, dim = 0"
        f" : (tensor<2x3xi32>, tensor<1x3xi32>) -> {TYPE}",
        lambda x: np.roll(x, -1, axis=0),
    ),
    "reshape": (
        f"stablehlo.reshape {{0}} : ({TYPE}) -> tensor<9xi32>\n"
        f"{{1}} = stablehlo.reshape {{1}}_0 : (tensor<9xi32>) -> {TYPE}",
        lambda x: x,
    ),
    "rows": (
        f"stablehlo.slice {{0}} [2:3, 0:3] : ({TYPE}) -> tensor<1x3xi32>\n"
        f"{{1}} = stablehlo.broadcast_in_dim {{1}}_0, dims = [0, 1]"
        f" : (tensor<1x3xi32>) -> {TYPE}",
        lambda x: np.broadcast_to(x[2:3], (3, 3)),
    ),
}
BINARY: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "add": (f"stablehlo.add {{0}}, {{1}} : {TYPE}", lambda x, y: x + y),
    "subtract": (f"stablehlo.subtract {{0}}, {{1}} : {TYPE}", lambda x, y: x - y),
    "maximum": (f"stablehlo.maximum {{0}}, {{1}} : {TYPE}", np.maximum),
    "product": (
        f"stablehlo.dot_general {{0}}, {{1}}, contracting_dims = [1] x [0]"
        f" : ({TYPE}, {TYPE}) -> {TYPE}",
        lambda x, y: x @ y,
    ),
    "select": (
        f"stablehlo.compare GT, {{0}}, {{1}} : ({TYPE}, {TYPE}) -> {MASK}\n"
        f"{{2}} = stablehlo.select {{2}}_0, {{1}}, {{0}} : {MASK}, {TYPE}",
        lambda x, y: np.where(x > y, y, x),
    ),
    "corner": (
        f"stablehlo.slice {{1}} [0:2, 1:3] : ({TYPE}) -> tensor<2x2xi32>\n"
        f"{{2}}_at = stablehlo.constant dense<1> : {SCALAR}\n"
        f"{{2}} = stablehlo.dynamic_update_slice {{0}}, {{2}}_0, {{2}}_at, {{2}}_at"
        f" : ({TYPE}, tensor<2x2xi32>, {SCALAR}, {SCALAR}) -> {TYPE}",
        lambda x, y: _with_corner(x, y),
    ),
}


def _with_corner(x: Array, y: Array) -> Array:
    made = x.copy()
    made[1:, 1:] = y[:2, 1:]
    return made


@dataclass
class RandomProgram:
    """A function ``@main`` of some matrices that returns as many.

    Attributes:
        text: the module.
        arguments: what to call it with.
        results: what it must return.
    """

    seed: int
    text: str = ""
    arguments: list[Array] = field(default_factory=list)
    results: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.count = 0
        number = int(self.random.integers(2, 5))
        names = [f"%a{i}" for i in range(number)]
        lines, steps, outer = self.body(names, depth=2)
        returned = self.some(outer, number)
        types = ", ".join([TYPE] * number)
        self.text = "\n".join(
            [
                f"func.func @main({', '.join(f'{n}: {TYPE}' for n in names)}) -> ({types}) {{",
                f"%zero = stablehlo.constant dense<0> : {SCALAR}",
                f"%one = stablehlo.constant dense<1> : {SCALAR}",
                *lines,
                f"return {', '.join(returned)} : {types}",
                "}",
            ]
        )
        self.arguments = [self.random.integers(-9, 10, (3, 3), np.int32) for _ in names]
        values = dict(zip(names, self.arguments, strict=True))
        for step in steps:
            step(values)
        self.results = [values[name] for name in returned]

    def some(self, names: list[str], number: int) -> list[str]:
        """Names drawn with repetition, the latest ones more often."""
        weights = np.arange(1, len(names) + 1) / sum(range(len(names) + 1))
        return [str(name) for name in self.random.choice(names, number, p=weights)]

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def body(self, names: list[str], depth: int) -> tuple[list[str], list[Step], list[str]]:
        """Some lines that may use ``names``, their meaning, and the names known after them."""
        lines: list[str] = []
        steps: list[Step] = []
        names = list(names)
        for _ in range(int(self.random.integers(1, 5))):
            kind = self.random.random()
            make = self.operation
            if depth and kind < 0.3:
                make = self.loop
            elif depth and kind < 0.4:
                make = self.branch
            text, step, made = make(names, depth)
            lines.append(text)
            steps.append(step)
            names += made
        return lines, steps, names

    def operation(self, names: list[str], depth: int) -> tuple[str, Step, list[str]]:
        arity = 1 if self.random.random() < 0.4 else 2
        table: dict[str, Any] = UNARY if arity == 1 else BINARY
        template, function = table[str(self.random.choice(list(table)))]
        operands, name = self.some(names, arity), self.fresh()
        first = f"{name}_0" if "\n" in template else name
        text = f"{first} = {template.format(*operands, name)}"

        def step(values: Values) -> None:
            values[name] = function(*(values[operand] for operand in operands))

        return text, step, [name]

    def loop(self, names: list[str], depth: int) -> tuple[str, Step, list[str]]:
        """A ``while`` of a fixed number of iterations over some carried matrices."""
        number, trips = int(self.random.integers(1, 4)), int(self.random.integers(0, 4))
        given, name = self.some(names, number), self.fresh()
        carried = [f"{name}_x{i}" for i in range(number)]
        lines, steps, known = self.body([*names, *carried], depth - 1)
        yielded = self.some(known, number)
        types = ", ".join([SCALAR, *[TYPE] * number])
        heads = ", ".join([f"{name}_i: {SCALAR}", *(f"{c}: {TYPE}" for c in carried)])
        text = f"""{name}_n = stablehlo.constant dense<{trips}> : {SCALAR}
          {name}:{number + 1} = "stablehlo.while"({", ".join([f"{name}_n", *given])}) ({{
          ^bb0({heads}):
            {name}_go = stablehlo.compare GT, {name}_i, %zero : ({SCALAR}, {SCALAR}) -> tensor<i1>
            stablehlo.return {name}_go : tensor<i1>
          }}, {{
          ^bb0({heads}):
            {name}_next = stablehlo.subtract {name}_i, %one : {SCALAR}
            {chr(10).join(lines)}
            stablehlo.return {", ".join([f"{name}_next", *yielded])} : {types}
          }}) : ({types}) -> ({types})"""
        results = [f"{name}#{i + 1}" for i in range(number)]

        def step(values: Values) -> None:
            values.update(zip(carried, [values[n] for n in given], strict=True))
            for _ in range(trips):
                for inner in steps:
                    inner(values)
                values.update(zip(carried, [values[n] for n in yielded], strict=True))
            values.update(zip(results, [values[c] for c in carried], strict=True))

        return text, step, results

    def branch(self, names: list[str], depth: int) -> tuple[str, Step, list[str]]:
        """An ``if`` on whether one matrix's first element is greater than another's."""
        number = int(self.random.integers(1, 3))
        one, two = self.some(names, 2)
        name = self.fresh()
        sides = []
        for _ in range(2):
            lines, steps, known = self.body(names, depth - 1)
            sides.append((lines, steps, self.some(known, number)))
        types = ", ".join([TYPE] * number)
        first = "[0:1, 0:1] : (tensor<3x3xi32>) -> tensor<1x1xi32>"
        regions = ", ".join(
            f"{{ {chr(10).join(lines)}\n stablehlo.return {', '.join(yielded)} : {types} }}"
            for lines, _, yielded in sides
        )
        text = f"""{name}_p = stablehlo.slice {one} {first}
          {name}_q = stablehlo.slice {two} {first}
          {name}_c = stablehlo.compare GT, {name}_p, {name}_q
            : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
          {name}_d = stablehlo.reshape {name}_c : (tensor<1x1xi1>) -> tensor<i1>
          {name}:{number} = "stablehlo.if"({name}_d) ({regions}) : (tensor<i1>) -> ({types})"""
        results = [f"{name}#{i}" for i in range(number)]

        def step(values: Values) -> None:
            _, steps, yielded = sides[0 if values[one][0, 0] > values[two][0, 0] else 1]
            for inner in steps:
                inner(values)
            values.update(zip(results, [values[n] for n in yielded], strict=True))

        return text, step, results
