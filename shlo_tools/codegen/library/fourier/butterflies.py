"""Discrete Fourier transforms of a few vectors in registers, as (real, imaginary) pairs.

Lengths are products of 2, 3, 4, 5 and 7. The sign of the exponent is negative: inverses conjugate
what they read and what they write.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.target import Target

Complex = tuple[Value, Value]


class Butterflies:
    """Transforms inside of a function.

    Args:
        f: the function.
        target: whether it fuses multiplications and additions.
    """

    def __init__(self, f: Function, target: Target) -> None:
        self.f, self.target = f, target

    def transformed(self, values: Sequence[Complex]) -> list[Complex]:
        """The transform of as many numbers in each lane."""
        count = len(values)
        if count == 1:
            return list(values)
        if count == 2:
            a, b = values
            return [_sum(a, b), _difference(a, b)]
        if count == 4:
            return _four(values)
        if count % 2:
            return self._odd(values)
        return self._product(values, 4 if count % 4 == 0 else 2)

    def product(self, a: Complex, factor: Complex) -> Complex:
        """The product of complex numbers."""
        (x, y), (c, s) = a, factor
        return self.sum_of_products(x, c, -(y * s)), self.sum_of_products(x, s, y * c)

    def sum_of_products(self, a: Value, b: Value, c: Value) -> Value:
        """a b + c."""
        return self.f.fma(a, b, c) if self.target.fma else a * b + c

    def _product(self, values: Sequence[Complex], inner: int) -> list[Complex]:
        """Cooley and Tukey's: columns, factors, then rows of ``inner`` numbers."""
        count = len(values)
        outer = count // inner
        columns = [self.transformed(values[k::inner]) for k in range(inner)]
        rows = [
            self.transformed([self._turned(columns[k][row], k * row, count) for k in range(inner)])
            for row in range(outer)
        ]
        return [rows[k % outer][k // outer] for k in range(count)]

    def _turned(self, a: Complex, turns: int, count: int) -> Complex:
        """Multiplied by exp(-2 pi i turns / count)."""
        x, y = a
        eighths, rest = divmod(8 * turns, count)
        if rest:
            angle = -2 * math.pi * turns / count
            constants = (
                self.f.constant(part, x.type) for part in (math.cos(angle), math.sin(angle))
            )
            c, s = constants
            return self.product(a, (c, s))
        if eighths % 2:
            half = math.sqrt(0.5)
            x, y = (x + y) * half, (y - x) * half
        for _ in range(eighths // 2 % 4):
            x, y = y, -x
        return x, y

    def _odd(self, values: Sequence[Complex]) -> list[Complex]:
        """A prime length: sums and differences of pairs, times cosines and sines."""
        count = len(values)
        first, half = values[0], range(1, count // 2 + 1)
        sums = [_sum(values[k], values[count - k]) for k in half]
        differences = [_difference(values[k], values[count - k]) for k in half]
        total = first
        for pair in sums:
            total = _sum(total, pair)
        results = [total] * count
        for j in half:
            (x, y), turned = first, None
            for k, pair, difference in zip(half, sums, differences, strict=True):
                angle = 2 * math.pi * (j * k % count) / count
                c, s = (self.f.constant(n, x.type) for n in (math.cos(angle), math.sin(angle)))
                x = self.sum_of_products(pair[0], c, x)
                y = self.sum_of_products(pair[1], c, y)
                if turned is None:
                    turned = difference[0] * s, difference[1] * s
                else:
                    turned = (
                        self.sum_of_products(difference[0], s, turned[0]),
                        self.sum_of_products(difference[1], s, turned[1]),
                    )
            if turned is None:
                raise RuntimeError(f"{count} is no odd prime")
            p, q = turned
            results[j], results[count - j] = (x + q, y - p), (x - q, y + p)
        return results


def _four(values: Sequence[Complex]) -> list[Complex]:
    a, b, c, d = values
    even, odd = _sum(a, c), _sum(b, d)
    (x, y), (p, q) = _difference(a, c), _difference(b, d)
    return [_sum(even, odd), (x + q, y - p), _difference(even, odd), (x - q, y + p)]


def _sum(a: Complex, b: Complex) -> Complex:
    return a[0] + b[0], a[1] + b[1]


def _difference(a: Complex, b: Complex) -> Complex:
    return a[0] - b[0], a[1] - b[1]
