"""Functions of the llvm dialect, written from Python: values with operators, loops as closures.

    f = Function("scale", [POINTER, I64])
    x, n = f.arguments
    f.loop(0, n, 16, lambda i: f.store(f.load(x.at(i, F32), F32.vector(16)) * 2.0, x.at(i, F32)))

The text is what MLIR parses: that is several times cheaper than building ops one by one. What is
written is what the processor runs (there is no optimiser behind), so nothing here is computed
twice and every constant stands once, in front.
"""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import ml_dtypes
import numpy as np

from shlo_tools.codegen import target
from shlo_tools.codegen.number_table import LINE, NumberTable
from shlo_tools.dims import Size

ADDRESSES = "addresses"  # in a module of kernels: the table of their addresses

Carry = Sequence["Value"]
Line = str | list["Line"]  # an instruction, or some that were put in front of a loop
Blocks = tuple[str, ...]  # those that have run wherever the last one runs


class Type(NamedTuple):
    """A scalar (``lanes`` 0) or a vector of an LLVM type."""

    element: str
    lanes: int = 0

    def __str__(self) -> str:
        return _spelled(self)

    def vector(self, lanes: int) -> Type:
        """A vector of this scalar."""
        return Type(self.element, lanes)

    @property
    def scalar(self) -> Type:
        return Type(self.element)

    def of(self, element: str) -> Type:
        """As many lanes of another element."""
        return Type(element, self.lanes)

    @property
    def is_float(self) -> bool:
        return self.element[0] in "fb"

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return _bits(self.element)

    @property
    def bytes(self) -> int:
        """Bytes of an element in memory."""
        return (self.bits + 7) // 8


@cache
def _bits(element: str) -> int:
    return 64 if element == "ptr" else int(element.lstrip("bfi"))


@cache
def _spelled(type: Type) -> str:
    element = "!llvm.ptr" if type.element == "ptr" else type.element
    return f"vector<{type.lanes}x{element}>" if type.lanes else element


I1, I8, I16, I32, I64 = (Type(f"i{bits}") for bits in (1, 8, 16, 32, 64))
F16, BF16, F32, F64 = Type("f16"), Type("bf16"), Type("f32"), Type("f64")
POINTER = Type("ptr")

_NAME = re.compile(r"%\w+")
_FIRST = "first"  # the block of what runs before everything
_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_SCALARS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
_SIGNED = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
_ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}


