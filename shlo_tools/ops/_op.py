"""``@op``: one function per op is its builder, its result rule and its verifier.

The function's signature is what a user types; its body checks the specification's constraints
and returns the result types. The decorator reads the annotations once:

==========================  ===========================================================
``Tensor``, ``Value``       an operand; ``Scalar`` a 0-dimensional one
``Sequence[Tensor]``        operands, any number
``Region``                  a region; the body calls it with its block arguments' types
``Sequence[Region]``        regions, any number
``TensorType`` and such     ``result_type=``, for results that no operand determines
anything else               an attribute (``_attributes.codec``)
==========================  ===========================================================

Called by a user the function builds the op at the insertion point. ``infer`` and ``verify`` run
the same body over an existing op, whose regions answer with the types they yield.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, partial
from typing import (
    Annotated,
    Any,
    ParamSpec,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.constraints import compatible
from shlo_tools.dtypes import QuantizedElementType, TensorType
from shlo_tools.errors import ConstraintError, ShloError, did_you_mean
from shlo_tools.mlir import Operation
from shlo_tools.ops._annotations import annotated_parameters
from shlo_tools.ops._attributes import Codec, FunctionSymbol, Struct, as_sequence, codec
from shlo_tools.ops._models import Model, model_of
from shlo_tools.ops._numbers import constant_like, list_like
from shlo_tools.ops._quantized import require_quantized
from shlo_tools.ops.traits import Trait
from shlo_tools.types import (
    OtherType,
    Region,
    Scalar,
    Tensor,
    TokenType,
    TupleType,
    Value,
    ValueType,
    as_value,
    coerce_type,
    constant_of,
    of_value,
    ssa,
    value_type,
)

P = ParamSpec("P")
R = TypeVar("R")


class Role(Enum):
    """What a parameter of an op function stands for."""

    OPERAND = "operand"
    SCALAR = "0-dimensional operand"
    OPERANDS = "operands"
    REGION = "region"
    REGIONS = "regions"
    RESULT_TYPE = "result type"
    RESULT_TYPES = "result types"
    ATTRIBUTE = "attribute"
    FIELD = "field of a struct attribute"


@dataclass(frozen=True)
class Parameter:
    """One parameter of an op function; ``codec`` is set for attributes and fields of them."""

    name: str
    role: Role
    optional: bool
    default: Any
    codec: Codec | None = None


@dataclass(frozen=True)
class OpDescription:
    """Everything the decorator learnt about one op.

    Attributes:
        name: full name, for example ``stablehlo.transpose``.
        rule: the undecorated function: checks constraints, returns result types.
        parameters: in signature order.
        structs: struct attributes whose fields are parameters.
        segments: whether operand groups need ``operandSegmentSizes``.
        traits: what is true of every such op.
    """

    name: str
    rule: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    structs: tuple[Struct, ...]
    signature: inspect.Signature
    segments: bool
    traits: Trait

    @cached_property
    def module(self) -> str:
        """The module that defines the op; its other parts stand in files of the same name."""
        rule: Any = self.rule
        while isinstance(rule, partial):
            (rule, *_) = rule.args
        return str(inspect.unwrap(rule).__module__)

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The parameters that need no name."""
        kinds = self.signature.parameters.values()
        return tuple(p.name for p in kinds if p.kind is not inspect.Parameter.KEYWORD_ONLY)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """What parameters are that are left out."""
        return {p.name: p.default for p in self.parameters if p.optional}

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Names of the op's own attributes, as written in IR."""
        own = [p.name for p in self.parameters if p.role is Role.ATTRIBUTE]
        return (*own, *(struct.attribute for struct in self.structs))


DESCRIPTIONS: dict[str, OpDescription] = {}
BUILDERS: dict[str, Callable[..., Any]] = {}  # by Python name; what `shlo_tools.ops` exports


def has_trait(op: Operation | str, trait: Trait) -> bool:
    """Whether an op, or every op of a name, has one of the traits; others' ops have none."""
    description = DESCRIPTIONS.get(op if isinstance(op, str) else op.name)
    return description is not None and bool(description.traits & trait)


def names_with(trait: Trait) -> frozenset[str]:
    """The full names of the ops that have one of the traits."""
    return frozenset(name for name in DESCRIPTIONS if has_trait(name, trait))


@overload
def op(rule: Callable[P, R]) -> Callable[P, R]: ...


