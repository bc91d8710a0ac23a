"""Random bits against the published ciphers and XLA:CPU; random numbers against distributions."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from batch import check
from cases._case import Case, snippet, type_of
from cases._tolerances import BITS, difference
from cases._types import dtype_of
from expected import FLOATS, INTEGERS

import shlo_tools
from shlo_tools import mlir, ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

Array = np.ndarray[Any, Any]
LARGEST = 2**64 - 1
WORD = 2**32 - 1


# --- the ciphers ----------------------------------------------------------------------------------
def threefry(key: int, counter: int) -> list[int]:
    """Threefry-2x32-20 on Python integers."""
    k = [key & WORD, key >> 32]
    k.append(k[0] ^ k[1] ^ 0x1BD11BDA)
    x, y = (counter + k[0]) & WORD, ((counter >> 32) + k[1]) & WORD
    for group in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = (x + y) & WORD
            y = x ^ ((y << turn | y >> (32 - turn)) & WORD)
        x = (x + k[(group + 1) % 3]) & WORD
        y = (y + k[(group + 2) % 3] + group + 1) & WORD
    return [x, y]


def philox(key: int, counter: int) -> list[int]:
    """Philox-4x32-10 on Python integers."""
    k = [key & WORD, key >> 32]
    c = [counter >> shift & WORD for shift in (0, 32, 64, 96)]
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [q >> 32 ^ c[1] ^ k[0], q & WORD, p >> 32 ^ c[3] ^ k[1], p & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


# The authors' known answers: cipher, key, counter, words.
KNOWN = (
    (threefry, 0, 0, (0x6B200159, 0x99BA4EFE)),
    (threefry, LARGEST, LARGEST, (0x1CB996FC, 0xBB002BE7)),
    (threefry, 0x0370734413198A2E, 0x85A308D3243F6A88, (0xC4923A9C, 0x483DF7A0)),
    (philox, 0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (philox, LARGEST, 2**128 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        philox,
        0x299F31D0A4093822,
        0x0370734413198A2E85A308D3243F6A88,
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


@pytest.mark.parametrize(("cipher", "key", "counter", "words"), KNOWN)
def test_ciphers(cipher: Any, key: int, counter: int, words: tuple[int, ...]) -> None:
    assert tuple(cipher(key, counter)) == words


def generated(algorithm: str, state: list[int], shape: list[int], element: str) -> list[Array]:
    """The new state and the output, laid out as XLA does."""
    bits = 8 * dtype_of(element).itemsize
    size = math.prod(shape)
    if algorithm == "THREE_FRY":
        result, used = _threefry_layout(state, shape, wide=bits > 32)
        new = [state[0], (state[1] + used) % 2**64]
    else:
        each = 2 if bits > 32 else 4
        used = -(-size // each)
        high = state[2] if len(state) == 3 else state[0]
        start = high << 64 | state[1]
        blocks = [philox(state[0], (start + i) % 2**128) for i in range(used)]
        if bits > 32:
            blocks = [[b[0] | b[1] << 32, b[2] | b[3] << 32] for b in blocks]
        result = np.array(blocks, np.uint64).reshape(-1)[:size].reshape(shape)
        counted = (start + used) % 2**128
        new = [state[0], counted % 2**64, counted >> 64][: len(state)]
    raw = (result & np.uint64(2**bits - 1)).astype(f"u{bits // 8}")
    return [np.array(new, np.uint64), raw.view(dtype_of(element))]


def _threefry_layout(state: list[int], shape: list[int], *, wide: bool) -> tuple[Array, int]:
    """Two words of a counter lie beside each other along the first even or the largest axis."""
    outer = shape or [1]
    axis = next((d for d, n in enumerate(outer) if n % 2 == 0), outer.index(max(outer)))
    half = list(outer)
    if not wide:
        half[axis] = -(-outer[axis] // 2)
    used = math.prod(half)
    words = [threefry(state[0], (state[1] + i) % 2**64) for i in range(used)]
    if wide:
        return np.array([x | y << 32 for x, y in words], np.uint64).reshape(shape), used
    pair = np.array(words, np.uint64).reshape([*half, 2])
    spread = np.moveaxis(pair, -1, axis + 1).reshape([*half[:axis], -1, *half[axis + 1 :]])
    kept = tuple(slice(0, n) for n in outer)
    return spread[kept].reshape(shape), used


def case(algorithm: str, state: list[int], shape: list[int], element: str) -> Case:
    expected = generated(algorithm, state, shape, element)
    inputs = np.array(state, np.uint64)
    output = f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"
    attribute = f"{{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}}"
    text = f'%out0, %out1 = "stablehlo.rng_bit_generator"(%in0) {attribute} : '
    text += f"({type_of(inputs)}) -> ({type_of(inputs)}, {output})"
    results = [type_of(inputs), output]
    return snippet(f"{algorithm} {state} {output}", text, [inputs], expected, BITS, results)


# (algorithm, state, shape, element, new state, bits) as XLA:CPU of jax 0.10.2 answers.
XLA = (
    ("THREE_FRY", [1, 2], [2, 2], "ui32", [1, 4], "43444564 3979645651 2150618427 3745730563"),
    ("THREE_FRY", [1, 2], [3], "ui8", [1, 4], "84 59 211"),
    ("THREE_FRY", [1, 2], [5], "ui16", [1, 5], "59732 54587 37587 20483 3027"),
    ("THREE_FRY", [1, 2], [], "ui64", [1, 3], "9236835810183407956"),
    (
        *("THREE_FRY", [LARGEST, 2**32 - 2], [3, 5], "ui32", [LARGEST, 2**32 + 7]),
        "1223569572 135159310 179615050 500122123 1355514454 3549588438 230443368 407132238 "
        "3425481880 1252598207 1396232861 4080919081 2652081401 1487859941 3098324855",
    ),
    ("PHILOX", [1, 2], [3], "ui32", [1, 3], "2100602697 2847456232 2074354647"),
    ("DEFAULT", [1, 2], [2], "ui8", [1, 3], "73 232"),
    ("PHILOX", [1, 2], [], "ui64", [1, 3], "12229731395331991369"),
    (
        *("PHILOX", [5, LARGEST], [9], "ui32", [5, 2]),
        "1314562490 4035658752 2543735481 4162936588 64677483 3635105107 3931607701 727262183 "
        "311226061",
    ),
    (
        *("PHILOX", [5, LARGEST, 7], [5], "ui64", [5, 2, 8]),
        "673940803635876895 10955916776920449873 4998200121197870631 7503507341340611354 "
        "12944800700192893517",
    ),
)


@pytest.mark.parametrize("row", XLA, ids=lambda row: f"{row[0]}-{row[3]}-{row[2]}")
def test_the_model_is_xla(row: tuple[Any, ...]) -> None:
    algorithm, state, shape, element, new, bits = row
    result = generated(algorithm, state, shape, element)
    assert result[0].tolist() == new
    assert [int(value) for value in result[1].reshape(-1)] == [int(b) for b in bits.split()]


SHAPES = ([], [1], [3], [2, 2], [4, 3], [3, 5], [5, 1], [2, 6, 2], [3, 3, 3], [7, 3, 5], [0, 3])
STATES = ([1, 2], [LARGEST, LARGEST], [2**63 + 12345, 2**32 - 3])


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX", "DEFAULT"])
def test_shapes(algorithm: str) -> None:
    check([case(algorithm, [1, 2], shape, "ui32") for shape in SHAPES])
    check([case(algorithm, [1, 2], shape, "ui64") for shape in SHAPES[:6]])


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX"])
def test_types(algorithm: str) -> None:
    """Floats get raw bits as well, whatever number (or NaN) they make."""
    check([case(algorithm, [3, 4], [5], element) for element in (*INTEGERS, *FLOATS)])


def test_states() -> None:
    """Counters wrap, and carry into a third word."""
    cases = [case("THREE_FRY", state, [9], "ui32") for state in STATES]
    three = ([5, LARGEST, 7], [LARGEST, LARGEST, LARGEST])
    cases += [case("PHILOX", state, [9], "ui32") for state in (*STATES, *three)]
    check([*cases, *(case("PHILOX", state, [5], "ui64") for state in three)])


# --- rng ------------------------------------------------------------------------------------------
def drawn(a: Any, b: Any, shape: list[int], element: str, distribution: str) -> list[Array]:
    """The results of two equal ops of one program."""
    line = f'"stablehlo.rng"(%a, %b, %shape) {{rng_distribution = {_enum(distribution)}}} : '
    scalar, result = f"tensor<{element}>", f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"
    line += f"({scalar}, {scalar}, tensor<{len(shape)}xi64>) -> {result}"
    executable = shlo_tools.compile(
        f"""func.func @main(%a: {scalar}, %b: {scalar}) -> ({result}, {result}) {{
        %shape = stablehlo.constant dense<{shape}> : tensor<{len(shape)}xi64>
        %x = {line}
        %y = {line}
        return %x, %y : {result}, {result} }}"""
    )
    bounds = [np.array(value, dtype_of(element)) for value in (a, b)]
    first, again = executable(*bounds), executable(*bounds)
    for one, other in zip(first, again, strict=True):
        assert difference(one, other, BITS) == "", "another run gives other numbers"
    return list(first)


def _enum(name: str) -> str:
    return f"#stablehlo<rng_distribution {name}>"


def off(samples: Array, cumulative: Any) -> float:
    """Kolmogorov and Smirnov's distance, in units of what independent samples show."""
    ordered = np.sort(samples.astype(np.float64).reshape(-1))
    expected = np.array([cumulative(x) for x in ordered])
    steps = np.arange(len(ordered) + 1) / len(ordered)
    largest = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    return float(largest * math.sqrt(len(ordered)))


