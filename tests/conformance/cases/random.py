"""rng_bit_generator: the same bits natively as by the reference; rng: any numbers of the range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cases._case import Case, Input, Row, given
from cases._tolerances import Between
from cases._types import BOOLEAN, FLOAT, INTEGER, dtype_of, tensor

SHAPES = ((5,), (), (0,), (3, 5), (67,), (2, 1, 3, 1, 2, 3))


def _rng_bit_generator(element: str) -> Iterator[Case]:
    for algorithm, words in (("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2)):
        for shape in SHAPES if words == 2 and algorithm != "DEFAULT" else SHAPES[3:4]:
            state = np.array([0x0123456789ABCDEF, 2**64 - 2, 7][:words], np.uint64)
            result = (tensor("ui64", (words,)), tensor(element, shape))
            attributes = f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>"
            types = f"({result[0]}) -> ({', '.join(result)})"
            text = (
                f'%out0, %out1 = "stablehlo.rng_bit_generator"(%in0) <{{{attributes}}}> : {types}'
            )
            yield Case(f"{algorithm} {result}", text, (given("ui64", state),), result)


def _rng(element: str) -> Iterator[Case]:
    for shape in SHAPES:
        kinds = ("UNIFORM", "NORMAL") if element in FLOAT else ("UNIFORM",)
        for kind in kinds:
            yield _drawn(element, shape, kind)


def _drawn(element: str, shape: tuple[int, ...], kind: str) -> Case:
    ends = [np.array(value).astype(dtype_of(element)) for value in (0, 1)]
    result, rank = tensor(element, shape), len(shape)
    listed = list(shape) if shape else ""
    text = f"""%shape = "stablehlo.constant"() <{{value = dense<{listed}> : tensor<{rank}xi64>}}>
      : () -> tensor<{rank}xi64>
    %out0 = "stablehlo.rng"(%in0, %in1, %shape)
      <{{rng_distribution = #stablehlo<rng_distribution {kind}>}}>
      : (tensor<{element}>, tensor<{element}>, tensor<{rank}xi64>) -> {result}"""
    near = Between(-10, 10) if kind == "NORMAL" else Between(0, 1)
    return Case(
        f"{kind} {result}",
        text,
        tuple(Input(tensor(element, ()), end) for end in ends),
        (result,),
        near,
    )


ROWS = (
    Row("stablehlo.rng", BOOLEAN + INTEGER + FLOAT, _rng),
    Row("stablehlo.rng_bit_generator", INTEGER + FLOAT, _rng_bit_generator),
)
