"""dot_general: batches, free and contracted dimensions in any order, mixed types, algorithms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cases._case import Case, Input, Row, call, given
from cases._inputs import at_edges, moderate, small
from cases._tolerances import EXACT, Steps, Sums, Tolerance
from cases._types import (
    ALL,
    PER_AXIS,
    is_complex,
    is_float,
    is_quantized,
    tensor,
)

# Of the right-hand side the zero points must be 0.
WEIGHTS = "!quant.uniform<i8:f32, 0.25>"
SUMS = "!quant.uniform<i32:f32, 0.015625>"


@dataclass(frozen=True)
class Dot:
    """Shapes and dimension numbers of a product."""

    lhs: tuple[int, ...]
    rhs: tuple[int, ...]
    lhs_batching: tuple[int, ...] = ()
    rhs_batching: tuple[int, ...] = ()
    lhs_contracting: tuple[int, ...] = ()
    rhs_contracting: tuple[int, ...] = ()

    def result(self) -> list[int]:
        batch = [self.lhs[d] for d in self.lhs_batching]
        used = self.lhs_batching + self.lhs_contracting
        left = [n for d, n in enumerate(self.lhs) if d not in used]
        used = self.rhs_batching + self.rhs_contracting
        return batch + left + [n for d, n in enumerate(self.rhs) if d not in used]

    def terms(self) -> int:
        return math.prod(self.lhs[d] for d in self.lhs_contracting)

    def numbers(self) -> str:
        lists = {
            "lhs_batching_dimensions": self.lhs_batching,
            "rhs_batching_dimensions": self.rhs_batching,
            "lhs_contracting_dimensions": self.lhs_contracting,
            "rhs_contracting_dimensions": self.rhs_contracting,
        }
        attributes = ", ".join(f"{name} = {list(dims)}" for name, dims in lists.items() if dims)
        return f"dot_dimension_numbers = #stablehlo.dot<{attributes}>"


DOTS = (
    Dot((3, 5), (5, 4), (), (), (1,), (0,)),
    Dot((), ()),
    Dot((3,), (4,)),
    Dot((7,), (7,), (), (), (0,), (0,)),
    Dot((3, 0), (0, 4), (), (), (1,), (0,)),
    Dot((0, 3), (3, 4), (), (), (1,), (0,)),
    Dot((5, 3), (4, 5), (), (), (0,), (1,)),
    Dot((2, 3, 5), (2, 5, 4), (0,), (0,), (2,), (1,)),
    Dot((3, 5, 2), (4, 2, 5), (2,), (1,), (1,), (2,)),
    Dot((2, 3, 4), (4, 3, 5), (), (), (1, 2), (1, 0)),
    Dot((35, 70), (70, 33), (), (), (1,), (0,)),
    Dot((1, 67), (67, 1), (), (), (1,), (0,)),
    Dot((2, 1, 3, 1, 2, 3), (3, 2, 1, 2), (0,), (1,), (5, 3), (0, 2)),
)


def accumulating(element: str, terms: int) -> Tolerance:
    if is_quantized(element):
        return Steps(1)
    return Sums(terms) if is_float(element) or is_complex(element) else EXACT


def _case(
    element: str, dot: Dot, result: str = "", more: str = "", operands: str = "moderate"
) -> Case:
    make = {"moderate": moderate, "edges": at_edges, "small": small}[operands]
    inputs = [given(element, make(element, dot.lhs, 1)), given(element, make(element, dot.rhs, 2))]
    type = tensor(result or element, dot.result())
    return call(
        "stablehlo.dot_general",
        inputs,
        [type],
        dot.numbers() + more,
        tolerance=accumulating(result or element, dot.terms()),
        label=f"{inputs[0].type} {inputs[1].type} -> {type} {dot.numbers()} {more}",
    )


WIDER = {
    "i8": "i32",
    "ui8": "ui32",
    "i4": "i8",
    "f16": "f32",
    "bf16": "f32",
    "f32": "f64",
    "f8E4M3FN": "f32",
    "f8E5M2": "bf16",
    "i16": "i64",
}


def _dot_general(element: str) -> Iterator[Case]:
    if is_quantized(element):
        yield from _quantized(element)
        return
    for dot in DOTS:
        yield _case(element, dot)
    if not is_float(element) and not is_complex(element):
        yield _case(element, DOTS[10], operands="edges")
    if element in WIDER:
        for dot in (DOTS[0], DOTS[7], DOTS[10]):
            yield _case(element, dot, WIDER[element])
    for precision in ("HIGH", "HIGHEST"):
        attributes = f"#stablehlo<precision {precision}>"
        yield _case(element, DOTS[0], more=f", precision_config = [{attributes}, {attributes}]")
    yield from _algorithms(element)


ALGORITHMS = {
    "f32": (
        ("f32", "f32", 1),
        ("tf32", "f32", 1),
        ("bf16", "f32", 1),
        ("bf16", "f32", 3),
        ("bf16", "f32", 6),
    ),
    "f16": (("f16", "f16", 1), ("f16", "f32", 1)),
    "bf16": (("bf16", "bf16", 1), ("bf16", "f32", 1)),
    "f64": (("f64", "f64", 1),),
}


def _algorithms(element: str) -> Iterator[Case]:
    """Small integers, so that every precision gives the exact product."""
    for type, accumulator, primitives in ALGORITHMS.get(element, ()):
        attributes = f"lhs_precision_type = {type}, rhs_precision_type = {type}, "
        attributes += f"accumulation_type = {accumulator}, "
        attributes += "lhs_component_count = 1, rhs_component_count = 1, "
        attributes += (
            f"num_primitive_operations = {primitives}, allow_imprecise_accumulation = false"
        )
        attributes = f", algorithm = #stablehlo.dot_algorithm<{attributes}>"
        yield _case(element, DOTS[0], more=attributes, operands="small")


def _quantized(element: str) -> Iterator[Case]:
    """Per axis: a scale per column of the right-hand side, and of the result."""
    for dot in (DOTS[0], DOTS[10], DOTS[7]):
        if element in PER_AXIS and dot.lhs_batching:
            continue
        columns = dot.rhs[-1]
        scales = ", ".join(f"{2.0 ** -(2 + i % 3)}" for i in range(columns))
        weights = f"!quant.uniform<i8:f32:1, {{{scales}}}>" if element in PER_AXIS else WEIGHTS
        sums = f"!quant.uniform<i32:f32:1, {{{scales}}}>" if element in PER_AXIS else SUMS
        inputs = [
            given("quantized", moderate("quantized", dot.lhs, 1)),
            Input(_typed(dot.rhs, weights), moderate("quantized", dot.rhs, 2)),
        ]
        for result in (sums, *([] if element in PER_AXIS else [spelled_result()])):
            yield call(
                "stablehlo.dot_general",
                inputs,
                [_typed(dot.result(), result)],
                dot.numbers(),
                tolerance=Steps(1),
            )


def spelled_result() -> str:
    return "!quant.uniform<i8:f32, 0.5:4>"


def _typed(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


ROWS = (Row("stablehlo.dot_general", ALL, _dot_general),)
