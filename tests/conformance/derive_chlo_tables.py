"""Derives ``shlo_tools/codegen/library/maths/tables.py`` from mpmath.

    python tests/conformance/derive_chlo_tables.py > shlo_tools/codegen/library/maths/tables.py

Polynomials are minimax (Remez exchange), rational functions weighted least squares on Chebyshev
nodes, reweighted until the error is level. Each row of ``ROWS`` is one approximation: function,
interval, degrees per precision, and the weight that makes its error relative to the result.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath  # type: ignore[import-untyped]
from mpmath import mpf

Function = Callable[[Any], Any]

mpmath.mp.dps = 60


# --- fitting --------------------------------------------------------------------------------------
def evaluate(coefficients: list[Any], x: Any) -> Any:
    """A polynomial, constant term first."""
    value = mpf(0)
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def minimax(f: Function, low: Any, high: Any, degree: int, weight: Function) -> list[Any]:
    """The polynomial whose largest weighted error on [low, high] is least."""
    count = degree + 2
    grid = _chebyshev(low, high, 30 * count)
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    chosen = [round(i * (len(grid) - 1) / (count - 1)) for i in range(count)]
    for _ in range(12):
        system = mpmath.matrix(count, count)
        for row, at in enumerate(chosen):
            for power in range(degree + 1):
                system[row, power] = grid[at] ** power
            system[row, degree + 1] = (-1) ** row / weights[at]
        solution = mpmath.lu_solve(system, mpmath.matrix([values[at] for at in chosen]))
        fitted = [solution[power] for power in range(degree + 1)]
        errors = [
            (value - evaluate(fitted, x)) * w
            for x, value, w in zip(grid, values, weights, strict=True)
        ]
        chosen, before = _alternation(errors, count), chosen
        if chosen == before:
            break
    return fitted


def _chebyshev(low: Any, high: Any, count: int) -> list[Any]:
    """Points that crowd at both ends, in order, the ends left out."""
    middle, half = (mpf(low) + high) / 2, (mpf(high) - low) / 2
    return [middle - half * mpmath.cospi(mpf(2 * k + 1) / (2 * count)) for k in range(count)]


def _alternation(errors: list[Any], count: int) -> list[int]:
    """Positions of the largest errors of alternating sign."""
    results: list[int] = []
    for at, error in enumerate(errors):
        if results and (errors[results[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[results[-1]]):
                results[-1] = at
        else:
            results.append(at)
    while len(results) > count:
        results.pop(0 if abs(errors[results[0]]) < abs(errors[results[-1]]) else -1)
    return results


def rational(
    f: Function, low: Any, high: Any, degrees: tuple[int, int], weight: Function, start: Any = None
) -> tuple[list[Any], list[Any]]:
    """Numerator and denominator (constant term 1) of nearly least weighted error.

    ``start`` fixes the numerator's constant term: the value at 0.
    """
    top, bottom = degrees
    fixed = [] if start is None else [mpf(start)]
    free = range(len(fixed), top + 1)
    grid = _chebyshev(low, high, 4 * (top + bottom + 2))
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    denominator = [mpf(1)] + [mpf(0)] * bottom
    emphasis = [mpf(1)] * len(grid)
    best: tuple[Any, list[Any], list[Any]] | None = None
    for _ in range(10):
        system = mpmath.matrix(len(grid), len(free) + bottom)
        expected = mpmath.matrix(len(grid), 1)
        for row, x in enumerate(grid):
            factor = weights[row] * emphasis[row] / evaluate(denominator, x)
            powers = [x**power for power in free]
            powers += [-values[row] * x**power for power in range(1, bottom + 1)]
            for column, entry in enumerate(powers):
                system[row, column] = factor * entry
            expected[row] = factor * (values[row] - sum(fixed))
        solution = list(mpmath.qr_solve(system, expected)[0])
        numerator = [*fixed, *solution[: len(free)]]
        denominator = [mpf(1), *solution[len(free) :]]
        errors = [
            abs((evaluate(numerator, x) / evaluate(denominator, x) - value) * w)
            for x, value, w in zip(grid, values, weights, strict=True)
        ]
        if best is None or max(errors) < best[0]:
            best = max(errors), numerator, denominator
        mean = mpmath.fsum(errors) / len(errors)
        emphasis = [
            old * mpmath.sqrt((error + mean / 10) / mean)
            for old, error in zip(emphasis, errors, strict=True)
        ]
    assert best is not None
    return best[1], best[2]


# --- what is approximated -------------------------------------------------------------------------
def _odd(function: Function) -> Function:
    """(f(s) / s - 1) / z with z = s^2, for an odd function that begins like s."""

    def reduced(z: Any) -> Any:
        with mpmath.workdps(120):  # the difference loses as many digits as z has zeros
            s = mpmath.sqrt(z)
            return (function(s) / s - 1) / z

    return reduced


def _erf_small(z: Any) -> Any:
    s = mpmath.sqrt(z)
    return mpmath.erf(s) / s - 1


def _erf_inv(w: Any) -> Any:
    """erf_inv(x) / x as a function of w = -log(1 - x^2)."""
    x = mpmath.sqrt(-mpmath.expm1(-w))
    return mpmath.erfinv(x) / x


def _erfc_tail(t: Any) -> Any:
    """(1 + 2x) exp(x^2) erfc(x), with t = (x - c) / (x + c) as Shepherd and Laframboise have it."""
    x = ERFC_CENTER * (1 + t) / (1 - t)
    return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)


ERFC_CENTER = mpf("3.75")


def _erfc_at(x: float) -> Any:
    return (x - ERFC_CENTER) / (x + ERFC_CENTER)


DIGAMMA_ROOT = mpmath.findroot(lambda x: mpmath.psi(0, x), mpf("1.46"))


def _lgamma_small(u: Any) -> Any:
    return mpmath.loggamma(1 + u) / (u * (u - 1))


def _digamma_small(u: Any) -> Any:
    return mpmath.psi(0, 1 + u) / (u - (DIGAMMA_ROOT - 1))


def _lgamma_large(z: Any) -> Any:
    """What Stirling's formula leaves, times x, with z = 1 / x^2."""
    with mpmath.workdps(120):
        x = 1 / mpmath.sqrt(z)
        stirling = (x - 0.5) * (mpmath.log(x) - 1) + (mpmath.log(2 * mpmath.pi) - 1) / 2
        return (mpmath.loggamma(x) - stirling) * x


