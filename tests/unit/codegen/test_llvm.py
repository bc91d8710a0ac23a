"""Code of the llvm dialect, built by operators and closures, computes what it says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shlo_tools import mlir
from shlo_tools.codegen.llvm import F32, F64, I1, I32, I64, POINTER, TO_LLVM, Code, Word, vector
from shlo_tools.ir import Build
from shlo_tools.pipeline.runner import run

LANES = 16


def compiled(emit: Callable[[Code, Word], None]) -> Callable[[np.ndarray[Any, Any]], None]:
    """A function of one array's address."""
    module = mlir.parse_module("module {}")
    with mlir.unknown_location() as location:
        outer = Build(mlir.at_end(module.operation.regions[0].blocks[0]), location)
        attributes = {
            "sym_name": mlir.string_attr("main"),
            "function_type": mlir.type_attr(mlir.parse_type("!llvm.func<void (ptr)>")),
        }
        function = outer.op("llvm.func", (), (), attributes, regions=1)
        block = mlir.block_in(function.regions[0], [mlir.parse_type(POINTER)], location)
        code = Code(mlir.at_end(block), location)
        emit(code, code.word(block.arguments[0]))
        code.op("llvm.return")
    run(f"builtin.module({TO_LLVM})", module)
    engine = mlir.ExecutionEngine(module, 0)
    function_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    native = function_type(engine.address("main"))

    def call(array: np.ndarray[Any, Any]) -> None:
        assert engine
        native(array.ctypes.data)

    return call


@pytest.fixture(autouse=True)
def context() -> Any:
    with mlir.library_context():
        yield


def test_a_loop_carries_words() -> None:
    """1 * 1 + 2 * 2 + ... + 10 * 10, into the first of two numbers."""

    def emit(code: Code, start: Word) -> None:
        (total,) = code.loop(11, lambda n, s: [s + n * n], [code.constant(0)], start=1)
        code.store(total, start)
        code.store(20 - total, start + 8)

    numbers = np.zeros(2, np.int64)
    compiled(emit)(numbers)
    assert numbers.tolist() == [385, 20 - 385]


def test_vectors_with_a_masked_tail() -> None:
    """``2 x + 1`` on a row of any length, LANES at a time; what lies behind it is not touched."""
    row = vector(LANES, F32)
    count = 37

    def emit(code: Code, start: Word) -> None:
        def step(number: Word) -> None:
            lane = code.splat(number.truncated(I32), LANES) + code.lanes(LANES)
            mask = lane < count
            place = start + 4 * number
            code.store(code.load(place, row, mask=mask) * 2.0 + 1.0, place, mask=mask)

        code.loop(count, step, step=LANES)

    numbers = np.arange(48, dtype=np.float32)
    expected = np.where(np.arange(48) < count, 2 * numbers + 1, numbers)
    compiled(emit)(numbers)
    np.testing.assert_array_equal(numbers, expected)


@pytest.mark.parametrize("relation", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("element", [I64, F64])
def test_comparisons(relation: str, element: str) -> None:
    """Against numpy, in every lane; NaN differs from everything."""
    dtype = np.int64 if element == I64 else np.float64
    pairs = np.array([[1, 2, 3, -4, 5, 0, 7, 8], [2, 1, 3, 4, -5, 0, 7, 9]], dtype)
    if element == F64:
        pairs[0, 6] = np.nan
    names = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal"}
    names |= {"gt": "greater", "ge": "greater_equal"}
    type = vector(8, element)

    def emit(code: Code, start: Word) -> None:
        a, b = code.load(start, type), code.load(start + 64, type)
        one, zero = code.constant(1, type), code.constant(0, type)
        code.store(code.select(a.compared(relation, b), one, zero), start)

    expected = getattr(np, names[relation])(*pairs)
    compiled(emit)(pairs)
    np.testing.assert_array_equal(pairs[0], expected)


def test_addresses() -> None:
    """Far offsets, distances, and the product that does not fit."""

    def emit(code: Code, start: Word) -> None:
        far = start + (1 << 33)
        code.store(far - start, start)
        large = code.load(start + 8, I64)
        product, is_too_large = large.multiplied_exactly(4)
        code.store(product, start + 8)
        code.store(code.select(is_too_large, code.constant(1), code.constant(0)), start + 16)
        code.store((code.load(start + 24, I64) + 63) & -64, start + 24)

    numbers = np.array([0, 1 << 62, 7, 65], np.int64)
    compiled(emit)(numbers)
    assert numbers.tolist() == [1 << 33, 0, 1, 128]


def test_known_numbers_stay_python_numbers() -> None:
    """Nothing is emitted for an offset of 0."""
    module = mlir.parse_module("llvm.func @f(%a: !llvm.ptr) { llvm.return }")
    function = mlir.inner_operation(module.operation.regions[0].blocks[0].operations[0])
    block = function.regions[0].blocks[0]
    code = Code(mlir.at_start(block), function.location)
    address = code.word(block.arguments[0])
    assert address + 0 is address
    assert len(list(block.operations)) == 1
    assert code.constant(1, I1).type == I1
