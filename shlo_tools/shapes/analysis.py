"""The walk that gives every value a type with sizes that are expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shlo_tools import dims, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim, Symbol
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.ops import DESCRIPTIONS, infer_values
from shlo_tools.ops import Value as Seen
from shlo_tools.ops._constraints import Obligation, collecting, meet_dims, require, same
from shlo_tools.ops._value import OtherType, Tensor, TupleType, ValueType, as_value, value_type
from shlo_tools.shapes import contents
from shlo_tools.shapes.sources import Element, Extent


@dataclass(frozen=True)
class Open:
    """What an op demands of sizes and nothing proves."""

    op: Operation
    obligation: Obligation


@dataclass(frozen=True)
class _Summary:
    """A function's results as expressions of its arguments' sizes."""

    func: Operation
    arguments: list[ValueType]
    results: list[ValueType]
    returned: list[Value]


class _Followed(Tensor):
    """A tensor whose elements are looked for only when a rule asks for them."""

    def __init__(self, type: TensorType, value: Value, shapes: Shapes) -> None:
        super().__init__(type, value)
        self._shapes = shapes

    @property
    def contents(self) -> Sequence[Dim] | None:
        return None if self.value is None else self._shapes.contents(self.value)


class Shapes:
    """Types and contents of values, as far as they are known.

    Attributes:
        open: what the ops visited so far demand and nothing proves.
    """

    def __init__(self) -> None:
        self.open: list[Open] = []
        self._types: dict[Value, ValueType] = {}
        self._contents: dict[Value, tuple[Dim, ...] | None] = {}
        self._summaries: dict[Operation, _Summary] = {}
        self._static: dict[mlir.Type, bool] = {}
        self._functions: dict[str, Operation] | None = None

    # --- asking -----------------------------------------------------------------------------------
    def type(self, value: Value) -> ValueType:
        """The type of a value; sizes that nothing tells are symbols."""
        found = self._types.get(value)
        if found is None:
            declared = value_type(value.type)
            if self._is_static(value):
                return declared
            found = self._types[value] = self._named(declared, value)
        return found

    def view(self, value: Value) -> Seen:
        """A value as op functions see operands."""
        type = self.type(value)
        return _Followed(type, value, self) if isinstance(type, TensorType) else Seen(type, value)

    def contents(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a small integer tensor (or of an index); None for other values."""
        if value not in self._contents:
            self._contents[value] = contents.of_value(value, self)
        return self._contents[value]

    def element(self, value: Value, position: int) -> Dim:
        """A symbol for an element that nothing tells."""
        return dims.symbol(
            f"{_name(value)}[{position}]", minimum=None, source=Element(value, position)
        )

    # --- walking ----------------------------------------------------------------------------------
    def function(
        self, func: Operation, arguments: Sequence[ValueType] | None = None
    ) -> list[ValueType]:
        """Visit a function; returns the types of what it returns.

        Args:
            arguments: more exact types of its arguments.
        """
        block = func.regions[0].blocks[0]
        self._bind_arguments(block, arguments)
        for block in func.regions[0].blocks:
            self.block(block)
        end = ir.terminator(block)
        return [self.type(value) for value in end.operands]

    def block(self, block: Block) -> None:
        for view in block.operations:
            self.visit(mlir.inner_operation(view))

    def visit(self, op: Operation) -> None:
        """Find the types of an op's results, and what it demands.

        Raises:
            ConstraintError: sizes contradict each other; it names the op and both.
        """
        special = SPECIAL.get(op.name)
        try:
            if special is not None:
                special(self, op)
                return
            for region in op.regions:
                for block in region.blocks:
                    self.block(block)
            if op.name in DESCRIPTIONS and not self._is_all_static(op):
                self._infer(op)
        except ConstraintError as error:
            if error.diagnostics[0].place is not None:
                raise
            message = f"{op.name}: {error.diagnostics[0].message}"
            raise ConstraintError(message, place=mlir.place_of(op.location)) from error

    def _infer(self, op: Operation) -> None:
        values = (*op.operands, *op.results)
        if any(isinstance(value_type(value.type), OtherType) for value in values):
            return
        with collecting() as found:
            inferred = infer_values(op, self.view)
            for result, seen in zip(op.results, inferred, strict=True):
                self._bind(result, seen)
        self.open.extend(Open(op, obligation) for obligation in found)

    def _bind(self, result: Value, seen: Seen) -> None:
        declared = value_type(result.type)
        if isinstance(declared, TensorType) and isinstance(seen.type, TensorType):
            self._types[result] = self._named(_met(declared, seen.type), result)
            if isinstance(seen, Tensor) and seen.contents is not None:
                self._contents[result] = tuple(seen.contents)
        elif isinstance(seen.type, TupleType):
            self._types[result] = seen.type

    def bind(self, value: Value, type: ValueType) -> None:
        """Say what is known of a value's type besides what it declares."""
        self._bind(value, as_value(type))

    def _bind_arguments(self, block: Block, types: Sequence[ValueType] | None) -> None:
        for argument, type in zip(block.arguments, types or (), strict=bool(types)):
            self.bind(argument, type)

    def _named(self, type: ValueType, value: Value) -> ValueType:
        """The type with a symbol for every size of which nothing is known."""
        if not isinstance(type, TensorType) or UNKNOWN not in type.shape:
            return type
        shape = []
        for d, dim in enumerate(type.shape):
            bound = type.bounds[d] if type.bounds else None
            if dim is UNKNOWN:
                source = Extent(value, d)
                dim = dims.symbol(f"{_name(value)}.{d}", maximum=bound, source=source)
            shape.append(dim)
        return replace(type, shape=tuple(shape))

    def _is_all_static(self, op: Operation) -> bool:
        return all(self._is_static(value) for value in (*op.operands, *op.results))

    def _is_static(self, value: Value) -> bool:
        type = value.type
        known = self._static.get(type)
        if known is None:
            known = self._static[type] = "?" not in str(type)
        return known

    def enter(self, block: Block, arguments: Sequence[ValueType]) -> None:
        """Visit a block that has been visited before with other arguments."""
        for op in mlir.walk(block.owner):
            for value in (
                *op.results,
                *(a for r in op.regions for b in r.blocks for a in b.arguments),
            ):
                self._contents.pop(value, None)
        self._bind_arguments(block, arguments)
        self.block(block)

    # --- calls ------------------------------------------------------------------------------------
    def function_named(self, name: str, near: Operation) -> Operation | None:
        """The function of a name in the module that an op is in."""
        module = near
        while module.parent is not None:
            module = mlir.inner_operation(module.parent)
        if self._functions is None:
            self._functions = {ir.symbol_name(func): func for func in ir.functions(module)}
        return self._functions.get(name)

    def summary(self, func: Operation) -> _Summary:
        """What a call of a function returns."""
        if func not in self._summaries:
            block = func.regions[0].blocks[0]
            arguments = [self.type(argument) for argument in block.arguments]
            results = self.function(func)
            returned = list(ir.terminator(list(func.regions[0].blocks)[-1]).operands)
            self._summaries[func] = _Summary(func, arguments, results, returned)
        return self._summaries[func]


