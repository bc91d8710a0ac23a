"""Random programs full of what can be simplified: neutral constants, operations that undo each
other, moved data, decided branches, loops that never run.

Every program is StableHLO text with arguments that hold the edges of their types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cases._types import dtype_of

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import TensorType, parse_tensor_type

Array = np.ndarray[Any, Any]

SHAPES = ((), (1,), (4,), (2, 3), (3, 2), (1, 3), (3, 1), (2, 1, 3), (0, 3))

NUMBERS = "add subtract multiply divide maximum minimum"
BITS = "and or xor shift_left shift_right_logical shift_right_arithmetic remainder power"
BINARY = {
    "i1": "add multiply maximum minimum and or xor",
    "float": f"{NUMBERS} remainder",
    "complex": "add subtract",
    "integer": f"{NUMBERS} {BITS}",
}
UNARY = {
    "i1": "not",
    "float": "abs negate floor ceil sign sqrt round_nearest_even round_nearest_afz",
    "complex": "negate",
    "integer": "not negate popcnt",
}
DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")


def kind(element: str) -> str:
    """Which rows of the tables an element type has."""
    if element == "i1":
        return "i1"
    if element.startswith("complex"):
        return "complex"
    return "float" if element.startswith(("f", "bf")) else "integer"


def specials(element: str) -> Array:
    """Numbers that operations do not see, or that make them give one number only."""
    if element == "i1":
        return np.array([False, True])
    if kind(element) == "complex":
        return np.array([0, -0.0 - 0.0j, 1, 2 + 1j, complex(np.inf, 0)], dtype_of(element))
    if kind(element) == "float":
        numbers = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan]
        return np.array(numbers).astype(dtype_of(element))
    # As bits: the extremes of every integer type are among them.
    bits = np.array([0, 1, 2, 3, 7, 8, 15, 127, 128, 255], np.uint8).astype(np.int64)
    extremes = np.array([-1, -(1 << 31), (1 << 31) - 1, -(1 << 63), (1 << 63) - 1], np.int64)
    return np.concatenate([bits, extremes]).astype(dtype_of(element))


class Redundant:
    """A program; ``text`` returns every other value.

    Args:
        elements: element types of its values.
    """

    def __init__(self, seed: int, elements: Sequence[str], steps: int = 25) -> None:
        self.random = np.random.default_rng(seed)
        self.elements = elements
        self.lines: list[str] = []
        self.types: dict[str, TensorType] = {}
        self.arguments: dict[str, Array] = {}
        for index in range(4):
            type = self.new_type()
            pool = specials(type.element_type.name)
            self.arguments[f"%a{index}"] = self.random.choice(pool, type.static_shape)
            self.types[f"%a{index}"] = type
        for _ in range(steps):
            result = self.choose(STEPS)(self)
            if result is not None:
                self.types[result[0]] = result[1]

    @property
    def text(self) -> str:
        inputs = ", ".join(f"{name}: {self.types[name]}" for name in self.arguments)
        result = [name for name in self.types if name not in self.arguments]
        returned = [*result[::2], result[-1]]  # the others may vanish
        types = ", ".join(str(self.types[name]) for name in returned)
        body = "\n".join([*self.lines, f"return {', '.join(returned)} : {types}"])
        return f"func.func @main({inputs}) -> ({types}) {{\n{body}\n}}"

    # --- drawing ----------------------------------------------------------------------------------
    def choose(self, items: Sequence[Any]) -> Any:
        return items[int(self.random.integers(0, len(items)))]

    def new_type(self) -> TensorType:
        shape = "".join(f"{size}x" for size in self.choose(SHAPES))
        return parse_tensor_type(f"tensor<{shape}{self.choose(self.elements)}>")

    def pick(self, fits: Callable[[TensorType], bool] = lambda type: True) -> str | None:
        """A value, of a type that fits if there is one; the latest ones more often."""
        names = [name for name, type in self.types.items() if fits(type)]
        return names[-1 - int(len(names) * self.random.random() ** 2)] if names else None

    def fresh(self) -> str:
        return f"%v{len(self.lines)}"

    def constant(self, type: TensorType) -> str:
        """A constant: one number everywhere (sometimes as a broadcast), or several."""
        pool = specials(type.element_type.name)
        form = self.random.random()
        if form < 0.3 and type.rank:
            scalar = self.constant(type.with_shape(()))
            name = self.fresh()
            self.lines.append(
                f"{name} = stablehlo.broadcast_in_dim {scalar}, dims = []"
                f" : ({type.with_shape(())}) -> {type}"
            )
            return name
        array = np.full(type.static_shape, self.choose(pool), pool.dtype)
        if form > 0.8:
            array = self.random.choice(pool, type.static_shape)
        with mlir.library_context():
            dtype = str(dtypes.to_attribute(array, type.element_type))
        name = self.fresh()
        self.lines.append(f"{name} = stablehlo.constant {dtype}")
        return name

    def pair(self, one: str) -> list[str]:
        """A value and one beside it, in either order."""
        operands = [one, self.beside(one)]
        if self.random.random() < 0.4:
            operands.reverse()
        return operands

    def beside(self, name: str) -> str:
        """A value of the type of another: itself, a constant, or any."""
        form = self.random.random()
        if form < 0.2:
            return name
        if form < 0.7:
            return self.constant(self.types[name])
        return self.pick(lambda type: type == self.types[name]) or name

    def define(self, text: str, type: TensorType) -> tuple[str, TensorType]:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name, type


Made = tuple[str, TensorType] | None


# --- elementwise ----------------------------------------------------------------------------------
def binary(p: Redundant) -> Made:
    one = p.pick()
    if one is None:
        return None
    operands = p.pair(one)
    type = p.types[one]
    name = p.choose(BINARY[kind(type.element_type.name)].split())
    return p.define(f"stablehlo.{name} {', '.join(operands)} : {type}", type)


def unary(p: Redundant) -> Made:
    one = p.pick()
    if one is None:
        return None
    type = p.types[one]
    name = p.choose(UNARY[kind(type.element_type.name)].split())
    return p.define(f"stablehlo.{name} {one} : {type}", type)


def convert(p: Redundant) -> Made:
    one = p.pick(lambda type: not type.element_type.is_complex)
    if one is None:
        return None
    real = [element for element in p.elements if not element.startswith("complex")]
    type = p.types[one].with_element(dtypes.element_type(p.choose(real)))
    return p.define(f"stablehlo.convert {one} : ({p.types[one]}) -> {type}", type)


def compare(p: Redundant) -> Made:
    one = p.pick(lambda type: not type.element_type.is_complex)
    if one is None:
        return None
    operands = p.pair(one)
    type = p.types[one]
    total = ", TOTALORDER" if kind(type.element_type.name) == "float" and p.choose([0, 1]) else ""
    answer = type.with_element(dtypes.element_type("i1"))
    return p.define(
        f"stablehlo.compare {p.choose(DIRECTIONS)}, {', '.join(operands)}{total}"
        f" : ({type}, {type}) -> {answer}",
        answer,
    )


def select(p: Redundant) -> Made:
    one = p.pick()
    if one is None:
        return None
    type = p.types[one]
    mask = type.with_element(dtypes.element_type("i1"))
    pred = p.pick(lambda t: t == mask)
    if pred is None or p.random.random() < 0.2:
        pred = p.constant(mask)
    operands = f"{pred}, {one}, {p.beside(one)}"
    return p.define(f"stablehlo.select {operands} : {mask}, {type}", type)


# --- moving data ----------------------------------------------------------------------------------
def reshape(p: Redundant) -> Made:
    one = p.pick()
    if one is None:
        return None
    size = p.types[one].size
    shape = p.choose([shape for shape in (*SHAPES, (size,)) if np.prod(shape) == size])
    type = p.types[one].with_shape(shape)
    if p.choose([0, 1]):
        return p.define(f"stablehlo.reshape {one} : ({p.types[one]}) -> {type}", type)
    sizes = p.define(_shape_constant(shape), parse_tensor_type(f"tensor<{len(shape)}xi64>"))
    types = f"({p.types[one]}, {sizes[1]}) -> {type}"
    return p.define(f"stablehlo.dynamic_reshape {one}, {sizes[0]} : {types}", type)


def _shape_constant(shape: Sequence[int]) -> str:
    return f"stablehlo.constant dense<{list(shape)}> : tensor<{len(shape)}xi64>"


def transpose(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank > 1)
    if one is None:
        return None
    permutation = p.random.permutation(p.types[one].rank).tolist()
    type = p.types[one].with_shape([p.types[one].shape[d] for d in permutation])
    types = f"({p.types[one]}) -> {type}"
    return p.define(f"stablehlo.transpose {one}, dims = {permutation} : {types}", type)


def broadcast(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank < 3)
    if one is None:
        return None
    inputs = p.types[one]
    rank = inputs.rank + int(p.random.integers(0, 2))
    dims = p.random.permutation(rank)[: inputs.rank].tolist()
    shape = [int(p.random.integers(1, 4)) for _ in range(rank)]
    for size, dim in zip(inputs.static_shape, dims, strict=True):
        shape[dim] = size if size != 1 else shape[dim]
    type = inputs.with_shape(shape)
    types = f"({inputs}) -> {type}"
    return p.define(f"stablehlo.broadcast_in_dim {one}, dims = {dims} : {types}", type)


def slice_(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank > 0 and type.size > 0)
    if one is None:
        return None
    bounds = []
    for size in p.types[one].static_shape:
        start = int(p.random.integers(0, size)) if p.choose([0, 1]) else 0
        limit = int(p.random.integers(start, size + 1)) if p.choose([0, 1]) else size
        bounds.append((start, limit, int(p.choose([1, 1, 1, 2]))))
    type = p.types[one].with_shape([len(range(*row)) for row in bounds])
    inside = ", ".join(f"{start}:{limit}:{step}" for start, limit, step in bounds)
    return p.define(f"stablehlo.slice {one} [{inside}] : ({p.types[one]}) -> {type}", type)


def concatenate(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank > 0)
    if one is None:
        return None
    type = p.types[one]
    dimension = int(p.random.integers(0, type.rank))

    def fits(other: TensorType) -> bool:
        rest = [(a, b) for d, (a, b) in enumerate(zip(other.shape, type.shape)) if d != dimension]  # noqa: B905
        alike = other.rank == type.rank and other.element_type == type.element_type
        return alike and all(a == b for a, b in rest) and other.size <= 24

    values = [one, *(results for _ in range(2) if (results := p.pick(fits)) is not None)]
    shape = list(type.static_shape)
    shape[dimension] = sum(p.types[value].static_shape[dimension] for value in values)
    types = ", ".join(str(p.types[value]) for value in values)
    result = type.with_shape(shape)
    text = f"stablehlo.concatenate {', '.join(values)}, dim = {dimension} : ({types}) -> {result}"
    return p.define(text, result)


def pad(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank > 0)
    if one is None:
        return None
    type = p.types[one]
    low, high = ([int(p.choose([0, 0, 1, -1])) for _ in type.shape] for _ in range(2))
    interior = [int(p.choose([0, 0, 1])) for _ in type.shape]
    rows = zip(type.static_shape, low, high, interior, strict=True)
    shape = [size + max(size - 1, 0) * i + a + b for size, a, b, i in rows]
    if any(size < 0 for size in shape):
        return None
    scalar = type.with_shape(())
    value, result = p.constant(scalar), type.with_shape(shape)
    text = f"stablehlo.pad {one}, {value}, low = {low}, high = {high}, interior = {interior}"
    return p.define(f"{text} : ({type}, {scalar}) -> {result}", result)


def reverse(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank > 0)
    if one is None:
        return None
    dims = [d for d in range(p.types[one].rank) if p.choose([0, 1])]
    return p.define(f"stablehlo.reverse {one}, dims = {dims} : {p.types[one]}", p.types[one])


def dynamic_slice(p: Redundant) -> Made:
    one = p.pick(lambda type: type.rank > 0)
    if one is None:
        return None
    type, scalar = p.types[one], parse_tensor_type("tensor<i32>")
    starts = []
    for _ in type.shape:
        number = int(p.random.integers(-1, 4))
        results = p.define(f"stablehlo.constant dense<{number}> : {scalar}", scalar)
        starts.append(results[0])
    sizes = [int(p.random.integers(0, size + 1)) for size in type.static_shape]
    result = type.with_shape(sizes)
    types = ", ".join([str(type), *(str(scalar) for _ in starts)])
    text = f"stablehlo.dynamic_slice {', '.join([one, *starts])}, sizes = {sizes}"
    return p.define(f"{text} : ({types}) -> {result}", result)


def iota(p: Redundant) -> Made:
    type = p.new_type()
    if not type.rank or type.element_type.is_boolean:
        return None
    dimension = int(p.random.integers(0, type.rank))
    return p.define(f"stablehlo.iota dim = {dimension} : {type}", type)


# --- regions --------------------------------------------------------------------------------------
def reduce(p: Redundant) -> Made:
    """Of floats only what gives the same bits in any order."""
    one = p.pick(lambda type: type.rank > 0 and not type.element_type.is_complex)
    if one is None:
        return None
    type = p.types[one]
    few = kind(type.element_type.name) == "float"
    names = "maximum minimum" if few else "add multiply maximum minimum and or xor"
    dimension = int(p.random.integers(0, type.rank))
    shape = [size for d, size in enumerate(type.static_shape) if d != dimension]
    scalar, result = type.with_shape(()), type.with_shape(shape)
    name, start = p.choose(names.split()), p.constant(scalar)
    text = (
        f"stablehlo.reduce({one} init: {start}) applies stablehlo.{name} across dimensions ="
        f" [{dimension}] : ({type}, {scalar}) -> {result}"
    )
    return p.define(text, result)


def branch(p: Redundant) -> Made:
    """An ``if`` on a constant or a value, whose branches may return the same."""
    one, mask = p.pick(), parse_tensor_type("tensor<i1>")
    if one is None:
        return None
    type = p.types[one]
    pred = p.pick(lambda t: t == mask)
    if pred is None or p.choose([0, 1]):
        pred = p.constant(mask)
    other = p.beside(one)
    inner = p.fresh().replace("%v", "%w")
    text = (
        f'"stablehlo.if"({pred}) ({{\n {inner} = stablehlo.add {one}, {other} : {type}\n'
        f" stablehlo.return {p.choose([inner, other])} : {type} }},"
        f" {{ stablehlo.return {other} : {type} }}) : ({mask}) -> {type}"
    )
    return p.define(text, type)


def loop(p: Redundant) -> Made:
    """A ``while`` of at most two iterations over a value, one that stays and one for nothing."""
    one = p.pick()
    if one is None:
        return None
    type, count = p.types[one], parse_tensor_type("tensor<i32>")
    other, trips = p.beside(one), int(p.random.integers(0, 3))
    start = p.define(f"stablehlo.constant dense<{trips}> : {count}", count)[0]
    unit = p.define(f"stablehlo.constant dense<1> : {count}", count)[0]
    none = p.define(f"stablehlo.constant dense<0> : {count}", count)[0]
    name = p.fresh()
    w = name.replace("%v", "%w")
    heads = f"{w}_i: {count}, {w}_x: {type}, {w}_y: {type}, {w}_z: {type}"
    types = f"{count}, {type}, {type}, {type}"
    p.lines.append(f"""{name}:4 = "stablehlo.while"({start}, {one}, {other}, {one}) ({{
        ^bb0({heads}):
          {w}_p = stablehlo.compare GT, {w}_i, {none} : ({count}, {count}) -> tensor<i1>
          stablehlo.return {w}_p : tensor<i1>
        }}, {{
        ^bb0({heads}):
          {w}_j = stablehlo.subtract {w}_i, {unit} : {count}
          {w}_s = stablehlo.add {w}_x, {w}_y : {type}
          {w}_t = stablehlo.add {w}_z, {w}_s : {type}
          stablehlo.return {w}_j, {w}_s, {w}_y, {w}_t : {types}
        }}) : ({types}) -> ({types})""")
    for index in range(1, 4):
        if p.choose([0, 1]):
            p.types[f"{name}#{index}"] = type
    return None


STEPS = (binary,) * 6 + (unary,) * 3 + (compare, select, convert) * 2
STEPS += (reshape, transpose, broadcast, slice_, concatenate, pad, reverse, dynamic_slice, iota)
STEPS += (reduce, branch, loop)
