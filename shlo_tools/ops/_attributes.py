"""How attributes cross between MLIR and Python, chosen by a parameter's annotation.

``Sequence[int]`` is ``array<i64: ...>``, an enum is ``#stablehlo<mnemonic VALUE>``, and so on.
Where an op gathers several of the spec's inputs in one struct attribute (``#stablehlo.dot<...>``)
a ``Struct`` names the fields, and they stay separate parameters in Python.
"""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, Self, cast, get_args, get_origin

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.errors import ConstraintError, ShloError
from shlo_tools.mlir import Attribute
from shlo_tools.ops import _groups


class FunctionSymbol(str):
    """The name of a function, with its types where the function is known."""

    input_types: tuple[Any, ...] | None
    result_types: tuple[Any, ...] | None

    def __new__(
        cls,
        name: str,
        input_types: Sequence[Any] | None = None,
        result_types: Sequence[Any] | None = None,
    ) -> FunctionSymbol:
        symbol = super().__new__(cls, name)
        symbol.input_types = None if input_types is None else tuple(input_types)
        symbol.result_types = None if result_types is None else tuple(result_types)
        return symbol

    def require_here(self) -> None:
        """Raise ShloError where the function is known not to be of the module being built."""


I32 = Annotated[int, "i32"]
F32 = Annotated[float, "f32"]
Flag = Annotated[bool, "unit"]
I64Matrix = Annotated[Sequence[Sequence[int]], "dense i64"]
Symbol = Annotated[FunctionSymbol, "symbol"]
Symbols = Annotated[Sequence[str], "symbols"]
Elements = Annotated[np.ndarray[Any, Any], "elements"]
Number = Annotated[np.generic, "number"]


class AttributeEnum(Enum):
    """An enum attribute; subclasses set ``mnemonic`` to its name in the dialect."""

    @classmethod
    def mnemonic(cls) -> str:
        """``ComparisonDirection`` -> ``comparison_direction``."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class AttributeStruct(ABC):
    """A struct attribute that is one parameter; subclasses are frozen dataclasses of its fields."""

    @abstractmethod
    def written(self) -> str:
        """MLIR's spelling."""

    @classmethod
    @abstractmethod
    def read(cls, text: str) -> Self:
        """From MLIR's spelling."""


@dataclass(frozen=True)
class Codec:
    """Both directions of one kind of attribute, and the annotation that users see for it."""

    encode: Callable[[Any], Attribute]
    decode: Callable[[Any], Any]


def _integer(bits: int) -> Codec:
    def encode(value: Any) -> Attribute:
        return mlir.integer_attr(_as_int(value, bits), mlir.integer_type(bits))

    return Codec(encode, lambda attribute: int(attribute.value))


def _as_int(value: Any, bits: int = 64) -> int:
    if isinstance(value, bool | np.bool_):
        raise ShloError(f"an integer is wanted, not {value!r}")
    try:
        number = operator.index(value)
    except TypeError as error:  # also of an array that holds several
        raise ShloError(f"an integer is wanted, not {value!r}") from error
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise ShloError(f"{number.bit_length()} bits are more than the {bits} of a signed integer")
    return number


def _as(kind: type[Any], value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, kind):
        raise ShloError(f"a {kind.__name__} is wanted, not {value!r}")
    return value


