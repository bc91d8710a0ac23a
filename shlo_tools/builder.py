"""Building programs in Python: a module, its functions, and the op functions of ``ops``.

module = Module()

@module.func("4x8xf32", "8xf32")
def main(x, bias):
    return ops.tanh(x + ops.broadcast_in_dim(bias, (1,), (4, 8)))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any

from shlo_tools import ir, mlir, notebook
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ops._attributes import FunctionSymbol
from shlo_tools.ops._building import building
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


class Module:
    """A StableHLO module under construction.

    Attributes:
        module: the official bindings' module; ``str(module)`` prints it.
    """

    def __init__(self) -> None:
        with mlir.library_context():
            self.module = mlir.empty_module()
        self.functions: dict[str, Function] = {}

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

    def func(
        self, *types: str | ValueType, name: str | None = None
    ) -> Callable[[Callable[..., Any]], Function]:
        """Make a Python function a function of the module, named alike.

        Args:
            types: one per argument, such as ``"2x3xf32"`` or a TensorType.
            name: another name; a leading underscore of the Python name makes it private.

        Raises:
            ShloError: the name is taken, or a value returned is no tensor.
            VerifyError: what was built is not valid StableHLO.
        """

        def build(function: Callable[..., Any]) -> Function:
            symbol = name or function.__name__
            if symbol in self.functions:
                raise ShloError(f"@{symbol} is defined already")
            with mlir.library_context():
                op = self._build(symbol, function, [coerce_type(t, None) for t in types])
            self.functions[symbol] = op
            return op

        return build

    def _build(
        self, symbol: str, function: Callable[..., Any], types: Sequence[ValueType]
    ) -> Function:
        outer = ir.Build(mlir.at_end(self.module.body), _location(function, symbol))
        inputs = [type.mlir() for type in types]
        func = outer.function(symbol, inputs, private=symbol.startswith("_"))
        token = building.set(self)
        try:
            results = _fill(func, function, inputs, outer)
            func.attributes["function_type"] = mlir.type_attr(
                mlir.function_type(inputs, [value.type.mlir() for value in results])
            )
            _verify(func)
        except BaseException:
            func.erase()
            raise
        finally:
            building.reset(token)
        defined = Function(symbol, types, [value.type for value in results])
        defined.module = self
        return defined


def _listed(types: Sequence[ValueType] | None) -> str:
    return ", ".join(map(str, types or ()))


def _location(function: Callable[..., Any], symbol: str) -> mlir.Location:
    """Where a function is written; of what has no code of its own, such as a partial, its name."""
    function = inspect.unwrap(function)
    for place in (function, type(function).__call__):
        code = getattr(place, "__code__", None)
        if code is not None:
            return mlir.file_location(code.co_filename, code.co_firstlineno)
    return mlir.file_location(symbol, 1)


def _fill(
    func: mlir.Operation, function: Callable[..., Any], inputs: list[mlir.Type], outer: ir.Build
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
