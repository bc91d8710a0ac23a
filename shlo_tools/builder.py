"""Building programs in Python: a module, its functions, and the op functions of ``ops``.

module = Module()

@module.func
def main(x: "4x8xf32", bias: "8xf32"):
    return ops.tanh(x + ops.broadcast_in_dim(bias, (1,), (4, 8)))

``attributes`` gives ops attributes beside their own, ``attribute`` writes one in MLIR's spelling,
and ``operation`` builds ops that ``ops`` has no function for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, overload

from shlo_tools import ir, mlir, notebook
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ops._annotations import Annotation, annotated_parameters
from shlo_tools.ops._any_op import as_attributes
from shlo_tools.ops._any_op import attribute as attribute
from shlo_tools.ops._any_op import attributes as attributes
from shlo_tools.ops._any_op import operation as operation
from shlo_tools.ops._attributes import FunctionSymbol, text_of
from shlo_tools.ops._building import building
from shlo_tools.ops._caller import CallerBuild
from shlo_tools.ops._op import operand_of
from shlo_tools.types import Tensor, Value, ValueType, as_value, coerce_type, of_value, ssa

_SHOWN_ELEMENTS = 1000  # of a constant, in notebooks


class Function(FunctionSymbol):
    """A function of a module being built; call it to build a call, pass it as a symbol.

    Attributes:
        module: the module that it is of.
    """

    module: Module | None = None

    def __call__(self, *arguments: Value | Any) -> Any:
        if self.result_types is None or self.input_types is None:
            raise ShloError(f"@{self} has no types yet")
        self.require_here()
        like = (Tensor(t) if isinstance(t, TensorType) else None for t in self.input_types)
        operands = [
            operand_of(argument, tensor, scalar=False)
            for argument, tensor in zip(arguments, chain(like, repeat(None)), strict=False)
        ]
        parameters = ", ".join(str(type) for type in self.input_types)
        types = ", ".join(str(operand.type) for operand in operands)
        if types != parameters:
            raise ShloError(f"@{self} takes ({parameters}), not ({types})")
        call = ir.insertion().op(
            "func.call",
            [ssa(operand) for operand in operands],
            [type.mlir() for type in self.result_types],
            {"callee": mlir.symbol_attr(str(self))},
        )
        results = [as_value(t, v) for t, v in zip(self.result_types, call.results, strict=True)]
        return results[0] if len(results) == 1 else tuple(results)

    def require_here(self) -> None:
        """Raise ShloError where another module is being built than the function's."""
        here = building.get()
        if here is not None and here is not self.module:
            raise ShloError(
                f"@{self} is a function of another module", hint="define it in the one being built"
            )


@dataclass(frozen=True)
class _Signature:
    """What a function is given beside its body.

    Attributes:
        symbol: its name in the module.
        inputs: the types of its arguments.
        arguments: attributes of each argument; results: of each result.
        attributes: those of the function.
    """

    symbol: str
    inputs: list[ValueType]
    arguments: list[Attributes]
    results: list[Attributes]
    attributes: Attributes
    private: bool


Attributes = Mapping[str, Any]


