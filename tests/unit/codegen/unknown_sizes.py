"""Random programs whose sizes run time tells."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

Shape = tuple[str, ...]  # "n", "m", products of them as "n*m", or numbers

# The shape of %x, a matrix of f32, as %s.
SHAPE = """%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %n1, %m1, dim = 0
    : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>"""
SIZES = (0, 1, 2, 3, 31, 32, 33, 65)
_BINARY = ("add", "subtract", "maximum", "minimum", "atan2")
_KINDS = (
    *("binary", "binary", "unary", "reduce", "spread", "turn", "dot", "flat", "join", "splat"),
    *("pick", "grow", "cut"),
)
_UNARY = ("tanh", "negate", "cosine", "abs")


@dataclass
class SizedProgram:
    """A program on ``%x: n x m``, ``%y: m x n``, ``%v: m`` and ``%w: m x 5``, while it is written.

    Attributes:
        shapes: of the values so far.
    """

    draw: random.Random
    shapes: dict[str, Shape] = field(
        default_factory=lambda: {
            "%x": ("n", "m"),
            "%y": ("m", "n"),
            "%v": ("m",),
            "%w": ("m", "5"),
        }
    )
    lines: list[str] = field(
        default_factory=lambda: [
            "%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>",
            "%m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>",
            "%nm = stablehlo.multiply %n, %m : tensor<i32>",
            "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
            "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>",
            "%half = stablehlo.constant dense<0.5> : tensor<f32>",
        ]
    )

    def add(self, text: str, shape: Shape, source: Shape, others: tuple[Shape, ...] = ()) -> str:
        """A line of an op; its operands' types are those of shapes."""
        name = f"%{len(self.lines)}"
        operands = ", ".join(map(type_of, (source, *others)))
        self.lines.append(f"{name} = stablehlo.{text} : ({operands}) -> {type_of(shape)}")
        self.shapes[name] = shape
        return name

    def sizes(self, shape: Shape) -> str:
        """A tensor of sizes."""
        parts = []
        for size in shape:
            name = f"%s{len(self.lines)}"
            scalar = {"n": "%n", "m": "%m", "n*m": "%nm"}.get(size)
            if scalar is None:
                self.lines.append(f"{name} = stablehlo.constant dense<{size}> : tensor<1xi32>")
            else:
                self.lines.append(
                    f"{name} = stablehlo.reshape {scalar} : (tensor<i32>) -> tensor<1xi32>"
                )
            parts.append(name)
        types = ", ".join(["tensor<1xi32>"] * len(parts))
        name = f"%s{len(self.lines)}"
        self.lines.append(
            f"{name} = stablehlo.concatenate {', '.join(parts)}, dim = 0"
            f" : ({types}) -> tensor<{len(parts)}xi32>"
        )
        return name

    def step(self) -> None:
        """One op more."""
        value = self.draw.choice(list(self.shapes))
        shape = self.shapes[value]
        kind = self.draw.choice(
            (
                "binary",
                "binary",
                "unary",
                "reduce",
                "spread",
                "turn",
                "dot",
                "flat",
                "join",
                "splat",
            )
        )
        if kind == "binary":
            others = [name for name, other in self.shapes.items() if other == shape]
            name = self.draw.choice(_BINARY)
            self.add(f"{name} {value}, {self.draw.choice(others)}", shape, shape, (shape,))
        elif kind == "unary":
            self.add(f"{self.draw.choice(_UNARY)} {value}", shape, shape)
        elif kind == "reduce" and shape:
            self.reduce(value, shape)
        elif kind == "spread" and len(shape) == 1 and "*" not in shape[0]:
            self.spread(value, shape)
        elif kind == "turn" and len(shape) == 2:
            self.add(f"transpose {value}, dims = [1, 0]", shape[::-1], shape)
        elif kind == "dot" and len(shape) == 2:
            self.dot(value, shape)
        elif kind == "flat" and shape == ("n", "m"):
            sizes = self.sizes(("n*m",))
            flat = ("n*m",)
            name = self.add(f"dynamic_reshape {value}, {sizes}", flat, shape, (("1i",),))
            if self.draw.random() < 0.5:
                sizes = self.sizes(("m", "n"))
                self.add(f"dynamic_reshape {name}, {sizes}", ("m", "n"), flat, (("2i",),))
        elif kind == "join" and len(shape) == 2 and shape[1] == "5":
            joined = (shape[0], "10")
            self.add(f"concatenate {value}, {value}, dim = 1", joined, shape, (shape,))
        elif kind == "pick" and len(shape) == 2 and shape[1] == "5":
            self.pick(value, shape)
        elif kind == "grow" and shape[-1:] == ("5",):
            padding = "high = [0, 2]" if len(shape) == 2 else "high = [2]"
            zeros = "[0, 3]" if len(shape) == 2 else "[3]"
            inside = "[0, 0]" if len(shape) == 2 else "[0]"
            text = f"pad {value}, %zero, low = {zeros}, {padding}, interior = {inside}"
            self.add(text, (*shape[:-1], "10"), shape, ((),))
        elif kind == "cut" and shape == ("n", "m"):
            starts, ends = (self.sizes(("0", "0")), self.sizes(("n", "m")))
            steps = self.sizes(("1", "1"))
            text = f"real_dynamic_slice {value}, {starts}, {ends}, {steps}"
            self.add(text, shape, shape, (("2i",),) * 3)
        elif kind == "splat":
            sizes = self.sizes(("n", "m"))
            self.add(
                f"dynamic_broadcast_in_dim %half, {sizes}, dims = []", ("n", "m"), (), (("2i",),)
            )

    def reduce(self, value: str, shape: Shape) -> None:
        """The last dimension, the first one, or all."""
        op, start = self.draw.choice((("add", "%zero"), ("maximum", "%low")))
        every = range(len(shape))
        dimensions = self.draw.choice((every[-1:], every[:1], every))
        kept = tuple(size for d, size in enumerate(shape) if d not in dimensions)
        self.add(
            f"reduce({value} init: {start}) applies stablehlo.{op}"
            f" across dimensions = {[*dimensions]}",
            kept,
            shape,
            ((),),
        )

    def spread(self, value: str, shape: Shape) -> None:
        """A row or a column becomes a matrix."""
        other = self.draw.choice(("n", "m", "5"))
        whole, dimension = self.draw.choice((((*shape, other), 0), ((other, *shape), 1)))
        sizes = self.sizes(whole)
        text = f"dynamic_broadcast_in_dim {value}, {sizes}, dims = [{dimension}]"
        self.add(text, whole, shape, (("2i",),))

    def pick(self, value: str, shape: Shape) -> None:
        """Rows at indices, which are moved inside; there is one at least."""
        row = f"%i{len(self.lines)}"
        self.lines.append(
            f"{row} = stablehlo.constant dense<[[7, 0, 1], [0, 0, 0]]> : tensor<2x3xi32>"
        )
        text = f"""pad {value}, %half, low = [1, 0], high = [1, 0], interior = [0, 0]"""
        grown = f"%g{len(self.lines)}"
        self.lines.append(
            f"{grown} = stablehlo.{text} : ({type_of(shape)}, tensor<f32>) -> tensor<?x5xf32>"
        )
        name = f"%{len(self.lines)}"
        self.lines.append(
            f"""{name} = "stablehlo.gather"({grown}, {row}) <{{dimension_numbers =
    #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1],
    index_vector_dim = 0>, slice_sizes = array<i64: 1, 5>}}>
    : (tensor<?x5xf32>, tensor<2x3xi32>) -> tensor<3x5xf32>"""
        )
        self.shapes[name] = ("3", "5")

    def dot(self, value: str, shape: Shape) -> None:
        """A product with a matrix of as many rows."""
        others = [name for name, o in self.shapes.items() if len(o) == 2 and o[0] == shape[1]]
        if others:
            other = self.draw.choice(others)
            columns = self.shapes[other][1]
            text = f"dot_general {value}, {other}, contracting_dims = [1] x [0]"
            product = self.add(text, (shape[0], columns), shape, (self.shapes[other],))
            self.add(f"tanh {product}", (shape[0], columns), (shape[0], columns))

    def text(self) -> str:
        """The program; it returns the last values."""
        returned = [name for name in self.shapes if name[1:].isdecimal()][-3:] or ["%x"]
        types = ", ".join(type_of(self.shapes[name]) for name in returned)
        body = "\n  ".join(self.lines)
        return f"""func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %v: tensor<?xf32>,
    %w: tensor<?x5xf32>) -> ({types}) {{
  {body}
  return {", ".join(returned)} : {types}
}}"""


def type_of(shape: Shape) -> str:
    """A type; of tensors of sizes where the only size is ``2i``."""
    if len(shape) == 1 and shape[0].endswith("i"):
        return f"tensor<{shape[0][:-1]}xi32>"
    sizes = [size if size.isdecimal() else "?" for size in shape]
    return f"tensor<{'x'.join([*sizes, 'f32'])}>"


def arguments(n: int, m: int, seed: int) -> list[np.ndarray]:
    """What such a program is called with."""
    draw = np.random.default_rng(seed)
    shapes = ((n, m), (m, n), (m,), (m, 5))
    return [draw.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]


def program(seed: int, length: int) -> str:
    """A random program."""
    drawn = SizedProgram(random.Random(seed))
    while len(drawn.shapes) < length:
        drawn.step()
    return drawn.text()
