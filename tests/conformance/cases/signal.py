"""fft: four kinds, one to three dimensions, lengths that are no powers of two."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cases._case import Case, Row, call, given
from cases._inputs import moderate
from cases._regions import integers
from cases._tolerances import Sums
from cases._types import is_complex, tensor

# operand, lengths
TRANSFORMS = (
    ((3, 8), (8,)),
    ((5,), (5,)),
    ((1,), (1,)),
    ((0, 4), (4,)),
    ((2, 3, 4), (3, 4)),
    ((2, 3, 4), (2, 3, 4)),
    ((7, 67), (67,)),
    ((2, 1, 3, 1, 2, 6), (2, 6)),
    ((5, 192), (192,)),
    ((2, 12, 140), (12, 140)),
    ((14, 4, 16), (14, 4, 16)),
    ((37, 17), (37, 17)),
)


def _fft(element: str) -> Iterator[Case]:
    for shape, lengths in TRANSFORMS:
        kept = (*shape[:-1], lengths[-1] // 2 + 1)
        terms = 8 * (1 + int(math.log2(math.prod(lengths) or 1)))
        half = {"f32": "complex<f32>", "f64": "complex<f64>"}
        if is_complex(element):
            operand = given(element, moderate(element, shape))
            for kind in ("FFT", "IFFT"):
                yield _case(kind, operand, operand.type, lengths, terms)
            real = element[8:-1]
            yield _case(
                "IRFFT",
                given(element, moderate(element, kept)),
                tensor(real, shape),
                lengths,
                terms,
            )
        else:
            operand = given(element, moderate(element, shape))
            yield _case("RFFT", operand, tensor(half[element], kept), lengths, terms)


def _case(kind, operand, result, lengths, terms) -> Case:  # type: ignore[no-untyped-def]
    attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {integers(lengths)}"
    return call(
        "stablehlo.fft",
        [operand],
        [result],
        attributes,
        label=f"{kind} {operand.type} {list(lengths)}",
        tolerance=Sums(terms, overall=True),
    )


ROWS = (Row("stablehlo.fft", ("f32", "f64", "complex<f32>", "complex<f64>"), _fft),)
