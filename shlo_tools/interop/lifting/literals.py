"""Types, attributes and arrays as Python expressions that mean the same to the builder."""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.ops._attributes import AttributeStruct, as_attribute
from shlo_tools.types import OtherType, ValueType, coerce_type, value_type

_WRITTEN_OUT = 64  # elements; more are bytes at the top of the source

IMPORTS = {
    "base64": "import base64",
    "ml_dtypes": "import ml_dtypes",
    "np": "import numpy as np",
    "ops": "from shlo_tools import ops",
    "attribute": "from shlo_tools.builder import attribute",
    "attributes": "from shlo_tools.builder import attributes",
    "operation": "from shlo_tools.builder import operation",
    "OtherType": "from shlo_tools.types import OtherType",
}


class Literals:
    """Writes expressions, and notes what they need.

    Attributes:
        uses: keys of ``IMPORTS``.
        constants: assignments of large arrays, for the top of the source.
    """

    def __init__(self) -> None:
        self.uses: set[str] = set()
        self.constants: list[str] = []

    def type(self, type: mlir.Type) -> str:
        """A type as the builder takes it: ``"2x3xf32"``.

        Raises:
            UnsupportedError: the builder has none of this spelling.
        """
        known = known_type(type)
        for text in _spellings(known):
            if coerce_type(text, None).mlir() == type:
                return quoted(text)
        self.uses.add("OtherType")
        return f"OtherType({quoted(str(known))})"

    def attributes(self, values: Mapping[str, mlir.Attribute]) -> str:
        """A dictionary of attributes."""
        items = ", ".join(
            f"{quoted(name)}: {self.attribute(value)}" for name, value in values.items()
        )
        return f"{{{items}}}"

    def attribute(self, value: mlir.Attribute) -> str:
        """An attribute as a Python value where there is one for it, else as MLIR spells it."""
        text = self._plain(value)
        if text is not None:
            return text
        spelled = str(value)
        try:
            same = mlir.parse_attribute(spelled) == value
        except mlir.MLIRError:
            same = False
        if not same:
            raise UnsupportedError(f"the attribute {spelled[:200]} is not read as it is spelled")
        self.uses.add("attribute")
        return f"attribute({quoted(spelled)})"

    def _plain(self, value: Any) -> str | None:
        if mlir.is_dictionary(value):
            items = ", ".join(f"{quoted(each.name)}: {self.attribute(each.attr)}" for each in value)
            return f"{{{items}}}"
        spelled = "" if mlir.is_dense(value) else str(value)
        if spelled.startswith("[") and spelled.endswith("]"):
            return f"[{', '.join(self.attribute(item) for item in value)}]"
        if mlir.is_dense(value) or "dense_resource<" in spelled[:20]:
            return self._dense(value)
        candidate = _scalar(value, spelled)
        if candidate is None or not _stands_for(candidate, value):
            return None
        return self.value(candidate)

    def _dense(self, value: Any) -> str | None:
        try:
            array = dtypes.from_attribute(value)
            written = dtypes.to_attribute(array)
        except (ShloError, TypeError, ValueError):
            return None
        if not mlir.is_dense_resource(value) and written != value:
            return None
        text = self.array(array)
        # A number of numpy's is an attribute of its own kind; an array without dimensions is not.
        return text if array.ndim or array.size == 0 else f"np.array({text})"

    def value(self, value: Any) -> str:
        """What a parameter of an op function is given."""
        if isinstance(value, Enum):
            return quoted(value.name)
        if mlir.is_attribute(value):
            return self.attribute(value)
        if isinstance(value, AttributeStruct):
            self.uses.add("ops")
            known: Any = value
            fields = [f for f in dataclasses.fields(known) if getattr(value, f.name) != f.default]
            listed = ", ".join(f"{f.name}={self.value(getattr(value, f.name))}" for f in fields)
            return f"ops.{type(value).__name__}({listed})"
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, np.generic):
            return self.number(value)
        if isinstance(value, float):
            return _written(value)
        if isinstance(value, Mapping):
            items = ", ".join(f"{quoted(key)}: {self.value(each)}" for key, each in value.items())
            return f"{{{items}}}"
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            return f"[{', '.join(map(self.value, value))}]"
        return quoted(value) if isinstance(value, str) else repr(value)

    # --- arrays -----------------------------------------------------------------------------------
    def dtype(self, dtype: np.dtype[Any]) -> str:
        """``np.float32``, ``ml_dtypes.bfloat16``."""
        room = "np" if dtype.type.__module__ == "numpy" else "ml_dtypes"
        self.uses.add(room)
        name = "bool_" if dtype == np.bool_ else dtype.name
        return f"{room}.{name}"

    def number(self, number: np.generic) -> str:
        """One number of numpy's types."""
        return self.array(np.asarray(number))

    def array(self, array: Array) -> str:
        """An expression whose value has the same bytes."""
        dtype, shape = self.dtype(array.dtype), tuple(array.shape)
        self.uses.add("np")
        if array.size == 0:
            return f"np.zeros({shape}, {dtype})"
        if array.size > 1 and _is_uniform(array):
            first = np.asarray(array[(0,) * array.ndim])
            if _means(one := _python(first[()]), first):
                return f"np.full({shape}, {_written(one)}, {dtype})"
        if array.size <= _WRITTEN_OUT and _means(numbers := _nested(array), array):
            return (
                f"np.array({_written(numbers)}, {dtype})"
                if shape
                else f"{dtype}({_written(numbers)})"
            )
        return self._from_bytes(array, dtype)

    def _from_bytes(self, array: Array, dtype: str) -> str:
        self.uses.add("base64")
        name = f"CONSTANT_{len(self.constants)}"
        digits = base64.b64encode(array.tobytes()).decode()
        shape = tuple(array.shape)
        self.constants.append(
            f'{name} = np.frombuffer(base64.b64decode("{digits}"), {dtype}).reshape({shape})'
        )
        return name


