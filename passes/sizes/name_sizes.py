"""Unknown sizes get names, where all of them are known as soon as the arguments are.

Before:
    func.func @main(%x: tensor<?x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
      ... // %shape = [%n, 8]
      %0 = stablehlo.dynamic_broadcast_in_dim %b, %shape, dims = [1] : ... -> tensor<?x8xf32>
After:
    func.func @main(...) attributes {shlo.shapes = ["s0; 8", "8"], shlo.size_checks = [...],
                                     shlo.symbols = array<i64: 0, 0>} {
      %shape = tensor.empty() {shlo.elements = "s0; 8"} : tensor<2xi32>
      %0 = stablehlo.dynamic_broadcast_in_dim %b, %shape, dims = [1] {shlo.shapes = ["s0; 8"]}

``s0`` is the size of dimension 0 of argument 0, as ``shlo.symbols`` says; all other sizes are
expressions of such, and of elements of arguments that are sizes of something (``e1``). What the
program checks of its sizes goes; the host checks it before a call. A function whose sizes depend on
other data stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shlo_tools import dims, ir, mlir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.lowered import ELEMENTS, SHAPES, SIZE_CHECKS, SYMBOLS
from shlo_tools.constraints import Fact
from shlo_tools.dims import UNKNOWN, Dim, Size, Symbol
from shlo_tools.dtypes import Kind, TensorType
from shlo_tools.extend.targets import SHAPE_ASSERTION, WINDOW_OPERANDS, Meaning, meaning_of
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS
from shlo_tools.passes.sizes import size_constants
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import NEVER, Shapes
from shlo_tools.shapes.sources import Element, Extent

_MOST = 1 << 48  # elements of a tensor; kernels need no memory for most, but count them in 64 bits
_CONTROL = ("stablehlo.while", "stablehlo.if", "stablehlo.case")
# Ops with operands that hold sizes, and the first of those operands.
_SIZED = {
    "stablehlo.dynamic_broadcast_in_dim": 1,
    "stablehlo.dynamic_conv": 2,
    "stablehlo.dynamic_gather": 2,
    "stablehlo.dynamic_iota": 0,
    "stablehlo.dynamic_pad": 2,
    "stablehlo.dynamic_reshape": 1,
    "stablehlo.real_dynamic_slice": 1,
}


class _NoName(Exception):
    """A size is no expression of the arguments' sizes."""


@dataclass(frozen=True)
class NameSizes(Pass):
    """Give unknown sizes names."""

    name = "shlo-name-sizes"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            is_public = ir.text_of(func, "sym_visibility") != "private"
            blocks = func.regions[0].blocks
            if is_public and len(blocks) == 1 and _has_unknown_sizes(func):
                try:
                    plan = _Naming(func).plan()
                except _NoName:
                    continue
                plan.apply(func)


def _has_unknown_sizes(func: Operation) -> bool:
    results = (result for op in mlir.walk(func) for result in op.results)
    return named_sizes.has_unknown_sizes(func) or any(mlir.is_dynamic(v.type) for v in results)


@dataclass
class _Plan:
    """What becomes of a function.

    Attributes:
        symbols: pairs of an argument and a place in it, as ``named_sizes.name`` has it.
        shapes: of the arguments.
        results: shapes of results, by ops that have such of unknown sizes.
        elements: what operands are, by op and position.
        sizes: ops that ask for sizes, and what those are.
        windows: slices that begin where data says, with their sizes.
        assertions: ops that check sizes.
        demands: what casts say.
        checks: what must hold, as text.
    """

    symbols: list[int] = field(default_factory=list)
    shapes: list[Sequence[Dim]] = field(default_factory=list)
    results: list[tuple[Operation, list[Sequence[Dim]]]] = field(default_factory=list)
    elements: list[tuple[Operation, int, Sequence[Dim]]] = field(default_factory=list)
    sizes: list[tuple[Operation, Dim]] = field(default_factory=list)
    windows: list[tuple[Operation, Sequence[Dim]]] = field(default_factory=list)
    assertions: list[Operation] = field(default_factory=list)
    demands: list[Fact] = field(default_factory=list)
    checks: dict[str, None] = field(default_factory=dict)

    def apply(self, func: Operation) -> None:
        unused: list[Operation | None] = []
        for op, shapes in self.results:
            op.attributes[SHAPES] = named_sizes.shapes_attribute(shapes)
        for op, sizes in self.windows:
            unused += [mlir.defining_op(operand) for operand in op.operands]
            _gather_window(op, sizes)
        for op, position, elements in self.elements:
            operand = op.operands[position]
            unused.append(mlir.defining_op(operand))
            op.operands[position] = _constant(op, operand, elements)
        for op, size in self.sizes:
            op.results[0].replace_all_uses_with(_constant(op, op.results[0], [size]))
            op.erase()
        for op in self.assertions:
            unused += [mlir.defining_op(operand) for operand in op.operands]
            op.erase()
        func.attributes[SYMBOLS] = mlir.i64_array_attr(self.symbols)
        func.attributes[SHAPES] = named_sizes.shapes_attribute(self.shapes)
        func.attributes[SIZE_CHECKS] = mlir.array_attr(map(mlir.string_attr, self.checks))
        size_constants.erase_unused(op for op in unused if op is not None)