@overload
def op(
    *,
    dialect: str = ...,
    name: str | None = ...,
    structs: Sequence[Struct] = ...,
    segments: bool = ...,
    traits: Trait = ...,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def op(
    rule: Callable[..., Any] | None = None,
    *,
    dialect: str = "stablehlo",
    name: str | None = None,
    structs: Sequence[Struct] = (),
    segments: bool = False,
    traits: Trait = Trait.NONE,
) -> Callable[..., Any]:
    """Make an op function the public builder of the op it is named after.

    A trailing underscore is dropped (``if_`` is ``stablehlo.if``). Keyword arguments: the
    ``dialect``, the op's ``name`` where Python cannot spell it, the ``structs`` that gather
    several parameters in one attribute, whether the op has ``segments`` (several operand groups
    of free length), and its ``traits``.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        description = _describe(function, dialect, name, tuple(structs), segments, traits)
        DESCRIPTIONS[description.name] = description

        @functools.wraps(function)
        def build(*args: Any, **kwargs: Any) -> Any:
            return _build(description, args, kwargs)

        if dialect == "stablehlo":  # others are reached through their module: ops.chlo.tan
            BUILDERS[function.__name__] = build
        return build

    return decorate if rule is None else decorate(rule)


def _describe(
    function: Callable[..., Any],
    dialect: str,
    name: str | None,
    structs: tuple[Struct, ...],
    segments: bool,
    traits: Trait,
) -> OpDescription:
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    fields = {field for struct in structs for field in struct.fields}
    parameters = []
    for key, parameter in signature.parameters.items():
        optional = parameter.default is not inspect.Parameter.empty
        annotation = _without_none(hints[key])
        role = Role.FIELD if key in fields else _role(annotation)
        form = codec(annotation) if role in (Role.ATTRIBUTE, Role.FIELD) else None
        parameters.append(Parameter(key, role, optional, parameter.default, form))
    full = f"{dialect}.{name or function.__name__.rstrip('_')}"
    return OpDescription(full, function, tuple(parameters), structs, signature, segments, traits)


def _without_none(annotation: Any) -> Any:
    members = [a for a in get_args(annotation) if a is not type(None)]
    if type(None) in get_args(annotation):
        return functools.reduce(lambda a, b: a | b, members)
    return annotation


_TYPES = (TensorType, TokenType, TupleType, OtherType)


def _role(annotation: Any) -> Role:
    if annotation in (Tensor, Value):
        return Role.OPERAND
    if annotation == Scalar:
        return Role.SCALAR
    if annotation == Region:
        return Role.REGION
    if annotation == ValueType or annotation in _TYPES:
        return Role.RESULT_TYPE
    if get_origin(annotation) is not None and get_origin(annotation) is not Annotated:
        inner = get_args(annotation)[0] if get_args(annotation) else None
        if inner in (Tensor, Value) or inner == Scalar:
            return Role.OPERANDS
        if inner == Region:
            return Role.REGIONS
        if inner == ValueType or inner in _TYPES:
            return Role.RESULT_TYPES
    return Role.ATTRIBUTE


# --- building -------------------------------------------------------------------------------------
def _build(description: OpDescription, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    bound = _bind(description, args, kwargs)
    regions: list[BuiltRegion] = []
    try:
        return _build_op(description, bound, regions)
    except ShloError as error:
        raise _of_op(description, error) from error
    finally:
        for region in reversed(regions):
            region.discard()


def _of_op(description: OpDescription, error: ShloError) -> ShloError:
    """An error that names the op and the function being built, as one of an inner op does."""
    first, *rest = error.diagnostics
    if first.place is not None:
        return error
    place = mlir.place_of(ir.insertion().location)
    message = f"{description.name}: {first.message}"
    return type(error)((replace(first, message=message, place=place), *rest))


def _build_op(description: OpDescription, bound: dict[str, Any], regions: list[BuiltRegion]) -> Any:
    build = ir.insertion()
    first = _first_tensor(description, bound)
    values: dict[str, Any] = {}
    operands: list[list[Value]] = []
    left_out: set[str] = set()  # None says so; the rule sees the default
    for parameter in description.parameters:
        value = bound[parameter.name]
        if value is None and parameter.optional and parameter.role is Role.ATTRIBUTE:
            left_out.add(parameter.name)
            value = parameter.default
        elif value is None and not (parameter.optional and parameter.default is None):
            raise ShloError(f"{parameter.name} is None")
        if value is not None:
            model = model_of(parameter.name, bound, first)
            value = _prepare(parameter, value, model, first, regions, build)
        if parameter.role in (Role.OPERAND, Role.SCALAR) and value is not None:
            operands.append([value])
        elif parameter.role is Role.OPERANDS:
            operands.append(list(value))
        values[parameter.name] = value
    _require_quantizable(description, values)
    result = description.rule(**values)
    attributes = own_attributes(description, values, result)
    attributes = {name: each for name, each in attributes.items() if name not in left_out}
    op = build.op(
        description.name,
        [ssa(value) for group in operands for value in group],
        [value.type.mlir() for value in results_of(result)],
        attributes,
        len(regions),
    )
    for region, target in zip(regions, op.regions, strict=True):
        region.move_into(target)
    return _with_values(result, iter(op.results))


def _bind(
    description: OpDescription, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    known = description.signature.parameters
    bound = dict(zip(description.positional, args, strict=False))
    if len(bound) == len(args) and bound.keys().isdisjoint(kwargs):
        arguments = {**description.defaults, **bound, **kwargs}
        if len(arguments) == len(known) and arguments.keys() == known.keys():
            return arguments
    raise _unbound(description, args, kwargs)


def _unbound(
    description: OpDescription, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> ShloError:
    """What is wrong with the arguments of a call."""
    known = description.signature.parameters
    for name in kwargs:
        if name not in known:
            hint = did_you_mean(name, known)
            return ShloError(f"{description.name} has no parameter {name!r}", hint=hint)
    try:
        description.signature.bind(*args, **kwargs)
    except TypeError as error:
        return ShloError(f"{description.name}: {error}")
    raise TypeError(f"{description.name} takes {description.signature}")


def _first_tensor(description: OpDescription, bound: Mapping[str, Any]) -> Tensor | None:
    for parameter in description.parameters:
        value = bound[parameter.name]
        if isinstance(value, Tensor):
            return value
        if parameter.role is Role.OPERANDS:
            for item in _several(parameter, value):
                if isinstance(item, Tensor):
                    return item
    return None


def _prepare(
    parameter: Parameter,
    value: Any,
    model: Model,
    first: Tensor | None,
    regions: list[BuiltRegion],
    build: ir.Build,
) -> Any:
    match parameter.role:
        case Role.OPERAND:
            return operand_of(value, model(0), scalar=False)
        case Role.SCALAR:
            return operand_of(value, model(0), scalar=True)
        case Role.OPERANDS:
            return tuple(
                operand_of(item, model(number), scalar=True)
                for number, item in enumerate(_several(parameter, value))
            )
        case Role.REGION:
            regions.append(BuiltRegion(value, build))
            return regions[-1]
        case Role.REGIONS:
            built_regions = [BuiltRegion(item, build) for item in _several(parameter, value)]
            regions.extend(built_regions)
            return tuple(built_regions)
        case Role.RESULT_TYPE:
            return coerce_type(value, first)
        case Role.RESULT_TYPES:
            return tuple(coerce_type(item, first) for item in _several(parameter, value))
        case Role.ATTRIBUTE if isinstance(value, FunctionSymbol):
            value.require_here()
            return value
        case _ if parameter.codec is not None:
            return parameter.codec.decode(parameter.codec.encode(value))
        case _:
            return value


def _several(parameter: Parameter, value: Any) -> Collection[Any]:
    try:
        return as_sequence(value, parameter.role.value)
    except ShloError as error:
        raise ShloError(f"{parameter.name}: {error.diagnostics[0].message}") from error


def operand_of(value: Any, first: Tensor | None, *, scalar: bool) -> Value:
    """A builder's operand: a Value, or an array, list or Python number made a constant.

    See ``constant_like`` for what a number becomes, and ``list_like`` for a list.
    """
    if isinstance(value, Value):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return constant_of(np.asarray(value))
    if isinstance(value, bool | int | float | complex):
        return constant_like(value, first, scalar=scalar)
    if isinstance(value, list | tuple):
        return list_like(value, first)
    raise ShloError(f"{value!r} is no tensor, array, list or number")


def _attributes(description: OpDescription, values: Mapping[str, Any]) -> dict[str, mlir.Attribute]:
    attributes = {
        p.name: p.codec.encode(values[p.name])
        for p in description.parameters
        if p.codec is not None and p.role is Role.ATTRIBUTE and values[p.name] is not None
    }
    for struct in description.structs:
        if any(values[field] is not None for field in struct.fields):
            attributes[struct.attribute] = struct.encode(values)
    return attributes


def own_attributes(
    description: OpDescription, values: Mapping[str, Any], result: Any
) -> dict[str, mlir.Attribute]:
    """The attributes of an op that is called with ``values``, and whose rule returns ``result``."""
    attributes = _attributes(description, values)
    if description.segments:
        groups = [values[p.name] for p in description.parameters if p.role in OPERAND_ROLES]
        sizes = [len(g) if isinstance(g, tuple) else int(g is not None) for g in groups]
        attributes["operandSegmentSizes"] = mlir.i32_array_attr(sizes)
    if isinstance(result, tuple) and any(isinstance(group, tuple) for group in result):
        attributes["resultSegmentSizes"] = mlir.i32_array_attr([len(group) for group in result])
    return attributes


def results_of(result: Any) -> list[Value]:
    """What a rule returns, flat: nothing, a value, values, or groups of values."""
    if result is None:
        return []
    if isinstance(result, Value):
        return [result]
    return [value for group in result for value in results_of(group)]


def _with_values(result: Any, values: Iterator[mlir.Value]) -> Any:
    if result is None:
        return None
    if isinstance(result, Value):
        return as_value(result.type, next(values))
    return tuple(_with_values(group, values) for group in result)


class BuiltRegion:
    """A region that a Python function fills; the op's body says with which arguments.

    Result types depend on what regions yield, so the block is made before its op, in a holder,
    and moved.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        build: ir.Build,
        terminator: str = "stablehlo.return",
    ) -> None:
        if not callable(function) or isinstance(function, type):
            raise ShloError(f"{function!r} cannot fill a region: a function is wanted")
        self.function = function
        self.terminator = terminator
        self.build = build
        declared = [annotation.type for annotation in annotated_parameters(function)]
        self.declared = [as_value(type) for type in declared if type is not None]
        if len(self.declared) < len(declared):
            self.declared = []
        location = build.location
        self.holder = mlir.create("scf.execute_region", regions=1, location=location, at=False)
        self.filled: tuple[Tensor, ...] | None = None

    @property
    def arguments(self) -> tuple[Value, ...]:
        """What the function's parameters are annotated with, for rules that allow wider types."""
        return tuple(self.declared)

    def __call__(self, *arguments: Value) -> tuple[Tensor, ...]:
        if self.filled is not None:
            return self.filled
        require_callable_with(self.function, len(arguments))
        if self.declared and len(self.declared) == len(arguments):
            _require_compatible(self.declared, arguments)
            arguments = self.arguments
        types = [argument.type.mlir() for argument in arguments]
        block, inner = self.build.block(self.holder.regions[0], types)
        with ir.inserting(inner):
            returned = self.function(*(of_value(argument) for argument in block.arguments))
            results = list(returned) if isinstance(returned, tuple | list) else [returned]
            if returned is None:
                results = []
            first = next((r for r in results if isinstance(r, Tensor)), None)
            yielded = [operand_of(value, first, scalar=True) for value in results]
            inner.op(self.terminator, [ssa(value) for value in yielded])
        self.filled = tuple(cast(Tensor, as_value(v.type)) for v in yielded)
        return self.filled

    def fill_as_annotated(self) -> None:
        """Have the function fill the region, with arguments of the types of its annotations."""
        self(*self.declared)

    def move_into(self, region: mlir.Region) -> None:
        if self.filled is None:
            self()
        self.holder.regions[0].blocks[0].append_to(region)

    def discard(self) -> None:
        """Erase the holder now: what an error left in it uses values that may go before it."""
        self.holder.erase()