@pytest.mark.parametrize("element", FLOATS)
def test_uniform_floats(element: str) -> None:
    x, y = drawn(-2.0, 6.0, [50, 80], element, "UNIFORM")
    grain = 8 * float(ml_dtypes.finfo(dtype_of(element)).eps)  # a coarse type has steps of its own
    for result in (x, y):
        values = result.astype(np.float64)
        assert values.min() >= -2 and values.max() < 6
        assert off(result, lambda v: (v + 2) / 8) < 1.63 + 8 * grain  # passed by 99 of 100
    assert abs(np.corrcoef(x.reshape(-1).astype(float), y.reshape(-1).astype(float))[0, 1]) < 0.05


@pytest.mark.parametrize("element", FLOATS)
def test_uniform_floats_stay_below_the_bound(element: str) -> None:
    """Also where rounding would reach it, and where b - a is no number of the type."""
    info = ml_dtypes.finfo(dtype_of(element))
    one = np.ones((), dtype_of(element))
    close = np.nextafter(one, one + one)
    x, _ = drawn(one, close, [500], element, "UNIFORM")
    assert np.all(x == one)
    y, _ = drawn(info.min, info.max, [500], element, "UNIFORM")
    values = y.astype(np.float64)
    assert np.all(np.isfinite(values)) and np.all(values < float(info.max))
    assert values.min() < float(info.min) * 0.9 and values.max() > float(info.max) * 0.9