class Module:
    """A StableHLO module under construction.

    Args:
        name: the module's; none by default.
        attributes: those of the module: ``{"mhlo.num_partitions": np.int32(2)}``.

    Attributes:
        module: the official bindings' module; ``str(module)`` prints it.
        functions: what is defined or declared, by name.
    """

    def __init__(self, name: str | None = None, attributes: Attributes | None = None) -> None:
        with mlir.library_context():
            self.module = mlir.empty_module()
            own = as_attributes(attributes or {}, "attributes of a module")
            if name is not None:
                own["sym_name"] = mlir.string_attr(text_of(name, "name of a module"))
            for key, value in own.items():
                self.module.operation.attributes[key] = value
        self.functions: dict[str, Function] = {}
        self._declarations: dict[str, mlir.Operation] = {}

    def __str__(self) -> str:
        with mlir.library_context():
            return ir.printed(self.module.operation)

    def __repr__(self) -> str:
        functions = ", ".join(
            f"@{name}({_listed(function.input_types)}) -> ({_listed(function.result_types)})"
            for name, function in self.functions.items()
        )
        return f"<Module {functions or 'without functions'}>"

    def _repr_html_(self) -> str:
        with mlir.library_context():
            # What is longer would be a burden on the notebook's file; MLIR leaves it out.
            text = ir.printed(self.module.operation, large_elements_limit=_SHOWN_ELEMENTS)
        return notebook.program(text)

    @overload
    def func(self, function: Callable[..., Any], /) -> Function: ...

    @overload
    def func(
        self,
        *types: str | ValueType,
        name: str | None = ...,
        private: bool | None = ...,
        arg_attrs: Sequence[Attributes] | Mapping[int, Attributes] = ...,
        result_attrs: Sequence[Attributes] | Mapping[int, Attributes] = ...,
        attributes: Attributes | None = ...,
    ) -> Callable[[Callable[..., Any]], Function]: ...

    def func(
        self,
        *types: Any,
        name: str | None = None,
        private: bool | None = None,
        arg_attrs: Sequence[Attributes] | Mapping[int, Attributes] = (),
        result_attrs: Sequence[Attributes] | Mapping[int, Attributes] = (),
        attributes: Attributes | None = None,
    ) -> Any:
        """Make a Python function a function of the module, named alike.

        The types of its arguments are given here, or as annotations of its parameters, where
        attributes may stand beside them: ``x: ("4x8xf32", {"jax.buffer_donor": True})``.

        Args:
            types: one per argument, such as ``"2x3xf32"`` or a TensorType.
            name: another name.
            private: whether only this module calls it; by default where the name of the Python
                function has a leading underscore.
            arg_attrs: attributes per argument, in order or by number.
            result_attrs: attributes per result.
            attributes: those of the function.

        Raises:
            ShloError: the name is taken, a parameter has no type, a value returned is no
                tensor, or results are not those that were declared.
            VerifyError: what was built is not valid StableHLO.
        """
        if len(types) == 1 and callable(types[0]) and not isinstance(types[0], type):
            return self.func()(types[0])

        def build(function: Callable[..., Any]) -> Function:
            symbol = text_of(name or function.__name__, "name of a function")
            if symbol in self.functions and symbol not in self._declarations:
                raise ShloError(f"@{symbol} is defined already")
            with mlir.library_context():
                inputs = [coerce_type(type, None) for type in types]
                written = annotated_parameters(function) if not inputs else []
                inputs = inputs or [_annotated(symbol, each) for each in written]
                signature = _Signature(
                    symbol,
                    inputs,
                    _merged([each.attributes for each in written], arg_attrs, len(inputs)),
                    _merged([], result_attrs, None),
                    attributes or {},
                    symbol.startswith("_") if private is None else private,
                )
                op = self._build(function, signature)
            self.functions[symbol] = op
            return op

        return build

    def operation(self, name: str, attributes: Attributes | None = None, **options: Any) -> None:
        """Put an op of any dialect in the module beside its functions, such as a global.

        Args and errors are those of ``builder.operation``.
        """
        with mlir.library_context():
            build = CallerBuild(mlir.at_end(self.module.body), mlir.unknown_location())
            with ir.inserting(build):
                operation(name, attributes=attributes, **options)

    def declare(
        self,
        name: str,
        types: Sequence[str | ValueType] = (),
        result_types: Sequence[str | ValueType] = (),
        *,
        private: bool = True,
        arg_attrs: Sequence[Attributes] | Mapping[int, Attributes] = (),
        result_attrs: Sequence[Attributes] | Mapping[int, Attributes] = (),
        attributes: Attributes | None = None,
    ) -> Function:
        """Declare a function that is defined later, or elsewhere; it can be called at once.

        ``func`` with its name puts the definition, at the end of the module, in the place of the
        declaration; declaring it again moves it to the end. For recursion, too.

        Raises:
            ShloError: the name is taken.
        """
        if name in self.functions and name not in self._declarations:
            raise ShloError(f"@{name} is defined already")
        text_of(name, "name of a function")
        with mlir.library_context():
            inputs = [coerce_type(type, None) for type in types]
            results = [coerce_type(type, None) for type in result_types]
            of_each = _merged([], arg_attrs, len(inputs)), _merged([], result_attrs, len(results))
            signature = _Signature(name, inputs, *of_each, attributes or {}, private)
            build = CallerBuild(mlir.at_end(self.module.body), mlir.unknown_location())
            func = _function(build, signature)
            _set_type(func, signature, [type.mlir() for type in results])
            self._forget(name)
            self._declarations[name] = func
            declared = self.functions[name] = Function(name, inputs, results)
        declared.module = self
        return declared

    def _forget(self, name: str) -> None:
        """Take a declaration out, in the place of which there is something else now."""
        if name in self._declarations:
            self._declarations.pop(name).erase()

    def _build(self, function: Callable[..., Any], signature: _Signature) -> Function:
        symbol = signature.symbol
        outer = CallerBuild(mlir.at_end(self.module.body), _location(function, symbol))
        func = _function(outer, signature, outer.fallback)
        token = building.set(self)
        try:
            results = _fill(func, function, [type.mlir() for type in signature.inputs], outer)
            _set_type(func, signature, [value.type.mlir() for value in results])
            _verify(func)
            defined = Function(symbol, signature.inputs, [value.type for value in results])
            if symbol in self._declarations:
                _require_as_declared(defined, self.functions[symbol])
        except BaseException:
            func.erase()
            raise
        finally:
            building.reset(token)
        self._forget(symbol)
        defined.module = self
        return defined


