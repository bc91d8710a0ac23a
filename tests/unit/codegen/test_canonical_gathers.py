"""Gathers by coordinates of which some only count: random programs beside the reference."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from staged_programs import assert_staged

Shape = tuple[int, ...]


@dataclass
class Program:
    """A gather that is written line by line.

    Attributes:
        outer: sizes of the indices, but for the coordinates' own dimension.
        inputs: the operand, and then tables of coordinates.
    """

    random: np.random.Generator
    outer: Shape
    inputs: list[np.ndarray]
    lines: list[str] = field(default_factory=list)

    def emit(self, text: str, shape: Shape, element: str = "i64") -> tuple[str, str]:
        type = f"tensor<{'x'.join(map(str, (*shape, element)))}>"
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text.replace('TYPE', type)}")
        return name, type

    def spread(self, line: tuple[str, str], dims: Shape) -> tuple[str, str]:
        """A coordinate of all places of the indices, from one of some of their dimensions."""
        text = f"stablehlo.broadcast_in_dim {line[0]}, dims = {list(dims)} : ({line[1]}) -> TYPE"
        every = self.emit(text, self.outer)
        return self.emit(f"stablehlo.reshape {every[0]} : ({every[1]}) -> TYPE", (*self.outer, 1))

    def counted(self, dim: int) -> tuple[str, str]:
        """Places along a dimension, by more ops than are needed, as exporters write them."""
        size = self.outer[dim]
        first = self.emit("stablehlo.iota dim = 0 : TYPE", (size,))
        number = int(self.random.integers(0, 3))
        shift = self.emit(f"stablehlo.constant dense<{number}> : TYPE", (size,))
        there = self.emit(f"stablehlo.add {first[0]}, {shift[0]} : TYPE", (size,))
        back = number if self.random.integers(8) else int(self.random.integers(-1, 2))
        by = self.emit(f"stablehlo.constant dense<{back}> : TYPE", (size,))
        last = self.emit(f"stablehlo.subtract {there[0]}, {by[0]} : TYPE", (size,))
        if not self.random.integers(4):  # what constants determine, at no equal distances
            name = str(self.random.choice(["abs", "negate", "sign", "not"]))
            last = self.emit(f"stablehlo.{name} {last[0]} : TYPE", (size,))
        factor = int(self.random.choice([1] * 8 + [2, -1]))
        times = self.emit(f"stablehlo.constant dense<{factor}> : TYPE", (size,))
        return self.spread(
            self.emit(f"stablehlo.multiply {last[0]}, {times[0]} : TYPE", (size,)), (dim,)
        )

    def table(self) -> tuple[str, str]:
        """Numbers that an argument tells, some of them outside, for some dimensions."""
        count = int(self.random.integers(0, len(self.outer) // 2 + 2))
        every = np.arange(len(self.outer))
        dims = tuple(
            sorted(self.random.choice(every, min(count, len(every)), replace=False).tolist())
        )
        shape = tuple(self.outer[d] for d in dims)
        self.inputs.append(self.random.integers(-2, 8, shape))
        type = f"tensor<{'x'.join(map(str, (*shape, 'i64')))}>"
        return self.spread((f"%a{len(self.inputs) - 1}", type), dims)

    def zeros(self) -> tuple[str, str]:
        return self.emit("stablehlo.constant dense<0> : TYPE", (*self.outer, 1))


def program(seed: int) -> tuple[str, list[np.ndarray]]:
    random = np.random.default_rng(seed)
    outer = tuple(int(n) for n in random.choice([1, 2, 3, 5, 17], int(random.integers(2, 5))))
    rank = int(random.integers(1, 5))
    # Sizes that the coordinates may count, and others.
    sizes = tuple(int(n) for n in random.choice([*outer, *outer, 1, 4], rank))
    x = random.standard_normal(sizes).astype(np.float32)
    whole = Program(random, outer, [x])
    windowed = [d for d in range(rank) if random.integers(4) == 0]
    indexed = [d for d in range(rank) if d not in windowed] or [0]
    windowed = [d for d in windowed if d not in indexed]
    indexed = random.permutation(indexed).tolist()
    parts = []
    for d in indexed:
        alike = [dim for dim, size in enumerate(outer) if size == sizes[d]]
        if alike and random.integers(3):
            parts.append(whole.counted(int(random.choice(alike))))
        else:
            parts.append(whole.table() if random.integers(4) else whole.zeros())
    names, types = zip(*parts, strict=True)
    vector = len(outer)
    joined = f"stablehlo.concatenate {', '.join(names)}, dim = {vector} : ({', '.join(types)})"
    indices = whole.emit(f"{joined} -> TYPE", (*outer, len(parts)))
    offsets = sorted(random.permutation(vector + len(windowed))[: len(windowed)].tolist())
    batch, window = iter(outer), iter([sizes[d] for d in windowed])
    result = tuple(
        next(window) if d in offsets else next(batch) for d in range(vector + len(windowed))
    )
    shape = "x".join(map(str, (*sizes, "f32")))
    numbers = f"offset_dims = {offsets}, collapsed_slice_dims = {sorted(indexed)}, "
    numbers += f"start_index_map = {indexed}, index_vector_dim = {vector}"
    windows = ", ".join(str(sizes[d] if d in windowed else 1) for d in range(rank))
    gathered = whole.emit(
        f'"stablehlo.gather"(%a0, {indices[0]}) <{{dimension_numbers = #stablehlo.gather<{numbers}>'
        f", slice_sizes = array<i64: {windows}>}}> : (tensor<{shape}>, {indices[1]}) -> TYPE",
        result,
        "f32",
    )
    tables = [f"%a{k}: tensor<{'x'.join(map(str, (*a.shape, 'i64')))}>"
              for k, a in enumerate(whole.inputs) if k]  # fmt: skip
    arguments = ", ".join([f"%a0: tensor<{shape}>", *tables])
    body = "\n      ".join([*whole.lines, f"return {gathered[0]} : {gathered[1]}"])
    text = f"""
    func.func @main({arguments}) -> {gathered[1]} {{
      {body}
    }}"""
    return text, whole.inputs


PLACES = {
    "reflected": "%1 = stablehlo.subtract %0, %two : I\n      %2 = stablehlo.abs %1 : I",
    "clamped": "%2 = stablehlo.clamp %two, %0, %six : I",
    "rolled": """%1 = stablehlo.add %0, %six : I
      %2 = stablehlo.remainder %1, %nine : I""",
    "there and back": """%1 = stablehlo.subtract %six, %0 : I
      %3 = stablehlo.abs %1 : I
      %2 = stablehlo.subtract %six, %3 : I""",
    "many runs": """%1 = stablehlo.multiply %0, %six : I
      %2 = stablehlo.remainder %1, %nine : I""",
    "outside": "%1 = stablehlo.multiply %0, %two : I\n      %2 = stablehlo.minimum %1, %nine : I",
}


@pytest.mark.parametrize("how", PLACES)
@pytest.mark.parametrize("dimension", [0, 1, 2])
@pytest.mark.parametrize("last", [False, True])
def test_places_that_constants_determine(how: str, dimension: int, last: bool) -> None:
    """Along each dimension; ``last`` of the result, wherever they are in the operand, or there."""
    shape, count = [4, 7, 8], 23
    others = [size for d, size in enumerate(shape) if d != dimension]
    place = 2 if last else dimension
    result = [*others[:place], count, *others[place:]]
    sizes = [1 if d == dimension else size for d, size in enumerate(shape)]
    offsets = [d for d in range(3) if d != place]
    index = f"tensor<{count}x1xi32>"
    operand, type = (f"tensor<{'x'.join(map(str, n))}xi16>" for n in (shape, result))
    numbers = {"two": 2, "six": 6, "nine": 9}
    constants = [f"%{n} = stablehlo.constant dense<{k}> : I" for n, k in numbers.items()]
    body = "\n      ".join([*constants, "%0 = stablehlo.iota dim = 0 : I", PLACES[how]])
    assert_staged(
        f"""
    func.func @main(%x: {operand}) -> {type} {{
      {body.replace("I", index)}
      %9 = "stablehlo.gather"(%x, %2) <{{dimension_numbers = #stablehlo.gather<
          offset_dims = {offsets}, collapsed_slice_dims = [{dimension}],
          start_index_map = [{dimension}], index_vector_dim = 1>,
          slice_sizes = array<i64: {", ".join(map(str, sizes))}>}}>
          : ({operand}, {index}) -> {type}
      return %9 : {type}
    }}""",
        np.random.default_rng(1).integers(-999, 999, shape).astype(np.int16),
    )


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_random_coordinates(first: int) -> None:
    for seed in range(first, first + 20):
        text, inputs = program(seed)
        assert_staged(text, *inputs)
