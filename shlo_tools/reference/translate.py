"""From MLIR modules to steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import Diagnostic, ShloError, UnsupportedError
from shlo_tools.extend.description import python_value, read
from shlo_tools.mlir import Operation
from shlo_tools.ops import DESCRIPTIONS, Trait, has_trait
from shlo_tools.ops._attributes import FunctionSymbol
from shlo_tools.ops._op import (
    OPERAND_ROLES,
    OpDescription,
    Role,
    grouped,
    operand_groups,
    read_arguments,
)
from shlo_tools.quantized_types import quantized_element, stored_type
from shlo_tools.reference import self_checking, upstream
from shlo_tools.reference._evaluates import EVALUATORS, keywords_of
from shlo_tools.reference.interpreter import Region, actual
from shlo_tools.reference.quantization import on_quantized
from shlo_tools.reference.steps import (
    Body,
    Environment,
    Evaluate,
    Execution,
    Function,
    Program,
    Step,
)
from shlo_tools.types import OtherType, Tensor, ValueType, as_value, value_type

_OPERANDS = (Role.OPERAND, Role.SCALAR, Role.OPERANDS)
# What a region's scalars go through as well as whole arrays of them.
_AT_ONCE = Trait.ELEMENTWISE | Trait.CONSTANT_LIKE
_ENDS = ("stablehlo.return", "func.return", "tensor.yield")


def translate(module: mlir.Module, roots: Sequence[str]) -> Program:
    """The functions that ``roots`` need, as steps; in the library's context.

    Raises:
        ShloError: there is no such function, or functions call each other in a circle.
    """
    named = ir.functions_by_name(module.operation)
    functions: dict[str, Function] = {}
    names = list(roots)
    while names:
        name = names.pop()
        if name in functions:
            continue
        if name not in named or ir.is_declaration(named[name]):
            raise UnsupportedError(f"there is no function @{name} with a body")
        translator = _Translator()
        functions[name] = translator.function(named[name])
        names += sorted(translator.called)
    _settle(functions, roots)
    return Program(functions)


def function_names(module: mlir.Module) -> list[str]:
    """The functions of a module that have bodies."""
    functions = ir.functions(module.operation)
    return [ir.symbol_name(func) for func in functions if not ir.is_declaration(func)]


def _settle(functions: dict[str, Function], roots: Sequence[str]) -> None:
    """Refuse circles of calls, and find out which bodies are elementwise, callees first."""
    done: dict[str, bool] = {}
    for root in roots:
        stack = [root]
        path: set[str] = set()
        while stack:
            name = stack[-1]
            if name in path or name in done:
                stack.pop()
                path.discard(name)
                if name not in done:
                    done[name] = _is_elementwise(functions[name].body, functions)
                continue
            path.add(name)
            for callee in _callees(functions[name].body):
                if callee in path:
                    raise UnsupportedError(f"@{callee} calls itself, through @{name}")
                if callee not in done:
                    stack.append(callee)
    for function in functions.values():
        for body in _bodies(function.body):
            _is_elementwise(body, functions)


def _callees(body: Body) -> list[str]:
    return [name for inner in _bodies(body) for step in inner.steps for name in calls_of(step)]


def calls_of(step: Step) -> tuple[str, ...]:
    """The functions that a step may call."""
    return (*([] if step.callee is None else [step.callee]), *getattr(step.evaluate, "called", ()))


def _bodies(body: Body) -> list[Body]:
    """A body and those inside it."""
    bodies = [body]
    for outer in bodies:
        for step in outer.steps:
            bodies.extend(getattr(step.evaluate, "bodies", ()))
    return bodies


def _is_elementwise(body: Body, functions: Mapping[str, Function]) -> bool:
    body.elementwise = body.is_scalar and all(
        step.elementwise or (step.callee is not None and functions[step.callee].body.elementwise)
        for step in body.steps
    )
    return body.elementwise


class _Translator:
    """Translates one function; numbers its values."""

    def __init__(self) -> None:
        self.numbers: dict[mlir.Value, int] = {}
        self.called: set[str] = set()

    def function(self, func: Operation) -> Function:
        inputs, results = ir.signature(func)
        body = self.body(func.regions[0])
        return Function(
            ir.symbol_name(func),
            body,
            tuple(_type(type) for type in inputs),
            tuple(_type(type) for type in results),
        )

    def body(self, region: mlir.Region) -> Body:
        blocks = list(region.blocks)
        if len(blocks) != 1:
            raise UnsupportedError("regions of several blocks are not supported")
        arguments = list(blocks[0].arguments)
        numbers = tuple(self._number(argument) for argument in arguments)
        body = Body(numbers, tuple(_type(argument.type) for argument in arguments))
        used: list[set[int]] = []
        for view in blocks[0].operations:
            op = mlir.inner_operation(view)
            if op.name in _ENDS:
                body.yields = tuple(self.numbers[value] for value in op.operands)
                body.yield_types = tuple(_type(value.type) for value in op.operands)
                continue
            step = self.step(op)
            body.steps.append(step)
            used.append({*step.operands, *_inner_uses(step)})
        _release(body, used)
        return body

    def _number(self, value: mlir.Value) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def step(self, op: Operation) -> Step:
        operands = tuple(self.numbers[value] for value in op.operands)
        types = tuple(_type(value.type) for value in op.operands)
        result_types = tuple(_type(value.type) for value in op.results)
        place = mlir.place_of(op.location)
        step = Step(op.name, ir.describe(op), place, operands, (), result_types)
        if op.name in ("func.call", "call"):
            step.callee = ir.callee_of(op)
            self.called.add(step.callee)
        elif op.name in EVALUATORS and op.name in DESCRIPTIONS:
            step.evaluate = self._evaluator(op, types, result_types)
            step.elementwise = has_trait(op, _AT_ONCE) and _all_scalar((*types, *result_types))
            known = not any(isinstance(type, OtherType) for type in (*types, *result_types))
            if known and any(_is_dynamic(type) for type in (*types, *result_types)):
                step.check = _check_of(op)
        elif evaluate := self_checking.evaluator(op):
            step.evaluate = evaluate
            self.called.update(getattr(evaluate, "called", ()))
        else:
            step.evaluate = upstream.evaluator(op, lambda region: self.body(region))
            step.elementwise = step.evaluate is not None and upstream.is_elementwise(op)
        step.results = tuple(self._number(value) for value in op.results)
        return step

    def _evaluator(
        self, op: Operation, types: Sequence[ValueType], result_types: Sequence[ValueType]
    ) -> Evaluate:
        try:
            arguments = read_arguments(op)
        except ShloError as error:
            raise type(error)(
                [
                    Diagnostic(
                        "error",
                        f"{ir.describe(op)}: {error.diagnostics[0].message}",
                        mlir.place_of(op.location),
                    )
                ]
            ) from error
        bodies = iter([self.body(region) for region in op.regions])
        call = _Call(op.name, DESCRIPTIONS[op.name], arguments, bodies, result_types, op)
        self.called.update(call.called)
        if any(quantized_element(type) for type in (*types, *result_types)):
            return on_quantized(call, types, result_types)
        return call


class _Call:
    """Calls the function of an op with a step's operands and the op's attributes."""

    def __init__(
        self,
        name: str,
        description: OpDescription,
        arguments: Mapping[str, Any],
        bodies: Any,
        result_types: Sequence[ValueType],
        op: Operation,
    ) -> None:
        self.name = name
        self.function = EVALUATORS[name]
        offered = keywords_of(self.function)
        self.groups = operand_groups(description, arguments)
        self.constants: dict[str, Any] = {}
        self.regions: dict[str, Body | list[Body]] = {}
        self.symbols: dict[str, str] = {}
        for parameter in description.parameters:
            value = arguments[parameter.name]
            if parameter.role in OPERAND_ROLES:
                continue
            if parameter.role is Role.REGION:
                self.regions[parameter.name] = next(bodies)
            elif parameter.role is Role.REGIONS:
                self.regions[parameter.name] = list(bodies)
            elif isinstance(value, FunctionSymbol):
                self.symbols[parameter.name] = str(value)
            elif parameter.name in offered:
                self.constants[parameter.name] = _python(value)
        if "result_types" in offered:
            self.constants["result_types"] = list(result_types)
        if "place" in offered:
            self.constants["place"] = mlir.place_of(op.location)
        if "call" in offered:
            attributes = dict(op.attributes.items())
            takes, gives = (
                [stored_type(v.type) for v in values] for values in (op.operands, op.results)
            )
            self.constants["call"] = read(attributes, takes, gives, mlir.place_of(op.location))
        self.extra = {name for name in ("process", "run") if name in offered}
        self.called = {
            *self.symbols.values(),
            *map(str, arguments.get("called_computations") or ()),
        }

    @property
    def bodies(self) -> list[Body]:
        all_bodies: list[Body] = []
        for region in self.regions.values():
            all_bodies.extend(region if isinstance(region, list) else [region])
        return all_bodies

    def __call__(self, run: Execution, environment: Environment, operands: Sequence[Any]) -> Any:
        return self.with_regions(run, operands, self.regions_in(run, environment))

    def regions_in(self, run: Execution, environment: Environment) -> dict[str, Any]:
        """The op's regions as functions, by parameter name."""
        return {
            name: [Region(body, run, environment) for body in region]
            if isinstance(region, list)
            else Region(region, run, environment)
            for name, region in self.regions.items()
        }

    def with_regions(
        self, run: Execution, operands: Sequence[Any], regions: Mapping[str, Any]
    ) -> Any:
        """The op's results, with the given functions for its regions."""
        arguments = {**self.constants, **regions, **grouped(self.groups, operands)}
        for name, symbol in self.symbols.items():
            arguments[name] = _named(run, symbol)
        if "process" in self.extra:
            arguments["process"] = run.process
        if "run" in self.extra:
            arguments["run"] = run
        return self.function(**arguments)


