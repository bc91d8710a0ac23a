"""``dot_general`` of sizes that are known at run time only: compiled once, run for many sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cases._case import type_of
from cases._types import COMPLEX, dtype_of
from expected import FLOATS, INTEGERS, wrapped

import shlo_tools
from shlo_tools.errors import ShapeMismatchError

Array = np.ndarray[Any, Any]
Sizes = dict[str, int]

pytestmark = pytest.mark.usefixtures("way")


def _numbers(lhs: str, rhs: str, result: str) -> str:
    """Which letters are batching (in all three) and contracting (in both operands)."""
    batching = [a for a in result if a in lhs and a in rhs]
    contracting = [a for a in lhs if a in rhs and a not in result]
    fields = {
        f"{side}_{kind}_dimensions": [operand.index(a) for a in letters]
        for kind, letters in (("batching", batching), ("contracting", contracting))
        for side, operand in (("lhs", lhs), ("rhs", rhs))
    }
    return ", ".join(f"{name} = {axes}" for name, axes in fields.items() if axes)


def _program(
    equation: str, element: str, known: Sizes, result_element: str = "", attributes: str = ""
) -> str:
    """The einsum as a program; a letter whose size is not ``known`` is a ``?``."""
    operands, result = equation.split("->")
    lhs, rhs = operands.split(",")

    def tensor(letters: str, of: str) -> str:
        sizes = "".join(f"{known.get(a, '?')}x" for a in letters)
        return f"tensor<{sizes}{of}>"

    types = [tensor(lhs, element), tensor(rhs, element), tensor(result, result_element or element)]
    return f"""func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
      %0 = "stablehlo.dot_general"(%a, %b) {{
        dot_dimension_numbers = #stablehlo.dot<{_numbers(lhs, rhs, result)}>{attributes}
      }} : ({types[0]}, {types[1]}) -> {types[2]}
      return %0 : {types[2]}
    }}"""


def _operands(equation: str, sizes: Sizes, element: str) -> list[Array]:
    """Small whole numbers: every sum is exact, in whatever order."""
    random = np.random.default_rng(3)
    low = 0 if element.startswith("ui") or element == "i1" else -2
    result = []
    for letters in equation.partition("->")[0].split(","):
        values = random.integers(low, 3, [sizes[a] for a in letters])
        array = values + 1j * np.flip(values) if element in COMPLEX else values
        result.append(np.asarray(array).astype(dtype_of(element)))
    return result


def _exact(equation: str, operands: Sequence[Array], element: str) -> Array:
    wide = np.complex128 if element in COMPLEX else np.int64
    exact = np.asarray(np.einsum(equation, *(x.astype(wide) for x in operands)))
    return (exact > 0 if element == "i1" else exact).astype(dtype_of(element))


def _letters(equation: str) -> list[str]:
    return sorted(set(equation) - set(",->"))


def _assignments(equation: str, known: Sizes) -> list[Sizes]:
    """Odd sizes, each size 0 after those (memory is dirty then), ones, zeros, large ones."""
    letters = _letters(equation)
    odd = dict(zip(letters, (7, 5, 3, 9, 2), strict=False))
    large = dict(zip(letters, (33, 18, 35, 21, 2), strict=False))
    results = [large, odd, *({**odd, a: 0} for a in letters), *({**odd, a: 1} for a in letters)]
    results += [dict.fromkeys(letters, n) for n in (0, 1)]
    return [{**sizes, **known} for sizes in results]


EQUATIONS = (
    "ab,bc->ac",
    "ba,bc->ac",
    "ab,cb->ac",
    "ab,b->a",
    "a,a->",
    "a,b->ab",
    ",ab->ab",
    "xab,xbc->xac",
    "abx,bcx->xac",
    "xyab,ybxc->xyac",
    "xya,xya->yx",
    "xa,ax->xa",
    "abc,cbd->ad",
    "abc,cab->",
    "abc,dbe->acde",
)


@pytest.mark.parametrize("equation", EQUATIONS)
def test_every_size_unknown(equation: str) -> None:
    for element in ("f32", "i32"):
        executable = shlo_tools.compile(_program(equation, element, {}))
        for sizes in _assignments(equation, {}):
            operands = _operands(equation, sizes, element)
            for operand in operands:
                operand.flags.writeable = False
            before = [x.copy() for x in operands]
            got = executable(*operands)
            np.testing.assert_array_equal(got, _exact(equation, operands, element), str(sizes))
            for x, old in zip(operands, before, strict=True):
                np.testing.assert_array_equal(x, old)


@pytest.mark.parametrize("letter", ["x", "a", "b", "c"])
@pytest.mark.parametrize("size", [0, 1, 2, 24])
def test_one_size_unknown(letter: str, size: int) -> None:
    """The others are 0, 1, small (a loop) or large (a library's product)."""
    equation = "xab,xbc->xac"
    known = {a: size for a in _letters(equation) if a != letter}
    executable = shlo_tools.compile(_program(equation, "f32", known))
    for unknown in (31, 1, 0, 2):
        operands = _operands(equation, {**known, letter: unknown}, "f32")
        np.testing.assert_array_equal(executable(*operands), _exact(equation, operands, "f32"))


@pytest.mark.parametrize("element", [*INTEGERS, *FLOATS, *COMPLEX, "i1"])
def test_every_type(element: str) -> None:
    for equation in ("abx,bcx->xac", "abc,cbd->ad"):
        executable = shlo_tools.compile(_program(equation, element, {}))
        for sizes in _assignments(equation, {})[:4]:
            operands = _operands(equation, sizes, element)
            np.testing.assert_array_equal(
                executable(*operands), _exact(equation, operands, element), str(sizes)
            )


@pytest.mark.parametrize(("narrow", "wide"), [("i8", "i32"), ("ui8", "ui16"), ("bf16", "f32")])
def test_a_wider_result(narrow: str, wide: str) -> None:
    """Operands are extended before they are multiplied: nothing wraps or is rounded."""
    executable = shlo_tools.compile(_program("ab,cb->ac", narrow, {}, wide))
    random = np.random.default_rng(5)
    for a, b, c in ((3, 4, 5), (21, 33, 17), (2, 0, 3)):
        lhs, rhs = (random.integers(90, 128, s).astype(dtype_of(narrow)) for s in ((a, b), (c, b)))
        exact = np.einsum("ab,cb->ac", lhs.astype(np.int64), rhs.astype(np.int64))
        if dtype_of(wide).kind in "iu":
            exact = np.vectorize(lambda n: wrapped(int(n), wide), otypes=[object])(exact)
        np.testing.assert_array_equal(executable(lhs, rhs), exact.astype(dtype_of(wide)))


def test_an_algorithm_rounds_operands() -> None:
    """1 + 2^-8 is a float of 32 bits that bf16 rounds to 1."""
    rounded = "lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32"
    counts = "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1"
    attributes = f", algorithm = #stablehlo.dot_algorithm<{rounded}, {counts}, "
    attributes += "allow_imprecise_accumulation = false>"
    executable = shlo_tools.compile(_program("ab,bc->ac", "f32", {}, "", attributes))
    for n in (1, 3, 40):
        lhs = np.full((n, n), 1 + 2.0**-8, np.float32)
        np.testing.assert_array_equal(executable(lhs, lhs), np.full((n, n), n, np.float32))


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_large(element: str) -> None:
    """Within n * eps * sum|terms| of the exact sums, whichever way they are added."""
    random = np.random.default_rng(1)
    executable = shlo_tools.compile(_program("ab,bc->ac", element, {}))
    eps = np.finfo(dtype_of(element)).eps
    for a, b, c in ((257, 129, 301), (1, 5000, 1), (700, 1, 300), (2, 333, 900)):
        lhs, rhs = (random.normal(size=s).astype(dtype_of(element)) for s in ((a, b), (b, c)))
        exact = lhs.astype(np.longdouble) @ rhs.astype(np.longdouble)
        bound = b * eps * (np.abs(lhs) @ np.abs(rhs)) + 1e-30
        assert (np.abs(executable(lhs, rhs) - exact) <= bound).all()


def test_chained_products_share_sizes() -> None:
    """Sizes of a product are known from the arguments', and feed the next one."""
    text = """func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
      %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]
        : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      %3 = stablehlo.add %2, %2 : tensor<?x?xf32>
      return %3 : tensor<?x?xf32>
    }"""
    executable = shlo_tools.compile(text)
    for a, b, c in ((20, 30, 10), (3, 0, 2), (0, 1, 2), (1, 1, 1)):
        lhs, rhs = _operands("ab,bc->ac", {"a": a, "b": b, "c": c}, "f32")
        product = lhs @ rhs
        np.testing.assert_array_equal(executable(lhs, rhs), 2 * (product @ product.T))


def test_sizes_that_do_not_fit() -> None:
    """An error that names the op and both sizes; the next call works."""
    equation = "xab,xbc->xac"
    executable = shlo_tools.compile(_program(equation, "f32", {}))
    good = _operands(equation, {"x": 2, "a": 3, "b": 4, "c": 5}, "f32")
    bad = {
        "= 4 is not .* = 6": [(2, 3, 4), (2, 6, 5)],
        "= 2 is not .* = 3": [(2, 3, 4), (3, 4, 5)],
        "= 4 is not .* = 0": [(2, 3, 4), (2, 0, 5)],
        "= 1 is not .* = 4": [(2, 3, 1), (2, 4, 5)],
    }
    for text, shapes in bad.items():
        operands = [np.ones(shape, np.float32) for shape in shapes]
        with pytest.raises(ShapeMismatchError, match=f"-:2:.*stablehlo.dot_general: .*{text}"):
            executable(*operands)
        np.testing.assert_array_equal(executable(*good), _exact(equation, good, "f32"))


def test_against_known_sizes() -> None:
    """A product of known sizes and one of sizes known at run time give the same bits."""
    random = np.random.default_rng(2)
    lhs, rhs = random.normal(size=(65, 130)), random.normal(size=(130, 47))
    known = shlo_tools.compile(_program("ab,bc->ac", "f64", {"a": 65, "b": 130, "c": 47}))
    unknown = shlo_tools.compile(_program("ab,bc->ac", "f64", {}))
    assert type_of(unknown(lhs, rhs)) == "tensor<65x47xf64>"
    np.testing.assert_array_equal(known(lhs, rhs), unknown(lhs, rhs))
