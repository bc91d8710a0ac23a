"""Jobs of Fourier transforms, ``shlo_rt_fourier_<kind>_<element>x<lanes>r<radices>``.

    rows     rows that lie in one piece
    columns  along another dimension than the last
    real     rows of real numbers, as rows of half as many complex ones
    inverse  the inverse of that
    turned   columns of a long row as a matrix, which become rows and are turned

Scratch memory is two areas between which passes go to and fro.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from shlo_tools.codegen.function import F64, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.fourier import plans
from shlo_tools.codegen.library.fourier.butterflies import Butterflies, Complex
from shlo_tools.codegen.library.fourier.passes import Passes, by_radix
from shlo_tools.codegen.library.fourier.plans import FINE, Plan
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.library.transposition import transposed
from shlo_tools.codegen.target import Target

NAMES = "shlo_rt_fourier_"  # how jobs' names begin
_ROWS = ("rows", "real", "inverse")
_AREA = SCRATCH_BYTES // 2
_FINE_BITS = FINE.bit_length() - 1
_PASS = ("radix", "m", "beside", "offset")

# ``sign``: of imaginary parts that are read. ``real`` and ``imaginary``: factors of what is
# written. Steps in bytes: from a row or a number of a column to the next, and between blocks.
# ``size`` of a transform, ``m`` and ``radix`` of its first pass. ``count``: rows or columns of a
# block, ``together`` of a chunk.
_WORDS = (
    *("source", "target", "factors", "others", "sign", "real", "imaginary"),
    *("size", "radix", "m", "count", "together", "groups", "source_step", "target_step"),
    *("source_block", "target_block", "fine", "near", "middles"),
)
CONTEXT = {name: place for place, name in enumerate(_WORDS)}


def words(
    plan: Plan,
    places: tuple[Word, Word],
    factors: tuple[float, float, float],
    *,
    count: int,
    together: int,
    steps: tuple[int, int],
    blocks: tuple[int, int] = (0, 0),
    others: Word = 0,
    turns: int = 0,
) -> tuple[Word, ...]:
    """The words of a job's context.

    Args:
        plan: the passes.
        places: of the operand and the result.
        factors: ``sign``, ``real`` and ``imaginary``.
        count: rows or columns of a block.
        together: of a chunk.
        steps: from a row, or from a number of a column, to the next in operand and result.
        blocks: from a block of columns to the next.
        others: the factors that no pass has.
        turns: the size of the long row whose columns are turned.
    """
    offsets = plans.turns_offsets(turns) if turns else (0, 0)
    radix = plan.radices[0]
    numbers: dict[str, Word] = {
        **dict(zip(("source", "target"), places, strict=True)),
        "factors": plan.factors(),
        "others": others,
        **{
            name: _bits(number, plan.bits)
            for name, number in zip(("sign", "real", "imaginary"), factors, strict=True)
        },
        **{"size": plan.size, "radix": radix, "m": plan.size // radix},
        **{"count": count, "together": together, "groups": -(-count // together)},
        **dict(zip(("source_step", "target_step"), steps, strict=True)),
        **dict(zip(("source_block", "target_block"), blocks, strict=True)),
        **dict(zip(("fine", "near"), offsets, strict=True)),
        "middles": len(plan.radices) - 2,
    }
    later = [number for step in plan.steps() for number in step]
    return (*(numbers[name] for name in CONTEXT), *later)


def _bits(number: float, bits: int) -> int:
    return int.from_bytes(struct.pack("<f" if bits == 32 else "<d", number), "little")


def functions(target: Target, name: str) -> list[Function]:
    """The job of a kind for a type, a number of lanes and some radices, and its passes."""
    kind, _, rest = name.partition("_")
    element, _, rest = rest.partition("x")
    lanes, _, radix_set = rest.partition("r")
    jobs = _Jobs(Passes(target, Type(element), int(lanes), int(radix_set)), kind)
    return [*jobs.passes_used(), jobs.transform(), jobs.job(NAMES + name)]


class _Jobs:
    """The functions of one kind of jobs."""

    def __init__(self, passes: Passes, kind: str) -> None:
        self.passes, self.kind = passes, kind
        self.element = passes.element
        self.width = 2 * passes.element.bytes  # of a complex number

    def passes_used(self) -> list[Function]:
        passes, radices = self.passes, self.passes.radices
        first = [passes.rows()] if self.kind in _ROWS else [passes.columns(r) for r in radices]
        last = [passes.last(radix, stays=self.kind == "real") for radix in radices]
        others = {"real": [passes.parted], "inverse": [passes.joined]}.get(self.kind, [])
        others = [self._turned] if self.kind == "turned" else others
        return [*first, *(passes.middle(r) for r in radices), *last, *(make() for make in others)]

    def word(self, f: Function, name: str, type: Type = I64) -> Value:
        return f.load(f.arguments[0].at(8 * CONTEXT[name]), type)

    def transform(self) -> Function:
        """``(context, source, target, scratch, source_step, target_step)``: all passes of one."""
        arguments = [*[POINTER] * 4, I64, I64]
        f = Function("fourier_transform", arguments, exported=False)
        context, source, target, scratch, source_step, target_step = f.arguments
        radices = self.passes.radices
        factors, m = self.word(f, "factors", POINTER), self.word(f, "m")
        sign = self.word(f, "sign", self.element)
        if self.kind in _ROWS:
            f.run("fourier_rows", [source, scratch, m, factors, sign])
        else:
            operands = [source, scratch, m, source_step, factors, sign]
            by_radix(f, self.word(f, "radix"), radices, "fourier_columns", operands)

        def step(_: Value, step: Value, here: Value, there: Value) -> list[Value]:
            radix, m, beside, offset = (f.load(step.at(8 * k), I64) for k in range(len(_PASS)))
            operands = [here, there, m, beside, factors.at(offset)]
            by_radix(f, radix, radices, "fourier_middle", operands)
            return [step.at(8 * len(_PASS)), there, here]

        start = [context.at(8 * len(_WORDS)), scratch, scratch.at(_AREA)]
        step_, here, there = f.loop(0, self.word(f, "middles"), 1, step, start)
        radix, _, beside, _ = (f.load(step_.at(8 * k), I64) for k in range(len(_PASS)))
        scales = [self.word(f, name, self.element) for name in ("real", "imaginary")]
        if self.kind == "real":
            to = f.constant(self.passes.vector_bytes)
            by_radix(f, radix, radices, "fourier_whole", [here, there, beside, to, *scales])
            others = self.word(f, "others", POINTER)
            f.run("fourier_parted", [there, target, self.word(f, "size"), others])
        else:
            operands = [here, target, beside, target_step, *scales]
            by_radix(f, radix, radices, "fourier_last", operands)
        return f

    def job(self, name: str) -> Function:
        f = Function(name, JOB)
        context, chunk, scratch = f.arguments
        makers: dict[str, Callable[[Function, Value, Value, Value], None]] = {
            "columns": self._columns,
            "turned": self._turned_columns,
        }
        makers.get(self.kind, self._rows)(f, context, chunk, scratch)
        return f

    def _rows(self, f: Function, context: Value, chunk: Value, scratch: Value) -> None:
        """Some rows."""
        source, target = (self.word(f, name, POINTER) for name in ("source", "target"))
        together = self.word(f, "together")
        source_step, target_step = self.word(f, "source_step"), self.word(f, "target_step")
        step = f.constant(self.passes.vector_bytes)
        size, others = self.word(f, "size"), self.word(f, "others", POINTER)

        def one(row: Value) -> None:
            place = source.at(row * source_step)
            if self.kind == "inverse":
                joined = scratch.at(_AREA)
                f.run("fourier_joined", [place, joined, size, others])
                place = joined
            to = target.at(row * target_step)
            f.run("fourier_transform", [context, place, to, scratch, step, step])

        first = chunk * together
        f.loop(first, f.minimum(first + together, self.word(f, "count")), 1, one)

    def _columns(self, f: Function, context: Value, chunk: Value, scratch: Value) -> None:
        """As many columns as there are lanes; the last few go by way of scratch memory."""
        source, target, count = self._group(f, chunk)
        source_step, target_step = self.word(f, "source_step"), self.word(f, "target_step")
        size = self.word(f, "size")
        step = f.constant(self.passes.vector_bytes)
        spare = scratch.at(_AREA)

        def move(source: Value, target: Value, source_step: Value, target_step: Value) -> None:
            number = self.element.vector(2)

            def row(_: Value, source: Value, target: Value) -> list[Value]:
                def one(column: Value) -> None:
                    at = column * self.width
                    f.store(f.load(source.at(at), number), target.at(at))

                f.loop(0, count, 1, one)
                return [source.at(source_step), target.at(target_step)]

            f.loop(0, size, 1, row, [source, target])

        def run(source: Value, target: Value, source_step: Value, target_step: Value) -> None:
            steps = [source_step, target_step]
            f.run("fourier_transform", [context, source, target, scratch, *steps])

        def few() -> None:
            move(source, spare, source_step, step)
            # The last pass reads one area, and writes to the other one.
            is_odd = self.word(f, "middles") % 2 != 0
            outcome = f.select(is_odd, scratch, spare)
            run(spare, outcome, step, step)
            move(outcome, target, step, target_step)

        is_full = count == self.passes.lanes
        f.if_(is_full, lambda: run(source, target, source_step, target_step), few)

    def _group(self, f: Function, chunk: Value) -> tuple[Value, Value, Value]:
        """Where a chunk's columns begin, and how many they are."""
        source, target = (self.word(f, name, POINTER) for name in ("source", "target"))
        source_block, target_block = self.word(f, "source_block"), self.word(f, "target_block")
        groups = self.word(f, "groups")
        block = chunk // groups
        first = (chunk - block * groups) * self.passes.lanes
        at = first * self.width
        return (
            source.at(block * source_block).at(at),
            target.at(block * target_block).at(at),
            f.minimum(self.word(f, "count") - first, self.passes.lanes),
        )

    def _turned_columns(self, f: Function, context: Value, chunk: Value, scratch: Value) -> None:
        """As many columns as there are lanes; what becomes of them are rows of the target."""
        source, _, _ = self._group(f, chunk)
        groups = self.word(f, "groups")
        block = chunk // groups
        column = (chunk - block * groups) * self.passes.lanes
        row = self.word(f, "target_step")
        target = self.word(f, "target", POINTER).at(block * self.word(f, "target_block"))
        step = f.constant(self.passes.vector_bytes)
        outcome = f.select(self.word(f, "middles") % 2 != 0, scratch, scratch.at(_AREA))
        steps = [self.word(f, "source_step"), step]
        f.run("fourier_transform", [context, source, outcome, scratch, *steps])
        f.run("fourier_turned", [context, outcome, target.at(column * row), column])

    def _turned(self) -> Function:
        """``(context, source, target, column)``: times w(size)^(row column), and turned.

        The source's rows hold columns from that one on; those are rows of the target. The factor is
        that of the first column, from two tables, times that of a lane.
        """
        passes, lanes = self.passes, self.passes.lanes
        f = Function("fourier_turned", [POINTER, POINTER, POINTER, I64], exported=False)
        _, source, target, column = f.arguments
        butterflies = Butterflies(f, passes.target)
        table = self.word(f, "others", POINTER)
        fine, near = (table.at(self.word(f, name)) for name in ("fine", "near"))
        size, row_bytes = self.word(f, "size"), self.word(f, "target_step")

        def turn(place: Value) -> Complex:
            return f.load(place, F64), f.load(place.at(8), F64)

        def multiply(row: Value) -> None:
            turns = row * column
            far = turn(table.at((turns >> _FINE_BITS) * 16))
            exact = butterflies.product(far, turn(fine.at((turns & (FINE - 1)) * 16)))
            splat = tuple(f.broadcast(self._narrowed(part), lanes) for part in exact)
            at = row * passes.vector_bytes
            factor = butterflies.product(passes.read(f, near.at(at)), (splat[0], splat[1]))
            number = passes.gathered(f, source.at(at))
            passes.write(f, butterflies.product(number, factor), source.at(at))

        def turn_block(row: Value) -> None:
            first = source.at(row * passes.vector_bytes)
            rows = [passes.read(f, first.at(k * passes.vector_bytes)) for k in range(lanes)]
            parts = [transposed(f, [number[part] for number in rows]) for part in range(2)]
            places = target.at(row * self.width)
            for number in zip(*parts, strict=True):
                passes.scattered(f, number, places)
                places = places.at(row_bytes)

        f.loop(0, size, 1, multiply)
        f.loop(0, size, lanes, turn_block)
        return f

    def _narrowed(self, number: Value) -> Value:
        is_narrow = self.element.bits < number.type.bits
        return number.to("fptrunc", self.element.element) if is_narrow else number
