"""Scatters of every form, by kernels."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

import shlo_tools

# operand, indices, updates, dimension numbers
FORMS = {
    "rows": ((9, 70), (5, 1), (5, 70), "update_window_dims = [1], inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
    "rows of several dimensions": ((9, 5, 7), (5, 1), (5, 5, 7), "update_window_dims = [1, 2], "
             "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
             "index_vector_dim = 1"),
    "parts of rows": ((9, 70), (5, 2), (5, 33), "update_window_dims = [1], "
                      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], "
                      "index_vector_dim = 1"),
    "windows over each other": ((30, 70), (9, 2), (9, 5, 33), "update_window_dims = [1, 2], "
                                "scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"),
    "numbers": ((100,), (65, 1), (65,), "inserted_window_dims = [0], "
                "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
    "numbers of implicit vectors": ((100,), (3, 7), (3, 7), "inserted_window_dims = [0], "
                                    "scatter_dims_to_operand_dims = [0], index_vector_dim = 2"),
    "swapped components": ((9, 70), (2, 31), (31,), "inserted_window_dims = [0, 1], "
                           "scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0"),
    "windows in front": ((9, 70), (3, 2, 2), (2, 3, 4, 2), "update_window_dims = [0, 2], "
                         "scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2"),
    "columns": ((70, 9), (5, 1), (70, 5), "update_window_dims = [0], inserted_window_dims = [1], "
                "scatter_dims_to_operand_dims = [1], index_vector_dim = 1"),
    "batches": ((3, 9, 7), (5, 3, 1), (5, 3, 7), "update_window_dims = [2], "
                "inserted_window_dims = [1], input_batching_dims = [0], "
                "scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], "
                "index_vector_dim = 2"),
    "batches of numbers": ((3, 33), (3, 3333, 1), (3, 3333), "inserted_window_dims = [1], "
                           "input_batching_dims = [0], scatter_indices_batching_dims = [0], "
                           "scatter_dims_to_operand_dims = [1], index_vector_dim = 2"),
    "whole": ((3, 4), (2, 0), (2, 3, 4), "update_window_dims = [1, 2], index_vector_dim = 1"),
    "once": ((30, 40), (1,), (30,), "update_window_dims = [0], inserted_window_dims = [1], "
             "scatter_dims_to_operand_dims = [1], index_vector_dim = 0"),
    "many columns": ((90, 700), (50, 1), (50, 700), "update_window_dims = [1], "
                     "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                     "index_vector_dim = 1"),
    **{
        f"{count} rows of {columns}": (
            (90, columns), (count, 1), (count, columns), "update_window_dims = [1], "
            "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1")
        for count, columns in ((9, 3), (9, 7), (9, 45), (400, 24), (200, 45), (2000, 5))
    },
    "none": ((3, 4), (0, 1), (0, 4), "update_window_dims = [1], inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
}  # fmt: skip
TYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i8": np.int8, "i1": np.bool_}
COMBINERS = {
    "add": "%n = stablehlo.add %a, %b",
    "multiply": "%n = stablehlo.multiply %a, %b",
    "maximum": "%n = stablehlo.maximum %a, %b",
    "two ops": "%m = stablehlo.add %a, %b\n %n = stablehlo.multiply %m, %b",
    "the update": "",
}


def typed(shape: tuple[int, ...], type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


def scatter(
    form: str, type: str, index_type: str, combiner: str, operand: str, before: str = ""
) -> str:
    shape, indices, updates, numbers = FORMS[form]
    of, at, to = typed(shape, type), typed(indices, index_type), typed(updates, type)
    body = COMBINERS[combiner].replace("\n", f" : tensor<{type}>\n")
    body = f"{body} : tensor<{type}>" if body else ""
    returned = "%n" if body else "%b"
    return f"""func.func @main(%x: {of}, %i: {at}, %u: {to}) -> {of} {{
      {before}
      %0 = "stablehlo.scatter"({operand}, %i, %u) ({{
      ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
        {body}
        stablehlo.return {returned} : tensor<{type}>
      }}) {{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}} : ({of}, {at}, {to}) -> {of}
      return %0 : {of}
    }}"""


def arrays(form: str, type: str, index_type: str) -> list[np.ndarray]:
    shape, indices, updates, _ = FORMS[form]
    rng = np.random.default_rng(0)
    low, high = (0, 256) if index_type == "ui8" else (-20, 120)
    if rng.integers(2) and index_type != "ui8":
        low, high = -3, 30
    starts = rng.integers(low, high, indices).astype({"i32": np.int32, "ui8": np.uint8}[index_type])
    values = [rng.integers(0, 4, size).astype(TYPES[type]) for size in (shape, updates)]
    return [values[0], starts, values[1]]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("index_type", ["i32", "ui8"])
@pytest.mark.parametrize("form", FORMS)
def test_a_scatter_adds(form: str, index_type: str, type: str) -> None:
    text = scatter(form, type, index_type, "add", "%x")
    assert_staged(text, *arrays(form, type, index_type))


@pytest.mark.parametrize("type", ["f32", "i8"])
@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("form", ["rows", "numbers", "windows over each other", "windows in front"])
def test_a_scatter_combines(form: str, combiner: str, type: str) -> None:
    text = scatter(form, type, "i32", combiner, "%x")
    assert_staged(text, *arrays(form, type, "i32"))


def test_into_a_constant_and_into_what_is_computed() -> None:
    for before in (
        "%y = stablehlo.constant dense<1.0> : tensor<9x70xf32>",
        "%y = stablehlo.negate %x : tensor<9x70xf32>",
        "%y = stablehlo.reverse %x, dims = [0] : tensor<9x70xf32>",
    ):
        text = scatter("rows", "f32", "i32", "add", "%y", before)
        assert_staged(text, *arrays("rows", "f32", "i32"))


def test_several_tensors() -> None:
    text = """func.func @main(%x: tensor<9xf32>, %y: tensor<9xi32>, %i: tensor<50x1xi32>,
        %u: tensor<50xf32>, %v: tensor<50xi32>) -> (tensor<9xf32>, tensor<9xi32>) {
      %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) ({
      ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
        %more = stablehlo.compare GT, %c, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %p = stablehlo.select %more, %c, %a : tensor<i1>, tensor<f32>
        %q = stablehlo.select %more, %d, %b : tensor<i1>, tensor<i32>
        stablehlo.return %p, %q : tensor<f32>, tensor<i32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<9xf32>, tensor<9xi32>, tensor<50x1xi32>, tensor<50xf32>, tensor<50xi32>)
        -> (tensor<9xf32>, tensor<9xi32>)
      return %0#0, %0#1 : tensor<9xf32>, tensor<9xi32>
    }"""
    rng = np.random.default_rng(0)
    assert_staged(
        text,
        rng.standard_normal(9).astype(np.float32),
        np.arange(9, dtype=np.int32),
        rng.integers(-1, 11, (50, 1)).astype(np.int32),
        rng.standard_normal(50).astype(np.float32),
        np.arange(50, dtype=np.int32),
    )


@pytest.mark.parametrize("start", [-(2**63), -(2**63) + 5, 2**63 - 1, 2**63 - 3, -1, 3])
def test_starts_far_outside(start: int) -> None:
    text = """func.func @main(%x: tensor<9x40xf32>, %i: tensor<2xi64>, %u: tensor<4x37xf32>)
        -> tensor<9x40xf32> {
      %0 = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %b : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1],
        scatter_dims_to_operand_dims = [0, 1]>}
        : (tensor<9x40xf32>, tensor<2xi64>, tensor<4x37xf32>) -> tensor<9x40xf32>
      return %0 : tensor<9x40xf32>
    }"""
    x = np.zeros((9, 40), np.float32)
    u = np.ones((4, 37), np.float32)
    for other in (start, 0):
        assert_staged(text, x, np.array([start, other], np.int64), u)


def test_updates_that_are_the_operand() -> None:
    """Both are one argument of the stage, through one reshape: nothing is written in place."""
    text = """func.func @main(%x: tensor<4x40xi32>) -> tensor<160xi32> {
      %0 = "stablehlo.sort"(%x) ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %l = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %l : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<4x40xi32>) -> tensor<4x40xi32>
      %1 = stablehlo.reshape %0 : (tensor<4x40xi32>) -> tensor<160xi32>
      %c = stablehlo.constant dense<1> : tensor<160x1xi32>
      %2 = "stablehlo.scatter"(%1, %c, %1) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %s = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %s : tensor<i32>
      }) : (tensor<160xi32>, tensor<160x1xi32>, tensor<160xi32>) -> tensor<160xi32>
      return %2 : tensor<160xi32>
    }"""
    x = np.arange(160, dtype=np.int32).reshape(4, 40) + 1
    expected = x.reshape(-1).copy()
    expected[1] += x.sum()
    np.testing.assert_array_equal(shlo_tools.compile(text)(x), expected)


# Narrow windows of many updates: rows of the operand, columns, updates, an index's position.
NARROW = [
    (101, (16,), 3001, 1),
    (2, (5,), 4097, 1),
    (7, (), 9000, 1),
    (1000, (33,), 611, 1),
    (5, (3, 7), 2048, 1),
    (30, (8,), 2049, 0),
    (3, (1,), 8200, 1),
    (140_000, (), 8300, 1),  # an operand that is not near
    (40_000, (3,), 2800, 0),
]
INDICES = {"i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32, "i8": np.int8}


def narrow(rows: int, window: tuple[int, ...], count: int, vector: int, type: str, of: str) -> str:
    """Rows, or elements, that many updates are added to."""
    at = typed((count, 1) if vector else (1, count), of)
    operand, updates = typed((rows, *window), type), typed((count, *window), type)
    windows = list(range(1, 1 + len(window)))
    return f"""func.func @main(%x: {operand}, %i: {at}, %u: {updates}) -> {operand} {{
      %0 = "stablehlo.scatter"(%x, %i, %u) ({{
      ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
        %n = stablehlo.add %a, %b : tensor<{type}>
        stablehlo.return %n : tensor<{type}>
      }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {windows},
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
        index_vector_dim = {vector}>}} : ({operand}, {at}, {updates}) -> {operand}
      return %0 : {operand}
    }}"""


def starts(rows: int, count: int, of: str) -> np.ndarray:
    """Indices inside and around; some as far outside as their type has numbers."""
    limits = np.iinfo(INDICES[of])
    rng = np.random.default_rng(count)
    near = rng.integers(max(limits.min, -2), min(limits.max, rows + 2), count)
    far = [limits.min, limits.max, limits.min + 1, limits.max // 2 + 1]
    chosen = np.array(far, INDICES[of])[rng.integers(0, 4, count)]
    return np.where(rng.random(count) < 0.1, chosen, near.astype(INDICES[of]))


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("of", INDICES)
@pytest.mark.parametrize(("rows", "window", "count", "vector"), NARROW)
def test_many_updates_of_narrow_windows(
    rows: int, window: tuple[int, ...], count: int, vector: int, of: str, type: str
) -> None:
    rng = np.random.default_rng(0)
    indices = starts(rows, count, of).reshape((count, 1) if vector else (1, count))
    operand, updates = (
        rng.integers(0, 4, (size, *window)).astype(TYPES[type]) for size in (rows, count)
    )
    assert_staged(narrow(rows, window, count, vector, type, of), operand, indices, updates)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("window", [(), (4,), (16,), (19,), (40,)])
def test_sums_are_in_the_order_of_the_updates(window: tuple[int, ...], threads: int) -> None:
    rows, count = 37, 20_011
    rng = np.random.default_rng(0)
    indices = rng.integers(0, rows, (count, 1)).astype(np.int32)
    operand, updates = (
        rng.standard_normal((size, *window)).astype(np.float32) for size in (rows, count)
    )
    expected = operand.copy()
    np.add.at(expected, indices[:, 0], updates)
    text = narrow(rows, window, count, 1, "f32", "i32")
    result = shlo_tools.compile(text, threads=threads)(operand, indices, updates)
    np.testing.assert_array_equal(result, expected)


def test_indices_that_are_all_one_number() -> None:
    text = narrow(9, (16,), 3000, 1, "f32", "i32").replace(
        "%i: tensor<3000x1xi32>", "%k: tensor<i32>"
    )
    text = text.replace(
        "%0 =",
        "%i = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<3000x1xi32>\n%0 =",
    )
    operand, updates = np.zeros((9, 16), np.float32), np.ones((3000, 16), np.float32)
    for index in (-1, 0, 8, 9):
        assert_staged(text, operand, np.int32(index), updates)