def _digamma_large(z: Any) -> Any:
    """(log x - 1 / (2x) - digamma(x)) x^2, with z = 1 / x^2."""
    with mpmath.workdps(120):
        x = 1 / mpmath.sqrt(z)
        return (mpmath.log(x) - 1 / (2 * x) - mpmath.psi(0, x)) * x * x


def _i1e_small(x: Any) -> Any:
    return mpmath.exp(-x) * mpmath.besseli(1, x) / x


def _i1e_large(t: Any) -> Any:
    """sqrt(x) exp(-x) I1(x), with t = 16 / x - 1."""
    x = 16 / (t + 1)
    return mpmath.sqrt(x) * mpmath.exp(-x) * mpmath.besseli(1, x)


def _one(x: Any) -> Any:
    return mpf(1)


def _relative(f: Function) -> Function:
    return lambda x: 1 / abs(f(x))


def _relative_of_odd(reduced: Function, high: float) -> Function:
    """The weight that makes an error of ``reduced`` one of s (1 + z reduced(z))."""
    return lambda z: (z + mpf(high) / 500) / (1 + z * reduced(z))


@dataclass(frozen=True)
class Row:
    """One table.

    Attributes:
        name: of the constant.
        comment: what it says above it.
        function: what is approximated on [low, high].
        degrees: per precision; a pair means a rational function.
        weight: of the error; relative by default.
        bounds: intervals that differ from [low, high], per precision.
        start: the value at 0, where it must be exact.
    """

    name: str
    comment: str
    function: Function
    low: Any
    high: Any
    degrees: dict[str, int | tuple[int, int]]
    weight: Function | None = None
    bounds: tuple[tuple[str, Any], ...] = ()
    start: Any = None


def _odd_row(name: str, function: Function, high: float, f32: int, f64: int) -> Row:
    reduced = _odd(function)
    comment = f"{name.lower()}(s) = s + s z P(z) with z = s^2 <= {high}"
    weight = _relative_of_odd(reduced, high)
    return Row(name, comment, reduced, 0, high, {"f32": f32, "f64": f64}, weight)


