"""What the host is told of an op that it computes: one description, for linalg and for stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shlo_tools import ir, mlir
from shlo_tools.extend import registered
from shlo_tools.extend.description import TOKEN_TYPE, config_of, leaves
from shlo_tools.extend.targets import Meaning, meaning_of
from shlo_tools.mlir import Attribute, Operation, Type
from shlo_tools.passes.legalize_to_linalg.emit.kernels import statement_of

CALLED = "called_computations"
# Ops that functions of our own compute: the target's name, and the attributes that it gets.
_OWN = {
    "stablehlo.cholesky": ("shlo.cholesky", ("lower",)),
    "stablehlo.fft": ("shlo.fft", ("fft_type", "fft_length")),
    "stablehlo.triangular_solve": (
        "shlo.triangular_solve",
        ("left_side", "lower", "unit_diagonal", "transpose_a"),
    ),
}


def description(op: Operation) -> dict[str, Attribute]:
    """The target of an op, the types of its values as tensors, and what else the target is told.

    Raises:
        UnsupportedError: a value is no tensor.
    """
    is_own = op.name in _OWN
    target = _OWN[op.name][0] if is_own else ir.text_of(op, "call_target_name")
    config = _config(op, _OWN[op.name][1]) if is_own else config_of(op.attributes)
    results = tensors([result.type for result in op.results])
    inputs = tensors([operand.type for operand in op.operands])
    if not all(mlir.is_tensor(type) for type in (*results, *inputs)):
        ir.raise_unsupported([op], "a custom call takes and returns tensors")
    described = {
        "target": mlir.string_attr(target),
        "inputs": mlir.array_attr(mlir.type_attr(type) for type in inputs),
        "results": mlir.array_attr(mlir.type_attr(type) for type in results),
    }
    if config is not None:
        described["config"] = config
    return described if is_own else described | statement_of(op)


def placed(described: Mapping[str, Attribute], location: mlir.Location) -> Attribute:
    """A description with the place of its first call, for messages."""
    place = mlir.place_of(location)
    words = dict(described)
    if place is not None:
        words["place"] = mlir.string_attr(str(place))
    return mlir.dict_attr(words)


def is_host_call(op: Operation) -> bool:
    """Whether the host computes all of an op, without calling back into the program."""
    if op.name != "stablehlo.custom_call":
        return op.name in _OWN
    target = ir.text_of(op, "call_target_name")
    is_unknown = meaning_of(target) in (None, Meaning.ASSERTION) or registered(target) is not None
    return is_unknown and not ir.items_of(op, CALLED)


def tensors(types: Sequence[Type]) -> list[Type]:
    """Types with tuples spread out and tokens dropped."""
    return [type for _, type in leaves(types) if str(type) != TOKEN_TYPE]


def _config(op: Operation, names: Sequence[str]) -> Attribute:
    """The named attributes of an op; those that name one of several choices as text."""
    return mlir.dict_attr({name: _plain(op, name) for name in names if name in op.attributes})


def _plain(op: Operation, name: str) -> Attribute:
    attribute: Attribute = op.attributes[name]
    is_enum = str(attribute).startswith("#stablehlo<")  # #stablehlo<fft_type RFFT>
    return mlir.string_attr(ir.enum_of(op, name)) if is_enum else attribute
