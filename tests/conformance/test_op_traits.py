"""Traits that ops declare, against facts from elsewhere.

Effects are what the official canonicalizer leaves of an op that nobody uses; the others are
checked by running the conformance cases of all ops that declare them, or by numpy in twice the
precision. Where ops of a name can be tried out, all others are, too: who lacks a trait lacks its
property.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cases
import numpy as np
import pytest
from cases._case import Case, Row, program

import shlo_tools
from shlo_tools import mlir, ops
from shlo_tools.ops import Trait, has_trait, names_with
from shlo_tools.pipeline.runner import Pipeline

ROWS: dict[str, Row] = {}
for family in cases.FAMILIES:
    for row in cases.rows(family):
        ROWS.setdefault(row.op, row)


def case_of(name: str, *expected: str) -> Case | None:
    """The smallest interesting case of an op, of the first element type that it allows."""
    allowed = [element for element in expected if element in ROWS[name].elements]
    return next(iter(ROWS[name].build(allowed[0])), None) if allowed else None


def run(case: Case, *arrays: Any) -> list[np.ndarray[Any, Any]]:
    results = shlo_tools.interpret(program([case]), *arrays)
    return [np.asarray(r) for r in (results if isinstance(results, tuple | list) else [results])]


# --- effects --------------------------------------------------------------------------------------
# What a composite does is its function's to say. The other is pure in ODS, although its processes
# wait for each other.
NOT_AS_IN_ODS = {"stablehlo.composite", "stablehlo.cross-replica-sum"}


@pytest.mark.parametrize("name", sorted(set(ROWS) - NOT_AS_IN_ODS))
def test_the_official_canonicalizer_erases_what_has_no_effects(name: str) -> None:
    case = case_of(name, "f32", *ROWS[name].elements)
    assert case is not None
    arguments = ", ".join(f"%in{i}: {item.type}" for i, item in enumerate(case.inputs))
    text = f"func.func @main({arguments}) {{\n{case.text}\nreturn\n}}\n{case.symbols}"
    module = shlo_tools.load(text)
    Pipeline("builtin.module(canonicalize)").run(module)
    stays = any(op.name == name for op in mlir.walk(module.operation))
    assert stays == has_trait(name, Trait.EFFECTS)


# --- elementwise ----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(names_with(Trait.ELEMENTWISE)))
def test_an_elementwise_result_depends_on_one_position(name: str) -> None:
    results = None
    for case in ROWS[name].build(
        next(e for e in ("f32", "i32", "i1", "complex<f32>") if e in ROWS[name].elements)
    ):
        shapes = {item.array.shape for item in case.inputs}
        if len(shapes) == 1 and shapes.pop() not in ((), (0,)):
            results = case
            break
    assert results is not None
    before = [item.array for item in results.inputs]
    after = [array.copy() for array in before]
    for array in after:
        array.reshape(-1)[0] = array.reshape(-1)[-1]
    one, other = (run(results, *arrays)[0].reshape(-1) for arrays in (before, after))
    assert one.size == before[0].size
    np.testing.assert_array_equal(one[1:], other[1:])


def test_commutative_ops_are_those_whose_integers_commute() -> None:
    results = set()
    for name in names_with(Trait.ELEMENTWISE):
        if "i32" not in ROWS[name].elements:
            continue
        pairs = [c for c in ROWS[name].build("i32") if len({i.type for i in c.inputs}) == 1]
        pairs = [c for c in pairs if len(c.inputs) == 2]
        swapped = [
            (run(c, *(i.array for i in c.inputs)), run(c, *(i.array for i in c.inputs[::-1])))
            for c in pairs
        ]
        if pairs and all(np.array_equal(a[0], b[0]) for a, b in swapped):
            results.add(name)
    assert results == names_with(Trait.COMMUTATIVE)


# --- rounding -------------------------------------------------------------------------------------
# Functions that f64 computes of f32 numbers with one rounding, which a second one leaves correct.
IN_DOUBLE: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "add": np.add,
    "ceil": np.ceil,
    "divide": np.divide,
    "floor": np.floor,
    "is_finite": np.isfinite,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "negate": np.negative,
    "remainder": np.fmod,
    "round_nearest_afz": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "round_nearest_even": np.rint,
    "sign": np.sign,
    "sqrt": np.sqrt,
    "subtract": np.subtract,
}


@pytest.mark.parametrize("name", IN_DOUBLE)
def test_the_reference_rounds_correctly(name: str) -> None:
    assert has_trait(f"stablehlo.{name}", Trait.CORRECTLY_ROUNDED)
    function = IN_DOUBLE[name]
    random = np.random.default_rng(7)
    count = getattr(function, "nin", 1)
    values = [np.exp(random.normal(0, 4, 999)).astype(np.float32) for _ in range(count)]
    if name != "sqrt":
        values = [value * random.choice([-1, 1], 999).astype(np.float32) for value in values]
    types = ["tensor<999xf32>"] * count
    result = "tensor<999xi1>" if name == "is_finite" else types[0]
    arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(types))
    used = ", ".join(f"%{i}" for i in range(count))
    text = f"""func.func @main({arguments}) -> {result} {{
      %r = "stablehlo.{name}"({used}) : ({", ".join(types)}) -> {result}
      return %r : {result}
    }}"""
    computed = shlo_tools.interpret(text, *values)
    expected = function(*(value.astype(np.float64) for value in values)).astype(computed.dtype)
    np.testing.assert_array_equal(computed, expected)


def test_functions_that_may_be_asked_for_accuracy_are_not_promised_to_be_exact() -> None:
    verdicts_apart = {
        name
        for name, description in ops.DESCRIPTIONS.items()
        if "result_accuracy" in description.attribute_names
    }
    assert {name for name in verdicts_apart if has_trait(name, Trait.CORRECTLY_ROUNDED)} == {
        "stablehlo.sqrt"  # IEEE 754 asks for it
    }
    assert not any(has_trait(name, Trait.COMPLEX_CORRECTLY_ROUNDED) for name in verdicts_apart)


# --- data movement --------------------------------------------------------------------------------
def _cases_of(trait: Trait) -> list[Any]:
    return [
        pytest.param(case, id=f"{name}-{number}")
        for name in sorted(names_with(trait))
        for number, case in enumerate(ROWS[name].build("i32"))
        if not case.undefined and "?" not in case.text
    ]


@pytest.mark.parametrize("case", _cases_of(Trait.REARRANGES))
def test_rearranged_elements_are_those_of_the_first_operand(case: Case) -> None:
    (result,) = run(case, *(item.array for item in case.inputs))
    assert np.isin(result, case.inputs[0].array).all()


@pytest.mark.parametrize("case", _cases_of(Trait.JOINS))
def test_joined_elements_are_those_of_operands(case: Case) -> None:
    every = np.concatenate([item.array.reshape(-1) for item in case.inputs])
    for result in run(case, *(item.array for item in case.inputs)):
        assert np.isin(result, every).all()


def test_what_takes_quantized_tensors_as_numbers_is_what_the_specification_says() -> None:
    """The ops of the specification whose text says dequantize_op_quantize, or the like."""
    names = """
    abs add atan2 batch_norm_grad batch_norm_inference batch_norm_training cbrt ceil cholesky clamp
    compare convolution cosine divide dot_general dynamic_conv exponential exponential_minus_one
    floor is_finite log log_plus_one logistic maximum minimum multiply negate power
    reduce_precision remainder round_nearest_afz round_nearest_even rsqrt sign sine sqrt subtract
    tan tanh triangular_solve
    """
    counted = {"dynamic_iota", "iota"}  # "quantize(output_index[iota_dimension], ...)"
    deprecated = {"dot"}
    expected = {f"stablehlo.{name}" for name in {*names.split(), *counted, *deprecated}}
    assert names_with(Trait.ARITHMETIC) == expected