def _named(run: Execution, symbol: str) -> Callable[..., Any]:
    return lambda *arguments: tuple(run.call(symbol, arguments))


def _python(region: Any) -> Any:
    """Attributes, in dictionaries as well, as Python values."""
    if isinstance(region, dict):
        return {name: _python(value) for name, value in region.items()}
    return python_value(region) if mlir.is_attribute(region) else region


# --- types and values -----------------------------------------------------------------------------
def _type(type: mlir.Type) -> ValueType:
    """The type of a value; scalars outside tensors are held as 0-dimensional arrays."""
    type_seen = value_type(type)
    if isinstance(type_seen, OtherType) and type_seen.text in dtypes.ELEMENT_TYPES:
        return TensorType((), dtypes.element_type(type_seen.text))
    return type_seen


def _is_dynamic(type: ValueType) -> bool:
    return isinstance(type, TensorType) and not type.is_static


def _all_scalar(types: Sequence[ValueType]) -> bool:
    """Whether all are scalars that arrays can stand for as they are."""
    return all(
        isinstance(type, TensorType) and type.rank == 0 and not type.element_type.is_quantized
        for type in types
    )


def _inner_uses(step: Step) -> set[int]:
    """Numbers of values that the regions of a step read."""
    return {
        number
        for body in getattr(step.evaluate, "bodies", ())
        for inner in _bodies(body)
        for number in (*inner.yields, *(n for s in inner.steps for n in s.operands))
    }


