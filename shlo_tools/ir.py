"""Building and changing IR: where new ops go, and the two drivers that passes are written on.

``rewrite`` replaces ops by others of the same types. ``Conversion`` changes types: the old
function stays untouched while a new one grows beside it, and a map leads from each old value to
its lowered one(s). A rule reads types from the old op only: once lowered, ``ui32`` is ``i32``
and its sign is gone.

Both are plain loops. The bindings' own pattern classes crash on stale references and bypass the
rewriter's listener.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self, cast

from shlo_tools import mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import Array, TensorType, from_attribute, tensor_type
from shlo_tools.errors import Diagnostic, PassError, ShloError, UnsupportedError
from shlo_tools.mlir import Attribute, Block, FunctionType, Location, Operation, Region, Type, Value


class Build:
    """Makes ops at one insertion point with one location."""

    def __init__(self, at: Any, location: Location) -> None:
        self.at = at
        self.location = location

    def op(
        self,
        name: str,
        operands: Sequence[Value] = (),
        results: Sequence[Type] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: int = 0,
    ) -> Operation:
        """Make an op of any dialect; result types are always given."""
        return mlir.create(
            name, operands, results, attributes, regions, None, self.location, self.at
        )

    def value(
        self,
        name: str,
        operands: Sequence[Value],
        result: Type,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Value:
        """Make an op with one result, and return that."""
        return self.op(name, operands, (result,), attributes).results[0]

    def index(self, number: int) -> Value:
        """A number as an index."""
        type = mlir.index_type()
        attribute = {"value": mlir.integer_attr(number, type)}
        return self.value("arith.constant", (), type, attribute)

    def function(
        self,
        name: str,
        inputs: Sequence[Type],
        results: Sequence[Type] = (),
        attributes: Mapping[str, Attribute] | None = None,
        *,
        private: bool = True,
    ) -> Operation:
        """A ``func.func`` without a body; give it one by ``block``."""
        own_attributes: dict[str, Attribute] = {
            "sym_name": mlir.string_attr(name),
            "function_type": mlir.type_attr(mlir.function_type(inputs, results)),
            **(attributes or {}),
        }
        if private:
            own_attributes["sym_visibility"] = mlir.string_attr("private")
        return self.op("func.func", (), (), own_attributes, regions=1)

    def call(
        self,
        callee: str,
        operands: Sequence[Value] = (),
        results: Sequence[Type] = (),
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Sequence[Value]:
        """A ``func.call``; its results."""
        own_attributes = {"callee": mlir.symbol_attr(callee), **(attributes or {})}
        return self.op("func.call", operands, results, own_attributes).results

    def block(self, region: Region, types: Sequence[Type]) -> tuple[Block, Self]:
        """A new block in ``region`` with arguments of ``types``, and a builder at its end."""
        block = mlir.block_in(region, types, self.location)
        return block, self.inside(block)

    def inside(self, block: Block) -> Self:
        """A builder at the end of ``block``."""
        build = copy.copy(self)
        build.at = mlir.at_end(block)
        return build


_inserting: ContextVar[Build | None] = ContextVar("inserting", default=None)


@contextmanager
def inserting(build: Build) -> Iterator[Build]:
    """Within the block, op functions called as builders insert their ops here."""
    token = _inserting.set(build)
    try:
        yield build
    finally:
        _inserting.reset(token)


def insertion() -> Build:
    """Where op functions insert; raises ShloError where no function is being built."""
    build = _inserting.get()
    if build is None:
        raise ShloError(
            "no function is being built here",
            hint="call ops inside a function given to Module.func or inside ir.inserting(...)",
        )
    return build


# --- reading --------------------------------------------------------------------------------------
def functions(module: Operation) -> list[Operation]:
    """The ``func.func`` ops directly in a module, in order."""
    return [op for op in children(module) if op.name == "func.func"]


def functions_by_name(module: Operation) -> dict[str, Operation]:
    """The ``func.func`` ops directly in a module, in order, by their symbols."""
    return {symbol_name(func): func for func in functions(module)}


def children(parent: Operation) -> list[Operation]:
    """The ops directly in the regions of ``parent``, in order."""
    return [
        mlir.inner_operation(op)
        for region in parent.regions
        for block in region.blocks
        for op in block.operations
    ]


def symbol_name(op: Operation) -> str:
    """The name that a symbol op defines, or ''."""
    return text_of(op, "sym_name")


def signature(func: Operation) -> tuple[list[Type], list[Type]]:
    """Argument and result types of a ``func.func``."""
    type = cast(FunctionType, type_of(func))
    return list(type.inputs), list(type.results)


def is_declaration(func: Operation) -> bool:
    return len(list(func.regions[0].blocks)) == 0


def terminator(block: Block) -> Operation:
    """The last op of a block."""
    return mlir.inner_operation(block.operations[-1])


def captured(op: Operation) -> list[Value]:
    """Values from outside that the regions of an op use, each once, in order of use."""
    inside: set[Value] = set()
    values: dict[Value, None] = {}

    def visit(parent: Any) -> None:  # definitions come before uses
        for region in parent.regions:
            for block in region.blocks:
                inside.update(block.arguments)
                for view in block.operations:
                    inner = view.operation
                    for value in inner.operands:
                        if value not in inside:
                            values[value] = None
                    inside.update(inner.results)
                    if len(inner.regions):
                        visit(inner)

    visit(op)
    return list(values)


def used_values(op: Operation) -> list[Value]:
    """What an op reads: its operands, then what its regions capture."""
    return [*op.operands, *(captured(op) if len(op.regions) else ())]


def has_type(root: Operation, *marks: str) -> bool:
    """Whether the spelling of a type below ``root`` holds one of ``marks``."""
    types: set[Type] = set()
    for op in mlir.walk(root):
        types.update(result.type for result in op.results)
        for region in op.regions:
            types.update(a.type for block in region.blocks for a in block.arguments)
    return any(mark in text for text in map(str, types) for mark in marks)


def constant_of(value: Value) -> Array | None:
    """The elements of a constant; None where another op defines a value."""
    op = mlir.defining_op(value)
    if op is None or op.name not in ("stablehlo.constant", "arith.constant"):
        return None
    return from_attribute(op.attributes["value"])


def describe(op: Operation) -> str:
    """``stablehlo.add (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>``, for messages."""
    operands = ", ".join(str(v.type) for v in op.operands)
    results = ", ".join(str(v.type) for v in op.results)
    return f"{op.name} ({operands}) -> {results or '()'}"


# --- reading attributes ---------------------------------------------------------------------------
def integer_of(op: Operation, name: str, missing: int | None = None) -> int:
    """The number that an attribute is; ``missing`` for one that the op may lack."""
    if missing is not None and name not in op.attributes:
        return missing
    return int(op.attributes[name].value)


def integers_of(op: Operation, name: str, missing: Sequence[int] | None = None) -> list[int]:
    """The numbers in an array; ``missing`` for one that the op may lack."""
    if missing is not None and name not in op.attributes:
        return list(missing)
    numbers = op.attributes[name]  # whose iterator ends by an exception of C++
    return [numbers[place] for place in range(len(numbers))]


def flag_of(op: Operation, name: str) -> bool:
    """Whether an attribute says yes: ``true`` or ``unit``; a missing one says no."""
    return name in op.attributes and bool(getattr(op.attributes[name], "value", True))


def enum_of(op: Operation, name: str) -> str:
    """``LT`` of ``#stablehlo<comparison_direction LT>``; '' where it is missing."""
    if name not in op.attributes:
        return ""
    return str(op.attributes[name]).rpartition(" ")[2].removesuffix(">")


def items_of(op: Operation, name: str) -> list[Any]:
    """The attributes in an array; none where it is missing."""
    return list(op.attributes[name]) if name in op.attributes else []


def text_of(op: Operation, name: str) -> str:
    """The value of a string, symbol or integer attribute as text; '' where it is missing.

    Raises:
        ShloError: its bytes are no text.
    """
    if name not in op.attributes:
        return ""
    attribute = op.attributes[name]
    try:
        return str(getattr(attribute, "value", attribute))
    except RuntimeError:  # the bindings': strings of MLIR are any bytes, those of Python are not
        message = f"{op.name}: {name} = {attribute} is no text: its bytes are no UTF-8"
        raise ShloError(message, place=mlir.place_of(op.location)) from None


def type_of(op: Operation, name: str = "function_type") -> Type:
    """The type that an attribute is, such as that of a function."""
    return cast(Type, op.attributes[name].value)


def printed(op: Operation, **options: Any) -> str:
    """An op as text that parses; ``options`` are those of ``get_asm``.

    What MLIR's short form writes of a ``dynamic_slice`` of rank 0 does not parse: a comma stands
    where no index does. Then all is in the generic form.
    """
    if any(
        inner.name == "stablehlo.dynamic_slice" and len(inner.operands) == 1
        for inner in mlir.walk(op)
    ):
        options["print_generic_op_form"] = True
    return op.get_asm(**options)


# --- calls ----------------------------------------------------------------------------------------
def call_order(module: Operation) -> list[Operation]:
    """Functions of a module, callees first; raises UnsupportedError on recursion."""
    named = functions_by_name(module)
    order: list[Operation] = []
    state: dict[str, str] = {}

    for root in named:
        stack = [(root, iter(_callees(named[root])))]
        if root in state:
            continue
        state[root] = "open"
        while stack:
            name, rest = stack[-1]
            callee = next((c for c in rest if c in named and state.get(c) != "done"), None)
            if callee is None:
                state[name] = "done"
                order.append(named[name])
                stack.pop()
            elif state.get(callee) == "open":
                path = [n for n, _ in stack]
                _refuse_recursion(named[callee], [*path[path.index(callee) :], callee])
            else:
                state[callee] = "open"
                stack.append((callee, iter(_callees(named[callee]))))
    return order


def _callees(func: Operation) -> list[str]:
    return [callee_of(op) for op in mlir.walk(func) if op.name == "func.call"]


def callee_of(call: Operation) -> str:
    return text_of(call, "callee")


_NAMING = {"func.call": "callee", "stablehlo.composite": "decomposition"}


def called_name(op: Operation) -> str:
    """The name of the function that a call or a composite op stands for; '' for other ops."""
    return text_of(op, _NAMING[op.name]) if op.name in _NAMING else ""


def set_called_name(op: Operation, name: str) -> None:
    """Have a call or a composite op stand for another function."""
    op.attributes[_NAMING[op.name]] = mlir.symbol_attr(name)


def _refuse_recursion(func: Operation, cycle: list[str]) -> None:
    path = " calls ".join(f"@{name}" for name in cycle)
    raise UnsupportedError(Diagnostic("error", f"recursion: {path}", mlir.place_of(func.location)))


# --- driver 1: same-type rewrites -----------------------------------------------------------------
Rewrite = Callable[[Operation, Build], Sequence[Value] | None]


def rewrite(root: Operation, rules: Mapping[str, Rewrite]) -> int:
    """Apply rules to the ops below ``root``; a rule returns replacements, or None to leave it.

    Ops are collected by one walk, innermost first, so that no rule sees an erased op.

    Returns:
        how many ops were replaced.

    Raises:
        PassError: a rule returned another number of values, or other types.
    """
    changed = 0
    for op in reversed(mlir.walk(root)):
        rule = rules.get(op.name)
        if rule is None:
            continue
        values = rule(op, Build(mlir.before(op), op.location))
        if values is not None:
            replace(op, values)
            changed += 1
    return changed


def replace(op: Operation, values: Sequence[Value]) -> None:
    """Replace every use of an op's results by ``values`` and erase it."""
    old = [result.type for result in op.results]
    if old != [value.type for value in values]:
        types = ", ".join(str(value.type) for value in values)
        raise PassError(
            f"{describe(op)} cannot be replaced by values of types ({types})",
            place=mlir.place_of(op.location),
        )
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def replace_operands(ops: Iterable[Operation], values: Mapping[Value, Value]) -> None:
    """Have ops use other values instead of those that are keys."""
    for op in ops if values else ():
        for place, value in enumerate(list(op.operands)):
            if value in values:
                op.operands[place] = values[value]


# --- driver 2: type-changing conversion -----------------------------------------------------------
Lowered = Value | tuple[Value, ...]
Rule = Callable[[Operation, list[Any], "Lowering"], Sequence[Lowered]]
TypeConverter = Callable[[Type], Type | tuple[Type, ...]]


class Lowering(Build):
    """A builder inside a conversion: it also converts types and inlines old regions."""

    def __init__(self, conversion: Conversion, at: Any, location: Location) -> None:
        super().__init__(at, location)
        self.conversion = conversion
        self.passed: Any = None  # in a function made on the way: the sizes that it is passed

    def types(self, types: Sequence[Type]) -> list[Type]:
        """The lowered types; one old type may become several."""
        return self.conversion.types(types)

    def regrouped(self, types: Sequence[Type], values: list[Value]) -> list[Lowered]:
        """Flat lowered values, grouped again as one entry per old type."""
        return self.conversion.regroup(types, values)

    def inline(self, region: Region, arguments: Sequence[Lowered]) -> list[Lowered]:
        """Lower the ops of an old one-block region here; returns what its terminator yields."""
        return self.conversion.inline(region.blocks[0], arguments, self)

    def type(self, value: Value) -> TensorType:
        """The type of an old tensor; its sizes may be expressions."""
        return self.conversion.type_of(value)

    def contents(self, value: Value) -> Sequence[Dim]:
        """The elements of an old integer tensor in row-major order, as sizes."""
        return self.conversion.contents_of(value)

    def lower(self, op: Operation) -> None:
        """Lower one old op here; ``lowered`` finds its results."""
        self.conversion.operation(op, self, {})

    def at_module_end(self, op: Operation) -> Self:
        """A builder at the end of the module that ``op`` is in."""
        while op.parent is not None:
            op = mlir.inner_operation(op.parent)
        return self.inside(op.regions[0].blocks[0])

    def lowered(self, value: Value) -> Lowered:
        """What an old value (for instance one captured by a region) was lowered to."""
        return self.conversion.values[value]


class Conversion:
    """Converts functions by rules, through a map from old values to lowered ones.

    Args:
        rules: op name -> rule ``(old op, lowered operands, build) -> lowered results``.
        convert_type: old type -> lowered type, or a tuple of several.
        illegal: prefixes of op names that must have a rule; others are copied as they are.

    Attributes:
        type_of: what is known of an old tensor's type.
        contents_of: what is known of an old integer tensor's elements.
        before: is called before an op is lowered.
        after: is called with an old result and what it was lowered to; returns what stands for it.
        values: old value -> lowered.
    """

    def __init__(
        self, rules: Mapping[str, Rule], convert_type: TypeConverter, illegal: Sequence[str]
    ) -> None:
        self.rules = rules
        self.convert_type = convert_type
        self.illegal = tuple(illegal)
        self.type_of: Callable[[Value], TensorType] = lambda value: tensor_type(value.type)
        self.contents_of: Callable[[Value], Sequence[Dim]] = lambda value: ()
        self.before: Callable[[Operation, Lowering], None] | None = None
        self.after: Callable[[Value, Lowered, Lowering], Lowered] | None = None
        self.values: dict[Value, Lowered] = {}
        self.kernels: dict[Hashable, str] = {}  # key -> name of a function added on the way
        self.symbols: set[str] = set()  # names that such functions cannot have

    def types(self, types: Sequence[Type]) -> list[Type]:
        lowered: list[Type] = []
        for type in types:
            new = self.convert_type(type)
            lowered.extend(new if isinstance(new, tuple) else (new,))
        return lowered

    def check(self, root: Operation) -> None:
        """Raise UnsupportedError naming the ops below ``root`` that no rule converts."""
        missing = [
            op
            for op in mlir.walk(root)
            if op.name.startswith(self.illegal) and op.name not in self.rules
        ]
        first_of = {op.name: op for op in reversed(missing)}
        raise_unsupported(list(reversed(first_of.values())))

    def module(self, module: Operation) -> None:
        """Convert every function of a module; on an error the module is as it was."""
        old = functions(module)
        new: list[Operation] = []
        try:
            for func in old:
                new.append(self.function(func))
        except BaseException:
            block = module.regions[0].blocks[0]
            kept = set(old)
            for op in [mlir.inner_operation(o) for o in block.operations]:
                if op.name == "func.func" and op not in kept:
                    op.erase()
            raise
        finally:
            self.values.clear()
        for func in old:
            func.erase()

    def function(self, func: Operation) -> Operation:
        """A converted copy of ``func``, placed before it."""
        inputs, results = signature(func)
        attributes = dict(func.attributes.items())
        attributes["function_type"] = mlir.type_attr(
            mlir.function_type(self.types(inputs), self.types(results))
        )
        lowering = Lowering(self, mlir.before(func), func.location)
        new = lowering.op("func.func", (), (), attributes, regions=1)
        self._region(func.regions[0], new.regions[0], lowering)
        return new

    def _region(self, old: Region, new: Region, lowering: Lowering) -> None:
        blocks: dict[Block, Block] = {}
        for block in old.blocks:
            types = [argument.type for argument in block.arguments]
            new_block, _ = lowering.block(new, self.types(types))
            blocks[block] = new_block
            self._bind(list(block.arguments), self.regroup(types, list(new_block.arguments)))
        for block in by_dominance(old):
            self._operations(block, lowering.inside(blocks[block]), blocks)

    def regroup(self, types: Sequence[Type], values: list[Value]) -> list[Lowered]:
        """See ``Lowering.regrouped``."""
        grouped: list[Lowered] = []
        rest = iter(values)
        for type in types:
            new = self.convert_type(type)
            grouped.append(tuple(next(rest) for _ in new) if isinstance(new, tuple) else next(rest))
        return grouped

    def inline(
        self, block: Block, arguments: Sequence[Lowered], lowering: Lowering
    ) -> list[Lowered]:
        self._bind(list(block.arguments), arguments)
        operations = [mlir.inner_operation(op) for op in block.operations]
        for op in operations[:-1]:
            self.operation(op, lowering, {})
        return [self.values[value] for value in operations[-1].operands]

    def _operations(self, block: Block, lowering: Lowering, blocks: dict[Block, Block]) -> None:
        for view in block.operations:
            self.operation(mlir.inner_operation(view), lowering, blocks)

    def operation(self, op: Operation, lowering: Lowering, blocks: dict[Block, Block]) -> None:
        """See ``Lowering.lower``; ``blocks`` maps the old successors."""
        operands = [self.values[value] for value in op.operands]
        lowering.location = op.location
        if self.before is not None:
            self.before(op, lowering)
        rule = self.rules.get(op.name)
        if rule is None:
            if op.name.startswith(self.illegal):
                raise_unsupported([op])
            results: Sequence[Lowered] = self._copy(op, operands, lowering, blocks)
        else:
            results = rule(op, operands, lowering)
            if self.after is not None:
                pairs = zip(op.results, results, strict=True)
                results = [self.after(old, new, lowering) for old, new in pairs]
        self._bind(list(op.results), results)

    def _bind(self, old: list[Value], new: Sequence[Lowered]) -> None:
        if len(old) != len(new):
            raise PassError(f"{len(new)} lowered values given for {len(old)}")
        self.values.update(zip(old, new, strict=True))

    def _copy(
        self, op: Operation, operands: list[Lowered], lowering: Lowering, blocks: dict[Block, Block]
    ) -> list[Lowered]:
        types = [result.type for result in op.results]
        new_op = mlir.create(
            op.name,
            flatten(operands),
            self.types(types),
            self._copied_attributes(op, operands),
            len(op.regions),
            [blocks[successor] for successor in op.successors],
            op.location,
            lowering.at,
        )
        for old, new in zip(op.regions, new_op.regions, strict=True):
            self._region(old, new, lowering)
        return self.regroup(types, list(new_op.results))

    def _copied_attributes(
        self, op: Operation, operands: Sequence[Lowered]
    ) -> dict[str, Attribute]:
        """An op's attributes, with the lengths of its groups of values counted anew."""
        attributes = dict(op.attributes.items())
        results = [self.convert_type(result.type) for result in op.results]
        for name, values in (("operandSegmentSizes", operands), ("resultSegmentSizes", results)):
            if name in attributes:
                widths = [len(v) if isinstance(v, tuple) else 1 for v in values]
                sizes = _regrouped_sizes(integers_of(op, name), widths)
                attributes[name] = mlir.i32_array_attr(sizes)
        return attributes


def _regrouped_sizes(sizes: Sequence[int], widths: list[int]) -> list[int]:
    """Group sizes once each value has its width: (1, 2) of widths 2, 1, 1 is (2, 2)."""
    rest = iter(widths)
    return [sum(next(rest) for _ in range(size)) for size in sizes]


def by_dominance(region: Region) -> list[Block]:
    """A region's blocks such that a block comes after those that dominate it."""
    blocks: list[Block] = list(region.blocks)
    if len(blocks) < 2:
        return blocks
    order: list[Block] = []
    visited = {blocks[0]}
    stack = [(blocks[0], iter(terminator(blocks[0]).successors))]
    while stack:
        block, rest = stack[-1]
        following = next((b for b in rest if b not in visited), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            visited.add(following)
            stack.append((following, iter(terminator(following).successors)))
    return order[::-1] + [block for block in blocks if block not in visited]


def flatten(values: Sequence[Lowered]) -> list[Value]:
    """Lowered values in order, several ones spread out."""
    flat: list[Value] = []
    for value in values:
        if isinstance(value, tuple):
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def raise_unsupported(ops: Sequence[Operation], reason: str = "") -> None:
    """Raise UnsupportedError for ops (if any) that cannot be lowered."""
    diagnostics = [
        Diagnostic(
            "error",
            f"not supported: {describe(op)}" + (f": {reason}" if reason else ""),
            mlir.place_of(op.location),
        )
        for op in ops
    ]
    if diagnostics:
        raise UnsupportedError(diagnostics)