class Value:
    """A value of a function under construction; operators emit instructions.

    ``//`` and ``%`` are signed and truncate, ``>>`` is logical; ``==`` builds a comparison.
    Python numbers become constants of the value's type.

    Attributes:
        wide: of a float of 16 bits, or of its bits: the same number in f32, where there is one.
    """

    __slots__ = ("function", "name", "type", "wide")
    __hash__ = object.__hash__

    def __init__(self, function: Function, name: str, type: Type) -> None:
        self.function, self.name, self.type = function, name, type
        self.wide: Value | None = None

    @property
    def is_constant(self) -> bool:
        """Whether it is known here: a number, or a vector of some."""
        return self.name[1] == "c"

    def _with(self, other: Value | float, integer: str, floating: str) -> Value:
        f = self.function
        is_shift = integer in _SHIFTS
        operand = f.immediate(other, self.type) if is_shift else f.constant(other, self.type)
        if self.type.is_float:
            return f.op(floating, self, operand)
        return f.folded(integer, self, operand) or f.op(integer, self, operand)

    def __add__(self, other: Value | float) -> Value:
        if isinstance(other, int) and other == 0:
            return self
        total = self._with(other, "add", "fadd")
        if self.type == I64 and isinstance(other, int) and other > 0:
            self.function.note_less(self, total)
        return total

    __radd__ = __add__

    def __sub__(self, other: Value | float) -> Value:
        if isinstance(other, int) and other == 0:
            return self
        return self._with(other, "sub", "fsub")

    def __rsub__(self, other: float) -> Value:
        return self.function.constant(other, self.type) - self

    def __mul__(self, other: Value | float) -> Value:
        if isinstance(other, int) and other == 1:
            return self
        return self._with(other, "mul", "fmul")

    __rmul__ = __mul__

    def __truediv__(self, other: Value | float) -> Value:
        return self._with(other, "sdiv", "fdiv")

    def __rtruediv__(self, other: float) -> Value:
        return self.function.constant(other, self.type) / self

    def __floordiv__(self, other: Value | int) -> Value:
        if isinstance(other, int) and other == 1:
            return self
        return self._with(other, "sdiv", "fdiv")

    def __mod__(self, other: Value | int) -> Value:
        return self._with(other, "srem", "frem")

    def __and__(self, other: Value | int) -> Value:
        if isinstance(other, Value) and self.type.element == "i1":
            return self.function.both(self, other)
        return self._with(other, "and", "and")

    def __or__(self, other: Value | int) -> Value:
        return self._with(other, "or", "or")

    def __xor__(self, other: Value | int) -> Value:
        return self._with(other, "xor", "xor")

    def __lshift__(self, other: Value | int) -> Value:
        return self._with(other, "shl", "shl")

    def __rshift__(self, other: Value | int) -> Value:
        return self._with(other, "lshr", "lshr")

    def __neg__(self) -> Value:
        if self.type.is_float:
            return self.function.op("fneg", self)
        return self.function.constant(0, self.type) - self

    def __invert__(self) -> Value:
        return self ^ (1 if self.type.element == "i1" else -1)

    def _compared(self, sign: str, other: Value | float) -> Value:
        predicate = (_ORDERED if self.type.is_float else _SIGNED)[sign]
        return self.compare(predicate, other)

    def compare(self, predicate: str, other: Value | float) -> Value:
        """``icmp`` or ``fcmp`` by LLVM's name of the predicate."""
        f, other = self.function, self.function.constant(other, self.type)
        if predicate in ("eq", "ne") and not self.type.is_float:
            numbers = f.integer_of(self), f.integer_of(other)
            if None not in numbers:
                is_equal = numbers[0] == numbers[1]
                return f.constant(is_equal == (predicate == "eq"), self.type.of("i1"))
        name = "fcmp" if self.type.is_float else "icmp"
        return f.pure(
            f'llvm.{name} "{predicate}" {self.name}, {other.name} : {self.type}', self.type.of("i1")
        )

    def __lt__(self, other: Value | float) -> Value:
        return self._compared("<", other)

    def __le__(self, other: Value | float) -> Value:
        return self._compared("<=", other)

    def __gt__(self, other: Value | float) -> Value:
        return self._compared(">", other)

    def __ge__(self, other: Value | float) -> Value:
        return self._compared(">=", other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._compared("==", other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._compared("!=", other)  # type: ignore[arg-type]

    def at(self, index: Value | int | Size, element: Type = I8) -> Value:
        """The address ``index`` elements behind this one; bytes by default."""
        if isinstance(index, Size):
            index = self.function.constant(index, I64)
        if isinstance(index, Value):
            number = self.function.number_of(index)
            index = index if number is None else number
        if isinstance(index, int) and abs(index) >= 1 << 30:
            index = self.function.constant(index, I64)  # more than an immediate holds
        if isinstance(index, int):
            if index == 0:
                return self
            place, types = str(index), "!llvm.ptr"
        else:
            place, types = index.name, f"!llvm.ptr, {index.type}"
        text = f"llvm.getelementptr {self.name}[{place}] : ({types}) -> !llvm.ptr, {element}"
        return self.function.pure(text, POINTER)

    def to(self, how: str, element: str | Type) -> Value:
        """A cast by LLVM's name (``sitofp``, ``trunc``, ``bitcast``, also to other lanes, ...)."""
        type = element if isinstance(element, Type) else self.type.of(element)
        if type == self.type:
            return self
        return self.function.pure(f"llvm.{how} {self.name} : {self.type} to {type}", type)


class Function:
    """One function of the llvm dialect under construction.

    Attributes:
        arguments: its arguments.
        result: set to what it returns, where it has a result type.
        words: of its context (the first argument), from ``first_word`` on: sizes, and what else
            callers have asked for; what each is by what it stands for.
        is_general: whether it says nothing of the program that it was written for.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[Type] = (),
        returns: Type | None = None,
        *,
        exported: bool = True,
    ) -> None:
        self.name = name
        self.arguments = [Value(self, f"%a{i}", type) for i, type in enumerate(arguments)]
        self.returns = returns
        self.result: Value | None = None
        self.exported = exported
        self.is_general = False
        self.lines: list[Line] = []
        # For each loop around: what runs just before it, and the blocks around that.
        self.loops: list[tuple[list[Line], Blocks]] = []
        self.callees: dict[str, str] = {}
        self.words: dict[Hashable, Value] = {}
        self.first_word: int | None = None
        self._constants: dict[tuple[str, Type], tuple[str, str]] = {}
        self._literals: list[tuple[str, Type]] = []  # of constants, as they are numbered
        self._first_lines: list[Line] = []
        self._blocks: Blocks = (_FIRST, "body")
        self._pure: dict[str, tuple[Value, str]] = {}  # by their text, and the block of each
        self._texts: dict[str, str] = {}  # of these, by their names
        self._unknown: set[str] = set()  # names of values that are not made of constants alone
        self._less: dict[str, str] = {}  # what some values are more than, by their names
        self._wide_sizes: dict[tuple[Size, Type], Value] = {}
        self._numbers = NumberTable(name)
        self._reads_numbers = False
        self._numbered = 0

    # --- instructions -----------------------------------------------------------------------------
    def emit(self, text: str, type: Type) -> Value:
        """An instruction with a result."""
        self._numbered += 1
        name = f"%v{self._numbered}"
        self.lines.append(f"{name} = {text}")
        return Value(self, name, type)

    def pure(self, text: str, type: Type) -> Value:
        """An instruction that does nothing but compute; one that has run need not run again."""
        known = self._pure.get(text)
        if known is not None and known[1] in self._blocks:
            return known[0]
        value = self.emit(text, type)
        self._pure[text] = value, self._blocks[-1]
        self._texts[value.name] = text
        return value

    def _is_known(self, value: Value) -> bool:
        """Whether LLVM can tell a value: it is made of constants and of nothing else."""
        stack, visited = [value.name], set[str]()
        while stack:
            name = stack.pop()
            if name[1] == "c" or name in visited:
                continue
            visited.add(name)
            text = self._texts.get(name)
            if text is None or name in self._unknown:
                self._unknown.add(value.name)
                return False
            stack += _NAME.findall(text)
        return True

    def both(self, a: Value, b: Value) -> Value:
        """Where two masks hold; LLVM knows none of the lanes, or all of them."""
        if a.type.lanes and not target.host().masks:
            known = [self._is_known(mask) for mask in (a, b)]
            if known[0] != known[1]:
                a, b = self._hidden(a) if known[0] else a, self._hidden(b) if known[1] else b
        return self.op("and", a, b)

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(text)

    def op(self, name: str, *operands: Value) -> Value:
        """An instruction whose result has the type of its operands."""
        type = operands[0].type
        return self.pure(f"llvm.{name} {', '.join(o.name for o in operands)} : {type}", type)

    def intrinsic(self, name: str, *operands: Value, type: Type | None = None) -> Value:
        """An intrinsic that computes; its result has the first operand's type by default."""
        type = type or operands[0].type
        names, types = ", ".join(o.name for o in operands), ", ".join(str(o.type) for o in operands)
        return self.pure(f"llvm.intr.{name}({names}) : ({types}) -> {type}", type)

    def constant(self, value: Value | float | Sequence[float] | Size, type: Type = I64) -> Value:
        """A constant, splat where ``type`` is a vector; a Value is returned as it is.

        A ``Size`` is read from the context, in front of everything.
        """
        if isinstance(value, Value):
            return value
        if isinstance(value, Size):
            return self._size(value, type)
        if self._reads_numbers and type.lanes and type != I1.vector(type.lanes) and value != 0:
            return self._read_number(value, type)
        return self._constant(_literal(value, type), type)

    def _constant(self, literal: str, type: Type) -> Value:
        key = (literal, type)
        known = self._constants.get(key)
        if known is None:
            typed = literal if type == I1 else f"{literal} : {type}"
            name = f"%c{len(self._constants)}"
            known = self._constants[key] = name, f"llvm.mlir.constant({typed}) : {type}"
            self._literals.append(key)
        return Value(self, known[0], type)

    def immediate(self, value: Value | float, type: Type) -> Value:
        """A constant that is part of an instruction, such as how far it shifts."""
        if isinstance(value, Value):
            return value
        return self._constant(_literal(value, type), type)

    @contextmanager
    def reading_numbers(self) -> Iterator[None]:
        """Constant vectors, but 0, are read from a table of the function."""
        before, self._reads_numbers = self._reads_numbers, True
        try:
            yield
        finally:
            self._reads_numbers = before

    def _read_number(self, value: float | Sequence[float], type: Type) -> Value:
        """What an operand in memory may be: one number for all lanes, or those of a line."""
        if isinstance(value, Sequence):
            entry, data = type, b"".join(_bytes(number, type.element) for number in value)
        else:
            lanes = 0 if target.host().broadcasts else min(type.lanes, LINE // type.bytes)
            entry, data = type.scalar.vector(lanes), _bytes(value, type.element) * max(1, lanes)
        place, align = self._numbers.place(data), min(LINE, len(data))
        flags = f"invariant {{alignment = {align} : i64}}"
        address = self._number_table().at(place).name
        number = self.pure(f"llvm.load {address} {flags} : !llvm.ptr -> {entry}", entry)
        if entry == type:
            return number
        if not entry.lanes:
            return self.broadcast(number, type.lanes)
        return self.shuffle(number, number, [k % entry.lanes for k in range(type.lanes)])

    def _number_table(self) -> Value:
        """The table's address, read in front of everything; LLVM looks into no volatile load."""
        with self._at(self._first_lines, (_FIRST,), self.loops):
            text = f"llvm.mlir.addressof @{self._numbers.address} : !llvm.ptr"
            holder = self.pure(text, POINTER)
            text = f"llvm.load volatile {holder.name} : !llvm.ptr -> !llvm.ptr"
            return self.pure(text, POINTER)

    def number_of(self, value: Value) -> int | None:
        """The number that a constant index is; None for any other value."""
        if not value.is_constant or value.type.element != "i64" or value.type.lanes:
            return None
        return int(self._literals[int(value.name[2:])][0])

    def integer_of(self, value: Value) -> int | None:
        """The integer that a constant holds, in every lane; None for any other value."""
        if not value.is_constant or value.type.is_float:
            return None
        literal = self._spelled(value)
        return int(literal) if literal.lstrip("-").isdigit() else None

    def _spelled(self, constant: Value) -> str:
        """How a constant's number is written, or the list of its lanes'."""
        literal, _ = self._literals[int(constant.name[2:])]
        return literal.removeprefix("dense<").removesuffix(">")

    def leading_lanes(self, mask: Value) -> int | None:
        """How many lanes a constant mask begins with, and has no others; None for any other."""
        if not mask.is_constant:
            return None
        lanes = self._lanes_of(mask)
        leading = lanes.count("true")
        return None if "false" in lanes[:leading] else leading

    def _integers_of(self, value: Value) -> list[int] | None:
        """The lanes of a constant vector of 64-bit integers; None for any other value."""
        if not value.is_constant or value.type.element != "i64" or not value.type.lanes:
            return None
        return [int(number) for number in self._lanes_of(value)]

    def _lanes_of(self, constant: Value) -> list[str]:
        """How the lanes of a constant vector are written."""
        lanes = self._spelled(constant).strip("[]").split(", ")
        return lanes * (constant.type.lanes // len(lanes))

    def folded(self, name: str, a: Value, b: Value) -> Value | None:
        """What an instruction makes of indices, where no instruction is needed for it."""
        if not b.is_constant or name not in _FOLDED:
            return None
        if b.type.lanes:
            lefts, rights = self._integers_of(a), self._integers_of(b)
            if lefts is None or rights is None:
                return None
            numbers = tuple(map(_FOLDED[name], lefts, rights))
            fit = all(abs(number) < 1 << 63 for number in numbers)
            return self.constant(numbers, a.type) if fit else None
        right = self.number_of(b)
        if right is None:
            return None
        if right == (1 if name == "mul" else 0):
            return a
        left = self.number_of(a)
        if left is None:
            return None
        number = _FOLDED[name](left, right)
        return self.constant(number) if abs(number) < 1 << 63 else None

    def context_word(self, key: Hashable, type: Type) -> Value:
        """A word of the context, read in front of everything; what it holds its caller says."""
        if self.first_word is None:
            raise RuntimeError(f"{self.name} has no context")
        if key not in self.words:
            with self._at(self._first_lines, (_FIRST,), self.loops):
                place = self.arguments[0].at(8 * (self.first_word + len(self.words)))
                self.words[key] = self.load(place, type)
        return self.words[key]

    def _size(self, size: Size, type: Type) -> Value:
        if (size, type) not in self._wide_sizes:
            word = self.context_word(size, I64)
            with self._at(self._first_lines, (_FIRST,), self.loops):
                value = word.to("trunc", type.element)
                value = self.broadcast(value, type.lanes) if type.lanes else value
                self._wide_sizes[size, type] = value
        return self._wide_sizes[size, type]

    def zero(self, type: Type) -> Value:
        return self.constant(0.0 if type.is_float else 0, type)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        return self.intrinsic("fma", a, b, c)

    def minimum(self, a: Value, b: Value | int) -> Value:
        """Signed minimum of integers."""
        return self.intrinsic("smin", a, self.constant(b, a.type))

    def maximum(self, a: Value, b: Value | int) -> Value:
        """Signed maximum of integers."""
        return self.intrinsic("smax", a, self.constant(b, a.type))

    def select(self, condition: Value, on_true: Value, on_false: Value | float) -> Value:
        other = self.constant(on_false, on_true.type)
        if condition.is_constant and (known := self._spelled(condition)) in ("true", "false"):
            return on_true if known == "true" else other
        text = f"llvm.select {condition.name}, {on_true.name}, {other.name}"
        return self.pure(f"{text} : {condition.type}, {on_true.type}", on_true.type)

    def leading_zeros(self, value: Value) -> Value:
        """Bits above the highest one; all of them for zero."""
        text = f'"llvm.intr.ctlz"({value.name}) <{{is_zero_poison = false}}>'
        return self.pure(f"{text} : ({value.type}) -> {value.type}", value.type)

    # --- vectors ----------------------------------------------------------------------------------
    def broadcast(self, scalar: Value, lanes: int) -> Value:
        """A vector of one scalar."""
        type = scalar.type.vector(lanes)
        if scalar.is_constant:
            literal, _ = self._literals[int(scalar.name[2:])]
            return self._constant(f"dense<{literal}>", type)
        undefined = self.pure(f"llvm.mlir.poison : {type}", type)
        zero = self.constant(0, I32)
        text = f"llvm.insertelement {scalar.name}, {undefined.name}[{zero.name} : i32] : {type}"
        first = self.pure(text, type)
        return self.shuffle(first, undefined, [0] * lanes)

    def shuffle(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
        """Lanes of ``a`` and ``b``, counted through both."""
        text = f"llvm.shufflevector {a.name}, {b.name} [{', '.join(map(str, lanes))}] : {a.type}"
        return self.pure(text, a.type.scalar.vector(len(lanes)))

    def extract(self, vector: Value, lane: int) -> Value:
        place = self.constant(lane, I32)
        text = f"llvm.extractelement {vector.name}[{place.name} : i32] : {vector.type}"
        return self.pure(text, vector.type.scalar)

    def extract_at(self, vector: Value, lane: Value) -> Value:
        """The lane of a number that run time tells."""
        text = f"llvm.extractelement {vector.name}[{lane.name} : {lane.type}] : {vector.type}"
        return self.pure(text, vector.type.scalar)

    def insert_at(self, vector: Value, scalar: Value, lane: Value) -> Value:
        """A vector with a scalar in the lane of a number that run time tells."""
        place = f"{vector.name}[{lane.name} : {lane.type}]"
        text = f"llvm.insertelement {scalar.name}, {place} : {vector.type}"
        return self.pure(text, vector.type)

    def compressed(self, vector: Value, mask: Value) -> Value:
        """The masked lanes of a register, in order, as its first ones; the others hold anything.

        For targets that have it as an instruction.
        """
        other = self.pure(f"llvm.mlir.poison : {vector.type}", vector.type)
        operands = (vector, mask, other)
        names, types = (", ".join(str(getattr(o, a)) for o in operands) for a in ("name", "type"))
        return self.emit(
            f'llvm.call_intrinsic "llvm.experimental.vector.compress"({names})'
            f" : ({types}) -> {vector.type}",
            vector.type,
        )

    def lanes_set(self, mask: Value) -> Value:
        """How many lanes of a mask are set, as i64."""
        word = mask.to("bitcast", Type(f"i{mask.type.lanes}"))
        return self.intrinsic("ctpop", word).to("zext", "i64")

    def lane_numbers(self, type: Type) -> Value:
        """0, 1, 2, ... as a vector of integers."""
        return self.constant(tuple(range(type.lanes)), type)

    def mask_below(self, count: Value, lanes: int, first: int = 0) -> Value:
        """Lanes whose number, counted from ``first``, is below a scalar i64 ``count``."""
        known = self.number_of(count)
        if known is not None:
            below = tuple(number < known for number in range(first, first + lanes))
            return self.constant(below, I1.vector(lanes))
        numbers = self.constant(tuple(range(first, first + lanes)), I32.vector(lanes))
        most = self.maximum(self.minimum(count, first + lanes), 0).to("trunc", "i32")
        return numbers < self.broadcast(most, lanes)

    def _hidden(self, mask: Value) -> Value:
        """A mask that is made of constants, to stand beside others, as LLVM does not know it.

        Without mask registers it takes lanes of masks that are known to be off, and that nobody
        reads, for lanes that are on, and loads whole vectors, which may end behind an array.
        """
        place = next((argument for argument in self.arguments if argument.type == POINTER), None)
        if place is None:
            return mask
        nothing = (place.to("ptrtoint", "i64") >> 63).to("trunc", "i32")
        return (mask.to("sext", "i32") + self.broadcast(nothing, mask.type.lanes)).compare("ne", 0)

    def sum_of_lanes(self, vector: Value) -> Value:
        """The sum of a vector's lanes; floats in a tree's order."""
        scalar = vector.type.scalar
        if not scalar.is_float:
            return self.reduce("add", vector)
        start = self.constant(-0.0, scalar)
        attributes = "<{fastmathFlags = #llvm.fastmath<reassoc>}>"
        return self.pure(
            f'"llvm.intr.vector.reduce.fadd"({start.name}, {vector.name}) {attributes}'
            f" : ({scalar}, {vector.type}) -> {scalar}",
            scalar,
        )

    def reduce(self, kind: str, vector: Value) -> Value:
        """LLVM's horizontal reduction of a name (``add``, ``smax``, ``fmaximum``, ``or``, ...)."""
        scalar = vector.type.scalar
        text = f'"llvm.intr.vector.reduce.{kind}"({vector.name}) : ({vector.type}) -> {scalar}'
        return self.pure(text, scalar)

    # --- memory -----------------------------------------------------------------------------------
    def load(self, address: Value, type: Type, align: int = 0, *, streaming: bool = False) -> Value:
        """Load a scalar or a vector; elements are aligned at least to their size."""
        flags = f"alignment = {align or type.bytes} : i64" + (", nontemporal" if streaming else "")
        return self.emit(f"llvm.load {address.name} {{{flags}}} : !llvm.ptr -> {type}", type)

    def store(
        self, value: Value, address: Value, align: int = 0, *, streaming: bool = False
    ) -> None:
        flags = f"alignment = {align or value.type.bytes} : i64" + (
            ", nontemporal" if streaming else ""
        )
        self.do(f"llvm.store {value.name}, {address.name} {{{flags}}} : {value.type}, !llvm.ptr")

    def prefetch(self, address: Value) -> None:
        """Ask for a line of memory that is to be read soon; it need not exist."""
        self.do(
            f'"llvm.intr.prefetch"({address.name}) '
            "<{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()"
        )

    def load_masked(self, address: Value, mask: Value | None, type: Type) -> Value:
        """A vector of which only masked lanes are read, or all; the others are zero."""
        if mask is None:
            return self.load(address, type)
        other = self.zero(type)
        align = f"{{alignment = {type.bytes} : i32}}"
        return self.emit(
            f"llvm.intr.masked.load {address.name}, {mask.name}, {other.name} {align}"
            f" : (!llvm.ptr, {mask.type}, {type}) -> {type}",
            type,
        )

    def store_masked(self, value: Value, address: Value, mask: Value | None) -> None:
        """Store masked lanes, or all."""
        if mask is None:
            self.store(value, address)
            return
        align = f"{{alignment = {value.type.bytes} : i32}}"
        self.do(
            f"llvm.intr.masked.store {value.name}, {address.name}, {mask.name} {align}"
            f" : {value.type}, {mask.type} into !llvm.ptr"
        )

    def gather(self, base: Value, offsets: Value, mask: Value, type: Type) -> Value:
        """Lanes at ``base`` + ``offsets`` bytes (a vector of i64); unmasked lanes are zero."""
        if type.bits < 32:
            return self._gather_narrow(base, offsets, mask, type)
        addresses = Type("ptr", type.lanes)
        where = self.pure(
            f"llvm.getelementptr {base.name}[{offsets.name}]"
            f" : (!llvm.ptr, {offsets.type}) -> {addresses}, i8",
            addresses,
        )
        other = self.zero(type)
        align = f"{{alignment = {type.bytes} : i32}}"
        return self.emit(
            f"llvm.intr.masked.gather {where.name}, {mask.name}, {other.name} {align}"
            f" : ({addresses}, {mask.type}, {type}) -> {type}",
            type,
        )

    def _gather_narrow(self, base: Value, offsets: Value, mask: Value, type: Type) -> Value:
        """Lanes of one or two bytes: of the aligned word around each, which is in its page."""
        start = self.broadcast(base.to("ptrtoint", "i64"), type.lanes)
        inside = (start + offsets) & 3
        words = self.gather(base, offsets - inside, mask, I32.vector(type.lanes))
        lowest = words >> (inside << 3).to("trunc", "i32")
        return lowest.to("trunc", f"i{type.bits}").to("bitcast", type.element)

    def scatter(self, value: Value, base: Value, offsets: Value, mask: Value) -> None:
        """Masked lanes to ``base`` + ``offsets`` bytes (a vector of i64)."""
        addresses = Type("ptr", value.type.lanes)
        where = self.pure(
            f"llvm.getelementptr {base.name}[{offsets.name}]"
            f" : (!llvm.ptr, {offsets.type}) -> {addresses}, i8",
            addresses,
        )
        align = f"{{alignment = {value.type.bytes} : i32}}"
        self.do(
            f"llvm.intr.masked.scatter {value.name}, {where.name}, {mask.name} {align}"
            f" : {value.type}, {mask.type} into {addresses}"
        )

    def copy(self, target: Value, source: Value, count: Value | int) -> None:
        """Copy bytes; the two may not overlap."""
        count = self.constant(count)
        self.do(
            f'"llvm.intr.memcpy"({target.name}, {source.name}, {count.name})'
            " <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()"
        )

    def load_atomic(self, address: Value) -> Value:
        """An i64, sequentially consistent."""
        flags = "{alignment = 8 : i64}"
        text = f"llvm.load {address.name} atomic seq_cst {flags} : !llvm.ptr -> i64"
        return self.emit(text, I64)

    def store_atomic(self, value: Value | int, address: Value) -> None:
        """An i64, sequentially consistent."""
        value = self.constant(value)
        flags = "{alignment = 8 : i64}"
        self.do(f"llvm.store {value.name}, {address.name} atomic seq_cst {flags} : i64, !llvm.ptr")

    def add_atomic(self, address: Value, amount: int) -> Value:
        """Add to an i64; returns what it was."""
        number = self.constant(amount)
        text = f"llvm.atomicrmw add {address.name}, {number.name} seq_cst : !llvm.ptr, i64"
        return self.emit(text, I64)

    def exchange_atomic(self, address: Value, value: int) -> Value:
        """Write an i64; returns what it was."""
        number = self.constant(value)
        text = f"llvm.atomicrmw xchg {address.name}, {number.name} seq_cst : !llvm.ptr, i64"
        return self.emit(text, I64)

    def fence(self) -> None:
        """Let no access to memory move past this place, for which there is no instruction.

        LLVM compares loads that wait for the same store with each other, again and again: hundreds
        of them take minutes.
        """
        self.do('llvm.fence syncscope("singlethread") acq_rel')

    def pause(self) -> None:
        """Tell the processor that this is a waiting loop."""
        self.do(f'llvm.inline_asm has_side_effects "{target.host().pause}", "" : () -> ()')

    # --- functions --------------------------------------------------------------------------------
    def call(self, name: str, operands: Sequence[Value], type: Type) -> Value:
        """The result of a function called by name."""
        return self.emit(self._call(name, operands, type), type)

    def computed(self, name: str, operands: Sequence[Value], type: Type) -> Value:
        """The result of a function that does nothing but compute."""
        return self.pure(self._call(name, operands, type), type)

    def run(self, name: str, operands: Sequence[Value]) -> None:
        """Call a function without a result by name."""
        self.do(self._call(name, operands, None))

    def _call(self, name: str, operands: Sequence[Value], type: Type | None) -> str:
        types = ", ".join(str(o.type) for o in operands)
        self.callees.setdefault(name, f"({types})" + (f" -> {type}" if type else ""))
        names = ", ".join(o.name for o in operands)
        return f"llvm.call @{name}({names}) : ({types}) -> {type or '()'}"

    def call_address(self, address: Value, operands: Sequence[Value], type: Type) -> Value:
        """The result of the function at an address."""
        return self.emit(self._call_address(address, operands, type), type)

    def run_address(self, address: Value, operands: Sequence[Value]) -> None:
        """Call the function at an address, which has no result."""
        self.do(self._call_address(address, operands, None))

    def _call_address(self, address: Value, operands: Sequence[Value], type: Type | None) -> str:
        types = ", ".join(str(o.type) for o in operands)
        names = ", ".join(o.name for o in operands)
        return f"llvm.call {address.name}({names}) : !llvm.ptr, ({types}) -> {type or '()'}"

    def address_of(self, name: str, types: Sequence[Type] = ()) -> Value:
        """The address of a function, which returns nothing.

        Args:
            types: of its operands; where there are none, it is of the same module.
        """
        if types:
            self.callees.setdefault(name, f"({', '.join(map(str, types))})")
        return self.emit(f"llvm.mlir.addressof @{name} : !llvm.ptr", POINTER)

    # --- control flow -----------------------------------------------------------------------------
    def loop(
        self,
        start: Value | int,
        stop: Value | int,
        step: Value | int,
        body: Callable[..., Carry | Value | None],
        carry: Carry = (),
    ) -> list[Value]:
        """``for i in range(start, stop, step): carry = body(i, *carry)``; the last ``carry``.

        ``step`` is positive. Where both bounds are numbers, a loop of nothing emits nothing, and of
        one round there is no loop; whether there is a round is asked where that is not known.
        """
        start, stop, step = map(self._known, (start, stop, step))
        known = isinstance(start, int) and isinstance(stop, int)
        if known and start >= stop:
            return list(carry)
        if known and isinstance(step, int) and start + step >= stop:
            return self._once(self.constant(start), body, carry)
        mark = self._mark()
        first, last, stride = (self.constant(n) for n in (start, stop, step))
        is_any = None if known or self._less.get(last.name) == first.name else first < last
        before: list[Line] = []
        self.lines.append(before)
        counter = Value(self, f"%i{mark}", I64)
        inside = [Value(self, f"%l{mark}_{k}", v.type) for k, v in enumerate(carry)]
        after = [Value(self, f"%e{mark}_{k}", v.type) for k, v in enumerate(carry)]
        if is_any is None:
            self.do(f"llvm.br ^b{mark}{_passed([first, *carry])}")
        else:
            self._branch(is_any, f"b{mark}", [first, *carry], f"x{mark}", carry)
        self.lines.append(f"^b{mark}{_declared([counter, *inside])}:")
        with self._block(f"b{mark}", before):
            results = _as_list(body(counter, *inside))
            following = counter + stride
            self._branch(following < last, f"b{mark}", [following, *results], f"x{mark}", results)
        self.lines.append(f"^x{mark}{_declared(after)}:")
        return after

    def note_less(self, value: Value, other: Value) -> None:
        """An index is less than another one: loops from one to the other have a round."""
        self._less[other.name] = value.name

    def _known(self, value: Value | int) -> Value | int:
        """The number that a value is, if that is known."""
        number = self.number_of(value) if isinstance(value, Value) else value
        return value if number is None else number

    def _once(
        self, counter: Value, body: Callable[..., Carry | Value | None], carry: Carry
    ) -> list[Value]:
        """The only round of a loop."""
        before: list[Line] = []
        self.lines.append(before)
        with self._block(f"o{self._mark()}", before):
            return _as_list(body(counter, *carry))

    def before_loop(self, depth: int) -> AbstractContextManager[None]:
        """Emit in front of a loop around, the outermost one being number 0."""
        return self._at(*self.loops[depth], self.loops[:depth])

    def _block(self, name: str, before: list[Line] | None = None) -> AbstractContextManager[None]:
        """Emit where only some ways through the function lead.

        Args:
            before: what runs just before that, where it is a loop.
        """
        loops = self.loops if before is None else [*self.loops, (before, self._blocks)]
        return self._at(self.lines, (*self._blocks, name), loops)

    @contextmanager
    def _at(
        self, lines: list[Line], blocks: Blocks, loops: list[tuple[list[Line], Blocks]]
    ) -> Iterator[None]:
        """Emit to other lines, or in other blocks and loops."""
        place = self.lines, self._blocks, self.loops
        self.lines, self._blocks, self.loops = lines, blocks, loops
        try:
            yield
        finally:
            self.lines, self._blocks, self.loops = place

    def while_(
        self,
        condition: Callable[..., Value],
        body: Callable[..., Carry | Value | None],
        carry: Carry = (),
    ) -> list[Value]:
        """``while condition(*carry): carry = body(*carry)``; the last ``carry``."""
        mark = self._mark()
        inside = [Value(self, f"%w{mark}_{k}", v.type) for k, v in enumerate(carry)]
        self.do(f"llvm.br ^h{mark}{_passed(carry)}")
        self.lines.append(f"^h{mark}{_declared(inside)}:")
        with self._block(f"h{mark}"):
            self._branch(condition(*inside), f"b{mark}", [], f"x{mark}", [])
            self.lines.append(f"^b{mark}:")
            self.do(f"llvm.br ^h{mark}{_passed(_as_list(body(*inside)))}")
        self.lines.append(f"^x{mark}:")
        return inside

    def if_(
        self,
        condition: Value,
        then: Callable[[], Carry | Value | None],
        otherwise: Callable[[], Carry | Value | None] | None = None,
        *,
        is_rare: bool = False,
    ) -> list[Value]:
        """Branches; what both return, as many and of the same types.

        What is used behind both stays in registers where the condition ``is_rare``.
        """
        mark = self._mark()
        name = condition.name + (" weights([1, 1000])" if is_rare else "")
        self.do(f"llvm.cond_br {name}, ^t{mark}, ^{'f' if otherwise else 'j'}{mark}")
        self.lines.append(f"^t{mark}:")
        with self._block(f"t{mark}"):
            results = _as_list(then())
            self.do(f"llvm.br ^j{mark}{_passed(results)}")
        if otherwise:
            self.lines.append(f"^f{mark}:")
            with self._block(f"f{mark}"):
                self.do(f"llvm.br ^j{mark}{_passed(_as_list(otherwise()))}")
        joined = [Value(self, f"%j{mark}_{k}", v.type) for k, v in enumerate(results)]
        self.lines.append(f"^j{mark}{_declared(joined)}:")
        return joined

    def leave_if(self, condition: Value) -> None:
        """Return from a function without a result where a condition holds, which is rare."""
        mark = self._mark()
        self.do(f"llvm.cond_br {condition.name} weights([1, 1000]), ^l{mark}, ^g{mark}")
        self.lines.append(f"^l{mark}:")
        self.do("llvm.return")
        self.lines.append(f"^g{mark}:")

    def _mark(self) -> int:
        self._numbered += 1
        return self._numbered

    def _branch(
        self, condition: Value, then: str, passed_on: Carry, otherwise: str, others: Carry
    ) -> None:
        targets = f"^{then}{_passed(passed_on)}, ^{otherwise}{_passed(others)}"
        self.do(f"llvm.cond_br {condition.name}, {targets}")

    # --- text -------------------------------------------------------------------------------------
    @property
    def signature(self) -> str:
        types = ", ".join(str(argument.type) for argument in self.arguments)
        return f"({types})" + (f" -> {self.returns}" if self.returns else "")

    def text(self, features: Sequence[str] = ()) -> str:
        """The function, to which nothing is added any more; ``features`` hold it to a target."""
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        linkage = "" if self.exported else "internal "
        returns = f" -> {self.returns}" if self.returns else ""
        attributes: list[str] = []
        if any("vector" in signature for signature in self.callees.values()):
            # No vector stays in a register over a call: those on the stack would cross lines.
            attributes.append(f'passthrough = [["alignstack", "{LINE}"]]')
        if features:
            names = ", ".join(f'"{feature}"' for feature in features)
            attributes.append(f"target_features = #llvm.target_features<[{names}]>")
        kept = f" attributes {{{', '.join(attributes)}}}" if attributes else ""
        head = f"llvm.func {linkage}@{self.name}({arguments}){returns}{kept}"
        return f"{self._numbers.text()}{head} {{\n  {self._body}\n}}\n"

    @cached_property
    def _body(self) -> str:
        """What it does, which is asked for once that is written."""
        end = f"llvm.return {self.result.name} : {self.returns}" if self.result else "llvm.return"
        constants = [f"{name} = {text}" for name, text in self._constants.values()]
        first = _flat(self._first_lines)
        return "\n  ".join([*constants, *first, *_flat(self.lines), end])


def address_table(names: Iterable[str]) -> str:
    """A constant of a module, with the addresses of its functions; those need not be exported.

    One symbol is looked up instead of each: MLIR's engine makes another function for each that is
    exported, and LLVM takes as long for a function of three lines as for ten lines.
    """
    listed = list(names)
    type = f"!llvm.array<{len(listed)} x ptr>"
    lines = [f"%t0 = llvm.mlir.undef : {type}"]
    for place, name in enumerate(listed):
        lines.append(f"%a{place} = llvm.mlir.addressof @{name} : !llvm.ptr")
        lines.append(f"%t{place + 1} = llvm.insertvalue %a{place}, %t{place}[{place}] : {type}")
    body = "\n  ".join([*lines, f"llvm.return %t{len(listed)} : {type}"])
    return f"llvm.mlir.global external constant @{ADDRESSES}() : {type} {{\n  {body}\n}}\n"


def exporting_text(functions: Iterable[Function], features: Sequence[str] = ()) -> str:
    """A module of functions, and the table of the addresses of those that are exported.

    These are not any more, but for the table.
    """
    functions = list(functions)
    exported = [function for function in functions if function.exported]
    for function in exported:
        function.exported = False
    return module_text(functions, features) + address_table(f.name for f in exported)


def module_text(functions: Iterable[Function], features: Sequence[str] = ()) -> str:
    """A module of functions; those that they call and that are not among them are declared."""
    functions = list(functions)
    defined = {function.name for function in functions}
    external: dict[str, str] = {}
    for function in functions:
        external |= {n: s for n, s in function.callees.items() if n not in defined}
    declared = [f"llvm.func @{name}{signature}\n" for name, signature in external.items()]
    return "".join([*declared, *(function.text(features) for function in functions)])


_SHIFTS = ("shl", "lshr")
# What becomes of constants without an instruction.
_FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
}


def _flat(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            yield from _flat(line)


def _literal(value: float | Sequence[float], type: Type) -> str:
    if isinstance(value, Sequence):
        if type.element[0] == "i":  # unlike floats these are equal where they are spelled alike
            return _integers(tuple(value), type.element)
        return f"dense<[{', '.join(_number(v, type.element) for v in value)}]>"
    number = _number(value, type.element)
    return f"dense<{number}>" if type.lanes else number


@lru_cache(1024)
def _integers(values: tuple[float, ...], element: str) -> str:
    return f"dense<[{', '.join(_number(v, element) for v in values)}]>"


def _number(value: float, element: str) -> str:
    """A number in MLIR's spelling; floats by their bits, so that none is rounded on the way."""
    if element == "i1":
        return "true" if value else "false"
    if element[0] == "i":
        return str(int(value))
    if isinstance(value, _SCALARS[element]):  # NaN as it is
        bits = value.tobytes()
    elif element == "bf16":
        bits = ml_dtypes.bfloat16(value).tobytes()
    else:
        bits = struct.pack(_FORMATS[element], value)
    return f"0x{int.from_bytes(bits, 'little'):0{2 * len(bits)}X}"


def _bytes(value: float, element: str) -> bytes:
    """A number in memory."""
    size = _bits(element) // 8
    return (int(_number(value, element), 0) % (1 << 8 * size)).to_bytes(size, "little")


def _as_list(values: Carry | Value | None) -> list[Value]:
    if values is None:
        return []
    return [values] if isinstance(values, Value) else list(values)


def _passed(values: Carry) -> str:
    if not values:
        return ""
    names, types = ", ".join(v.name for v in values), ", ".join(str(v.type) for v in values)
    return f"({names} : {types})"


def _declared(values: Carry) -> str:
    return f"({', '.join(f'{v.name}: {v.type}' for v in values)})" if values else ""
