"""``reduce`` with bodies of several ops, several results and values from outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import check, results
from cases._case import Case, snippet, type_of
from cases._inputs import noise
from cases._types import dtype_of
from expected import FLOATS, SIGNED

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]


def _argmax(values: Array, indices: Array) -> Case:
    """The maximum with its first position: two joint inputs of different types."""
    value, index = f"tensor<{_element(values)}>", f"tensor<{_element(indices)}>"
    text = f"""
      %least = stablehlo.constant dense<-1.0e4> : {value}
      %none = stablehlo.constant dense<0> : {index}
      %out0, %out1 = "stablehlo.reduce"(%in0, %in1, %least, %none) ({{
      ^bb0(%best: {value}, %at: {index}, %x: {value}, %i: {index}):
        %more = stablehlo.compare GT, %x, %best : ({value}, {value}) -> tensor<i1>
        %tie = stablehlo.compare EQ, %x, %best : ({value}, {value}) -> tensor<i1>
        %before = stablehlo.compare LT, %i, %at : ({index}, {index}) -> tensor<i1>
        %first = stablehlo.and %tie, %before : tensor<i1>
        %take = stablehlo.or %more, %first : tensor<i1>
        %v = stablehlo.select %more, %x, %best : tensor<i1>, {value}
        %p = stablehlo.select %take, %i, %at : tensor<i1>, {index}
        stablehlo.return %v, %p : {value}, {index}
      }}) {{dimensions = array<i64: 1>}}
        : ({type_of(values)}, {type_of(indices)}, {value}, {index})
        -> ({type_of(values[:, 0])}, {type_of(indices[:, 0])})"""
    results = values.astype(np.float64).argmax(axis=1)
    expected = [values.max(axis=1), results.astype(indices.dtype)]
    return snippet(f"argmax {value} {index}", text, [values, indices], expected)


def _element(array: Array) -> str:
    return type_of(np.zeros((), array.dtype))[7:-1]


def test_argmax() -> None:
    cases = []
    for element in FLOATS:
        values = np.round(noise(element, count=6 * 33).astype(np.float64)).reshape(6, 33)
        values = values.astype(dtype_of(element))
        for index in ("i32", "ui8", "i64"):
            places = np.broadcast_to(np.arange(33, dtype=dtype_of(index)), (6, 33)).copy()
            cases.append(_argmax(values, places))
    check(cases)


def test_a_body_in_which_results_depend_on_each_other() -> None:
    """Composing y = a*x + b: associative, not commutative, and joint in its two results."""
    scalar, line = "tensor<i32>", "tensor<9xi32>"
    text = f"""%out0, %out1 = "stablehlo.reduce"(%in0, %in1, %in2, %in3) ({{
      ^bb0(%a: {scalar}, %b: {scalar}, %c: {scalar}, %d: {scalar}):
        %slope = stablehlo.multiply %a, %c : {scalar}
        %scaled = stablehlo.multiply %b, %c : {scalar}
        %offset = stablehlo.add %scaled, %d : {scalar}
        stablehlo.return %slope, %offset : {scalar}, {scalar}
      }}) {{dimensions = array<i64: 0>}}
        : ({line}, {line}, {scalar}, {scalar}) -> ({scalar}, {scalar})"""
    slopes, offsets = (
        np.array([2, -1, 3, 1, 5, -2, 1, 7, 3], np.int32),
        np.arange(9, dtype=np.int32),
    )
    one, zero = np.ones((), np.int32), np.zeros((), np.int32)
    a, b = 1, 0
    for c, d in zip(slopes.tolist(), offsets.tolist(), strict=True):
        a, b = a * c, b * c + d
    expected = [np.array(a, np.int32), np.array(b, np.int32)]
    check([snippet("composition", text, [slopes, offsets, one, zero], expected)])


def test_a_body_that_ignores_an_operand_or_both() -> None:
    """Where the initial value enters is open: any of the operands may come out."""
    head = '%out0 = "stablehlo.reduce"(%in0, %in1) ({ ^bb0(%a: tensor<i16>, %x: tensor<i16>):'
    tail = "}) {dimensions = array<i64: 0>} : (tensor<5xi16>, tensor<i16>) -> tensor<i16>"
    array, init = np.arange(3, 8, dtype=np.int16), np.array(2, np.int16)
    constant = "%c = stablehlo.constant dense<-9> : tensor<i16> stablehlo.return %c : tensor<i16>"
    bodies = {
        "stablehlo.return %a : tensor<i16>": range(2, 8),
        "stablehlo.return %x : tensor<i16>": range(2, 8),
        constant: [-9],
    }
    zero = np.zeros((), np.int16)
    for body, allowed in bodies.items():
        (result,) = results(snippet(body, f"{head} {body} {tail}", [array, init], [zero]))
        assert int(result) in allowed, body


@pytest.mark.parametrize("element", ["i32", "ui8", "f32", "bf16", "i1"])
def test_captured_values(element: str) -> None:
    """A body may use values of the function around it: arguments, results of ops, constants."""
    scalar = f"tensor<{element}>"
    text = f"""
      %twice = stablehlo.add %in2, %in2 : {scalar}
      %out0 = "stablehlo.reduce"(%in0, %in1) ({{
      ^bb0(%a: {scalar}, %x: {scalar}):
        %p = stablehlo.multiply %x, %twice : {scalar}
        %q = stablehlo.multiply %p, %in2 : {scalar}
        %s = stablehlo.add %a, %q : {scalar}
        stablehlo.return %s : {scalar}
      }}) {{dimensions = array<i64: 1>}}
        : (tensor<2x3x{element}>, {scalar}) -> tensor<2x{element}>"""
    array = np.array([[1, 0, 3], [0, 1, 2]]).astype(dtype_of(element))
    init, captured = np.array(1).astype(dtype_of(element)), np.array(3).astype(dtype_of(element))
    if element == "i1":
        expected = np.array([True, True])
    else:
        expected = (1 + array.astype(np.int64).sum(axis=1) * 18).astype(dtype_of(element))
    check([snippet(element, text, [array, init, captured], [expected])])


def test_bodies_on_comparisons() -> None:
    """The accumulator may be i1 while captured thresholds are not."""
    cases = []
    for element in (*SIGNED, *FLOATS):
        array = np.array([[3, -5, 7], [1, 2, 2]]).astype(dtype_of(element))
        limit = np.array(4).astype(dtype_of(element))
        scalar = f"tensor<{element}>"
        whole = type_of(array)
        text = f"""
          %above = stablehlo.broadcast_in_dim %in1, dims = [] : ({scalar}) -> {whole}
          %is = stablehlo.compare GT, %in0, %above : ({whole}, {whole}) -> tensor<2x3xi1>
          %false = stablehlo.constant dense<false> : tensor<i1>
          %out0 = stablehlo.reduce(%is init: %false) applies stablehlo.or across dimensions = [1]
            : (tensor<2x3xi1>, tensor<i1>) -> tensor<2xi1>"""
        cases.append(snippet(element, text, [array, limit], [np.array([True, False])]))
    check(cases)
