"""Vector maths of the process library against mpmath, within 1 unit for f32 and 2 for f64."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special  # type: ignore[import-untyped]

from shlo_tools import mlir
from shlo_tools.codegen.function import I64, POINTER, Function, Type
from shlo_tools.codegen.library import maths
from shlo_tools.cpu.process_library import parts

DTYPES = {"f32": np.float32, "f64": np.float64}
EXACT = {
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "cos": mpmath.cos,
    "exp": mpmath.exp,
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log1p": mpmath.log1p,
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "sin": mpmath.sin,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
}
OF_CHLO = {
    "acos": mpmath.acos,
    "acosh": mpmath.acosh,
    "asin": mpmath.asin,
    "asinh": mpmath.asinh,
    "atan": mpmath.atan,
    "atanh": mpmath.atanh,
    "cosh": mpmath.cosh,
    "digamma": mpmath.digamma,
    "erf": mpmath.erf,
    "erf_inv": mpmath.erfinv,
    "erfc": mpmath.erfc,
    "lgamma": lambda x: mpmath.re(mpmath.loggamma(x)),
    "sinh": mpmath.sinh,
}
UNITS = {"f32": 1.0, "f64": 2.0}
# Of f32: two results are divided, or subtracted.
BOUNDS = {"acos": 1.2, "acosh": 1.6, "asin": 1.5, "asinh": 1.3, "cosh": 1.5, "digamma": 0.6}
BOUNDS |= {"erf": 1.2, "erf_inv": 2.5, "erfc": 0.6, "lgamma": 0.6, "logistic": 1.6, "sinh": 1.8}
BOUNDS |= {"tanh": 1.8}
ROUGH = {
    **{name: getattr(np, f"arc{name[1:]}") for name in OF_CHLO if name.startswith("a")},
    "digamma": lambda x: np.where((x <= 0) & (x == np.floor(x)), np.nan, special.psi(x)),
    "erf": special.erf,
    "erf_inv": lambda x: np.copysign(special.erfinv(np.abs(x)), x),
    "erfc": special.erfc,
    "lgamma": lambda x: np.where(np.isinf(x), np.inf, special.gammaln(x)),
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]


def apply(function: str, element: str, *arrays: Any, lanes: int = 0) -> Any:
    """A function on arrays of numbers."""
    lanes = lanes or (32 if element == "f32" else 16)
    vector, dtype = Type(element, lanes), DTYPES[element]
    f = Function("test", [POINTER])
    (context,) = f.arguments
    *sources, result = (f.load(context.at(8 * k), POINTER) for k in range(len(arrays) + 1))
    count = f.load(context.at(8 * (len(arrays) + 1)), I64)

    def body(i: Any) -> None:
        operands = [f.load(source.at(i, vector.scalar), vector) for source in sources]
        value = f.call(maths.name(function, vector), operands, vector)
        f.store(value, result.at(i, vector.scalar))

    f.loop(f.constant(0), count, lanes, body)
    with mlir.library_context():
        _engine, addresses = parts.compiled([f])
    pad = -len(arrays[0]) % lanes
    padded = [np.concatenate([array.astype(dtype), np.ones(pad, dtype)]) for array in arrays]
    out = np.empty(len(padded[0]), dtype)
    words = [array.ctypes.data for array in (*padded, out)] + [len(out)]
    table = (ctypes.c_int64 * len(words))(*words)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses["test"])(ctypes.addressof(table))
    return out[: len(arrays[0])]


def numbers(element: str) -> Any:
    random = np.random.default_rng(0)
    top, reach = (90, 38) if element == "f32" else (715, 300)
    scales = 10.0 ** random.uniform(-reach, reach, 300)
    parts = [random.uniform(-top, top, 300), random.uniform(-1, 1, 300), scales, -scales]
    denormal = [1e-45, 1e-40] if element == "f32" else [5e-324, 1e-310]
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([*parts, SPECIAL, denormal]).astype(DTYPES[element])


@pytest.mark.parametrize(
    ("function", "element"), [*product(EXACT, DTYPES), *product(OF_CHLO, ["f32"])]
)
def test_functions_of_one_number(function: str, element: str) -> None:
    x = numbers(element)
    actual = apply(function, element, x)
    with np.errstate(all="ignore"):
        wide = np.float64 if function in OF_CHLO else np.longdouble
        rough = ROUGH.get(function, getattr(np, function, None))(x.astype(wide))
        rough = rough.astype(x.dtype)
    for value, result, about in zip(x, actual, rough, strict=True):
        if not np.isfinite(about) or about == 0:
            np.testing.assert_array_equal(result, about)
            assert np.isnan(about) or np.signbit(result) == np.signbit(about)
            continue
        with mpmath.workprec(200):
            exact = (EXACT | OF_CHLO)[function](mpmath.mpf(float(value)))
            error = abs(mpmath.mpf(float(result)) - exact) / float(np.spacing(np.abs(about)))
        assert error <= BOUNDS.get(function, UNITS[element]), (value, result)


@pytest.mark.parametrize("function", ["cos", "sin", "tan"])
def test_angles_of_few_lanes(function: str) -> None:
    """Where all lanes are of even quarters of a turn, nothing is computed for odd ones."""
    x = np.concatenate([numbers("f32"), np.linspace(-9, 9, 2000, dtype=np.float32)])
    few, many = (apply(function, "f32", x, lanes=lanes) for lanes in (4, 32))
    np.testing.assert_array_equal(few.view(np.int32), many.view(np.int32))


@pytest.mark.parametrize(("element", "zero"), [("f32", -103.97208), ("f64", -745.1332191019412)])
def test_powers_down_to_zero(element: str, zero: float) -> None:
    """Denormal results within a unit, and 0 from half of the least one on, without a sign."""
    dtype = DTYPES[element]
    x = np.concatenate([np.linspace(zero + 20, zero - 5, 5000), [-1e30, -np.inf]]).astype(dtype)
    actual = apply("exp", element, x)
    assert not np.any(np.signbit(actual))
    np.testing.assert_array_equal(actual[x < dtype(zero)], 0)
    with np.errstate(under="ignore"):
        exact = np.exp(x.astype(np.longdouble))
        step = np.spacing(exact.astype(dtype)).astype(np.longdouble)
    assert np.all(np.abs(actual - exact) <= step)


@pytest.mark.parametrize(
    ("function", "exact"),
    [
        ("atan", np.arctan),
        ("exp", np.exp),
        ("expm1", np.expm1),
        ("logistic", lambda x: 1 / (1 + np.exp(-x))),
        ("tanh", np.tanh),
    ],
)
def test_many_doubles(function: str, exact: Any) -> None:
    """A quotient of sums is off by more than two units for some numbers in a thousand."""
    random = np.random.default_rng(0)
    x = np.concatenate([random.uniform(-20, 20, 100_000), random.standard_normal(100_000)])
    expected = exact(x.astype(np.longdouble))
    units = np.spacing(np.abs(expected).astype(np.float64)).astype(np.longdouble)
    assert np.max(np.abs(apply(function, "f64", x) - expected) / units) <= 2


@pytest.mark.parametrize(
    ("function", "exact", "most"),
    [
        ("cbrt", np.cbrt, np.inf),
        ("exp", np.exp, np.inf),
        ("logistic", ROUGH["logistic"], 1.0),
        ("tanh", np.tanh, 1.0),
        ("erf", special.erf, 1.0),
    ],
)
def test_many_singles(function: str, exact: Any, most: float) -> None:
    """Of every size; what is bounded stays within its bounds."""
    random = np.random.default_rng(0)
    sizes = np.exp(random.uniform(-60, 4, 300_000)) * random.choice([-1.0, 1.0], 300_000)
    x = np.concatenate([random.uniform(-87, 88, 300_000), random.uniform(-10, 10, 300_000), sizes])
    x = x.astype(np.float32)
    expected, actual = exact(x.astype(np.float64)), apply(function, "f32", x)
    error = np.abs(actual - expected) / np.spacing(np.abs(expected).astype(np.float32))
    assert np.max(error) <= BOUNDS.get(function, UNITS["f32"])
    assert np.max(actual) <= most


def test_powers_less_one_of_doubles() -> None:
    """Up to the largest number, where 2^n alone is none, and down to the least one."""
    large = [*np.linspace(699, 709.782712893, 300), 709.7827128933841, 709.79, 711.0]
    x = np.array([*large, *(2.0**-k for k in (*range(45, 60), *range(1015, 1075)))])
    actual = apply("expm1", "f64", x)
    with mpmath.workprec(200), np.errstate(over="ignore"):
        for value, result, about in zip(x, actual, np.expm1(x), strict=True):
            if np.isinf(about):
                assert np.isinf(result)
            else:
                assert units(result, mpmath.expm1(mpmath.mpf(float(value)))) <= 2, value


FAR = [1e8, 2.0**30, 1.5e9, 1e15, 1e22, 3e30, 3.4e38, 16367173 * 2.0**72]
NEAR = [k * np.pi / 2 for k in (1, 2, 3, 4, 7, 22, 355, 51819, 10**7, 6 * 10**8)]


def units(actual: Any, exact: Any) -> float:
    """How far a number is from an exact one, in units in the last place."""
    about = np.asarray(float(exact)).astype(actual.dtype)
    step = float(np.spacing(np.abs(about))) or float(np.finfo(actual.dtype).smallest_subnormal)
    return float(abs(mpmath.mpf(float(actual)) - exact) / step)


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("function", ["sin", "cos", "tan"])
def test_angles(function: str, element: str) -> None:
    """Far ones, and those next to multiples of pi / 2."""
    dtype = DTYPES[element]
    places = np.array(FAR + NEAR + ([6381956970095103 * 2.0**797] * (element == "f64"))).astype(
        dtype
    )
    around = [places, np.nextafter(places, dtype(0)), np.nextafter(places, dtype(np.inf))]
    x = np.concatenate([*around, *(-some for some in around)])
    x = x[np.isfinite(x)]
    with mpmath.workprec(1400):
        for value, result in zip(x, apply(function, element, x), strict=True):
            exact = EXACT[function](mpmath.mpf(float(value)))
            assert units(result, exact) <= (1 if element == "f32" else 2), (value, result)


@pytest.mark.parametrize("function", ["sin", "cos"])
def test_angles_of_single_precision(function: str) -> None:
    """All multiples of pi / 4 up to where another way begins, and what lies next to them."""
    places = (np.arange(1, 10_500) * np.pi / 4).astype(np.float32)
    x = np.concatenate([places, *(np.nextafter(places, np.float32(to)) for to in (0, np.inf))])
    x = np.concatenate([x, -x, np.random.default_rng(5).uniform(-9000, 9000, 4000)])
    x = x.astype(np.float32)
    exact = getattr(np, function)(x.astype(np.longdouble))
    step = np.spacing(np.abs(exact.astype(np.float32)))
    assert np.all(np.abs(apply(function, "f32", x) - exact) <= step)


def grid(element: str, special: list[float], first: Any, second: Any) -> tuple[Any, Any]:
    """Numbers against numbers, and all special values against each other."""
    a, b = (each.ravel() for each in np.meshgrid(special, special))
    return np.concatenate([first, a]).astype(DTYPES[element]), np.concatenate([second, b]).astype(
        DTYPES[element]
    )


def check_pairs(function: str, element: str, rough: Any, exact: Any, x: Any, y: Any) -> None:
    """Special results as numpy has them; the others as mpmath, within a unit or two."""
    actual = apply(function, element, x, y)
    with np.errstate(all="ignore"):
        about = rough(x.astype(np.longdouble), y.astype(np.longdouble)).astype(x.dtype)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(about))
    whole = ~np.isfinite(about) | (about == 0)
    np.testing.assert_array_equal(actual[whole], about[whole])
    np.testing.assert_array_equal(np.signbit(actual[about == 0]), np.signbit(about[about == 0]))
    with mpmath.workprec(300):
        rows = zip(x[~whole], y[~whole], about[~whole], actual[~whole], strict=True)
        for a, b, near, result in rows:
            plain = np.isfinite([a, b]).all() and a != 0 and b != 0
            expected = exact(mpmath.mpf(float(a)), mpmath.mpf(float(b))) if plain else float(near)
            error = units(result, expected)
            assert error <= (1 if element == "f32" else 2), (a, b, result, error)


@pytest.mark.parametrize("element", DTYPES)
def test_powers(element: str) -> None:
    random = np.random.default_rng(1)
    special = [*SPECIAL, 2, -2, 0.5, -0.5, 3, -3]
    top = 120 if element == "f32" else 1000
    base = 2.0 ** random.uniform(-40, 40, 300)
    bases = [
        random.uniform(0, 10, 300),
        random.uniform(-5, 5, 300),
        base,
        1 + random.normal(size=300) / 1e5,
    ]
    exponents = [random.uniform(-20, 20, 300), np.round(random.uniform(-9, 9, 300))]
    exponents += [random.uniform(-top, top, 300) / np.log2(base), random.uniform(-1e6, 1e6, 300)]
    x, y = grid(element, special, np.concatenate(bases), np.concatenate(exponents))
    check_pairs("power", element, np.power, lambda a, b: mpmath.power(a, b).real, x, y)


@pytest.mark.parametrize("element", DTYPES)
def test_angles_of_points(element: str) -> None:
    random = np.random.default_rng(2)
    reach = 37 if element == "f32" else 300
    signs = random.choice([-1, 1], (2, 400))
    parts = [random.normal(size=(2, 400)), signs * 10.0 ** random.uniform(-reach, reach, (2, 400))]
    parts.append(np.array([np.ones(200), np.sqrt(2) - 1 + random.normal(size=200) / 1e8]))
    y, x = np.concatenate(parts, 1)
    y, x = grid(element, SPECIAL, y, x)
    check_pairs("atan2", element, np.arctan2, mpmath.atan2, y, x)


@pytest.mark.parametrize("element", DTYPES)
def test_remainders(element: str) -> None:
    """Exact, also of numbers that are far apart."""
    random = np.random.default_rng(3)
    reach = 37 if element == "f32" else 300
    signs = random.choice([-1, 1], (2, 400))
    x, y = signs * 10.0 ** random.uniform(-reach, reach, (2, 400))
    near = random.uniform(1, 1e6, 400)
    multiples = near * np.round(random.uniform(1, 1e5, 400))
    x, y = grid(element, SPECIAL, np.concatenate([x, multiples]), np.concatenate([y, near]))
    actual = apply("fmod", element, x, y)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    np.testing.assert_array_equal(actual, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("function", ["sin", "cos", "tan"])
def test_small_angles_have_the_same_sine_beside_others(function: str) -> None:
    """A vector of angles below pi / 4 takes a shorter way, to the same bits."""
    small = np.random.default_rng(0).uniform(-0.785, 0.785, 512).astype(np.float32)
    small[:4] = 0.0, -0.0, 1e-40, np.nextafter(np.float32(0.785), np.float32(0))
    mixed = np.stack([small, np.full_like(small, 100.0)], axis=1).reshape(-1)
    alone, beside = apply(function, "f32", small), apply(function, "f32", mixed)
    np.testing.assert_array_equal(alone.view(np.int32), beside[::2].view(np.int32))