def _listed(types: Sequence[ValueType] | None) -> str:
    return ", ".join(map(str, types or ()))


def _annotated(symbol: str, annotation: Annotation) -> ValueType:
    if annotation.type is None:
        raise ShloError(
            f"@{symbol}: parameter {annotation.name!r} has no type",
            hint=f'annotate it, as in `{annotation.name}: "2x3xf32"`, or pass types to func(...)',
        )
    return annotation.type


def _merged(
    annotated: list[Attributes],
    further: Sequence[Attributes] | Mapping[int, Attributes],
    count: int | None,
) -> list[Attributes]:
    """The attributes of each argument or result, as far as any has some."""
    by_number = dict(further) if isinstance(further, Mapping) else dict(enumerate(further))
    numbers = [*by_number, len(annotated) - 1]
    if any(
        not isinstance(n, int) or n < 0 or n >= (n + 1 if count is None else count)
        for n in by_number
    ):
        raise ShloError(f"attributes for {list(by_number)}: there are {count} arguments or results")
    merged: list[Attributes] = [{} for _ in range(max(numbers) + 1)]
    for number, each in chain(enumerate(annotated), by_number.items()):
        merged[number] = {**merged[number], **each}
    return merged


def _function(
    build: CallerBuild, signature: _Signature, location: mlir.Location | None = None
) -> mlir.Operation:
    """The op of a function without a body."""
    own = as_attributes(signature.attributes, "attributes of a function")
    types = [type.mlir() for type in signature.inputs]
    plain = ir.Build(build.at, location or build.location)
    return plain.function(signature.symbol, types, (), own, private=signature.private)


def _set_type(func: mlir.Operation, signature: _Signature, results: list[mlir.Type]) -> None:
    """Give a function its results, and its arguments and results their attributes."""
    inputs = [type.mlir() for type in signature.inputs]
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))
    for name, of_each, count in (
        ("arg_attrs", signature.arguments, len(inputs)),
        ("res_attrs", signature.results, len(results)),
    ):
        if len(of_each) > count:
            raise ShloError(f"@{signature.symbol} has {count} of what {name} has {len(of_each)}")
        if any(of_each):
            padded = [*of_each, *({} for _ in range(count - len(of_each)))]
            func.attributes[name] = mlir.array_attr(
                mlir.dict_attr(as_attributes(each, name)) for each in padded
            )


def _require_as_declared(defined: Function, declared: Function) -> None:
    for kind in ("input_types", "result_types"):
        have, want = (
            ", ".join(str(type) for type in getattr(function, kind))
            for function in (defined, declared)
        )
        if have != want:
            raise ShloError(f"@{defined} was declared with ({want}), and has ({have})")


def _location(function: Callable[..., Any], symbol: str) -> mlir.Location:
    """Where a function is written; of what has no code of its own, such as a partial, its name."""
    function = inspect.unwrap(function)
    for place in (function, type(function).__call__):
        code = getattr(place, "__code__", None)
        if code is not None:
            return mlir.file_location(code.co_filename, code.co_firstlineno)
    return mlir.file_location(symbol, 1)


def _fill(
    func: mlir.Operation, function: Callable[..., Any], inputs: list[mlir.Type], outer: CallerBuild
) -> list[Value]:
    block, build = outer.block(func.regions[0], inputs)
    with ir.inserting(build):
        results = function(*(of_value(argument) for argument in block.arguments))
        returned = list(results) if isinstance(results, tuple | list) else [results]
        if results is None:
            returned = []
        for value in returned:
            if not isinstance(value, Value):
                raise ShloError(f"{function.__name__} returned {value!r}, which is no tensor")
        build.op("func.return", [ssa(value) for value in returned])
    return returned


def _verify(operation: mlir.Operation) -> None:
    try:
        mlir.verify(operation)
    except mlir.MLIRError as error:
        raise VerifyError(mlir.diagnostics_of(error)) from error