def quoted(text: str) -> str:
    """A string in double quotes, where it has none itself."""
    written = repr(str(text))
    if written[0] == '"' or '"' in written:
        return written
    return f'"{written[1:-1]}"'


_WIDTH = 100


def call_text(head: str, arguments: Sequence[str], indent: int = 0, ending: str = "") -> list[str]:
    """A call, or what begins a function, on one line or with a line for each argument."""
    line = f"{head}({', '.join(arguments)}){ending}"
    if len(line) + indent <= _WIDTH or not arguments:
        return [line]
    return [f"{head}(", *(f"    {argument}," for argument in arguments), f"){ending}"]


def known_type(type: mlir.Type) -> ValueType:
    """A type as the builder sees it.

    Raises:
        UnsupportedError: it knows no such tensors.
    """
    try:
        known = value_type(type)
        same = known.mlir() == type
    except (ShloError, mlir.MLIRError) as error:
        raise UnsupportedError(f"the builder has no values of type {type}") from error
    if not same:
        raise UnsupportedError(f"the builder has no values of type {type}")
    return known


def _spellings(type: ValueType) -> list[str]:
    """How people write a type, shortest first; none of what has no short form."""
    text = str(type)
    if isinstance(type, OtherType):
        return [text] if text.startswith("!") else []
    if isinstance(type, TensorType) and not type.bounds:
        return [text.removeprefix("tensor<").removesuffix(">"), text]
    return [text]


_INTEGER = re.compile(r"(-?\d+) : (u?i\d+)$")


def _scalar(value: Any, spelled: str) -> Any:
    """The Python value of a simple attribute; None where there is none."""
    if spelled in ("true", "false"):
        return spelled == "true"
    if hasattr(value, "value_bytes") and spelled.startswith('"'):
        raw = bytes(value.value_bytes)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw
    integer = _INTEGER.match(spelled)
    if integer and integer[2] == "i64":
        return int(integer[1])
    if integer and integer[2] in dtypes.ELEMENT_TYPES:
        dtype = dtypes.element_type(integer[2]).dtype
        return dtype.type(int(integer[1])) if dtype.type.__module__ == "numpy" else None
    if mlir.is_number(value) and re.fullmatch(r"\S+ : f(32|64)", spelled):
        number = float(value.value)
        return np.float32(number) if spelled.endswith("f32") else _finite(number)
    return None


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None


def _stands_for(candidate: Any, value: mlir.Attribute) -> bool:
    try:
        return as_attribute(candidate) == value
    except ShloError:
        return False


# --- texts of numbers -----------------------------------------------------------------------------
PythonNumber = bool | int | float | complex


def _python(number: Any) -> PythonNumber:
    """A number of numpy's as one of Python's, of as few digits as its type needs."""
    kind = np.asarray(number).dtype
    if np.issubdtype(kind, np.complexfloating):
        return complex(_digits(number.real), _digits(number.imag))
    if kind == np.bool_:
        return bool(number)
    return _digits(number) if "float" in kind.name else int(number)


def _digits(number: Any) -> float:
    return float(str(number))


def _written(value: Any) -> str:
    """A number, or nested lists of some."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, complex):
        return f"complex({_written(value.real)}, {_written(value.imag)})"
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _nested(array: Array) -> Any:
    return _python(array[()]) if array.ndim == 0 else [_nested(row) for row in array]


def _means(value: Any, array: Array) -> bool:
    """Whether Python's numbers become the same bytes."""
    return np.array(value, array.dtype).tobytes() == array.tobytes()


def _is_uniform(array: Array) -> bool:
    """Whether all elements have the same bytes."""
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1)
    return bool((raw == raw[0]).all())
