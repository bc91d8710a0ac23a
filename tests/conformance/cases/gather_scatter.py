"""gather, scatter, dynamic_slice and dynamic_update_slice: indices inside, outside and extreme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cases._case import Array, Case, Input, Row, call, given
from cases._inputs import at_edges, edges, filled, moderate, small
from cases._regions import integers, reducer, second
from cases._tolerances import EXACT
from cases._types import CORE, INTEGER, QUANTIZED, TENSOR, dtype_of, is_complex, tensor

PER_TENSOR = TENSOR + QUANTIZED
INDICES = ("i32", "i64", "ui32", "ui64", "i8", "ui8", "i16", "ui16", "i4", "ui4", "i2", "ui2")


def indices(element: str, shape: Sequence[int], most: int, seed: int = 0) -> Input:
    """Random indices, some of them outside of 0..most."""
    low = 0 if element.startswith("ui") else -2
    limit = {"i2": 1, "ui2": 3, "i4": 7}.get(element, 15)
    array = np.random.default_rng([seed, most]).integers(
        max(low, -2), min(most + 2, limit) + 1, tuple(shape)
    )
    return given(element, array.astype(np.int64).astype(np.int16).astype(dtype_of(element)))


# --- dynamic_slice and dynamic_update_slice -------------------------------------------------------
# operand, start, sizes
STARTS = (
    ((4, 5), (1, 2), (2, 3)),
    ((4, 5), (3, -1), (2, 3)),
    ((), (), ()),
    ((5,), (9,), (0,)),
    ((5,), (-7,), (5,)),
    ((0, 3), (0, 1), (0, 2)),
    ((67, 5), (33, 1), (20, 4)),
    ((2, 1, 3, 1, 2, 3), (1, 0, 1, 0, 0, 2), (1, 1, 2, 1, 2, 1)),
)


def _starts(values: Sequence[int], element: str = "i32") -> list[Input]:
    return [given(element, np.array(value, dtype_of(element))) for value in values]


def _dynamic_slice(element: str) -> Iterator[Case]:
    for shape, starts, sizes in STARTS:
        inputs = [given(element, at_edges(element, shape)), *_starts(starts)]
        attributes = f"slice_sizes = {integers(sizes)}"
        label = f"{inputs[0].type} from {list(starts)}, {attributes}"
        yield call(
            "stablehlo.dynamic_slice", inputs, [tensor(element, sizes)], attributes, label=label
        )
    for type in INDICES if element in CORE else ():
        operand = given(element, at_edges(element, (7,)))
        for start in _ends(type):
            attributes = "slice_sizes = array<i64: 3>"
            label = f"{type} start {start}"
            yield call(
                "stablehlo.dynamic_slice",
                [operand, *_starts([start], type)],
                [tensor(element, (3,))],
                attributes,
                label=label,
            )


def _ends(element: str) -> list[int]:
    if element in ("i2", "ui2", "i4", "ui4"):
        values = edges(element).astype(int)
        return [int(values.min()), int(values.max())]
    info = np.iinfo(dtype_of(element))
    return [int(info.min), int(info.max)]


def _dynamic_update_slice(element: str) -> Iterator[Case]:
    for shape, starts, sizes in STARTS:
        inputs = [
            given(element, at_edges(element, shape)),
            given(element, at_edges(element, sizes, 5)),
        ]
        inputs += _starts(starts)
        label = f"{inputs[0].type} at {list(starts)} of {inputs[1].type}"
        yield call("stablehlo.dynamic_update_slice", inputs, [inputs[0].type], label=label)
    for type in INDICES if element in CORE else ():
        inputs = [
            given(element, at_edges(element, (7,))),
            given(element, at_edges(element, (3,), 5)),
        ]
        for start in _ends(type):
            yield call(
                "stablehlo.dynamic_update_slice",
                [*inputs, *_starts([start], type)],
                [inputs[0].type],
                label=f"{type} start {start}",
            )


# --- gather ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Gather:
    """Shapes and dimension numbers of a gather."""

    operand: tuple[int, ...]
    start_indices: tuple[int, ...]
    sizes: tuple[int, ...]
    result: tuple[int, ...]
    offset: tuple[int, ...] = ()
    collapsed: tuple[int, ...] = ()
    operand_batching: tuple[int, ...] = ()
    indices_batching: tuple[int, ...] = ()
    index_map: tuple[int, ...] = ()
    vector_dim: int = 0
    is_sorted: bool = False

    def attributes(self) -> str:
        text = f"offset_dims = {list(self.offset)}, collapsed_slice_dims = {list(self.collapsed)}, "
        if self.operand_batching:
            text += f"operand_batching_dims = {list(self.operand_batching)}, "
            text += f"start_indices_batching_dims = {list(self.indices_batching)}, "
        text += f"start_index_map = {list(self.index_map)}, index_vector_dim = {self.vector_dim}"
        return (
            f"dimension_numbers = #stablehlo.gather<{text}>, "
            f"slice_sizes = {integers(self.sizes)}, "
            f"indices_are_sorted = {str(self.is_sorted).lower()}"
        )


GATHERS = (
    Gather((5, 3), (4, 1), (1, 3), (4, 3), (1,), (0,), (), (), (0,), 1),
    Gather((5, 3), (4,), (1, 3), (4, 3), (1,), (0,), (), (), (0,), 1),  # implicit trailing 1
    Gather((4, 5), (2, 2, 2), (2, 3), (2, 2, 2, 3), (2, 3), (), (), (), (0, 1), 2),
    Gather((4, 5), (2, 3), (2, 1), (2, 3), (0,), (1,), (), (), (1, 0), 0),
    Gather((2, 5, 3), (2, 4, 1), (1, 1, 3), (2, 4, 3), (2,), (1,), (0,), (0,), (1,), 2),
    Gather(
        (3, 4, 2, 2),
        (2, 2, 3, 2),
        (1, 2, 2, 1),
        (2, 2, 3, 2, 2),
        (3, 4),
        (0,),
        (3,),
        (1,),
        (0, 2),
        3,
    ),
    Gather((6,), (0, 1), (2,), (0, 2), (1,), (), (), (), (0,), 1),
    Gather((6,), (3, 1), (0,), (3, 0), (1,), (), (), (), (0,), 1),
    Gather((67, 9), (50, 1), (1, 9), (50, 9), (1,), (0,), (), (), (0,), 1),
    Gather((6,), (), (2,), (2,), (0,), (), (), (), (0,), 0),
)


def _gather(element: str) -> Iterator[Case]:
    for form in GATHERS:
        start = indices("i32", form.start_indices, max(form.operand))
        inputs = [given(element, at_edges(element, form.operand)), start]
        yield call("stablehlo.gather", inputs, [tensor(element, form.result)], form.attributes())
    form = GATHERS[0]
    for type in INDICES if element in CORE else ():
        inputs = [
            given(element, at_edges(element, form.operand)),
            indices(type, form.start_indices, 5, 3),
        ]
        yield call("stablehlo.gather", inputs, [tensor(element, form.result)], form.attributes())
        ends = filled(np.array(_ends(type), dtype_of(type)), form.start_indices)
        inputs = [inputs[0], given(type, ends)]
        yield call(
            "stablehlo.gather",
            inputs,
            [tensor(element, form.result)],
            form.attributes(),
            label=f"{type} extremes",
        )
    operand = given(element, at_edges(element, form.operand))
    rising = given("i32", np.array([[0], [1], [1], [4]], np.int32))
    attributes = replace(form, is_sorted=True).attributes()
    yield call("stablehlo.gather", [operand, rising], [tensor(element, form.result)], attributes)


# --- scatter --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Scatter:
    """Shapes and dimension numbers of a scatter."""

    operand: tuple[int, ...]
    scatter_indices: tuple[int, ...]
    updates: tuple[int, ...]
    window: tuple[int, ...] = ()
    inserted: tuple[int, ...] = ()
    input_batching: tuple[int, ...] = ()
    indices_batching: tuple[int, ...] = ()
    index_map: tuple[int, ...] = ()
    vector_dim: int = 0
    flags: str = "indices_are_sorted = false, unique_indices = false"

    def attributes(self) -> str:
        text = f"update_window_dims = {list(self.window)}, "
        text += f"inserted_window_dims = {list(self.inserted)}, "
        if self.input_batching:
            text += f"input_batching_dims = {list(self.input_batching)}, "
            text += f"scatter_indices_batching_dims = {list(self.indices_batching)}, "
        text += f"scatter_dims_to_operand_dims = {list(self.index_map)}, "
        text += f"index_vector_dim = {self.vector_dim}"
        return f"scatter_dimension_numbers = #stablehlo.scatter<{text}>, {self.flags}"


SCATTERS = (
    Scatter((5, 3), (6, 1), (6, 3), (1,), (0,), (), (), (0,), 1),
    Scatter((5, 3), (6,), (6, 3), (1,), (0,), (), (), (0,), 1),
    Scatter((4, 5), (3, 2), (3, 2, 3), (1, 2), (), (), (), (0, 1), 1),
    Scatter((4, 5), (2, 3), (2, 3), (0,), (1,), (), (), (1, 0), 0),
    Scatter((2, 5, 3), (2, 4, 1), (2, 4, 3), (2,), (1,), (0,), (0,), (1,), 2),
    Scatter((6,), (0, 1), (0, 2), (1,), (), (), (), (0,), 1),
    Scatter((6,), (3, 1), (3, 0), (1,), (), (), (), (0,), 1),
    Scatter((67, 5), (90, 1), (90, 5), (1,), (0,), (), (), (0,), 1),
    Scatter((6,), (), (2,), (0,), (), (), (), (0,), 0),
    Scatter((0, 3), (2, 1), (2, 3), (1,), (0,), (), (), (0,), 1),
)


def _scatter_case(
    form: Scatter, element: str, arrays: tuple[Array, Array], index: Input, region: str, label: str
) -> Case:
    operand, updates = (given(element, array) for array in arrays)
    label = f"{label} {operand.type} at {index.type} {form.attributes()}"
    return call(
        "stablehlo.scatter",
        [operand, index, updates],
        [operand.type],
        form.attributes(),
        regions=region,
        label=label,
    )


def _scatter(element: str) -> Iterator[Case]:
    for form in SCATTERS:
        index = indices("i32", form.scatter_indices, max(form.operand), 1)
        arrays = small(element, form.operand, 1, 2), small(element, form.updates, 2, 2)
        yield _scatter_case(form, element, arrays, index, reducer("add", element), "add")
        arrays = at_edges(element, form.operand), at_edges(element, form.updates, 3)
        yield _scatter_case(form, element, arrays, index, second(element), "put")
    form = SCATTERS[0]
    for type in INDICES if element in CORE else ():
        arrays = small(element, form.operand, 1, 2), small(element, form.updates, 2, 2)
        index = indices(type, form.scatter_indices, 5, 7)
        yield _scatter_case(form, element, arrays, index, reducer("add", element), type)
        ends = given(type, filled(np.array(_ends(type), dtype_of(type)), form.scatter_indices))
        yield _scatter_case(
            form, element, arrays, ends, reducer("add", element), f"{type} extremes"
        )
    if not is_complex(element):
        for op in ("maximum", "minimum"):
            arrays = moderate(element, form.operand), moderate(element, form.updates, 4)
            index = indices("i64", form.scatter_indices, 5, 8)
            yield _scatter_case(form, element, arrays, index, reducer(op, element), op)
    for flags, values in (
        ("indices_are_sorted = true, unique_indices = false", [0, 1, 1, 2, 4, 4]),
        ("indices_are_sorted = true, unique_indices = true", [0, 1, 2, 3, 4, 7]),
        ("indices_are_sorted = false, unique_indices = true", [4, 0, 2, 1, 3, 9]),
    ):
        promised = replace(form, flags=flags)
        arrays = small(element, form.operand, 1, 2), small(element, form.updates, 2, 2)
        index = given("i32", np.array(values, np.int32).reshape(6, 1))
        yield _scatter_case(promised, element, arrays, index, reducer("add", element), flags)
    if element in INTEGER:
        yield _two_operands(element)


def _two_operands(element: str) -> Case:
    """A joint body that sums one operand and takes the maximum of the other, of another type."""
    form, type = SCATTERS[0], f"tensor<{element}>"
    body = f"""{{
    ^bb0(%a: {type}, %b: tensor<f32>, %c: {type}, %d: tensor<f32>):
      %s = "stablehlo.add"(%a, %c) : ({type}, {type}) -> {type}
      %m = "stablehlo.maximum"(%b, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s, %m) : ({type}, tensor<f32>) -> ()
    }}"""
    inputs = [
        given(element, small(element, form.operand)),
        given("f32", moderate("f32", form.operand)),
    ]
    inputs += [indices("i32", form.scatter_indices, 5, 2)]
    inputs += [
        given(element, small(element, form.updates)),
        given("f32", moderate("f32", form.updates)),
    ]
    return call(
        "stablehlo.scatter",
        inputs,
        [inputs[0].type, inputs[1].type],
        form.attributes(),
        regions=body,
        label="two operands",
        tolerance=EXACT,
    )


ROWS = (
    Row("stablehlo.dynamic_slice", PER_TENSOR, _dynamic_slice),
    Row("stablehlo.dynamic_update_slice", PER_TENSOR, _dynamic_update_slice),
    Row("stablehlo.gather", PER_TENSOR, _gather),
    Row("stablehlo.scatter", PER_TENSOR, _scatter),
)
