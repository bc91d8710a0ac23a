"""Emitters of linalg structured ops on tensors, and of scalar constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from shlo_tools import mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import ElementType, TensorType
from shlo_tools.element_types import signed
from shlo_tools.ir import Build, Lowering
from shlo_tools.mlir import Attribute, Type, Value
from shlo_tools.narrow_floats import code_of, is_narrow
from shlo_tools.passes.legalize_to_linalg.emit.size_values import size_value
from shlo_tools.passes.legalize_to_linalg.rules import lowered_element, lowered_tensor

# Given the builder of the body and its scalar arguments (inputs, then outputs), yields results.
Body = Callable[[Lowering, list[Value]], Sequence[Value]]


def dims(count: int) -> str:
    """``d0, d1``, the iteration space of an affine map."""
    return ", ".join(f"d{i}" for i in range(count))


def affine_map(rank: int, results: Sequence[str | int]) -> str:
    """``(d0, d1) -> (d1, 0)``; an integer stands for the dimension of that number."""
    written = ", ".join(f"d{r}" if isinstance(r, int) else r for r in results)
    return f"({dims(rank)}) -> ({written})"


def identity(rank: int) -> str:
    return affine_map(rank, range(rank))


def element(type: ElementType) -> Type:
    """The lowered element type."""
    return mlir.parse_type(lowered_element(type))


def scalar(build: Lowering, value: bool | int | float, type: ElementType) -> Value:
    """An ``arith.constant`` of a real element type."""
    lowered = element(type)
    if is_narrow(type):
        attribute = mlir.integer_attr(code_of(type, float(value)), lowered)
    elif type.is_float:
        attribute = mlir.float_attr(float(value), lowered)
    elif type.is_integer:  # signless attributes want the signed reading of the bits
        attribute = mlir.integer_attr(signed(int(value), type.bits), lowered)
    else:
        attribute = mlir.integer_attr(int(value), lowered)
    return build.value("arith.constant", (), lowered, {"value": attribute})


def index(build: Lowering, value: Dim) -> Value:
    """A number, or a size that is computed, as an index."""
    if not isinstance(value, int):
        return size_value(build, value)
    return build.index(value)


def position(build: Lowering, dimension: int) -> Value:
    """The loop counter of a ``linalg.generic``'s dimension, inside its body."""
    number = {"dim": mlir.i64_attr(dimension)}
    return build.value("linalg.index", (), mlir.index_type(), number)


def empty(build: Lowering, type: TensorType) -> Value:
    """A tensor without values, to be written."""
    sizes = [index(build, dim) for dim in type.shape if not isinstance(dim, int)]
    return build.value("tensor.empty", sizes, lowered_tensor(type))


def as_declared(build: Lowering, values: Sequence[Value], types: Sequence[Type]) -> list[Value]:
    """Tensors in the types that are wanted, which say less of their sizes, or more."""
    return [
        value if value.type == type else _retyped(build, value, type)
        for value, type in zip(values, types, strict=True)
    ]


def _retyped(build: Build, value: Value, type: Any) -> Value:
    """A tensor in another type.

    One that says more is what a check before it has found out. Of ``tensor.cast`` MLIR takes that
    for true from where the value is made, which may be before the check: loops would write where
    there is no room. Nobody concludes anything from a slice.
    """
    sizes = list(zip(value.type.shape, type.shape, strict=True))
    if not any(old == mlir.DYNAMIC != new for old, new in sizes):
        return build.value("tensor.cast", (value,), type)
    none, ones = [0] * len(sizes), [1] * len(sizes)
    unknown = [d for d, (_, new) in enumerate(sizes) if new == mlir.DYNAMIC]
    index = mlir.index_type()
    lengths = [build.value("tensor.dim", (value, build.index(d)), index) for d in unknown]
    if 0 in type.shape:  # slices do not even begin where there is nothing
        return build.value("tensor.empty", lengths, type)
    attributes = {
        "static_offsets": mlir.i64_array_attr(none),
        "static_sizes": mlir.i64_array_attr([new for _, new in sizes]),
        "static_strides": mlir.i64_array_attr(ones),
        "operandSegmentSizes": mlir.i32_array_attr([1, 0, len(lengths), 0]),
    }
    return build.value("tensor.extract_slice", (value, *lengths), type, attributes)


def undefined(build: Lowering, type: Any) -> Value:
    """A value of a lowered type that nobody reads; unknown sizes are 0."""
    if not mlir.is_tensor(type):
        return build.value("ub.poison", (), type)
    sizes = [index(build, 0) for size in type.shape if size == mlir.DYNAMIC]
    return build.value("tensor.empty", sizes, type)


