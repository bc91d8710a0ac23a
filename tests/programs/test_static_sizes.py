"""Symbolic programs whose arguments are given sizes: no ``?`` and no dynamic op is left."""

import re

import numpy as np
import pytest
from recording import HERE, Array, Bound
from test_symbolic_programs import ENTRIES, NAMES, recorded, results_of

import shlo_tools
from shlo_tools import ir, mlir, program
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.errors import ShloError
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.pipeline import runner

DYNAMIC = {
    name
    for name in DESCRIPTIONS
    if re.search(r"\.dynamic_(?!slice|update)|real_dynamic|dimension_size", name)
}
PASSES = "shlo-refine-shapes,shlo-canonicalize-dynamism"


def _types(arrays: list[Array]) -> str:
    element_of = {element.dtype: element for element in reversed(ELEMENT_TYPES.values())}
    return ",".join(str(TensorType(a.shape, element_of[a.dtype])) for a in arrays)


def _refined(name: str, arrays: list[Array], passes: str = PASSES) -> mlir.Module:
    module = program.parse((HERE / f"{name}.mlir").read_text())
    types = f"shlo-refine-arguments{{types={_types(arrays)}}}"
    runner.run(f"builtin.module({types},{passes})", module)
    return module


def test_what_is_dynamic() -> None:
    named = ["broadcast_in_dim", "conv", "gather", "iota", "pad", "reshape"]
    assert {f"stablehlo.dynamic_{name}" for name in named} <= DYNAMIC
    assert {"stablehlo.real_dynamic_slice", "stablehlo.get_dimension_size"} <= DYNAMIC
    assert not {"stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"} & DYNAMIC


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_to_find_out(name: str) -> None:
    """For each recorded choice of sizes, and the program still computes what was recorded."""
    entry = ENTRIES[name]
    bound = Bound(entry["rtol"], entry["atol"], entry["reason"])
    cases = recorded(name)
    assert cases
    for arguments, expected in cases:
        with mlir.library_context():
            module = _refined(name, arguments, f"{PASSES},shlo-check-shape-assertions")
            left = {op.name for op in mlir.walk(module.operation)}
            text = str(module)
            assert not left & DYNAMIC
            assert not re.search(r"tensor<[^>]*\?", text)
            assert "shape_assertion" not in text
            (main,) = [f for f in ir.functions(module.operation) if ir.symbol_name(f) == "main"]
            _, results = ir.signature(main)
            assert [tuple(type.shape) for type in results] == [a.shape for a in expected]
        for got, want in zip(
            results_of(shlo_tools.compile(text)(*arguments)), expected, strict=True
        ):
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            assert bound.excess(got, want) <= 1


@pytest.mark.parametrize("name", NAMES)
def test_sizes_that_the_exporter_refuses(name: str) -> None:
    """The message is the exporter's own, before anything runs."""
    for case in ENTRIES[name]["refused"]:
        arrays = [np.ones(shape, np.float32) for shape in case["shapes"]]
        with mlir.library_context(), pytest.raises(ShloError) as raised:
            _refined(name, arrays, f"{PASSES},shlo-check-shape-assertions")
        assert raised.value.diagnostics[0].message == case["message"]