def _require_compatible(declared: Sequence[Value], actual: Sequence[Value]) -> None:
    """Check the types that a region declares to take against those that it is given."""
    for index, (have, want) in enumerate(zip(declared, actual, strict=True)):
        if compatible(have, want) is False:
            raise ConstraintError(f"region argument {index} is {have.type}, not {want.type}")


def require_callable_with(function: Callable[..., Any], count: int) -> None:
    """Check that a function takes as many arguments as its region, before it is called."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # a native function that does not say what it takes
        return
    try:
        signature.bind(*range(count))
    except TypeError as error:
        raise ShloError(
            f"the region's function is given {count} arguments and takes {signature}"
        ) from error


# --- inferring and verifying ----------------------------------------------------------------------
class _ExistingRegion:
    """A region of an existing op: called with argument types, it answers with what it yields."""

    def __init__(self, region: mlir.Region, view: View) -> None:
        self.region = region
        self.view = view

    @property
    def arguments(self) -> tuple[Value, ...]:
        """What the region declares to take, for rules that allow wider types than given."""
        return tuple(self.view(argument) for argument in self.region.blocks[0].arguments)

    def __call__(self, *arguments: Value) -> tuple[Tensor, ...]:
        block = self.region.blocks[0]
        declared = self.arguments
        if len(declared) != len(arguments):
            raise ConstraintError(
                f"the region takes {len(declared)} arguments, not {len(arguments)}"
            )
        _require_compatible(declared, arguments)
        end = ir.terminator(block)
        return tuple(cast(Tensor, self.view(operand)) for operand in end.operands)


# What a rule sees of an operand of an existing op.
View = Callable[[mlir.Value], Value]


def infer(operation: Operation) -> list[ValueType]:
    """Result types of an existing op by its op function; raises ConstraintError."""
    return [value.type for value in infer_values(operation)]


def infer_values(operation: Operation, view: View = of_value) -> list[Value]:
    """Results of an existing op by its op function, from what ``view`` knows of its operands.

    Raises:
        ConstraintError: a constraint does not hold.
    """
    description = DESCRIPTIONS[operation.name]
    return results_of(description.rule(**_read(description, operation, view)))


def verify(operation: Operation) -> None:
    """Check an existing op: its constraints, and its result types against the inferred ones.

    Raises:
        ConstraintError: with the op's place and the spec's label.
    """
    description = DESCRIPTIONS[operation.name]
    try:
        arguments = _read(description, operation)
        _require_quantizable(description, arguments)
        inferred = [value.type for value in results_of(description.rule(**arguments))]
        if len(inferred) != len(operation.results):
            raise ConstraintError(f"has {len(operation.results)} results, not {len(inferred)}")
        for result, type in zip(operation.results, inferred, strict=True):
            if not _is_allowed(description, value_type(result.type), type):
                raise ConstraintError(f"result is {result.type}, inferred is {type}")
    except ConstraintError as error:
        message = f"{operation.name}: {error.diagnostics[0].message}"
        raise ConstraintError(message, place=mlir.place_of(operation.location)) from error


def _is_allowed(description: OpDescription, declared: ValueType, inferred: ValueType) -> bool:
    """Whether a result may be of its declared type, as far as is known.

    Scales and zero points of a result that is computed are the program's to choose, and where
    CHLO has them. A quantized constant is spelled as signed integers.
    """
    if isinstance(declared, TensorType) and isinstance(inferred, TensorType):
        have, want = declared.element_type, inferred.element_type
        if isinstance(have, QuantizedElementType):
            if isinstance(want, QuantizedElementType) and description.name.startswith("chlo."):
                inferred = inferred.with_element(have)
            if description.traits & (Trait.ARITHMETIC | Trait.ELEMENTWISE):
                computed = isinstance(want, QuantizedElementType) and (
                    (have.storage, have.expressed, have.axis)
                    == (want.storage, want.expressed, want.axis)
                )
                inferred = inferred.with_element(have) if computed else inferred
            if description.traits & Trait.CONSTANT_LIKE and have.bits == want.bits:
                inferred = inferred.with_element(have)
    return compatible(as_value(declared), as_value(inferred)) is not False


def _require_quantizable(description: OpDescription, values: Mapping[str, Any]) -> None:
    """Refuse quantized operands and results of ops that take none, or none per axis."""
    if description.name.startswith("chlo."):  # no specification says what its ops take
        return
    for number, parameter in enumerate(description.parameters, 1):
        value = values[parameter.name]
        is_result = parameter.role in (Role.RESULT_TYPE, Role.RESULT_TYPES)
        for item in value if isinstance(value, tuple) else (value,):
            type = item.type if isinstance(item, Value) else item
            if isinstance(type, TensorType) and type.element_type.is_quantized:
                require_quantized("O1" if is_result else f"I{number}", type, description.traits)


def read_arguments(operation: Operation) -> dict[str, Any]:
    """What the op's function would be called with to build an existing op, by parameter name.

    Attributes are Python values; operands are Values; a region stands for the op's.

    Raises:
        ConstraintError: an attribute that the op needs is missing.
    """
    return _read(DESCRIPTIONS[operation.name], operation)


def with_operands(operation: Operation, regrouped: Iterator[Any]) -> dict[str, Any]:
    """``read_arguments`` with other objects in place of the operands, taken in their order."""
    arguments = read_arguments(operation)
    groups = operand_groups(DESCRIPTIONS[operation.name], arguments)
    return {**arguments, **grouped(groups, regrouped)}


Groups = Sequence[tuple[str, int | None]]


def operand_groups(description: OpDescription, arguments: Mapping[str, Any]) -> Groups:
    """The parameters that operands are passed for, and how many where they are several."""
    return [
        (parameter.name, len(value) if parameter.role is Role.OPERANDS else None)
        for parameter in description.parameters
        if parameter.role in OPERAND_ROLES and (value := arguments[parameter.name]) is not None
    ]


def grouped(groups: Groups, operands: Iterable[Any]) -> dict[str, Any]:
    """Operands in their order, or what stands for them, by parameter."""
    rest = iter(operands)
    return {
        name: next(rest) if count is None else [next(rest) for _ in range(count)]
        for name, count in groups
    }


def _read(
    description: OpDescription, operation: Operation, view: View = of_value
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    operands = _operand_groups(description, operation, view)
    regions = [_ExistingRegion(region, view) for region in operation.regions]
    results = [value_type(result.type) for result in operation.results]
    for parameter in description.parameters:
        match parameter.role:
            case Role.OPERAND | Role.SCALAR:
                group = next(operands)
                values[parameter.name] = group[0] if group else None
            case Role.OPERANDS:
                values[parameter.name] = tuple(next(operands))
            case Role.REGION:
                values[parameter.name] = regions.pop(0)
            case Role.REGIONS:
                values[parameter.name], regions = tuple(regions), []
            case Role.RESULT_TYPE:
                values[parameter.name] = results[0]
            case Role.RESULT_TYPES:
                values[parameter.name] = tuple(results)
            case Role.ATTRIBUTE:
                values[parameter.name] = _read_attribute(parameter, operation)
            case Role.FIELD:
                values[parameter.name] = parameter.default if parameter.optional else ()
    for struct in description.structs:
        if struct.attribute in operation.attributes:
            values.update(struct.decode(operation.attributes[struct.attribute]))
    return values


def _read_attribute(parameter: Parameter, operation: Operation) -> Any:
    if parameter.name not in operation.attributes:
        if not parameter.optional:
            raise ConstraintError(f"attribute {parameter.name!r} is missing")
        return parameter.default
    if parameter.codec is None:
        raise TypeError(f"{parameter.name} is no attribute")
    value = parameter.codec.decode(operation.attributes[parameter.name])
    return _resolved(value, operation) if isinstance(value, FunctionSymbol) else value


def _resolved(symbol: FunctionSymbol, operation: Operation) -> FunctionSymbol:
    """The symbol with the types of the function it names, where that exists."""
    module = operation
    while module.parent is not None and module.name != "builtin.module":
        module = mlir.inner_operation(module.parent)
    for func in ir.functions(module):
        if ir.symbol_name(func) == symbol:
            inputs, results = ir.signature(func)
            return FunctionSymbol(
                symbol, [value_type(t) for t in inputs], [value_type(t) for t in results]
            )
    return symbol


def _operand_groups(description: OpDescription, operation: Operation, view: View) -> Any:
    """Operands split into the groups of the signature, one list per operand parameter."""
    operands = [view(operand) for operand in operation.operands]
    groups = [p for p in description.parameters if p.role in OPERAND_ROLES]
    if description.segments:
        sizes = ir.integers_of(operation, "operandSegmentSizes")
    else:
        sizes = _group_sizes(groups, len(operands))
    rest = iter(operands)
    return iter([[next(rest) for _ in range(size)] for size in sizes])


OPERAND_ROLES = (Role.OPERAND, Role.SCALAR, Role.OPERANDS)


def _group_sizes(groups: list[Parameter], count: int) -> list[int]:
    """Variadic groups of one op without segments are equally long (MLIR's rule)."""
    variadic = [p for p in groups if p.role is Role.OPERANDS]
    single = [p for p in groups if p.role is not Role.OPERANDS]
    if variadic:
        each = (count - len(single)) // len(variadic)
        return [each if p.role is Role.OPERANDS else 1 for p in groups]
    missing = len(single) - count  # an optional operand that was left out is a trailing one
    return [1] * (len(single) - missing) + [0] * missing
