"""Sizes that run time tells, by names: ``s0``, ``s1``, ... of the program's arguments.

Where programs read sizes from an argument, its elements have names, too: ``e2`` for the third.

Expressions of them stand as text in attributes (``4 * s0 + max(s1, 2)``); they are read as
``dims.Size`` by whoever writes code, and evaluated for the sizes of a call by whoever runs it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from types import CodeType
from typing import Any

from shlo_tools import dims, dtypes, ir, mlir
from shlo_tools.codegen.lowered import SHAPES
from shlo_tools.dims import Dim, Size
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError

_ALLOWED = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Call, ast.Name),
    *(ast.Constant, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    *(ast.USub, ast.Or, ast.Eq, ast.LtE),
)
# What ``values`` raises; numbers that are no integers are among others than asked for.
UNFIT = (AttributeError, IndexError, TypeError, ValueError, OverflowError)
_FUNCTIONS = ("max", "min")


def shape_text(shape: Sequence[Dim]) -> str:
    """Sizes as an attribute spells them."""
    return "; ".join(map(str, shape))


def name(number: int, place: int) -> str:
    """The name of a size or an element.

    Args:
        number: among all that have names.
        place: a dimension, or -1 - n for element n.
    """
    return f"{'s' if place >= 0 else 'e'}{number}"


def values(places: Sequence[tuple[int, int]], arguments: Sequence[Any]) -> tuple[int, ...]:
    """What has names.

    Args:
        places: arguments with a place in each, as ``name`` has it.

    Raises:
        those of ``UNFIT``: arguments are no arrays, or others than asked for.
    """
    return tuple(
        [
            arguments[k].shape[place] if place >= 0 else int(arguments[k].flat[-1 - place])
            for k, place in places
        ]
    )


@cache
def symbol(name: str) -> Size:
    """The size of a name, the same one each time: equal expressions are equal."""
    return dims.symbol(name) if is_size(name) else dims.symbol(name, minimum=None)


def is_size(name: str) -> bool:
    """Whether a name is a size's, and not an element's."""
    return name.startswith("s")


@lru_cache(maxsize=4096)
def dim(text: str) -> Dim:
    """An expression as a size."""
    size: Dim = _dim(_parsed(text).body)
    return size


def shape(text: str) -> tuple[Dim, ...]:
    """What ``shape_text`` has spelled."""
    return tuple(dim(part.strip()) for part in text.split(";")) if text else ()


def type_of(value: mlir.Value) -> TensorType:
    """The type of a value whose unknown sizes have names."""
    known = dtypes.tensor_type(value.type)
    return known if known.is_static else known.with_shape(shape(_shape_of(value)))


def _dim(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return symbol(node.id)
    if isinstance(node, ast.UnaryOp):
        return -_dim(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        choose = dims.maximum if node.func.id == "max" else dims.minimum
        return choose(*map(_dim, node.args))
    if isinstance(node, ast.BinOp):
        return _OPERATIONS[type(node.op)](_dim(node.left), _dim(node.right))
    raise ShloError(f"{ast.unparse(node)} is no size")


_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: dims.scaled(a, Fraction(1, b)),
    ast.FloorDiv: dims.floor_divided,
    ast.Mod: dims.remainder,
}


def _shape_of(value: mlir.Value) -> str:
    op = mlir.defining_op(value)
    if op is not None:
        siblings = list(op.results)
    else:
        op, siblings = mlir.inner_operation(value.owner.owner), list(value.owner.arguments)
    if SHAPES not in op.attributes:
        raise ShloError(f"the sizes of {value} have no names")
    return str(op.attributes[SHAPES][siblings.index(value)].value)


def evaluated(text: str, sizes: Mapping[str, int]) -> int:
    """The value of an expression; 0 or 1 of a comparison."""
    if text.isdecimal():
        return int(text)
    code, has_fractions = _compiled(text)
    values: Mapping[str, Any] = sizes
    if has_fractions:
        values = {name: Fraction(size) for name, size in sizes.items()}
    return int(eval(code, {"__builtins__": {}, "max": max, "min": min}, dict(values)))


@lru_cache(maxsize=4096)
def _compiled(text: str) -> tuple[CodeType, bool]:
    tree = _parsed(text)
    has_fractions = any(isinstance(node, ast.Div) for node in ast.walk(tree))
    return compile(tree, "<size>", "eval"), has_fractions


def _parsed(text: str) -> ast.Expression:
    """The tree of an expression that holds nothing but arithmetic of sizes.

    Raises:
        ShloError: it holds something else.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise ShloError(f"{text!r} is no size") from None
    for node in ast.walk(tree):
        is_odd = isinstance(node, ast.Constant) and type(node.value) is not int
        if isinstance(node, ast.Call):
            is_odd = not (isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS)
        if is_odd or not isinstance(node, _ALLOWED):
            raise ShloError(f"{text!r} is no size")
    return tree


def shapes_attribute(shapes: Sequence[Sequence[Dim]]) -> mlir.Attribute:
    """What ``SHAPES`` holds, of the arguments of a function or the results of an op."""
    return mlir.array_attr([mlir.string_attr(shape_text(shape)) for shape in shapes])


def has_unknown_sizes(func: mlir.Operation) -> bool:
    """Whether a function takes or returns tensors of unknown sizes."""
    return any(mlir.is_dynamic(type) for types in ir.signature(func) for type in types)
