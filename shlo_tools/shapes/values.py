"""What is known of values, one by one: their types and, of small integer tensors, their elements.

The tables are keyed by ``hash(value)``, which is where the value is in memory, and so its identity:
a table of values themselves compares wrappers, which costs more than everything else here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shlo_tools.dims import Dim
from shlo_tools.mlir import Type, Value
from shlo_tools.shapes import types
from shlo_tools.types import ValueType

Contents = tuple[Dim, ...]


def listed(values: Sequence[Value]) -> Sequence[Value]:
    """The operands or results of an op; the end of a list costs the bindings an exception."""
    count = len(values)
    if count == 1:
        return (values[0],)
    return (values[0], values[1]) if count == 2 else list(values)


class Values:
    """Types and elements of values."""

    def __init__(self) -> None:
        self._static: dict[int, ValueType] = {}  # as declared: there is no more to know
        self._types: dict[int, ValueType] = {}  # of the others
        self._values: dict[int, Value] = {}  # that have them
        self._contents: dict[int, Contents | None] = {}
        self._declared: dict[int, types.Declared] = {}
        self._interned: dict[ValueType, ValueType] = {}

    def type(self, value: Value) -> ValueType:
        """The type of a value; sizes that nothing tells are symbols."""
        address = hash(value)
        known_type = self._static.get(address) or self._types.get(address)
        if known_type is None:
            known_type, is_static, _ = self.declaration(value)
            if is_static:
                self._static[address] = known_type
            else:
                known_type = self._set_type(value, self.interned(types.named(known_type, value)))
        return known_type

    def _set_type(self, value: Value, type: ValueType) -> ValueType:
        address = hash(value)
        self._types[address] = type
        self._values[address] = value
        return type

    def declared(self, value: Value) -> ValueType:
        """What a value's MLIR type says."""
        return self.declaration(value).type

    def is_static(self, value: Value) -> bool:
        """Whether nothing in a value's MLIR type is unknown."""
        return self.declaration(value).is_static

    def is_followed(self, value: Value) -> bool:
        """Whether a value may be a small integer tensor."""
        return self.declaration(value).is_followed

    def declaration(self, value: Value) -> types.Declared:
        """What a value's MLIR type says, read once for each type."""
        type: Type = value.type
        declared = self._declared.get(hash(type))
        if declared is None:
            plain = types.declared(type)
            declared = plain._replace(type=self.interned(plain.type))
            self._declared[hash(type)] = declared
        return declared

    def interned(self, type: ValueType) -> ValueType:
        """One object for equal types, so that ops of equal types are known to be alike."""
        return self._interned.setdefault(type, type)

    def bind_contents(self, value: Value, elements: Sequence[Dim]) -> None:
        """Say what the elements of a small integer tensor are."""
        self._contents[hash(value)] = tuple(elements)

    def forget(self, values: Iterable[Value]) -> None:
        """Forget what was found of values, which are to be visited again."""
        for value in values:
            address = hash(value)
            self._contents.pop(address, None)
            self._types.pop(address, None)
            self._values.pop(address, None)

    def moved(self, old: Value, new: Value) -> None:
        """Know of a value what was known of another, which it replaces."""
        before, after = hash(old), hash(new)
        for address in (before, after):  # one may be where something else was before it was erased
            self._static.pop(address, None)
        if before in self._types:
            self._set_type(new, self._types.pop(before))
            del self._values[before]
        if before in self._contents:
            self._contents[after] = self._contents.pop(before)

    def refined(self) -> Iterable[tuple[Value, ValueType]]:
        """The values whose MLIR types may say less than what is known."""
        return zip(self._values.values(), self._types.values(), strict=True)
