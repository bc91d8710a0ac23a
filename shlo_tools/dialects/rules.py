"""What MLIR does not verify of checks and of the interpreter's ops: kinds and names of attributes.

Of the shape dialect, which takes any name in the generic form, it is the names of ops.

Ops are the bindings' objects; what they hold is told by the names of its classes.
"""

from __future__ import annotations

import re
from typing import Any

from shlo_tools.dialects import check, interpreter, shape_names
from shlo_tools.errors import did_you_mean

PREFIXES = (check.PREFIX, interpreter.PREFIX)
OP_NAMES = (*check.CHECKS, *interpreter.ATTRIBUTES, *shape_names.OP_NAMES)
VERIFIED = (*PREFIXES, shape_names.PREFIX)  # the ops that ``problem`` knows about

_KINDS = {
    "elements": "a dense constant",
    "count": "a whole number of at least 0",
    "number": "a number of at least 0",
    "string": "a string of text",
}
_ELEMENTS = re.compile(r"(?:Dense|Splat|Sparse).*ElementsAttr$")
_TYPE = re.compile(r"tensor<((?:[\d?]+x)*)([^,]*)")


def problem(op: Any) -> tuple[str, str]:
    """What is wrong with an op, and a hint; '' where all is well, or the op is another's."""
    attributes = dict(op.attributes.items())
    if op.name in check.CHECKS:
        return _of_check(op, check.CHECKS[op.name], attributes)
    if op.name in interpreter.ATTRIBUTES:
        return _unknown(op.name, attributes, interpreter.ATTRIBUTES[op.name])
    if op.name.startswith(shape_names.PREFIX) and op.name not in shape_names.OP_NAMES:
        hint = did_you_mean(op.name, shape_names.OP_NAMES)
        return f"the shape dialect has no op {op.name!r}", hint
    return "", ""


def _of_check(op: Any, row: check.Check, attributes: dict[str, Any]) -> tuple[str, str]:
    unknown = _unknown(op.name, attributes, tuple(row.attributes))
    if unknown[0]:
        return unknown
    for name, attribute in row.attributes.items():
        if name not in attributes:
            if attribute.required:
                return f"{op.name} needs attribute {name!r}", ""
        elif not _is(attribute.kind, attributes[name]):
            return (
                f"{op.name}: {name} is {_KINDS[attribute.kind]}, not {str(attributes[name])[:60]}",
                "",
            )
    type = str(op.operands[0].type)
    if not type.startswith("tensor<"):
        return f"{op.name} compares tensors, not {type}", ""
    if row.elements and not re.search(r"[x<](?:b?f\d|complex)", type):
        return f"{op.name} compares {row.elements} tensors, not {type}", ""
    if "value" in attributes and not _fits(type, str(attributes["value"].type)):
        return f"{op.name}: a value of {attributes['value'].type} is expected of {type}", ""
    return "", ""


def _unknown(op: str, attributes: dict[str, Any], known: tuple[str, ...]) -> tuple[str, str]:
    """Attributes of other dialects have a dot; any other must be one that the op knows."""
    for name in attributes:
        if name not in known and "." not in name:
            return f"{op} has no attribute {name!r}", did_you_mean(name, known)
    return "", ""


def _is(kind: str, attribute: Any) -> bool:
    name = type(attribute).__name__
    match kind:
        case "elements":
            is_resource = name == "Attribute" and str(attribute).startswith("dense_resource<")
            return is_resource or _ELEMENTS.match(name) is not None
        case "string":
            return name == "StringAttr" and _is_text(attribute)
        case "count":
            return name == "IntegerAttr" and int(attribute.value) >= 0
        case _:
            return name in ("FloatAttr", "IntegerAttr") and float(attribute.value) >= 0


def _is_text(attribute: Any) -> bool:
    """Whether the bytes of a string are text."""
    try:
        bytes(attribute.value_bytes).decode()
    except UnicodeDecodeError:
        return False
    return True


def _fits(operand: str, value: str) -> bool:
    """Whether a constant may be what a tensor holds; a quantized one holds its storage."""
    have, want = _TYPE.match(operand), _TYPE.match(value)
    if have is None or want is None:
        return operand == value
    sizes, expected = have[1].split("x"), want[1].split("x")
    if len(sizes) != len(expected) or any(
        size not in ("?", other) for size, other in zip(sizes, expected, strict=True)
    ):
        return False
    stored = re.match(r"!quant\.uniform<([ui]\d+)", have[2])
    return want[2] == (f"{stored[1].replace('u', 'ui')}>" if stored else have[2])
