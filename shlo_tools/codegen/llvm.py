"""Code in the llvm dialect: values with operators, memory, calls, and loops as closures.

    code = Code(mlir.at_end(block), location)

    def double(number: Word) -> None:
        address = start + 4 * number
        code.store(code.load(address, F32) * 2.0, address)

    code.loop(count, double)

Operators work on vectors as on scalars, and take Python numbers: sizes that are known stay Python
numbers, and are computed with when the code is made. Loops are ``scf.for`` over i64, which stands
in functions of any dialect; ``TO_LLVM`` lowers what is not yet in the llvm dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Type, Value

I1, I32, I64, F32, F64, POINTER = "i1", "i32", "i64", "f32", "f64", "!llvm.ptr"
TO_LLVM = "convert-scf-to-cf,convert-arith-to-llvm,convert-cf-to-llvm"

_FLOATS = ("f16", "bf16", "f32", "f64")
_DYNAMIC_INDEX = -(1 << 31)  # in rawConstantIndices: the index is an operand
_INTEGER_PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5, "ult": 6, "ule": 7}
_FLOAT_PREDICATES = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}  # ordered; ne is not


def vector(lanes: int, element: str) -> str:
    """The type of a vector: ``vector<16xf32>``."""
    return f"vector<{lanes}x{element}>"


class Code(Build):
    """A builder of the llvm dialect, whose ops take words, too.

    There is one for a function: where it stands, the operators of all of its words emit ops.
    """

    def op(
        self,
        name: str,
        operands: Sequence[Any] = (),
        results: Sequence[Type] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: int = 0,
    ) -> Operation:
        values = [operand.value if isinstance(operand, Word) else operand for operand in operands]
        return super().op(name, values, results, attributes, regions)

    def emit(
        self, name: str, operands: Sequence[Any], type: str | Type, **attributes: Attribute
    ) -> Word:
        """An op with one result, as a word."""
        result = mlir.parse_type(type) if isinstance(type, str) else type
        return Word(self, self.value(name, operands, result, attributes))

    # --- numbers ----------------------------------------------------------------------------------
    def constant(self, number: float, type: str = I64) -> Word:
        """A number of a scalar type, or in every lane of a vector."""
        if type == I64:  # most of them
            attribute = mlir.i64_attr(int(number))
            return self.emit("llvm.mlir.constant", (), mlir.integer_type(64), value=attribute)
        lanes, element = _parts(type)
        of = mlir.parse_type(element)
        is_float = element in _FLOATS
        value = mlir.float_attr(number, of) if is_float else mlir.integer_attr(int(number), of)
        if lanes:
            value = mlir.splat_attr(mlir.parse_type(type), value)
        return self.emit("llvm.mlir.constant", (), type, value=value)

    def word(self, number: int | Word | Value) -> Word:
        """A number, or a value of any type, as a word; an index becomes an i64."""
        if isinstance(number, int):
            return self.constant(number)
        if isinstance(number, Word):
            return number
        if mlir.is_index(number.type):
            return self.emit("arith.index_cast", (number,), I64)
        return Word(self, number)

    def lanes(self, count: int, element: str = I32) -> Word:
        """0, 1, 2, ... in the lanes of a vector."""
        type = vector(count, element)
        value = mlir.parse_attribute(f"dense<{list(range(count))}> : {type}")
        return self.emit("llvm.mlir.constant", (), type, value=value)

    def splat(self, word: Word, lanes: int) -> Word:
        """A scalar in every lane of a vector."""
        type = vector(lanes, word.type)
        empty = self.emit("llvm.mlir.poison", (), type)
        first = self.emit("llvm.insertelement", (empty, word, self.constant(0, I32)), type)
        order = mlir.i32_array_attr([0] * lanes)
        return self.emit("llvm.shufflevector", (first, empty), type, mask=order)

    def select(self, condition: Word, then: Word, otherwise: Word) -> Word:
        """One of two words, lane by lane where the condition is a mask."""
        return self.emit("llvm.select", (condition, then, otherwise), then.type)

    # --- memory -----------------------------------------------------------------------------------
    def load(
        self, address: Word, type: str, *, mask: Word | None = None, volatile: bool = False
    ) -> Word:
        """The value at an address; 0 in lanes that ``mask`` leaves out, which are not read."""
        if mask is not None:
            align = mlir.integer_attr(_itemsize(type), mlir.integer_type(32))
            rest = self.constant(0, type)
            return self.emit("llvm.intr.masked.load", (address, mask, rest), type, alignment=align)
        return self.emit("llvm.load", (address,), type, **_access(type, volatile=volatile))

    def store(
        self, value: int | Word, address: Word, *, mask: Word | None = None, volatile: bool = False
    ) -> None:
        """Write a value to an address; lanes that ``mask`` leaves out are not written."""
        word = self.word(value)
        if mask is not None:
            align = mlir.integer_attr(_itemsize(word.type), mlir.integer_type(32))
            attributes: dict[str, Attribute] = {"alignment": align}
            self.op("llvm.intr.masked.store", (word, address, mask), (), attributes)
        else:
            access = _access(word.type, volatile=volatile)
            self.op("llvm.store", (word, address), (), access)

    def table(self, words: int) -> Word:
        """Memory on the stack for eight-byte words; never inside a loop."""
        attributes = {
            "elem_type": mlir.type_attr(mlir.parse_type(I64)),
            "alignment": mlir.i64_attr(8),
        }
        return self.emit("llvm.alloca", (self.constant(max(1, words)),), POINTER, **attributes)

    # --- control ----------------------------------------------------------------------------------
    def run(self, callee: str | Word, arguments: Sequence[Word]) -> None:
        """Call a function of the llvm dialect that returns nothing, by name or address."""
        operands, attributes = _call(callee, arguments)
        self.op("llvm.call", operands, (), attributes)

    def result_of(self, callee: str | Word, arguments: Sequence[Word], type: str) -> Word:
        """Call a function of the llvm dialect, by name or address; returns its result."""
        operands, attributes = _call(callee, arguments)
        return self.emit("llvm.call", operands, type, **attributes)

    def loop(
        self,
        stop: int | Word,
        body: Callable[..., Sequence[Word] | None],
        carried: Sequence[Word] = (),
        *,
        start: int | Word = 0,
        step: int | Word = 1,
    ) -> list[Word]:
        """Run ``body`` for ``start``, ``start + step``, ... below ``stop``.

        Args:
            body: takes the number as i64, and the words that are carried; returns those of
                the next round. It is run once, with this builder inside the loop.
            carried: what the first round gets.

        Returns:
            what the last round returned.
        """
        types = [word.value.type for word in carried]
        bounds = [self.word(number) for number in (start, stop, step)]
        op = self.op("scf.for", [*bounds, *carried], types, regions=1)
        block = mlir.block_in(op.regions[0], [bounds[0].value.type, *types], self.location)
        outside, self.at = self.at, mlir.at_end(block)
        number, *state = (Word(self, argument) for argument in block.arguments)
        self.op("scf.yield", body(number, *state) or ())
        self.at = outside
        return [Word(self, result) for result in op.results]


class Word:
    """A value of the llvm dialect; operators emit ops where its builder stands.

    Integers are signed. An address plus a number is that many bytes further; the difference of
    two addresses is a number.
    """

    __slots__ = ("code", "value")

    def __init__(self, code: Code, value: Value) -> None:
        self.code = code
        self.value = value

    @property
    def type(self) -> str:
        """The type as it is written."""
        return str(self.value.type)

    def __add__(self, other: float | Word) -> Word:
        if self.type == POINTER and not isinstance(other, float):
            return self._offset(other)
        return self._binary("add", other)

    def __sub__(self, other: float | Word) -> Word:
        if self.type == POINTER and isinstance(other, Word):
            start, end = (self.code.emit("llvm.ptrtoint", (w,), I64) for w in (other, self))
            return end - start
        return self._binary("sub", other)

    def __mul__(self, other: float | Word) -> Word:
        return self._binary("mul", other)

    def __truediv__(self, other: float | Word) -> Word:
        return self._binary("div", other)

    def __and__(self, other: int | Word) -> Word:
        return self._binary("and", other)

    def __or__(self, other: int | Word) -> Word:
        return self._binary("or", other)

    def __radd__(self, other: float) -> Word:
        return self + other

    def __rmul__(self, other: float) -> Word:
        return self * other

    def __rsub__(self, other: float) -> Word:
        return self._same(other) - self

    def __lt__(self, other: float | Word) -> Word:
        return self.compared("lt", other)

    def __le__(self, other: float | Word) -> Word:
        return self.compared("le", other)

    def __gt__(self, other: float | Word) -> Word:
        return self.compared("gt", other)

    def __ge__(self, other: float | Word) -> Word:
        return self.compared("ge", other)

    def compared(self, relation: str, other: float | Word) -> Word:
        """Whether a relation holds: ``eq``, ``ne``, ``lt``, ...; ``ult``, ``ule`` are unsigned."""
        lanes, element = _parts(self.type)
        is_float = element in _FLOATS
        predicates = _FLOAT_PREDICATES if is_float else _INTEGER_PREDICATES
        name = "llvm.fcmp" if is_float else "llvm.icmp"
        predicate = mlir.i64_attr(predicates[relation])
        operands, type = (self, self._same(other)), vector(lanes, I1) if lanes else I1
        return self.code.emit(name, operands, type, predicate=predicate)

    def largest(self, other: int | Word) -> Word:
        """The larger of two integers."""
        return self.code.emit("llvm.intr.smax", (self, self._same(other)), self.type)

    def smallest(self, other: int | Word) -> Word:
        """The smaller of two integers."""
        return self.code.emit("llvm.intr.smin", (self, self._same(other)), self.type)

    def truncated(self, type: str) -> Word:
        """An integer without its upper bits."""
        return self.code.emit("llvm.trunc", (self,), type)

    def multiplied_exactly(self, other: int | Word) -> tuple[Word, Word]:
        """The product of two unsigned integers, and whether it does not fit their type."""
        pair = f"!llvm.struct<({self.type}, {I1})>"
        operands = (self, self._same(other))
        product = self.code.emit("llvm.intr.umul.with.overflow", operands, pair)
        return product.member(0, self.type), product.member(1, I1)

    def member(self, number: int, type: str) -> Word:
        """A member of a struct."""
        position = mlir.i64_array_attr([number])
        return self.code.emit("llvm.extractvalue", (self,), type, position=position)

    def _same(self, other: float | Word) -> Word:
        return other if isinstance(other, Word) else self.code.constant(other, self.type)

    def _binary(self, name: str, other: float | Word) -> Word:
        is_float = _parts(self.type)[1] in _FLOATS
        prefix = "f" if is_float else "s" if name == "div" else ""
        return self.code.emit(f"llvm.{prefix}{name}", (self, self._same(other)), self.type)

    def _offset(self, distance: int | Word) -> Word:
        if isinstance(distance, int) and 0 <= distance < 1 << 31:  # static indices have 32 bits
            return self if distance == 0 else self._element([distance])
        return self._element([_DYNAMIC_INDEX], self.code.word(distance))

    def _element(self, static: Sequence[int], *indices: Word) -> Word:
        attributes = {
            "rawConstantIndices": mlir.i32_array_attr(static),
            "elem_type": mlir.type_attr(mlir.integer_type(8)),
        }
        return self.code.emit("llvm.getelementptr", (self, *indices), POINTER, **attributes)


# A size: a number where it is known when code is made.
Number = int | Word


# --- attributes and types -------------------------------------------------------------------------
def _parts(type: str) -> tuple[int, str]:
    """The number of lanes of a vector type, or 0, and the element type."""
    if not type.startswith("vector<"):
        return 0, type
    lanes, _, element = type[len("vector<") : -1].partition("x")
    return int(lanes), element


def _itemsize(type: str) -> int:
    element = _parts(type)[1]
    return 8 if element == POINTER else max(8, int(element.lstrip("bfi"))) // 8


def _access(type: str, *, volatile: bool) -> dict[str, Attribute]:
    """The attributes of a load or a store; a vector is aligned as its elements are."""
    attributes: dict[str, Attribute] = {"ordering": mlir.i64_attr(0)}
    if _parts(type)[0]:
        attributes["alignment"] = mlir.i64_attr(_itemsize(type))
    if volatile:
        attributes["volatile_"] = mlir.unit_attr()
    return attributes


def _call(callee: str | Word, arguments: Sequence[Word]) -> tuple[list[Word], dict[str, Attribute]]:
    """The operands and attributes of a call."""
    operands = [*([] if isinstance(callee, str) else [callee]), *arguments]
    attributes = {
        "operandSegmentSizes": mlir.i32_array_attr([len(operands), 0]),
        "op_bundle_sizes": mlir.i32_array_attr([]),
    }
    if isinstance(callee, str):
        attributes["callee"] = mlir.symbol_attr(callee)
    return operands, attributes
