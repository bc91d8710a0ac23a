"""Convolutions as matrix products: every window of the input becomes a row (or a column).

A spatial dimension of the input becomes two of the patches, which window and which tap in it.
Where one of the two has size 1 the patches are the input itself. Which dimensions are put last
follows from what lies last in memory. Dimensions go by name, see ``labelled``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shlo_tools.dims import Dim, at_most, floor_divided, maximum, product
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels.contraction import matrix_product
from shlo_tools.passes.kernels.convolution.labelled import (
    BATCH,
    GROUP,
    INPUT_FEATURE,
    OUTPUT_FEATURE,
    Labelled,
    Spatial,
    places,
    spatial_label,
    tap_label,
    window_label,
)
from shlo_tools.passes.kernels.convolution.parts import Part, Places, sliced
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import reshaped
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import converted
from shlo_tools.passes.legalize_to_linalg.emit.kernels import kernel_call, nest
from shlo_tools.passes.legalize_to_linalg.windows import once

# So many elements of patches exist at a time; more are made and multiplied in parts.
MAX_PATCHES = 1 << 22


def by_matrix_product(
    op: Operation,
    build: Lowering,
    lhs: Labelled,
    rhs: Labelled,
    result: Sequence[str],
    type: TensorType,
    spatial: Sequence[Spatial],
) -> Value:
    """A convolution of f32 or f64 (``type`` is the result's) without padding.

    Loops run over groups, and over the outermost dimensions as long as the patches are too large
    or the output features stand between the dimensions of the windows. Where run time tells how
    large they are, loops take as many places at a time as make small enough patches; they are a
    kernel of their own, because LLVM's time grows faster than a function's size.
    """
    lhs, rhs = lhs.without_ones(build), rhs.without_ones(build)
    sizes = dict(zip(result, type.shape, strict=True))
    labels = [label for label in result if sizes[label] != 1]
    parts = _parts(lhs, rhs, labels, sizes, spatial)
    looped = [label for label, part in parts.items() if part.size == 1]
    rest = [label for label in labels if label not in looped]
    plan = _plan(lhs, rhs, rest, spatial, looped)
    made_of = {label: part.size for label, part in parts.items()}
    part = type.with_shape([(sizes | made_of)[label] for label in rest])
    if not parts:
        weights = _weights(op, build, rhs, plan, type)
        product = _product(op, build, lhs, weights, plan, rest, part, spatial)
        return reshaped(build, product, part, type)
    is_static = all(t.is_static for t in (type, lhs.type, rhs.type))
    places = Places.of(labels, sizes, made_of, merge=not is_static)
    whole = type.with_shape(places.total.values())

    def loops(inner: Lowering, factors: Sequence[Value], target: Value | None = None) -> Value:
        left, right = (replace(t, value=v) for t, v in zip((lhs, rhs), factors, strict=True))
        weights = None if GROUP in looped else _weights(op, inner, right, plan, type)

        def one(b: Lowering, positions: list[Value], state: list[Value]) -> Sequence[Value]:
            rows = zip(parts.items(), positions, strict=True)
            at = {label: part.start(b, step) for (label, part), step in rows}
            piece, moved = sliced(b, left, at, made_of, spatial)
            kernel = weights or _weights(op, b, sliced(b, right, at, made_of, [])[0], plan, type)
            product = _product(op, b, piece, kernel, plan, rest, part, moved)
            return [places.put(b, product, part, state[0], at)]

        counts = [part.count for part in parts.values()]
        into = structured.empty(inner, whole) if target is None else target
        return nest(inner, counts, [into], one)[0]

    factors = [lhs.value, rhs.value]
    if is_static:
        product = loops(build, factors)
    else:
        target = [structured.empty(build, whole)]
        product = kernel_call(
            op, build, "patches", target, factors, lambda b, v: [loops(b, v[1:], v[0])]
        )[0]
    return reshaped(build, product, whole, type)


# --- what order everything is in ------------------------------------------------------------------
@dataclass(frozen=True)
class _Plan:
    """How the patches are laid out: [rows, columns] if ``rows_first``, else [columns, rows].

    Rows are the places of windows, columns the places in them. ``copied`` tells whether the
    patches are made at all, or are the input itself.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    rows_first: bool
    copied: bool


def _parts(
    lhs: Labelled,
    rhs: Labelled,
    labels: Sequence[str],
    sizes: Mapping[str, Dim],
    spatial: Sequence[Spatial],
) -> dict[str, Part]:
    """The groups and the outermost dimensions, of which one matrix product makes a part."""
    columns = product(rhs.sizes[label] for label in _columns(rhs))
    whole = _renamed(lhs, spatial) is not None
    looped = [label for label in labels if label == GROUP]
    rest = [label for label in labels if label != GROUP]
    while len(rest) > 1 and rest[0] != OUTPUT_FEATURE:
        rows = product(sizes[label] for label in rest if label != OUTPUT_FEATURE)
        between = rest[1] == OUTPUT_FEATURE and len(rest) > 2
        if not between and (whole or at_most(rows * columns, MAX_PATCHES) is not False):
            break
        looped.append(rest.pop(0))
    parts = {label: Part(1, sizes[label], sizes[label]) for label in looped}
    left = {label: sizes[label] for label in rest if label != OUTPUT_FEATURE}
    if whole or all(isinstance(size, int) for size in (columns, *left.values())):
        return parts
    return parts | _fitting(left, columns)


def _fitting(rows: dict[str, Dim], columns: Dim) -> dict[str, Part]:
    """As many places at a time as make patches that are small enough.

    Only batch and first spatial dimension are divided: every loop more takes long to compile.
    """
    parts: dict[str, Part] = {}
    divided = (BATCH, *[label for label in rows if label != BATCH][:1])
    inner = columns
    for label, size in reversed(rows.items()):
        most = maximum(1, floor_divided(MAX_PATCHES, maximum(1, inner)))
        if label in divided and not at_most(size, most):
            parts[label] = Part.of(size, most)
        inner = inner * size
    return dict(reversed(parts.items()))


def _columns(rhs: Labelled) -> list[str]:
    return [label for label in rhs.labels if label not in (GROUP, OUTPUT_FEATURE)]


def _renamed(lhs: Labelled, spatial: Sequence[Spatial]) -> tuple[str, ...] | None:
    """The labels of the patches' dimensions in the input, if the patches are the input."""
    names: dict[str, str] = {}
    if any(dimension.low for dimension in spatial):
        return None
    for i, dimension in enumerate(spatial):
        if dimension.window == 1 and dimension.stride == 1 and dimension.count == dimension.size:
            names[spatial_label(i)] = window_label(i)
        elif (
            dimension.count == 1 and dimension.dilation == 1 and dimension.window == dimension.size
        ):
            names[spatial_label(i)] = tap_label(i)
        elif dimension.size != 1:
            return None
    return tuple(names.get(label, label) for label in lhs.labels)


def _plan(
    lhs: Labelled,
    rhs: Labelled,
    rest: Sequence[str],
    spatial: Sequence[Spatial],
    looped: Sequence[str],
) -> _Plan:
    rows = [label for label in rest if label != OUTPUT_FEATURE]
    columns = _columns(rhs)
    names = _renamed(lhs, spatial)
    if names is not None:
        names = tuple(label for label in names if label not in looped)
        if set(names[: len(rows)]) == set(rows):
            split = len(rows)
            return _Plan(names[:split], names[split:], rows_first=True, copied=False)
        if set(names[: len(columns)]) == set(columns):
            split = len(columns)
            return _Plan(names[split:], names[:split], rows_first=False, copied=False)
    last = _last_in_patches(lhs, rows, columns, spatial)
    rows, columns = (
        [label for label in labels if label != last] + [last] * (last in labels)
        for labels in (rows, columns)
    )
    return _Plan(tuple(rows), tuple(columns), rows_first=last in columns, copied=True)


def _last_in_patches(
    lhs: Labelled, rows: Sequence[str], columns: Sequence[str], spatial: Sequence[Spatial]
) -> str:
    """The innermost dimension of the patches: the one of the longest runs in the input."""
    for label in reversed(lhs.labels):
        candidates = [label] * (label in (*rows, *columns))
        for i, dimension in enumerate(spatial):
            if label == spatial_label(i):
                run = dimension.count // dimension.stride, dimension.window // dimension.dilation
                ordered = (window_label(i), tap_label(i))
                longer = at_most(run[1], run[0]) is not False
                candidates += ordered if longer else reversed(ordered)
        for candidate in candidates:
            if candidate in (*rows, *columns):
                return candidate
    return (*rows, *columns, "")[0]


# --- the factors ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Weights:
    """The kernel as a matrix [columns, output features], or transposed."""

    matrix: Value
    transposed: bool


def _weights(
    op: Operation, build: Lowering, rhs: Labelled, plan: _Plan, type: TensorType
) -> _Weights:
    wide = rhs.type.with_element(type.element_type)
    rhs = Labelled(converted(op, build, rhs.value, rhs.type, wide), wide, rhs.labels)
    features = tuple(label for label in rhs.labels if label == OUTPUT_FEATURE)
    columns = tuple(label for label in plan.columns if label in rhs.labels)  # others are 1
    transposed = rhs.labels == (*features, *columns) and bool(features)
    if not transposed:
        rhs = rhs.ordered(build, (*columns, *features))
    count = product(rhs.sizes[label] for label in features)
    inner = product(rhs.sizes[label] for label in columns)
    matrix = wide.with_shape([1, count, inner] if transposed else [1, inner, count])
    return _Weights(reshaped(build, rhs.value, rhs.type, matrix), transposed)


def _patches(
    op: Operation,
    build: Lowering,
    lhs: Labelled,
    plan: _Plan,
    sizes: Mapping[str, Dim],
    spatial: Sequence[Spatial],
    wide: TensorType,
) -> Value:
    """The matrix of patches, as the plan has it."""
    parts = (plan.rows, plan.columns) if plan.rows_first else (plan.columns, plan.rows)
    matrix = wide.with_shape([1, *(product(sizes[label] for label in part) for part in parts)])
    if not plan.copied:
        type = lhs.type.with_element(wide.element_type)
        return reshaped(build, converted(op, build, lhs.value, lhs.type, type), type, matrix)
    order = [label for part in parts for label in part]
    lhs, spatial, order, sizes = _merged(build, lhs, spatial, order, sizes)
    type = wide.with_shape([sizes[label] for label in order])
    loops = {label: number for number, label in enumerate(order)}
    read_map = structured.affine_map(len(order), places(lhs.labels, loops, spatial))

    def body(into: Lowering, scalars: list[Value]) -> Sequence[Value]:
        e = Emit(op, into)
        return [cast_scalar(e, scalars[0], lhs.type.element_type, wide.element_type)]

    source = once(build, lhs.value)
    outputs = [structured.empty(build, type)]
    copied = structured.generic(build, [source], [read_map], outputs, [type], body)[0]
    return reshaped(build, copied, type, matrix)


def _merged(
    build: Lowering,
    lhs: Labelled,
    spatial: Sequence[Spatial],
    order: list[str],
    sizes: Mapping[str, Dim],
) -> tuple[Labelled, Sequence[Spatial], list[str], Mapping[str, Dim]]:
    """Neighbouring taps' features follow each other in memory: one dimension of longer runs."""
    for i, dimension in enumerate(spatial):
        inside = (tap_label(i), INPUT_FEATURE)
        adjacent = lhs.labels[-2:] == (spatial_label(i), INPUT_FEATURE)
        if not (adjacent and tuple(order[-2:]) == inside and dimension.dilation == 1):
            continue
        *outer, size, features = lhs.type.shape
        if not isinstance(features, int):  # no affine map multiplies by it
            continue
        type = lhs.type.with_shape([*outer, size * features])
        value = reshaped(build, lhs.value, lhs.type, type)
        merged = Spatial(
            size=size * features,
            window=dimension.window * features,
            stride=dimension.stride * features,
            low=dimension.low * features,
            base_dilation=1,
            dilation=1,
            count=dimension.count,
        )
        all_spatial = [merged if j == i else other for j, other in enumerate(spatial)]
        all_sizes = {**sizes, tap_label(i): merged.window}
        return Labelled(value, type, lhs.labels[:-1]), all_spatial, order[:-1], all_sizes
    return lhs, spatial, order, sizes


def _product(
    op: Operation,
    build: Lowering,
    lhs: Labelled,
    weights: _Weights,
    plan: _Plan,
    rest: Sequence[str],
    part: TensorType,
    spatial: Sequence[Spatial],
) -> Value:
    """The result's dimensions ``rest``, of which the output features are the first or the last."""
    sizes = dict(zip(rest, part.shape, strict=True))
    columns = {label: size for label, size in lhs.sizes.items() if label == INPUT_FEATURE}
    columns |= {tap_label(i): dimension.window for i, dimension in enumerate(spatial)}
    matrix = _patches(op, build, lhs, plan, {**sizes, **columns}, spatial, part)
    features = [label for label in rest if label == OUTPUT_FEATURE]
    count = product(sizes[label] for label in features)
    rows = product(sizes[label] for label in plan.rows)
    if rest[:1] == [OUTPUT_FEATURE] and len(rest) > 1:
        shape, order = part.with_shape([1, count, rows]), [*features, *plan.rows]
        factors = (weights.matrix, matrix)
        flags = (not weights.transposed, plan.rows_first)
    else:
        shape, order = part.with_shape([1, rows, count]), [*plan.rows, *features]
        factors = (matrix, weights.matrix)
        flags = (not plan.rows_first, weights.transposed)
    value = matrix_product(op, build, *factors, shape, *flags)
    shaped = part.with_shape([sizes[label] for label in order])
    whole = Labelled(reshaped(build, value, shape, shaped), shaped, tuple(order))
    return whole.ordered(build, rest).value
