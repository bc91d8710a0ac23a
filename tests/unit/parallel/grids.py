"""Random programs of one collective each, for random grids."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import grid
from shlo_tools.dtypes import ELEMENT_TYPES

Array = np.ndarray[Any, Any]

# Combinations; ``subtract`` tells the order, the others need a constant or a branch.
BODIES = {
    "add": "%r = stablehlo.add %a, %b : T",
    "multiply": "%r = stablehlo.multiply %a, %b : T",
    "subtract": "%r = stablehlo.subtract %a, %b : T",
    "maximum": "%r = stablehlo.maximum %a, %b : T",
    "or": "%r = stablehlo.or %a, %b : T",
    "scaled": """%c = stablehlo.constant dense<3> : T
      %s = stablehlo.multiply %b, %c : T
      %r = stablehlo.subtract %a, %s : T""",
    "selected": """%p = stablehlo.compare LT, %a, %b : (T, T) -> tensor<i1>
      %r = "stablehlo.if"(%p) ({
        stablehlo.return %b : T
      }, {
        stablehlo.return %a : T
      }) : (tensor<i1>) -> T""",
}
ELEMENTS = {
    "f32": ("add", "multiply", "subtract", "maximum", "selected"),
    "f64": ("add", "subtract"),
    "f16": ("add", "maximum"),
    "bf16": ("add", "subtract"),
    "f8E4M3FN": ("add", "maximum"),
    "f8E5M2": ("add",),
    "f6E2M3FN": ("add",),
    "f4E2M1FN": ("maximum",),
    "!quant.uniform<i8:f32, 0.5:3>": ("add", "maximum"),
    "!quant.uniform<i16:f32, 0.25:-1>": ("add",),
    "complex<f32>": ("add", "subtract"),
    "i1": ("or", "maximum"),
    "i2": ("add",),
    "i4": ("add",),
    "i8": ("add", "or"),
    "i32": ("add", "scaled", "selected"),
    "ui16": ("add", "maximum"),
    "i64": ("subtract", "multiply"),
}
COLLECTIVES = (
    *("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute"),
    *("collective_reduce", "reduce_scatter"),
)
VARIADIC = "all_gather", "all_reduce", "all_to_all"


@dataclass(frozen=True)
class Case:
    """A program, and what each process of its grid is given."""

    text: str
    num_replicas: int
    num_partitions: int
    arguments: list[list[Array]]


def case(
    op: str,
    seed: int,
    *,
    large: bool = False,
    operands: int = 1,
    elements: str = "",
    beside: bool = False,
) -> Case:
    """A program of ``op`` on a random grid of at most 8 processes.

    Args:
        operands: how many there are, of one type.
        elements: what the element type begins with.
        beside: whether the op goes on beside its process.
    """
    rng = random.Random(f"{op} {seed}")
    size = rng.choice([(2, 1), (1, 2), (2, 2), (4, 1), (1, 3), (3, 2), (2, 4), (8, 1)])
    members, attributes = _groups(op, size, rng)
    element = rng.choice([name for name in ELEMENTS if name.startswith(elements)])
    shape = [rng.randint(1, 4), rng.randint(1, 5)]
    if large:
        shape, element = [24, rng.randint(1000, 3000)], rng.choice(["f32", "i32", "bf16"])
    dimension = rng.randrange(2)
    result = list(shape)
    count = max(len(group) for group in members) if members else 1
    if op == "all_gather":
        attributes.append(f"all_gather_dim = {dimension} : i64")
        result[dimension] *= count
    elif op == "reduce_scatter":
        attributes.append(f"scatter_dimension = {dimension} : i64")
        shape[dimension] *= count
    elif op == "all_to_all":
        other = rng.randrange(2)
        attributes += [f"split_dimension = {dimension} : i64", f"concat_dimension = {other} : i64"]
        attributes.append(f"split_count = {count} : i64")
        shape[dimension] *= count
        result = list(shape)
        result[dimension] //= count
        result[other] *= count
    operand, returned = (f"tensor<{s[0]}x{s[1]}x{element}>" for s in (shape, result))
    types = [operand] * operands, [returned] * operands
    text = _program(op, *types, attributes, _region(op, element, rng), beside=beside)
    numbers = np.random.default_rng(rng.getrandbits(32))
    processes = size[0] * size[1]
    arguments = [
        [_array(element, shape, numbers) for _ in range(operands)] for _ in range(processes)
    ]
    return Case(text, *size, arguments)


def _program(
    op: str,
    operands: list[str],
    results: list[str],
    attributes: list[str],
    region: str,
    *,
    beside: bool,
) -> str:
    names = [f"%x{k}" for k in range(len(operands))]
    parameters = ", ".join(f"{name}: {type}" for name, type in zip(names, operands, strict=True))
    returned = [f"%0#{k}" for k in range(len(results))]
    computed = f"""%0:{len(results)} = "stablehlo.{op}"(NAMES) {region} {{{", ".join(attributes)}}}
        : ({", ".join(operands)}) -> ({", ".join(results)})"""
    if beside:
        computed = _beside(computed, operands, results)
    computed = computed.replace("NAMES", ", ".join(names))
    return f"""func.func @main({parameters}) -> ({", ".join(results)}, tensor<ui32>) {{
      {computed}
      %1 = stablehlo.replica_id : tensor<ui32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = stablehlo.shift_left %1, %2 : tensor<ui32>
      return {", ".join(returned)}, %3 : {", ".join(results)}, tensor<ui32>
    }}"""


def _beside(op: str, operands: list[str], results: list[str]) -> str:
    """The op, begun beside its process and waited for."""
    names = [f"%y{k}" for k in range(len(operands))]
    parameters = ", ".join(f"{name}: {type}" for name, type in zip(names, operands, strict=True))
    inner = op.replace("NAMES", ", ".join(names)).replace("%0", "%i")
    returned = ", ".join(f"%i#{k}" for k in range(len(results)))
    types = ", ".join(results)
    return f"""%f = "stablehlo.async_start"(NAMES) ({{
        ^bb0({parameters}):
          {inner}
          stablehlo.return {returned} : {types}
      }}) : ({", ".join(operands)}) -> !stablehlo.future<{types}>
      %0:{len(results)} = "stablehlo.async_done"(%f) : (!stablehlo.future<{types}>) -> ({types})"""


def _region(op: str, element: str, rng: random.Random) -> str:
    if "reduce" not in op:
        return ""
    type = f"tensor<{element}>"
    body = (
        BODIES[rng.choice(ELEMENTS[element])]
        .replace(": T", f": {type}")
        .replace("(T,", f"({type},")
    )
    body = body.replace(" T)", f" {type})").replace("-> T", f"-> {type}")
    return f"""({{
      ^bb0(%a: {type}, %b: {type}):
      {body}
      stablehlo.return %r : {type}
    }})"""


def _groups(op: str, size: tuple[int, int], rng: random.Random) -> tuple[grid.Groups, list[str]]:
    """Groups by one of the strategies, and the attributes that say so."""
    replicas, partitions = size
    gathers = "gather" in op or "reduce" in op
    channel, everywhere = rng.choice(
        [(0, False), (1, False), (1, True)] if gathers else [(0, False), (1, False)]
    )
    attributes = (
        [f"channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>"]
        if channel
        else []
    )
    count = replicas * partitions if everywhere else replicas
    if not gathers:
        count = partitions if channel else replicas
    if op == "collective_permute":
        order = rng.sample(range(count), count)
        pairs = list(zip(range(count), order, strict=True))[: rng.randint(0, count)]
        attributes.append(f"source_target_pairs = {_dense(pairs, 2)}")
        return grid.one_way_groups(pairs, *size, channel_id=channel), attributes
    equal = op in ("all_gather", "reduce_scatter", "all_to_all", "collective_broadcast")
    rows = _divided(count, equal, rng)
    if op == "collective_broadcast":
        rows = rows[: rng.randint(0, len(rows))]
    attributes.append(f"replica_groups = {_dense(rows, max(map(len, rows), default=0))}")
    if everywhere:
        attributes.append("use_global_device_ids")
    if gathers:
        groups = grid.groups_of(rows, *size, channel_id=channel, use_global_device_ids=everywhere)
    else:
        groups = grid.one_way_groups(rows, *size, channel_id=channel)
    return groups, attributes


def _divided(count: int, equal: bool, rng: random.Random) -> list[list[int]]:
    """Numbers in groups of random order, of the same size where that is wanted."""
    order = rng.sample(range(count), count)
    if equal:
        part = rng.choice([n for n in range(1, count + 1) if count % n == 0])
        return [order[k : k + part] for k in range(0, count, part)]
    rows = []
    while order:
        part = rng.randint(1, len(order))
        rows.append(order[:part])
        order = order[part:]
    return rows


def _dense(rows: Any, width: int) -> str:
    padded = [[*row, *([-1] * (width - len(row)))] for row in rows]
    shown = str(padded) if padded and width else ""
    return f"dense<{shown}> : tensor<{len(padded)}x{width}xi64>"


def _array(element: str, shape: list[int], numbers: np.random.Generator) -> Array:
    if element.startswith("!quant"):
        return numbers.integers(-100, 100, shape).astype("int8" if "i8" in element else "int16")
    dtype = ELEMENT_TYPES[element].dtype
    if element == "i2":
        return numbers.integers(-2, 2, shape).astype(dtype)
    if element == "i1":
        return numbers.integers(0, 2, shape).astype(bool)
    if element.startswith("complex"):
        return (numbers.normal(size=shape) + 1j * numbers.normal(size=shape)).astype(dtype)
    if dtype.kind in "iu" or element == "i4":
        return numbers.integers(0 if element.startswith("u") else -7, 8, shape).astype(dtype)
    return numbers.normal(size=shape).astype(dtype)
