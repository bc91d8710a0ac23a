"""Fourier transforms as jobs: rows along one dimension after the other, by numpy's C functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shlo_tools import dtypes, ir
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode
from shlo_tools.codegen.library import calling
from shlo_tools.codegen.library.calling import Axis
from shlo_tools.dtypes import TensorType
from shlo_tools.extend import fourier_loops
from shlo_tools.mlir import Operation

_CHUNK = 8192  # elements of a chunk, about
_LONGEST = 1 << 22  # elements of a row: what a function cannot allocate it cannot report


def lower(op: Operation, number: int) -> StageCode | None:
    """The jobs of a ``stablehlo.fft``; None where the host computes it.

    Args:
        number: of the stage's argument that it transforms.
    """
    source, target = (dtypes.tensor_type(v.type) for v in (op.operands[0], op.results[0]))
    real = np.empty((), source.element_type.dtype).real.dtype
    kind, lengths = ir.enum_of(op, "fft_type"), ir.integers_of(op, "fft_length")
    shapes = source.static_shape, target.static_shape
    if math.prod(shapes[1]) == 0:
        return StageCode()
    if math.prod(shapes[0]) == 0 or max(lengths, default=0) > _LONGEST:
        return None
    if fourier_loops.names("fft", real) is None:
        return None
    return _Transforms(kind, lengths, source, target, real, number).code


class _Transforms:
    """Jobs along the dimensions of a transform, in the order that the specification gives."""

    def __init__(
        self,
        kind: str,
        lengths: Sequence[int],
        source: TensorType,
        target: TensorType,
        real: np.dtype[np.generic],
        number: int,
    ) -> None:
        self._real = real
        self.code = StageCode()
        argument, result = Place("argument", number), Place("result", 0)
        rank, last = len(source.static_shape), lengths[-1]
        outer = list(enumerate(lengths[:-1], rank - len(lengths)))
        inputs, results = list(source.static_shape), list(target.static_shape)
        if kind == "IRFFT":
            place = argument
            if outer:
                self.code.temporaries.append(math.prod(inputs) * 2 * real.itemsize)
            for dimension, _ in outer:
                self._along("ifft", dimension, inputs, inputs, place, Place("temporary", 0))
                place = Place("temporary", 0)
            self._along("irfft", rank - 1, inputs, results, place, result)
            return
        name = {"FFT": "fft", "IFFT": "ifft", "RFFT": f"rfft_n_{'odd' if last % 2 else 'even'}"}
        self._along(name[kind], rank - 1, inputs, results, argument, result)
        for dimension, _ in outer:
            what = "ifft" if kind == "IFFT" else "fft"
            self._along(what, dimension, results, results, result, result)
        if kind != "RFFT":
            self.code.in_place[0] = [number]  # a row is read before it is written

    def _along(
        self,
        name: str,
        dimension: int,
        inputs: Sequence[int],
        results: Sequence[int],
        source: Place,
        target: Place,
    ) -> None:
        """The rows along one dimension."""
        names = fourier_loops.names(name, self._real)
        if names is None:
            raise RuntimeError(f"numpy computes no {name}")
        widths = [
            self._real.itemsize * (1 if is_real else 2)
            for is_real in (name.startswith("rfft"), name == "irfft")
        ]
        count = max(inputs[dimension], results[dimension])
        inner = math.prod(inputs[dimension + 1 :])
        before = math.prod(inputs[:dimension])
        if inner == 1:  # neighbours, row by row
            rows, blocks = before, 1
            row_steps = [inputs[dimension] * widths[0], results[dimension] * widths[1]]
        else:
            rows, blocks = inner, before
            row_steps = widths
        axes = [
            Axis(shape[dimension], inner * width, row, math.prod(shape[dimension:]) * width)
            for shape, width, row in zip((inputs, results), widths, row_steps, strict=True)
        ]
        together = max(1, min(rows, _CHUNK // count))
        length = results[dimension] if name[0] == "i" else 1
        factor = np.reciprocal(length, dtype=self._real).tobytes()
        words = calling.transform_words(
            names, (source, target), int.from_bytes(factor, "little"), axes, rows, together
        )
        chunks = blocks * -(-rows // together)
        self.code.jobs.append(Job(calling.TRANSFORM, len(self.code.contexts), chunks))
        self.code.contexts.append(Context(words))
