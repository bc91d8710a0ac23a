"""Passes of Fourier transforms as functions, see ``plans``.

Between passes numbers lie in vectors of real parts, each before the one of its imaginary parts. A
first pass reads complex numbers as they lie in tensors, and a last one writes them so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.fourier.butterflies import Butterflies, Complex
from shlo_tools.codegen.library.transposition import transposed
from shlo_tools.codegen.target import Target

RADICES = {2: (2, 4, 8), 7: (2, 3, 4, 5, 7, 8)}  # by the largest prime


class Passes:
    """Passes for an element type and a number of lanes; vectors are ``vector_bytes`` a pair."""

    def __init__(self, target: Target, element: Type, lanes: int, radix_set: int) -> None:
        self.target, self.element, self.lanes = target, element, lanes
        self.radices = RADICES[radix_set]
        self.vector = element.vector(lanes)
        self.bytes = lanes * element.bytes
        self.vector_bytes = 2 * self.bytes

    # --- numbers in memory ------------------------------------------------------------------------
    def read(self, f: Function, place: Value) -> Complex:
        """Vectors of what stands between passes."""
        return f.load(place, self.vector), f.load(place.at(self.bytes), self.vector)

    def write(self, f: Function, numbers: Complex, place: Value) -> None:
        f.store(numbers[0], place)
        f.store(numbers[1], place.at(self.bytes))

    def gathered(self, f: Function, place: Value, *, backwards: bool = False) -> Complex:
        """Neighbours in a tensor."""
        low, high = self.read(f, place)
        order = range(self.lanes)[::-1] if backwards else range(self.lanes)
        return (
            f.shuffle(low, high, [2 * k for k in order]),
            f.shuffle(low, high, [2 * k + 1 for k in order]),
        )

    def scattered(self, f: Function, numbers: Complex, place: Value) -> None:
        """Numbers become neighbours in a tensor."""
        order = [lane for k in range(self.lanes) for lane in (k, self.lanes + k)]
        halves = order[: self.lanes], order[self.lanes :]
        low, high = (f.shuffle(*numbers, half) for half in halves)
        self.write(f, (low, high), place)

    def splat(self, f: Function, place: Value) -> Complex:
        """One factor for all lanes."""
        numbers = f.load(place, self.element), f.load(place.at(self.element.bytes), self.element)
        real, imaginary = (f.broadcast(number, self.lanes) for number in numbers)
        return real, imaginary

    def conjugated(self, numbers: Complex, sign: Value) -> Complex:
        """With imaginary parts times a sign."""
        return numbers[0], numbers[1] * sign

    # --- passes -----------------------------------------------------------------------------------
    def rows(self) -> Function:
        """``(source, target, m, factors, sign)``: the first pass of a row."""
        f = Function("fourier_rows", [POINTER, POINTER, I64, POINTER, self.element], exported=False)
        source, target, m, factors, sign = f.arguments
        butterflies = Butterflies(f, self.target)
        sign = f.broadcast(sign, self.lanes)
        block = (self.lanes - 1) * self.vector_bytes

        def one(place: Value, factors: Value) -> Value:
            first = f.minimum(place, m - self.lanes)
            places = _places(
                source.at(first * (2 * self.element.bytes)),
                m * (2 * self.element.bytes),
                self.lanes,
            )
            inputs = [self.conjugated(self.gathered(f, at), sign) for at in places]
            results = butterflies.transformed(inputs)
            for j in range(1, self.lanes):
                factor = self.read(f, factors.at((j - 1) * self.vector_bytes))
                results[j] = butterflies.product(results[j], factor)
            to = target.at(first * self.vector_bytes)
            for part in range(2):
                for k, vector in enumerate(transposed(f, [number[part] for number in results])):
                    f.store(vector, to.at(k * self.vector_bytes + part * self.bytes))
            return factors.at(block)

        f.loop(0, m, self.lanes, one, [factors])
        return f

    def columns(self, radix: int) -> Function:
        """``(source, target, m, step, factors, sign)``: the first pass of columns."""
        arguments = [POINTER, POINTER, I64, I64, POINTER, self.element]
        f = Function(f"fourier_columns_{radix}", arguments, exported=False)
        source, target, m, step, factors, sign = f.arguments
        butterflies = Butterflies(f, self.target)
        sign = f.broadcast(sign, self.lanes)
        apart = m * step

        def one(_: Value, source: Value, target: Value, factors: Value) -> list[Value]:
            places = _places(source, apart, radix)
            inputs = [self.conjugated(self.gathered(f, at), sign) for at in places]
            results = butterflies.transformed(inputs)
            for j, number in enumerate(results):
                if j:
                    factor = self.splat(f, factors.at((j - 1) * 2 * self.element.bytes))
                    number = butterflies.product(number, factor)
                self.write(f, number, target.at(j * self.vector_bytes))
            ahead = (radix - 1) * 2 * self.element.bytes
            return [source.at(step), target.at(radix * self.vector_bytes), factors.at(ahead)]

        f.loop(0, m, 1, one, [source, target, factors])
        return f

    def middle(self, radix: int) -> Function:
        """``(source, target, m, beside, factors)``, so many vectors side by side."""
        f = Function(
            f"fourier_middle_{radix}", [POINTER, POINTER, I64, I64, POINTER], exported=False
        )
        source, target, m, beside, factors = f.arguments
        butterflies = Butterflies(f, self.target)
        run = beside * self.vector_bytes
        apart = m * run

        def place(_: Value, source: Value, target: Value, factors: Value) -> list[Value]:
            splats = [
                self.splat(f, factors.at(j * 2 * self.element.bytes)) for j in range(radix - 1)
            ]

            def one(at: Value) -> None:
                inputs = [self.read(f, place) for place in _places(source.at(at), apart, radix)]
                results = butterflies.transformed(inputs)
                targets = _places(target.at(at), run, radix)
                self.write(f, results[0], targets[0])
                for number, factor, to in zip(results[1:], splats, targets[1:], strict=True):
                    self.write(f, butterflies.product(number, factor), to)

            f.loop(0, run, self.vector_bytes, one)
            ahead = (radix - 1) * 2 * self.element.bytes
            return [source.at(run), target.at(run * radix), factors.at(ahead)]

        f.loop(0, m, 1, place, [source, target, factors])
        return f

    def last(self, radix: int, *, stays: bool = False) -> Function:
        """``(source, target, beside, step, real, imaginary)``: one transform, and no factors.

        What is side by side gets factors of its parts, and goes to places that are a step apart.
        Where it ``stays`` between passes, it gets none.
        """
        name = f"fourier_{'whole' if stays else 'last'}_{radix}"
        arguments = [POINTER, POINTER, I64, I64, self.element, self.element]
        f = Function(name, arguments, exported=False)
        source, target, beside, step, real, imaginary = f.arguments
        butterflies = Butterflies(f, self.target)
        scales = [f.broadcast(number, self.lanes) for number in (real, imaginary)]
        run, target_run = beside * self.vector_bytes, beside * step

        def one(_: Value, source: Value, target: Value) -> list[Value]:
            inputs = [self.read(f, place) for place in _places(source, run, radix)]
            results = butterflies.transformed(inputs)
            for number, to in zip(results, _places(target, target_run, radix), strict=True):
                if stays:
                    self.write(f, number, to)
                else:
                    self.scattered(f, (number[0] * scales[0], number[1] * scales[1]), to)
            return [source.at(self.vector_bytes), target.at(step)]

        f.loop(0, beside, 1, one, [source, target])
        return f

    # --- of real numbers --------------------------------------------------------------------------
    def parted(self) -> Function:
        """``(source, target, size, factors)``: of a row as complex numbers, the real numbers'.

        Z of a row x[2 k] + i x[2 k + 1] is known; X[k] is the sum of (Z[k] + conj Z[-k]) / 2 and
        the factor times Z[k] - conj Z[-k].
        """
        f = Function("fourier_parted", [POINTER, POINTER, I64, POINTER], exported=False)
        source, target, size, factors = f.arguments
        butterflies = Butterflies(f, self.target)
        vectors = size // self.lanes
        order = [self.lanes, *range(self.lanes - 1, 0, -1)]

        def one(number: Value) -> None:
            at = number * self.vector_bytes
            low = self.read(f, source.at((vectors - 1 - number) * self.vector_bytes))
            after = f.select(number == 0, f.constant(0), vectors - number)
            high = self.read(f, source.at(after * self.vector_bytes))
            mirrored = f.shuffle(low[0], high[0], order), f.shuffle(low[1], high[1], order)
            factor = self.read(f, factors.at(at))
            results = self._mixed(butterflies, self.read(f, source.at(at)), mirrored, factor)
            self.scattered(f, results, target.at(at))

        f.loop(0, vectors, 1, one)
        first = [f.load(source.at(part * self.bytes), self.element) for part in range(2)]
        end = target.at(size * (2 * self.element.bytes))
        f.store(first[0] - first[1], end)
        f.store(f.zero(self.element), end.at(self.element.bytes))
        return f

    def joined(self) -> Function:
        """``(source, target, size, factors)``: the inverse of ``parted``; all as in tensors.

        Imaginary parts of the first and the last number are not looked at.
        """
        f = Function("fourier_joined", [POINTER, POINTER, I64, POINTER], exported=False)
        source, target, size, factors = f.arguments
        butterflies = Butterflies(f, self.target)
        width = 2 * self.element.bytes
        end = source.at(size * width)

        def one(number: Value) -> None:
            at = number * self.vector_bytes
            mirrored = self.gathered(
                f, end.at(f.constant(0) - at).at((1 - self.lanes) * width), backwards=True
            )
            c, s = self.read(f, factors.at(at))
            numbers = self.gathered(f, source.at(at))
            results = self._mixed(butterflies, numbers, mirrored, (c, -s))
            self.scattered(f, results, target.at(at))

        f.loop(0, size // self.lanes, 1, one)
        half = f.constant(0.5, self.element)
        first, last = f.load(source, self.element) * half, f.load(end, self.element) * half
        f.store(first + last, target)
        f.store(first - last, target.at(self.element.bytes))
        return f

    def _mixed(self, butterflies: Butterflies, a: Complex, b: Complex, factor: Complex) -> Complex:
        """(a + conj b) / 2 + factor (a - conj b)."""
        real, imaginary = butterflies.product((a[0] - b[0], a[1] + b[1]), factor)
        half = butterflies.f.constant(0.5, self.vector)
        return (
            butterflies.sum_of_products(a[0] + b[0], half, real),
            butterflies.sum_of_products(a[1] - b[1], half, imaginary),
        )


def _places(first: Value, step: Value, count: int) -> list[Value]:
    """Addresses a step apart, each one addition behind another, none far behind the first."""
    steps = [step]
    places = [first]
    for k in range(1, count):
        low = k & -k
        while len(steps) < low.bit_length():
            steps.append(steps[-1] + steps[-1])
        places.append(places[k - low].at(steps[low.bit_length() - 1]))
    return places


def by_radix(
    f: Function, radix: Value, radices: Sequence[int], name: str, operands: Sequence[Value]
) -> None:
    """Call the pass of a radix that run time tells."""

    def among(left: Sequence[int]) -> Callable[[], None]:
        def call() -> None:
            if len(left) == 1:
                f.run(f"{name}_{left[0]}", operands)
            else:
                f.if_(radix == left[0], among(left[:1]), among(left[1:]))

        return call

    among(radices)()
