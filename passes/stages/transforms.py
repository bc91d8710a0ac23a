"""Fourier transforms as jobs: rows along one dimension after the other.

Kernels of the process library compute lengths that are products of small primes, and numpy's C
functions the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shlo_tools import dtypes, ir
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library import calling
from shlo_tools.codegen.library.calling import Axis
from shlo_tools.codegen.library.fourier import jobs, plans
from shlo_tools.codegen.library.fourier.plans import Plan
from shlo_tools.codegen.target import host
from shlo_tools.extend import fourier_loops
from shlo_tools.mlir import Operation

_CHUNK = 8192  # elements of a chunk, about
_LONGEST = 1 << 22  # elements of a row: what a function cannot allocate it cannot report
_SHARED = 1 << 14  # elements of a row that threads share where there is no other


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
    transforms = _Transforms(real)
    is_done = transforms.add(kind, lengths, source.static_shape, target.static_shape, number)
    return transforms.code if is_done else None


@dataclass(frozen=True)
class _Along:
    """Rows along one dimension.

    Attributes:
        name: of the transform, as numpy has it.
        dimension: that of operand and result.
        inputs, results: sizes of their dimensions.
        source, target: where they are.
    """

    name: str
    dimension: int
    inputs: Sequence[int]
    results: Sequence[int]
    source: Place
    target: Place

    @property
    def before(self) -> int:
        """Elements of the dimensions in front."""
        return math.prod(self.inputs[: self.dimension])

    @property
    def inner(self) -> int:
        """Elements of the dimensions behind."""
        return math.prod(self.inputs[self.dimension + 1 :])

    @property
    def size(self) -> int:
        """Elements of the longer side of a row."""
        return max(self.inputs[self.dimension], self.results[self.dimension])

    @property
    def is_inverse(self) -> bool:
        return self.name[0] == "i"


class _Transforms:
    """Jobs along the dimensions of a transform, in the order that the specification gives."""

    def __init__(self, real: np.dtype[np.generic]) -> None:
        self._real, self._bytes = real, 2 * real.itemsize
        self.code = StageCode()

    def add(
        self,
        kind: str,
        lengths: Sequence[int],
        inputs: Sequence[int],
        results: Sequence[int],
        number: int,
    ) -> bool:
        """Add the jobs; whether there are any for all dimensions."""
        argument, result = Place("argument", number), Place("result", 0)
        rank, last = len(inputs), lengths[-1]
        outer = range(rank - len(lengths), rank - 1)
        if kind == "IRFFT":
            place = argument
            if outer:
                middle = self._temporary(math.prod(inputs))
                for dimension in outer:
                    if not self._along(_Along("ifft", dimension, inputs, inputs, place, middle)):
                        return False
                    place = middle
            return self._along(_Along("irfft", rank - 1, inputs, results, place, result))
        name = {"FFT": "fft", "IFFT": "ifft", "RFFT": f"rfft_n_{'odd' if last % 2 else 'even'}"}
        if kind != "RFFT":
            self.code.in_place[0] = [number]  # a row is read before it is written
        what = "ifft" if kind == "IFFT" else "fft"
        return self._along(_Along(name[kind], rank - 1, inputs, results, argument, result)) and all(
            self._along(_Along(what, dimension, results, results, result, result))
            for dimension in outer
        )

    def _temporary(self, count: int) -> Place:
        """Room for complex numbers."""
        self.code.temporaries.append(count * self._bytes)
        return Place("temporary", len(self.code.temporaries) - 1)

    def _along(self, rows: _Along) -> bool:
        """The rows along one dimension; False where neither kernels nor numpy compute them."""
        if rows.inner > 1:
            is_done = self._columns(rows)
        elif rows.name in ("fft", "ifft"):
            is_done = self._rows(rows)
        else:
            is_done = self._real_rows(rows)
        return is_done or self._by_numpy(rows)

    # --- by kernels -------------------------------------------------------------------------------
    def _job(self, plan: Plan, kind: str, chunks: int, words: tuple[Word, ...]) -> bool:
        self.code.jobs.append(Job(jobs.NAMES + plan.code(kind), len(self.code.contexts), chunks))
        self.code.contexts.append(Context(words))
        return True

    def _columns(self, rows: _Along) -> bool:
        plan = plans.column_plan(host(), self._bits, rows.size, rows.inner)
        if plan is None:
            return False
        step = rows.inner * self._bytes
        return self._column_job(plan, rows, rows.before, rows.inner, step, _scales(rows, plan))

    def _column_job(
        self,
        plan: Plan,
        rows: _Along,
        blocks: int,
        count: int,
        step: int,
        factors: tuple[float, float, float],
    ) -> bool:
        words = jobs.words(
            plan,
            (rows.source, rows.target),
            factors,
            count=count,
            together=plan.lanes,
            steps=(step, step),
            blocks=(step * plan.size, step * plan.size),
        )
        return self._job(plan, "columns", blocks * -(-count // plan.lanes), words)

    def _rows(self, rows: _Along) -> bool:
        plan = plans.row_plan(host(), self._bits, rows.size)
        if plan is None or (rows.before == 1 and rows.size >= _SHARED):
            long = plans.long_plans(host(), self._bits, rows.size)
            if long is not None:
                return self._long_rows(rows, *long)
        if plan is None:
            return False
        step = rows.size * self._bytes
        return self._row_job(plan, rows, "rows", (step, step))

    def _row_job(self, plan: Plan, rows: _Along, kind: str, steps: tuple[int, int]) -> bool:
        together = max(1, min(rows.before, _CHUNK // plan.size))
        words = jobs.words(
            plan,
            (rows.source, rows.target),
            _scales(rows, plan),
            count=rows.before,
            together=together,
            steps=steps,
            others=plans.halves(plan) if kind != "rows" else 0,
        )
        return self._job(plan, kind, -(-rows.before // together), words)

    def _real_rows(self, rows: _Along) -> bool:
        """As complex rows of half the length, which neighbours make."""
        if rows.size % 2:
            return False
        plan = plans.row_plan(host(), self._bits, rows.size // 2)
        if plan is None:
            return False
        short, long = rows.size * self._real.itemsize, (plan.size + 1) * self._bytes
        if rows.is_inverse:
            return self._row_job(plan, rows, "inverse", (long, short))
        return self._row_job(plan, rows, "real", (short, long))

    def _long_rows(self, rows: _Along, outer: Plan, inner: Plan) -> bool:
        """Each as a matrix: its columns, turned on the way, and then what they have become."""
        middle = self._temporary(rows.before * rows.size)
        sign, real, imaginary = _scales(rows, outer, rows.size)
        words = jobs.words(
            outer,
            (rows.source, middle),
            (sign, 1.0, 1.0),
            count=inner.size,
            together=outer.lanes,
            steps=(inner.size * self._bytes, outer.size * self._bytes),
            blocks=(rows.size * self._bytes, rows.size * self._bytes),
            others=plans.turns(outer, rows.size),
            turns=rows.size,
        )
        self._job(outer, "turned", rows.before * inner.size // outer.lanes, words)
        last = replace(rows, source=middle)
        step = outer.size * self._bytes
        factors = 1.0, real, imaginary
        return self._column_job(inner, last, rows.before, outer.size, step, factors)

    @property
    def _bits(self) -> int:
        return 8 * self._real.itemsize

    # --- by numpy ---------------------------------------------------------------------------------
    def _by_numpy(self, rows: _Along) -> bool:
        names = fourier_loops.names(rows.name, self._real)
        if names is None:
            return False
        inputs, results, dimension = rows.inputs, rows.results, rows.dimension
        widths = [
            self._real.itemsize * (1 if is_real else 2)
            for is_real in (rows.name.startswith("rfft"), rows.name == "irfft")
        ]
        if rows.inner == 1:  # neighbours, row by row
            count, blocks = rows.before, 1
            row_steps = [inputs[dimension] * widths[0], results[dimension] * widths[1]]
        else:
            count, blocks = rows.inner, rows.before
            row_steps = widths
        axes = [
            Axis(shape[dimension], rows.inner * width, row, math.prod(shape[dimension:]) * width)
            for shape, width, row in zip((inputs, results), widths, row_steps, strict=True)
        ]
        together = max(1, min(count, _CHUNK // rows.size))
        length = results[dimension] if rows.is_inverse else 1
        factor = np.reciprocal(length, dtype=self._real).tobytes()
        words = calling.transform_words(
            names,
            (rows.source, rows.target),
            int.from_bytes(factor, "little"),
            axes,
            count,
            together,
        )
        chunks = blocks * -(-count // together)
        self.code.jobs.append(Job(calling.TRANSFORM, len(self.code.contexts), chunks))
        self.code.contexts.append(Context(words))
        return True


def _scales(rows: _Along, plan: Plan, size: int = 0) -> tuple[float, float, float]:
    """The sign of what is read, and factors of what is written: inverses conjugate both."""
    if not rows.is_inverse:
        return 1.0, 1.0, 1.0
    scale = 1 / (size or plan.size)
    return -1.0, scale, -scale