def _constant(op: Operation, like: Value, elements: Sequence[Dim]) -> Value:
    """A tensor in front of an op that stands for sizes; no constant: verifiers look at those."""
    build = ir.Build(mlir.before(op), op.location)
    attributes = {ELEMENTS: mlir.string_attr(named_sizes.shape_text(elements))}
    return build.value("tensor.empty", (), like.type, attributes)


def _gather_window(op: Operation, sizes: Sequence[Dim]) -> None:
    """A slice that lies inside, and begins where a tensor says: one that has its sizes by name."""
    source, start, limit, _ = op.operands
    numbers: dict[str, Sequence[int]] = dict.fromkeys(GATHER_DIMENSION_NUMBERS.fields, ())
    all_dimensions = tuple(range(len(sizes)))
    numbers |= {"offset_dims": all_dimensions, "start_index_map": all_dimensions}
    attributes = {
        "dimension_numbers": GATHER_DIMENSION_NUMBERS.encode({**numbers, "index_vector_dim": 0}),
        SHAPES: op.attributes[SHAPES],
    }
    operands = [source, start, _constant(op, limit, sizes)]
    build = ir.Build(mlir.before(op), op.location)
    result = build.value("stablehlo.dynamic_gather", operands, op.results[0].type, attributes)
    op.results[0].replace_all_uses_with(result)
    op.erase()


