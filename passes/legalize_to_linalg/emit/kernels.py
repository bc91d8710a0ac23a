"""Kernel calls: what linalg cannot say, as calls of private functions.

    %r = func.call @shlo.scatter.0(%operand, %indices, %updates)
    func.func private @shlo.scatter.0(...) attributes {shlo.kernel = {kind = "scatter", ...}}

A kernel's first operands are its destinations: it returns them updated, and bufferization does
that in place. Its body is plain loops; the attributes say what it computes, so that
``shlo-implement-kernels`` may put something faster in their place. A kernel without a body
(``host``) is a declaration until that pass. Equal kernels share one function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence

from shlo_tools import mlir
from shlo_tools.codegen.lowered import KERNEL
from shlo_tools.dims import Dim, Size, Symbol, Unknown
from shlo_tools.errors import PassError
from shlo_tools.ir import Build, Conversion, Lowering, captured
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.size_values import PassedSizes, symbol_value
from shlo_tools.structural_key import regions_key

# Given a builder in the kernel and its arguments, returns the updated destinations.
Body = Callable[[Lowering, list[Value]], Sequence[Value]]


def kernel_call(
    op: Operation,
    build: Lowering,
    kind: str,
    destinations: Sequence[Value],
    inputs: Sequence[Value],
    body: Body | None,
    attributes: Mapping[str, Attribute] | None = None,
) -> list[Value]:
    """Call a kernel, defining it if no equal one exists.

    Args:
        op: the old op; values that its regions capture become further inputs.
        kind: what it computes; with ``attributes``, types and the op's regions its identity.
        body: emits the loops; None declares a kernel that is implemented later.
    """
    outer = captured(op)
    outside = [build.lowered(value) for value in outer]
    operands = [*destinations, *inputs, *(v for v in outside if not isinstance(v, tuple))]
    types = [operand.type for operand in operands]
    results = types[: len(destinations)]
    described = {"kind": mlir.string_attr(kind), **(attributes or {})}
    kernels = build.conversion.kernels
    dynamic = body is not None and any(_has_unknown_sizes(type) for type in types)
    # What a kernel for unknown sizes is passed is known once it is made.
    # Lowered types have no signs, which indices and elements are read by.
    old = tuple([value.type for value in (*op.operands, *op.results)])
    content = old, regions_key(op.regions, outer)
    key = None if dynamic else _key(described, types, content)
    name = kernels.get(key)
    if name is None:
        name = _new_name(kind, build.conversion)
        if not dynamic:
            kernels[key] = name
        function, sizes = _define(op, build, name, types, results, described, (outer, body))
        operands += [symbol_value(build, symbol) for symbol in sizes]
        if dynamic:
            name = _shared(function, name, build.conversion, described, types)
    return list(build.call(name, operands, results))


def statement_of(op: Operation) -> dict[str, Attribute]:
    """An op as attributes of a kernel: ``op``, its own ones, and ``types``."""
    types = ([value.type for value in values] for values in (op.operands, op.results))
    return {
        "op": mlir.dict_attr(dict(op.attributes.items())),
        "types": mlir.type_attr(mlir.function_type(*types)),
    }


def _key(described: Mapping[str, Attribute], types: Sequence[Type], content: Hashable) -> Hashable:
    return tuple(described.items()), tuple(types), content


def _has_unknown_sizes(type: Type) -> bool:
    return mlir.is_tensor(type) and not mlir.is_static_tensor(type)


def _new_name(kind: str, conversion: Conversion) -> str:
    numbers = itertools.count(len(conversion.kernels))
    names = (f"shlo.{kind}.{number}" for number in numbers)
    name = next(name for name in names if name not in conversion.symbols)
    conversion.symbols.add(name)
    return name


def _shared(
    function: Operation,
    name: str,
    conversion: Conversion,
    described: Mapping[str, Attribute],
    types: Sequence[Type],
) -> str:
    """The name of a kernel for unknown sizes, or of one that does the same with its arguments."""
    key = _key(described, types, regions_key(function.regions))
    known = conversion.kernels.setdefault(key, name)
    if known != name:
        function.erase()
        conversion.symbols.discard(name)
    return known


def _define(
    op: Operation,
    build: Lowering,
    name: str,
    types: Sequence[Type],
    results: Sequence[Type],
    described: Mapping[str, Attribute],
    content: tuple[Sequence[Value], Body | None],
) -> tuple[Operation, Sequence[Symbol]]:
    """Add the function; returns it, and the sizes that it wants beside its operands."""
    captured, body = content
    attributes = {KERNEL: mlir.dict_attr(described), "no_inline": mlir.unit_attr()}
    outer = build.at_module_end(op)
    if body is None:
        attributes["arg_attrs"] = _access(len(results), len(types) - len(results))
    func = outer.function(name, types, results, attributes)
    if body is None:
        return func, ()
    block, inner = outer.block(func.regions[0], types)
    arguments = list(block.arguments)
    passed = inner.passed = PassedSizes(block, op.location)
    values = build.conversion.values
    kept = {value: values[value] for value in captured}
    values.update(zip(captured, arguments[len(arguments) - len(captured) :], strict=True))
    returned = body(inner, arguments[: len(arguments) - len(captured)])
    values.update(kept)
    inner.op("func.return", returned)
    if passed.values:
        all_types = [argument.type for argument in block.arguments]
        type = mlir.function_type(all_types, results)
        func.attributes["function_type"] = mlir.type_attr(type)
    return func, list(passed.values)


def _access(outputs: int, inputs: int) -> Attribute:
    """What bufferization may assume of a kernel that it cannot look into."""
    modes = ["write"] * outputs + ["read"] * inputs
    return mlir.array_attr(
        mlir.dict_attr({"bufferization.access": mlir.string_attr(mode)}) for mode in modes
    )


# --- scalar loops ---------------------------------------------------------------------------------
def loop(
    build: Lowering,
    count: Dim | Value,
    carried: Sequence[Value],
    body: Callable[[Lowering, Value, list[Value]], Sequence[Value]],
    start: Dim | Value = 0,
) -> list[Value]:
    """``scf.for`` from ``start`` below ``count``, over carried values."""
    end, begin = index_of(build, count), index_of(build, start)
    bounds = [begin, end, structured.index(build, 1)]
    types = [value.type for value in carried]
    op = build.op("scf.for", [*bounds, *carried], types, regions=1)
    block, inner = build.block(op.regions[0], [mlir.index_type(), *types])
    counter, *state = block.arguments
    inner.op("scf.yield", body(inner, counter, state))
    return list(op.results)


def index_of(build: Lowering, number: Dim | Value) -> Value:
    """A number, a size, or an index as an index."""
    if isinstance(number, Unknown):
        raise PassError("a size is not known where it is needed")
    return structured.index(build, number) if isinstance(number, int | Size) else number


def nest(
    build: Lowering,
    counts: Sequence[Dim],
    carried: Sequence[Value],
    body: Callable[[Lowering, list[Value], list[Value]], Sequence[Value]],
) -> list[Value]:
    """Loops nested in each other, the last one innermost."""

    def level(inner: Lowering, outer: list[Value], state: list[Value]) -> Sequence[Value]:
        if len(outer) == len(counts):
            return body(inner, outer, state)
        return loop(inner, counts[len(outer)], state, lambda b, i, s: level(b, [*outer, i], s))

    return list(level(build, [], list(carried)))


def choose(
    build: Lowering,
    condition: Value,
    types: Sequence[Type],
    then: Callable[[Lowering], Sequence[Value]],
    otherwise: Callable[[Lowering], Sequence[Value]],
) -> list[Value]:
    """``scf.if`` with both branches."""
    op = build.op("scf.if", [condition], types, regions=2)
    for region, branch in zip(op.regions, (then, otherwise), strict=True):
        _, inner = build.block(region, [])
        inner.op("scf.yield", branch(inner))
    return list(op.results)


def arithmetic(build: Build, name: str, lhs: Value, rhs: Value) -> Value:
    """``arith.<name>`` on two values of one type, such as indices."""
    return build.value(f"arith.{name}", (lhs, rhs), lhs.type)


def compare(build: Build, predicate: int, lhs: Value, rhs: Value) -> Value:
    """``arith.cmpi`` on indices; see the predicates below."""
    attributes = {"predicate": mlir.i64_attr(predicate)}
    return build.value("arith.cmpi", (lhs, rhs), mlir.integer_type(1), attributes)


EQ, NE, SLT, SLE, SGT, SGE, ULT = range(7)


def load(build: Build, tensor: Value, indices: Sequence[Value]) -> Value:
    """``tensor.extract``."""
    return build.value("tensor.extract", (tensor, *indices), tensor.type.element_type)


def store(build: Build, value: Value, tensor: Value, indices: Sequence[Value]) -> Value:
    """``tensor.insert``; returns the updated tensor."""
    return build.value("tensor.insert", (value, tensor, *indices), tensor.type)