def _met(declared: TensorType, inferred: TensorType) -> TensorType:
    """Both types of one value; what is not proven to agree becomes an obligation."""
    if len(declared.shape) != len(inferred.shape):
        raise ConstraintError(f"the result is {inferred}, declared is {declared}")
    for have, want in zip(inferred.shape, declared.shape, strict=True):
        require("result", same(have, want), f"the result is {inferred}, declared is {declared}")
    shape = [meet_dims(a, b) for a, b in zip(declared.shape, inferred.shape, strict=True)]
    return TensorType(tuple(shape), declared.element_type, declared.bounds)


def _name(value: Value) -> str:
    """``arg0``, or the op that a value is a result of with a number."""
    op = mlir.defining_op(value)
    if op is None:
        return f"arg{list(value.owner.arguments).index(value)}"
    return str(op.name).partition(".")[2]


# --- ops with control flow ------------------------------------------------------------------------
def _branches(shapes: Shapes, op: Operation) -> None:
    """Results are what all branches agree on."""
    yielded = []
    for region in op.regions:
        shapes.block(region.blocks[0])
        end = ir.terminator(region.blocks[0])
        yielded.append([shapes.type(value) for value in end.operands])
    for result, *types in zip(op.results, *yielded, strict=True):
        joined = types[0]
        for type in types[1:]:
            joined = _joined(joined, type)
        shapes.bind(result, joined)