class _Naming:
    """Looks at a function, and changes nothing."""

    def __init__(self, func: Operation) -> None:
        self.func = func
        self.block = func.regions[0].blocks[0]
        self.shapes = Shapes()
        self.shapes.block(self.block)
        self.names: dict[tuple[int, int], Size] = {}  # by argument and place
        self.are_all_named = False
        self.arguments = {argument: k for k, argument in enumerate(self.block.arguments)}

    def plan(self) -> _Plan:
        """What to do.

        Raises:
            _NoName: a size depends on more than the arguments' sizes.
        """
        plan = _Plan()
        for number, argument in enumerate(self.block.arguments):
            type = self.shapes.declared(argument)
            if not isinstance(type, TensorType) or type.bounds:
                raise _NoName
            for d, dim in enumerate(type.shape):
                if not isinstance(dim, int):
                    self._new_name(number, d)
        extents = list(self.names.items())
        plan.shapes += map(self._shape, self.block.arguments)
        for view in self.block.operations:
            self._visit(mlir.inner_operation(view), plan)
        self.are_all_named = True
        for (number, d), own in extents:
            self._demand(plan, Fact("==", own, plan.shapes[number][d]))
        for fact in plan.demands:
            self._demand(plan, fact)
        for op in plan.assertions:
            (holds, *_) = self.shapes.contents(op.operands[0]) or (UNKNOWN,)
            self._demand(plan, Fact("==", self._named(holds), 1))
        for item in self.shapes.unproven:
            for fact in item.obligation.facts:
                if fact is NEVER:
                    raise _NoName
                self._demand(plan, Fact(fact.relation, self._named(fact.a), self._named(fact.b)))
        for _, shapes in plan.results:
            for shape in shapes:
                for dim in shape:
                    self._demand(plan, Fact("<=", 0, dim))
                if _may_be_many(shape):
                    self._demand(plan, Fact("<=", dims.product(shape), _MOST))
        plan.symbols += [number for place in self.names for number in place]
        return plan

    def _visit(self, op: Operation, plan: _Plan) -> None:
        if ir.text_of(op, "call_target_name") == SHAPE_ASSERTION:
            plan.assertions.append(op)
            return
        for region in op.regions if op.name in _CONTROL else ():
            for view in region.blocks[0].operations:
                self._visit(mlir.inner_operation(view), plan)
        if op.name == "stablehlo.get_dimension_size":
            (size,) = self._elements(op.results[0])
            plan.sizes.append((op, size))
            return
        if op.name == "tensor.cast":
            (result,) = op.results
            for dim, declared in zip(self._shape(result), result.type.shape, strict=True):
                if declared != mlir.DYNAMIC:
                    plan.demands.append(Fact("==", dim, declared))
        if op.name == "stablehlo.real_dynamic_slice" and self._is_window(op):
            sizes = self._shape(op.results[0])
            plan.windows.append((op, sizes))
            plan.results.append((op, [sizes]))
            return
        for position in _size_operands(op):
            plan.elements.append((op, position, self._elements(op.operands[position])))
        is_sized = op.name in _SIZED or op.name == "tensor.cast"
        if is_sized or any(mlir.is_dynamic(result.type) for result in op.results):
            plan.results.append((op, [self._shape(result) for result in op.results]))

    def _is_window(self, op: Operation) -> bool:
        """Whether a slice begins where data says, without steps, and lies inside."""
        _, start, _, steps = op.operands
        starts = self.shapes.contents(start)
        if starts is None or all(isinstance(s, int) or _is_of_sizes(s) for s in starts):
            return False
        return self.shapes.contents(steps) == (1,) * len(starts)

    def _demand(self, plan: _Plan, fact: Fact) -> None:
        a, b = fact.a, fact.b
        known = {"==": dims.equal, "<=": dims.at_most}.get(fact.relation)
        if known is not None and known(a, b):
            return
        stretches = f"({a}) == 1 or ({a}) == ({b})"
        is_stretch = fact.relation not in ("==", "<=")
        plan.checks[stretches if is_stretch else f"({a}) {fact.relation} ({b})"] = None

    # --- names ------------------------------------------------------------------------------------
    def _shape(self, value: Value) -> tuple[Dim, ...]:
        type = self.shapes.type(value)
        if not isinstance(type, TensorType) or type.bounds:
            raise _NoName
        return tuple(map(self._dim, type.shape))

    def _elements(self, value: Value) -> Sequence[Dim]:
        elements = self.shapes.contents(value)
        type = self.shapes.type(value)
        if elements is None or not (isinstance(type, TensorType) and type.is_static):
            raise _NoName
        if type.element_type.kind not in (Kind.SIGNED, Kind.UNSIGNED, Kind.BOOLEAN):
            raise _NoName
        return tuple(map(self._dim, elements))

    def _dim(self, dim: Dim) -> Dim:
        """A size in the names of arguments' sizes, where all that is checked holds."""
        return self._named(self.shapes.knowledge.size(dim))

    def _named(self, dim: Dim) -> Dim:
        """A size in the names of arguments' sizes."""
        values = {symbol: self._name(symbol) for symbol in _symbols(dim)}
        return dims.substituted(dim, values)

    def _name(self, symbol: Symbol) -> Size:
        source = symbol.source
        if not isinstance(source, Extent | Element) or source.value not in self.arguments:
            raise _NoName
        number = self.arguments[source.value]
        if isinstance(source, Extent):
            return self.names[number, source.dimension]
        place = number, -1 - source.position
        is_size = place in self.names or not self.are_all_named
        if not is_size or str(source.value.type).endswith("ui64>"):
            raise _NoName  # calls that differ in it should share a table; or no attribute holds it
        return self.names[place] if place in self.names else self._new_name(*place)

    def _new_name(self, number: int, place: int) -> Size:
        size = named_sizes.symbol(named_sizes.name(len(self.names), place))
        self.names[number, place] = size
        return size


def _size_operands(op: Operation) -> Sequence[int]:
    """Positions of the operands that hold sizes."""
    count = len(op.operands)
    if op.name != "stablehlo.custom_call":
        return range(_SIZED.get(op.name, count), count)
    meaning = meaning_of(ir.text_of(op, "call_target_name"))
    if meaning is Meaning.REDUCE_WINDOW:
        return range(count - WINDOW_OPERANDS, count)
    if meaning is Meaning.RNG_BIT_GENERATOR:
        return range(1, count)
    return []


def _may_be_many(shape: Sequence[Dim]) -> bool:
    """Whether a shape in names may have more elements than arguments, which lie in memory."""
    unknown = [dim for dim in shape if not isinstance(dim, int)]
    names = (symbol.name for dim in unknown for symbol in dims.symbols(dim))
    return len(unknown) > 1 or not all(map(named_sizes.is_size, names))


def _is_of_sizes(dim: Dim) -> bool:
    return all(isinstance(symbol.source, Extent) for symbol in _symbols(dim))


def _symbols(dim: Dim) -> Iterable[Symbol]:
    if not isinstance(dim, int | Size):
        raise _NoName
    return dims.symbols(dim)