def destination(build: Lowering, type: TensorType, parts: Sequence[TensorType]) -> Value:
    """A tensor without values, to put parts into that were computed before.

    ``eliminate-empty-tensors`` has parts computed where they go. Where sizes are unknown, that
    would be before they are checked: memory of its own keeps the whole behind its checks.
    """
    if all(known.is_static for known in (type, *parts)):
        return empty(build, type)
    sizes = [index(build, dim) for dim in type.shape if not isinstance(dim, int)]
    segments = {"operandSegmentSizes": mlir.i32_array_attr([len(sizes), 0, 0])}
    return build.value("bufferization.alloc_tensor", sizes, lowered_tensor(type), segments)


def filled(build: Lowering, value: Value, type: TensorType) -> Value:
    """A tensor that holds one scalar everywhere."""
    return filled_into(build, value, empty(build, type), type)


def filled_into(build: Lowering, value: Value, target: Value, type: TensorType) -> Value:
    """``target`` with one scalar everywhere."""
    return generic(build, [value], ["scalar"], [target], [type], lambda b, v: [v[0]])[0]


def extract(build: Lowering, tensor: Value, type: ElementType) -> Value:
    """The element of a 0-dimensional tensor."""
    return build.value("tensor.extract", (tensor,), element(type))


AnyBuild = TypeVar("AnyBuild", bound=Build)


def generic(
    build: AnyBuild,
    inputs: Sequence[Value],
    input_maps: Sequence[str],
    outputs: Sequence[Value],
    types: Sequence[TensorType],
    body: Callable[[AnyBuild, list[Value]], Sequence[Value]],
    *,
    iterators: Sequence[str] | None = None,
    output_maps: Sequence[str] | None = None,
) -> list[Value]:
    """A ``linalg.generic`` on tensors, or on memrefs, which has no results.

    Args:
        input_maps: one affine map per input; ``"scalar"`` for an operand read whole.
        outputs: the tensors written; ``types`` are theirs.
        iterators: ``parallel`` or ``reduction`` per loop; all parallel by default.
        output_maps: identity by default.
    """
    rank = len(iterators) if iterators is not None else types[0].rank
    iterators = iterators or ["parallel"] * rank
    maps = [affine_map(rank, []) if m == "scalar" else m for m in input_maps]
    maps += output_maps or [identity(rank)] * len(outputs)
    inputs = _with_known_sizes(build, inputs, [value.type for value in (*inputs, *outputs)], maps)
    result_types = [lowered_tensor(type) for type in types if mlir.is_tensor(outputs[0].type)]
    op = build.op(
        "linalg.generic",
        [*inputs, *outputs],
        result_types,
        {
            "indexing_maps": mlir.array_attr(_once_each(mlir.affine_map_attr, maps)),
            "iterator_types": mlir.array_attr(_once_each(_iterator_type, iterators)),
            "operandSegmentSizes": mlir.i32_array_attr([len(inputs), len(outputs)]),
        },
        regions=1,
    )
    scalars = [_element_of(value) for value in (*inputs, *outputs)]
    block, inner = build.block(op.regions[0], scalars)
    inner.op("linalg.yield", body(inner, list(block.arguments)))
    return list(op.results)


def _with_known_sizes(
    build: Build, inputs: Sequence[Value], types: Sequence[Any], maps: Sequence[str]
) -> Sequence[Value]:
    """Inputs in types that say how long loops are, where another operand of the op says so.

    MLIR concludes that much itself, for the op that makes an input as well: see ``_retyped``.

    Args:
        types, maps: of inputs and outputs.
    """
    if not any(mlir.is_tensor(type) and mlir.is_dynamic(type) for type in types[: len(inputs)]):
        return inputs
    loops = [map.partition("-> ")[2].strip("()").split(", ") for map in maps]
    known: dict[str, int] = {}
    for type, places in zip(types, loops, strict=True):
        if mlir.is_tensor(type):
            sizes = zip(places, type.shape, strict=False)
            known |= {d: n for d, n in sizes if n != mlir.DYNAMIC and d.startswith("d")}
    return [
        _of_sizes(build, value, [known.get(d, mlir.DYNAMIC) for d in places])
        for value, places in zip(inputs, loops, strict=False)
    ]


def _of_sizes(build: Build, value: Value, sizes: Sequence[int]) -> Value:
    type: Any = value.type
    if not mlir.is_tensor(type) or not mlir.is_dynamic(type):
        return value
    shape = [n if n != mlir.DYNAMIC else size for n, size in zip(type.shape, sizes, strict=True)]
    target = mlir.tensor_type(shape, type.element_type)
    return value if target == type else _retyped(build, value, target)


def _once_each(parse: Callable[[str], Attribute], texts: Sequence[str]) -> list[Attribute]:
    """What texts say; equal ones, of which there are many, are read once."""
    parsed = {text: parse(text) for text in dict.fromkeys(texts)}
    return [parsed[text] for text in texts]


def _iterator_type(kind: str) -> Attribute:
    return mlir.parse_attribute(f"#linalg.iterator_type<{kind}>")


def _element_of(value: Value) -> Type:
    is_buffer = mlir.is_tensor(value.type) or mlir.is_memref(value.type)
    type: Type = value.type.element_type if is_buffer else value.type
    return type