def _joined(a: ValueType, b: ValueType) -> ValueType:
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)):
        return a
    if len(a.shape) != len(b.shape):
        raise ConstraintError(f"one value would be both {a} and {b}")
    shape = [x if dims.equal(x, y) else UNKNOWN for x, y in zip(a.shape, b.shape, strict=True)]
    return replace(a, shape=tuple(shape))


def _while(shapes: Shapes, op: Operation) -> None:
    """The carried types that the body keeps, found by trying."""
    carried = [shapes.type(operand) for operand in op.operands]
    before = len(shapes.open)
    while True:
        for region in op.regions:
            shapes.enter(region.blocks[0], carried)
        body = op.regions[1].blocks[0]
        end = ir.terminator(body)
        given = [shapes.type(argument) for argument in body.arguments]
        yielded = [shapes.type(value) for value in end.operands]
        rows = zip(carried, given, yielded, strict=True)
        kept = [_kept(old, a, b) for old, a, b in rows]
        if kept == carried:
            break
        carried = kept
        del shapes.open[before:]
    for result, type in zip(op.results, carried, strict=True):
        shapes.bind(result, type)


def _kept(carried: ValueType, given: ValueType, yielded: ValueType) -> ValueType:
    """A carried type without the sizes that an iteration changes."""
    joined = _joined(given, yielded)
    if not (isinstance(carried, TensorType) and isinstance(joined, TensorType)):
        return carried
    pairs = zip(carried.shape, joined.shape, strict=True)
    shape = [UNKNOWN if UNKNOWN in (old, new) else old for old, new in pairs]
    return replace(carried, shape=tuple(shape))


def _call(shapes: Shapes, op: Operation) -> None:
    name = ir.text_of(op, "decomposition" if op.name == "stablehlo.composite" else "callee")
    func = shapes.function_named(name, op)
    if func is None or ir.is_declaration(func):
        return
    summary = shapes.summary(func)
    known: dict[Symbol, Dim] = {}
    for operand, inside in zip(op.operands, summary.arguments, strict=True):
        known.update(_bindings(inside, shapes.type(operand)))
    for result, type in zip(op.results, summary.results, strict=True):
        shapes.bind(result, _outside(type, known))


def _bindings(inside: ValueType, outside: ValueType) -> dict[Symbol, Dim]:
    """Which sizes of a caller a callee's argument's symbols stand for."""
    if not (isinstance(inside, TensorType) and isinstance(outside, TensorType)):
        return {}
    return {
        atom: theirs
        for own, theirs in zip(inside.shape, outside.shape, strict=True)
        for atom in dims.atoms(own)
        if isinstance(atom, Symbol) and own == dims.of_symbol(atom)
    }


def _outside(type: ValueType, known: dict[Symbol, Dim]) -> ValueType:
    """A callee's type in its caller; sizes that only the callee knows are unknown."""
    if not isinstance(type, TensorType):
        return type
    shape = [
        dims.substituted(dim, known) if set(dims.symbols(dim)) <= set(known) else UNKNOWN
        for dim in type.shape
    ]
    return replace(type, shape=tuple(shape))


SPECIAL: dict[str, Callable[[Shapes, Operation], None]] = {
    "func.call": _call,
    "stablehlo.case": _branches,
    "stablehlo.composite": _call,
    "stablehlo.if": _branches,
    "stablehlo.while": _while,
}