ROWS = (
    _odd_row("ASIN", mpmath.asin, 0.3, 5, 12),
    _odd_row("ASINH", mpmath.asinh, 0.25, 4, 10),
    _odd_row("ATANH", mpmath.atanh, 0.25, 5, 12),
    _odd_row("SINH", mpmath.sinh, 1.0, 3, 6),
    Row(
        "ERF",
        "erf(x) = x + x P(x^2) for |x| <= 1",
        _erf_small,
        0,
        1,
        {"f32": 6, "f64": 11},
        lambda z: 1 / (1 + _erf_small(z)),
    ),
    Row(
        "LOG_ERFC",
        "log(erfc(x)) = P(x) for 1 <= x <= 4, so exactly that 1 - erfc(x) is right",
        lambda x: mpmath.log(mpmath.erfc(x)),
        1,
        4,
        {"f32": 7},
        lambda x: mpmath.erfc(x) / mpmath.erf(x),
    ),
    Row(
        "ERFC",
        "erfc(x) = exp(-x^2) P(t) / (1 + 2x), t = (x - 3.75) / (x + 3.75), 0.5 <= x until it is 0",
        _erfc_tail,
        _erfc_at(0.5),
        _erfc_at(28),
        {"f32": 10, "f64": 20},
        bounds=(("f32", _erfc_at(10.5)),),
    ),
    Row(
        "ERF_INV_CENTRAL",
        "erf_inv(x) = x P(w) with w = -log(1 - x^2) <= 5",
        _erf_inv,
        0,
        5,
        {"f32": 9},
    ),
    Row(
        "ERF_INV_TAIL",
        "erf_inv(x) = x P(sqrt(w) - 3) for 5 <= w <= 17",
        lambda t: _erf_inv((t + 3) ** 2),
        mpmath.sqrt(5) - 3,
        mpmath.sqrt(17) - 3,
        {"f32": 9},
    ),
    Row(
        "ERF_INV_CENTRAL_RATIO",
        "erf_inv(x) = x P(w) / Q(w) with w = -log(1 - x^2) <= 5",
        _erf_inv,
        0,
        5,
        {"f64": (8, 8)},
    ),
    Row(
        "ERF_INV_TAIL_RATIO",
        "erf_inv(x) = x P(w) / Q(w) for 5 <= w <= 37",
        _erf_inv,
        5,
        37,
        {"f64": (11, 11)},
    ),
    Row(
        "LGAMMA_SMALL",
        "lgamma(1 + u) = u (u - 1) P(u) / Q(u) for 0 <= u <= 2",
        _lgamma_small,
        0,
        2,
        {"f32": (5, 5), "f64": (7, 7)},
    ),
    Row(
        "LGAMMA_LARGE",
        "lgamma(x) = (x - 1/2)(log x - 1) + (log(2 pi) - 1) / 2 + R(1 / x^2) / x for 3 <= x",
        _lgamma_large,
        0,
        mpf(1) / 9,
        {"f32": (3, 3), "f64": (4, 4)},
        _one,
    ),
    Row(
        "DIGAMMA_SMALL",
        "digamma(1 + u) = (u - u0) P(u) / Q(u) for 0 <= u <= 2, with its root u0",
        _digamma_small,
        0,
        2,
        {"f32": (5, 5), "f64": (6, 6)},
    ),
    Row(
        "DIGAMMA_LARGE",
        "digamma(x) = log x - 1 / (2x) - R(z) z with z = 1 / x^2 for 3 <= x",
        _digamma_large,
        0,
        mpf(1) / 9,
        {"f32": (3, 3), "f64": (5, 5)},
        _one,
    ),
    Row(
        "I1E_SMALL",
        "exp(-x) I1(x) = x P(x) / Q(x) for 0 <= x <= 8",
        _i1e_small,
        0,
        8,
        {"f32": (5, 6), "f64": (9, 10)},
        start=0.5,
    ),
    Row(
        "I1E_LARGE",
        "exp(-x) I1(x) = P(16 / x - 1) / sqrt(x) for 8 <= x",
        _i1e_large,
        -1,
        1,
        {"f32": 6, "f64": 22},
    ),
)


# --- writing --------------------------------------------------------------------------------------
def fitted(row: Row, precision: str) -> tuple[list[Any], list[Any]]:
    """Numerator and denominator of one table."""
    degrees = row.degrees[precision]
    high = dict(row.bounds).get(precision, row.high)
    weight = row.weight or _relative(row.function)
    if isinstance(degrees, tuple):
        return rational(row.function, row.low, high, degrees, weight, row.start)
    return minimax(row.function, row.low, high, degrees, weight), []


def _tuple(coefficients: list[Any], indent: str) -> str:
    inside = indent + "    "
    numbers = ", ".join(repr(float(c)) for c in coefficients) + ","
    filled = textwrap.fill(numbers, 100, initial_indent=inside, subsequent_indent=inside)
    return f"(\n{filled}\n{indent})"


def table(row: Row) -> str:
    """The constant as Python source."""
    lines = [f"# {row.comment}", f"{row.name} = {{"]
    for precision in row.degrees:
        numerator, denominator = fitted(row, precision)
        text = _tuple(numerator, "    " + "    " * bool(denominator))
        if denominator:
            text = f"Ratio(\n        {text},\n        {_tuple(denominator, '        ')},\n    )"
        lines.append(f'    "{precision}": {text},')
    return "\n".join([*lines, "}"])


HEAD = '''"""Coefficients of the functions of CHLO, derived from mpmath.

Written by ``tests/conformance/derive_chlo_tables.py``; constant terms first. A table's key is the
precision that the result needs, not the type that it is evaluated in.
"""

from shlo_tools.codegen.library.maths.series import Ratio

# fmt: off
'''


def main() -> None:
    """Print the module."""
    print(HEAD)
    root = DIGAMMA_ROOT - 1
    high = float(mpmath.mpf(int(root * 2**30)) / 2**30)
    print("# The positive root of digamma is 1 + high + low; high has 30 bits.")
    print(f"DIGAMMA_ROOT = ({high!r}, {float(root - high)!r})\n")
    print("# B[2j] / (2j)! for j = 1, 2, ...: Euler and Maclaurin's corrections of a sum.")
    count = {"f32": 6, "f64": 12}
    terms = [mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) for j in range(1, 13)]
    rows = "".join(f'    "{p}": {_tuple(terms[:n], "    ")},\n' for p, n in count.items())
    print(f"EULER_MACLAURIN = {{\n{rows}}}\n")
    print("\n\n".join(table(row) for row in ROWS))


if __name__ == "__main__":
    main()
