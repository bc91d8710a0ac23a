"""Plain sorts: kernels for lines of any sizes, which all programs share."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged, staged
from test_first_sorted import cut
from test_sort_kernels import TYPES, argsort, compared, typed, values

from shlo_tools import compile, interpret
from shlo_tools.codegen import shared_kernels

Shape = tuple[int, ...]

# Shape, dimension, how many are wanted (0: all): what stands together has one kernel.
FAMILIES: dict[str, list[tuple[Shape, int, int]]] = {
    "rows": [((3, 65), 1, 0), ((1, 1), 1, 0), ((128, 2), 1, 0), ((5, 201), 1, 0), ((700,), 0, 0)],
    "rows, nearly whole": [((3, 65), 1, 0), ((5, 100), 1, 70), ((3, 201), 1, 190)],
    "columns": [((65, 3), 0, 0), ((2, 2), 0, 0), ((2, 31, 5), 1, 0), ((1500, 2), 0, 0)],
    "long rows": [((2, 40_000), 1, 0), ((5, 32_400), 1, 0), ((3, 33_000), 1, 32_400)],
    "long columns": [((33_000, 2), 0, 0), ((2, 32_400, 2), 1, 0)],
    "one line by jobs": [((33_000,), 0, 0), ((1, 65_536, 1), 1, 0), ((40_000,), 0, 39_000)],
    "picked": [((3, 400), 1, 10), ((7, 64), 1, 1), ((1000,), 0, 8), ((9, 333), 1, 17)],
    "picked columns": [((400, 3), 0, 7), ((2, 70, 5), 1, 1)],
    "selected": [((2, 1000), 1, 100), ((3, 801), 1, 65)],
}


def program(shape: Shape, dimension: int, most: int, element: str, direction: str = "LT") -> str:
    """A sort of values and places, of which the first ones are wanted, or all."""
    text = argsort(shape, dimension, element, compared(element, direction))
    return cut(text, shape, dimension, most, element) if most else text


def kernels(text: str) -> frozenset[str]:
    """The names of a program's kernels, without the library's functions."""
    codes = staged(text)._planned.program.codes.values()
    names = {job.function for code in codes for job in code.jobs}
    return frozenset(name for name in names if name.startswith(shared_kernels.PREFIX))


def are_general(names: frozenset[str]) -> bool:
    return all(name.startswith(shared_kernels.GENERAL) for name in names)


@pytest.mark.parametrize("family", FAMILIES)
def test_lines_of_other_sizes_share_a_kernel(family: str) -> None:
    texts = [program(*case, "f32") for case in FAMILIES[family]]
    names = {kernels(text) for text in texts}
    assert len(names) == 1
    assert are_general(*names)
    for text, (shape, _, _) in zip(texts, FAMILIES[family], strict=True):
        x = values(shape, "f32", seed=1)
        x.flat[::7], x.flat[::5], x.flat[1::5] = np.inf, -0.0, 0.0
        assert_staged(text, x)


@pytest.mark.parametrize("element", sorted({*TYPES} - {"f32"}))
@pytest.mark.parametrize("family", ["rows", "columns", "one line by jobs", "picked"])
def test_keys_of_any_type(family: str, element: str) -> None:
    # Entries of wide keys are not picked.
    cases = FAMILIES[family][: 4 if TYPES[element] is not np.bool_ else 2]
    texts = [program(*case, element, "GT") for case in cases]
    if family != "picked" or np.dtype(TYPES[element]).itemsize <= 4:
        assert len({kernels(text) for text in texts}) == 1
    for text, (shape, _, _) in zip(texts, cases, strict=True):
        assert are_general(kernels(text))
        assert_staged(text, values(shape, element))


def test_what_tells_kernels_apart() -> None:
    """Rows and columns, directions, types, and what the sizes choose."""
    cases = [
        ((64, 128), 1, 0, "f32", "LT"),
        ((64, 128), 0, 0, "f32", "LT"),
        ((64, 128), 1, 0, "f32", "GT"),
        ((64, 128), 1, 0, "i32", "LT"),
        ((64, 128), 1, 0, "f64", "LT"),
        ((64, 128), 1, 3, "f32", "LT"),
        ((64, 4096), 1, 70, "f32", "LT"),
        ((2, 40_000), 1, 0, "f32", "LT"),
        ((40_000,), 0, 0, "f32", "LT"),
    ]
    assert len({kernels(program(*case)) for case in cases}) == len(cases)


def sort_of(shape: Shape, operands: dict[str, str], comparator: str) -> str:
    """A sort of rows of arguments, whose types these are by their names."""
    arguments = ", ".join(f"{name}: {typed(shape, e)}" for name, e in operands.items())
    types = [typed(shape, element) for element in operands.values()]
    block = [f"%a{k}: tensor<{e}>, %b{k}: tensor<{e}>" for k, e in enumerate(operands.values())]
    results = ", ".join(f"%0#{k}" for k in range(len(types)))
    return f"""func.func @main({arguments}) -> ({", ".join(types)}) {{
      %0:{len(types)} = "stablehlo.sort"({", ".join(operands)}) ({{
      ^bb0({", ".join(block)}):
        {comparator}
        stablehlo.return %less : tensor<i1>
      }}) {{dimension = 1 : i64, is_stable = true}}
        : ({", ".join(types)}) -> ({", ".join(types)})
      return {results} : {", ".join(types)}
    }}"""


@pytest.mark.parametrize("shape", [(4, 20), (9, 1), (3, 250)], ids=str)
def test_payloads(shape: Shape) -> None:
    """Operands of several types, the second one of which is compared."""
    operands = {"%x": "f64", "%y": "f32", "%z": "i8"}
    text = sort_of(shape, operands, compared("f32", "GT", names="%a1, %b1"))
    other = text.replace("x".join(map(str, shape)), "7x100")
    assert kernels(text) == kernels(other)
    assert are_general(kernels(text))
    assert_staged(text, *(values(shape, e, seed) for seed, e in enumerate(operands.values())))


@pytest.mark.parametrize("order", ["", "TOTALORDER"])
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16"])
def test_zeros_and_nan(element: str, order: str) -> None:
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16} | TYPES
    special = np.array([np.inf, -np.inf, 0.0, -0.0, 1.5, -2], dtype[element])
    if order:
        special = np.append(special, np.array([np.nan, -np.nan], dtype[element]))
    texts = []
    for length in (1, 16, 31, 300):
        x = np.random.default_rng(length).choice(special, (3, length))
        texts.append(argsort(x.shape, 1, element, compared(element, "GT", order)))
        results, expected = compile(texts[-1])(x), interpret(texts[-1], x)
        for result, target in zip(results, expected, strict=True):
            assert result.tobytes() == np.asarray(target).tobytes()
    assert len({kernels(text) for text in texts}) == 1
    assert are_general(kernels(texts[0]))


def test_other_comparators_are_the_programs_own() -> None:
    text = argsort((4, 300), 1, "f32", compared("f32", "LE"))
    assert not are_general(kernels(text))


def test_numbers_of_comparators_are_the_programs_own() -> None:
    """But for zeros: what serves any program, and lies on disk, says nothing of one."""
    for number, is_general in (("3.5", False), ("0.0", True)):
        comparator = f"""%c0 = stablehlo.constant dense<{number}> : tensor<f32>
        %p = stablehlo.maximum %a, %c0 : tensor<f32>
        %q = stablehlo.maximum %b, %c0 : tensor<f32>
        {compared("f32", "LT", names="%p, %q")}"""
        text = argsort((4, 300), 1, "f32", comparator)
        assert are_general(kernels(text)) == is_general
        assert_staged(text, values((4, 300), "f32"))


@pytest.mark.parametrize("shape", [(3, 70), (2, 3000)], ids=str)
def test_places_alone(shape: Sequence[int]) -> None:
    """Nobody wants the values: they are neither read again nor written."""
    shape = tuple(shape)
    text = argsort(shape, 1, "f32", compared("f32", "GT"))
    places = typed(shape, "i32")
    text = text.replace(f"-> ({typed(shape, 'f32')}, {places}) {{\n", f"-> {places} {{\n")
    text = text.rpartition("      return")[0] + f"      return %0#1 : {places}\n    }}"
    assert are_general(kernels(text))
    assert_staged(text, values(shape, "f32"))