@pytest.mark.parametrize("element", INTEGERS)
def test_uniform_integers(element: str) -> None:
    info = np.iinfo(dtype_of(element))
    x, _ = drawn(info.min, info.max, [3000], element, "UNIFORM")
    assert x.max() < info.max
    width = float(info.max) - float(info.min)
    assert off(x, lambda v: (v - float(info.min)) / width) < 1.63 + 3000**0.5 / width
    y, z = drawn(3, 10, [7000], element, "UNIFORM")
    counts = np.bincount(y.astype(int), minlength=10)
    assert counts[:3].sum() == 0 and len(counts) == 10
    assert np.sum((counts[3:] - 1000.0) ** 2 / 1000) < 22.5  # chi squared, 6 degrees: 99.9 %
    assert np.any(y != z), "two ops give the same numbers"


def test_uniform_of_one_value() -> None:
    """[a, a + 1) holds a alone; of booleans [false, true) does."""
    x, _ = drawn(127 - 1, 127, [9], "i8", "UNIFORM")
    assert x.tolist() == [126] * 9
    y, _ = drawn(False, True, [9], "i1", "UNIFORM")
    assert not y.any()


@pytest.mark.parametrize("element", FLOATS)
def test_normal(element: str) -> None:
    x, y = drawn(1.5, 2.0, [50, 80], element, "NORMAL")
    grain = float(ml_dtypes.finfo(dtype_of(element)).eps)
    for result in (x, y):
        values = result.astype(np.float64)
        assert np.all(np.isfinite(values))
        assert abs(values.mean() - 1.5) < 4 * 2 / math.sqrt(values.size) + grain
        assert abs(values.std() - 2) < 4 * 2 / math.sqrt(2 * values.size) + grain
        cumulative = lambda v: 0.5 * math.erfc((1.5 - v) / 2 / math.sqrt(2))  # noqa: E731
        assert off(result, cumulative) < 1.63 + 20 * grain
    assert abs(np.corrcoef(x.reshape(-1).astype(float), y.reshape(-1).astype(float))[0, 1]) < 0.05


# --- the op functions -----------------------------------------------------------------------------
def test_builders() -> None:
    module = Module()

    @module.func("2xui64", "f32", "f32")
    def main(state: ops.Tensor, a: ops.Tensor, b: ops.Tensor) -> Any:
        new, bits = ops.rng_bit_generator("THREE_FRY", state, ["3xui32"])
        return new, bits, ops.rng(a, b, np.array([4]), "UNIFORM", "4xf32")

    new, bits, numbers = shlo_tools.compile(module)(np.array([1, 2], np.uint64), 0.0, 1.0)
    assert new.tolist() == [1, 4] and bits.tolist() == [43444564, 2150618427, 3979645651]
    assert np.all((numbers >= 0) & (numbers < 1))
    with mlir.library_context():
        for op in mlir.walk(module.module.operation):
            if op.name.startswith("stablehlo.rng"):
                ops.verify(op)


@pytest.mark.parametrize(
    ("state", "algorithm", "wrong"),
    [("3xui64", "THREE_FRY", "words"), ("4xui64", "PHILOX", "words"), ("2xui32", "PHILOX", "ui64")],
)
def test_constraints(state: str, algorithm: str, wrong: str) -> None:
    with pytest.raises(ConstraintError, match=wrong):

        @Module().func(state)
        def main(x: ops.Tensor) -> Any:
            return ops.rng_bit_generator(algorithm, x, ["3xui32"])