def _as_float(value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__float__"):
        raise ShloError(f"a float is wanted, not {value!r}")
    try:
        return float(value)
    except (OverflowError, ValueError, TypeError) as error:  # a large integer, an array
        raise ShloError(f"a float is wanted, not {value!r}: {error}") from error


def as_sequence(values: Any, items: str) -> Collection[Any]:
    """What holds several items: no text, no iterator, and nothing without dimensions.

    Raises:
        ShloError: it is none.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Collection):
        raise ShloError(f"a sequence of {items} is wanted, not {values!r}")
    if isinstance(values, np.ndarray) and values.ndim == 0:
        raise ShloError(f"a sequence of {items} is wanted, not a number")
    return values


def _as_ints(values: Any) -> tuple[int, ...]:
    return tuple(_as_int(value) for value in as_sequence(values, "integers"))


def _encode_matrix(rows: Any) -> Attribute:
    numbers = [_as_ints(row) for row in as_sequence(rows, "rows of integers")]
    lengths = {len(row) for row in numbers}
    if len(lengths) > 1:
        raise ShloError(f"rows of one length are wanted, not of {sorted(lengths)}")
    columns = lengths.pop() if numbers else 2
    return dtypes.to_attribute(np.array(numbers, np.int64).reshape(len(numbers), columns))


def _encode_number(value: Any) -> Attribute:
    """A numpy scalar as ``1.0 : f32``, ``1 : ui8`` or ``#complex.number<:f32 1.0, 2.0>``."""
    number = np.asarray(value)
    if number.ndim:
        raise ShloError(f"a number is wanted, not {value!r}")
    type = dtypes.from_dtype(number.dtype)
    if not type.is_complex:
        literal = _literal(np.asarray(value), type)
        return mlir.parse_attribute(literal if type.is_boolean else f"{literal} : {type}")
    part = "f32" if type.bits == 64 else "f64"
    double = dtypes.element_type("f64")  # whose bits complex.number reads, whatever its type
    parts = (_literal(np.float64(half), double) for half in (value.real, value.imag))
    return mlir.parse_attribute(f"#complex.number<:{part} {', '.join(parts)}> : {type}")


def _literal(value: Any, type: dtypes.ElementType) -> str:
    """MLIR's spelling of one number; a float by its bits, so that nothing is rounded."""
    if not type.is_float:
        return str(value.item()).lower()
    bits = int.from_bytes(value.tobytes(), "little")
    return f"0x{bits:0{-(-type.bits // 4)}X}"


def _decode_number(attribute: Any) -> Any:
    type = dtypes.element_type(attribute.type)
    number: Any
    if type.is_complex:
        real, imaginary = re.findall(r"[^\s<>:,]+", str(attribute))[2:4]
        number = type.dtype.type(complex(_part(real), _part(imaginary)))
    else:
        number = np.asarray(attribute.value).astype(type.dtype)[()]
    return number


def _part(text: str) -> float:
    """Half of a printed complex number; infinities and NaN are printed as their bits."""
    if not text.startswith("0x"):
        return float(text)
    raw = bytes.fromhex(text[2:])
    return float(np.frombuffer(raw, f">f{len(raw)}")[0])


DEEPEST = 100  # levels of lists and dictionaries in an attribute


def text_of(value: Any, what: str) -> str:
    """A string that MLIR can hold: one that has an encoding.

    Raises:
        ShloError: it has none, or is no string.
    """
    try:
        value.encode()
    except (AttributeError, UnicodeEncodeError) as error:
        raise ShloError(f"{value!r} is no {what}") from error
    text: str = value
    return text


def as_attribute(value: Any, level: int = 0) -> Attribute:
    """A Python value as the attribute that a dictionary holds for it."""
    if level > DEEPEST:
        raise ShloError(
            f"a value nested more than {DEEPEST} deep cannot be written as an attribute"
        )
    if mlir.is_attribute(value):
        return cast(Attribute, value)
    if isinstance(value, bool):
        return mlir.bool_attr(value)
    if isinstance(value, np.generic) and not isinstance(value, str | bytes):
        return _encode_number(value)
    if isinstance(value, int):
        return mlir.i64_attr(_as_int(value))
    if isinstance(value, float):
        return mlir.float_attr(value, mlir.parse_type("f64"))
    if isinstance(value, str):
        return mlir.string_attr(text_of(value, "text"))
    if isinstance(value, bytes):
        return mlir.string_attr(value)
    if isinstance(value, np.ndarray):
        return dtypes.to_attribute(value)
    if isinstance(value, Mapping):
        items = {text_of(key, "name"): as_attribute(v, level + 1) for key, v in value.items()}
        return mlir.dict_attr(items)
    if isinstance(value, Sequence):
        return mlir.array_attr(as_attribute(item, level + 1) for item in value)
    raise ShloError(f"{value!r} cannot be written as an attribute")


def _encode_mapping(value: Any) -> Attribute:
    return as_attribute(_as(Mapping, value))


def _encode_config(value: Any) -> Attribute:
    if not isinstance(value, str | bytes | Mapping) and not mlir.is_attribute(value):
        raise ShloError(f"text, bytes or a dictionary is wanted, not {value!r}")
    return as_attribute(value)


def _enum(cls: type[AttributeEnum], dialect: str = "stablehlo") -> Codec:
    def encode(value: Any) -> Attribute:
        name = value.name if isinstance(value, Enum) else str(value)
        if name not in cls.__members__:
            known = ", ".join(cls.__members__)
            raise ShloError(f"{name!r} is no {cls.mnemonic()}; known: {known}")
        return mlir.parse_attribute(f"#{dialect}<{cls.mnemonic()} {name}>")

    return Codec(encode, lambda attribute: cls[re.findall(r"\w+", str(attribute))[-1]])


def _enums(one: Codec) -> Codec:
    return Codec(
        lambda values: mlir.array_attr(one.encode(v) for v in as_sequence(values, "names")),
        lambda attribute: [one.decode(item) for item in attribute],
    )


def _struct(cls: type[AttributeStruct]) -> Codec:
    def encode(value: Any) -> Attribute:
        struct: AttributeStruct = _as(cls, value)
        try:
            return mlir.parse_attribute(struct.written())
        except mlir.MLIRError as error:
            messages = "; ".join(info.message for info in mlir.diagnostics_of(error))
            raise ShloError(f"{struct}: {messages}") from error

    return Codec(encode, lambda attribute: cls.read(str(attribute)))


def _encode_flag(value: Any) -> Attribute:
    """A unit attribute, whose presence is what it says."""
    if not value:
        raise ShloError("a flag that does not hold is left out")
    return mlir.unit_attr()


def _text(attribute: Any) -> str:
    """What a string or symbol says.

    Raises:
        ConstraintError: its bytes are no text.
    """
    try:
        return str(attribute.value)
    except RuntimeError:  # the bindings': strings of MLIR are any bytes, those of Python are not
        raise ConstraintError(f"{attribute} is no text: its bytes are no UTF-8") from None


def _decode_config(attribute: Any) -> str | bytes | dict[str, Attribute]:
    """Text, bytes that are none, or a dictionary's attributes."""
    if not hasattr(attribute, "value_bytes"):
        return {named.name: named.attr for named in attribute}
    raw = bytes(attribute.value_bytes)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


_BY_ANNOTATION: dict[Any, Codec] = {
    bool: Codec(lambda v: mlir.bool_attr(_as(bool, v)), lambda a: bool(a.value)),
    Flag: Codec(_encode_flag, lambda attribute: True),
    str: Codec(lambda v: mlir.string_attr(_as(str, v)), _text),
    int: _integer(64),
    I32: _integer(32),
    F32: Codec(
        lambda v: mlir.float_attr(_as_float(v), mlir.parse_type("f32")),
        lambda a: float(a.value),
    ),
    Symbol: Codec(lambda v: mlir.symbol_attr(_as(str, v)), lambda a: FunctionSymbol(_text(a))),
    Symbols: Codec(
        lambda names: mlir.array_attr(
            mlir.symbol_attr(_as(str, name)) for name in as_sequence(names, "names")
        ),
        lambda attribute: [_text(item) for item in attribute],
    ),
    Elements: Codec(lambda v: dtypes.to_attribute(np.asarray(v)), dtypes.from_attribute),
    Number: Codec(_encode_number, _decode_number),
    I64Matrix: Codec(_encode_matrix, _groups.rows),
    Sequence[int]: Codec(lambda v: mlir.i64_array_attr(_as_ints(v)), lambda a: tuple(a)),
    Sequence[bool]: Codec(
        lambda v: mlir.bool_array_attr([_as(bool, item) for item in as_sequence(v, "flags")]),
        lambda a: tuple(a),
    ),
    Mapping[str, Any]: Codec(_encode_mapping, lambda a: {n.name: n.attr for n in a}),
    str | bytes | Mapping[str, Any]: Codec(_encode_config, _decode_config),
}


def codec(annotation: Any) -> Codec:
    """The codec for a parameter annotated so."""
    form = _BY_ANNOTATION.get(annotation)
    if form is not None:
        return form
    if isinstance(annotation, type) and issubclass(annotation, AttributeEnum):
        return _enum(annotation)
    if isinstance(annotation, type) and issubclass(annotation, AttributeStruct):
        return _struct(annotation)
    if get_origin(annotation) is Annotated:  # Annotated[ComparisonDirection, "chlo"]
        return _enum(*get_args(annotation))
    if get_origin(annotation) is not None:
        return _enums(codec(get_args(annotation)[0]))
    raise TypeError(f"no attribute is annotated {annotation!r}")


@dataclass(frozen=True)
class Struct:
    """A struct attribute whose fields are parameters of their own in Python.

    Attributes:
        attribute: the op's attribute name, for example ``dot_dimension_numbers``.
        mnemonic: its name in the dialect, for example ``dot``.
        fields: field name -> parameter name; values are ``int`` or a sequence of them.
        dialect: the dialect it belongs to.
    """

    attribute: str
    mnemonic: str
    fields: tuple[str, ...]
    dialect: str = "stablehlo"

    def encode(self, values: Mapping[str, Any]) -> Attribute:
        written = []
        for field in self.fields:
            value = values[field]
            if isinstance(value, int):
                written.append(f"{field} = {value}")
            elif value:
                written.append(f"{field} = {list(value)}")
        return mlir.parse_attribute(f"#{self.dialect}.{self.mnemonic}<{', '.join(written)}>")

    def decode(self, attribute: Any) -> dict[str, Any]:
        fields = _fields(str(attribute))
        return {field: fields[field] for field in self.fields if field in fields}


@lru_cache(maxsize=1024)
def _fields(text: str) -> dict[str, Any]:
    """The fields of a struct as it is spelled."""
    fields: list[tuple[str, str]] = re.findall(r"(\w+) = (\[[^\]]*\]|-?\d+)", text)
    return {name: _numbers(value) for name, value in fields}


def _numbers(text: str) -> Any:
    numbers = tuple(int(n) for n in re.findall(r"-?\d+", text))
    return numbers if text.startswith("[") else numbers[0]