def _release(body: Body, used: Sequence[set[int]]) -> None:
    """Note for each step which values of this body are not needed after it."""
    own = {number for step in body.steps for number in step.results}
    needed = set(body.yields)
    for step, uses in zip(reversed(body.steps), reversed(used), strict=True):
        last = ({*uses, *step.results} & own) - needed
        step.released = tuple(sorted(last))
        needed |= uses


# --- checks of sizes known only at run time -------------------------------------------------------
def _check_of(op: Operation) -> Callable[[Sequence[Any]], None] | None:
    """The op function's constraints, to be checked with the operands' actual sizes."""
    description = DESCRIPTIONS[op.name]
    arguments = read_arguments(op)
    groups = operand_groups(description, arguments)
    for parameter in description.parameters:
        value = arguments[parameter.name]
        if parameter.role is Role.REGION:
            arguments[parameter.name] = _yielding(value)
        elif parameter.role is Role.REGIONS:
            arguments[parameter.name] = [_yielding(region) for region in value]

    def check(operands: Sequence[Any]) -> None:
        values = grouped(groups, [actual(operand) for operand in operands])
        description.rule(**{**arguments, **values})

    return check


def _yielding(region: Any) -> Callable[..., tuple[Tensor, ...]]:
    end = ir.terminator(region.region.blocks[0])
    types = [_type(value.type) for value in end.operands]
    results: Any = tuple(as_value(type) for type in types)
    return lambda *arguments: results
