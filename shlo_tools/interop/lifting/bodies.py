"""The body of a function as Python: an assignment per op, a nested function per region."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.interop.lifting.calls import LEFT_OUT, Call, call_of, is_symbol
from shlo_tools.interop.lifting.literals import Literals, call_text, quoted
from shlo_tools.interop.lifting.names import Names
from shlo_tools.ops._op import DESCRIPTIONS, OPERAND_ROLES, OpDescription, Parameter, Role
from shlo_tools.types import Value

_DEEPEST = 40  # levels of regions; Python indents a hundred times
_NAME = re.compile(r'loc\("([A-Za-z_]\w*)"(?:\(.*\))?\)$')


class Body:
    """Writes the ops of one function.

    Args:
        literals: writes types, attributes and numbers.
        functions: the Python names of the module's functions, by symbol.
        names: what is taken already.
        place: of the function, for errors.
    """

    def __init__(self, literals: Literals, functions: Mapping[str, str], names: Names) -> None:
        self.literals = literals
        self.functions = functions
        self.names = names
        self.values: dict[mlir.Value, str] = {}
        self.lines: list[str] = []
        self._depth = 1

    def block(self, block: mlir.Block, terminator: str) -> None:
        """The lines of a block whose arguments have names."""
        ops = [mlir.inner_operation(op) for op in block.operations]
        for op in ops[:-1]:
            with naming(op):
                self._op(op)
        with naming(ops[-1]):
            self._return(ops[-1], terminator)

    def parameters(self, block: mlir.Block, wishes: str = "arg") -> list[str]:
        """Names for a block's arguments."""
        for argument in block.arguments:
            location = _NAME.match(str(getattr(argument, "location", "")))
            wish = location[1] if location else wishes
            self.values[argument] = self.names.fresh(wish, numbered=location is None)
        return [self.values[argument] for argument in block.arguments]

    def _line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def _indented(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _return(self, op: mlir.Operation, terminator: str) -> None:
        if op.name != terminator:
            raise UnsupportedError(f"the builder ends what it stands in with {terminator}")
        if len(op.attributes):
            raise UnsupportedError("the builder gives no attributes to what ends a block")
        returned = ", ".join(self.values[value] for value in op.operands)
        self._line(f"return {returned}" if returned else "return")

    def _op(self, op: mlir.Operation) -> None:
        if op.name == "func.call" and ir.callee_of(op) in self.functions:
            head, arguments, further = self._of_function(op)
            results: Any = None
        else:
            call = call_of(op)
            results, further = call.results, call.further
            build = self._generic if call.arguments is None else self._by_function
            head, arguments = build(op, call)
        target = self._targets(op, results)
        if further:
            self.literals.uses.add("attributes")
            self._line(f"with attributes({self.literals.attributes(further)}):")
            with self._indented():
                self._call(target, head, arguments)
        else:
            self._call(target, head, arguments)

    def _call(self, target: str, head: str, arguments: list[str]) -> None:
        for line in call_text(f"{target}{head}", arguments, 4 * self._depth):
            self._line(line)

    def _targets(self, op: mlir.Operation, results: Any) -> str:
        """``x, y = `` with a name for each result, grouped as the function returns them."""
        wish = _leaf(op, self.functions)
        for result in op.results:
            self.values[result] = self.names.fresh(wish)
        names = iter([self.values[result] for result in op.results])
        if not len(op.results):
            return ""
        if results is None:
            return f"{', '.join(names)} = "
        return f"{_pattern(results, names)} = "

    # --- three kinds of calls ---------------------------------------------------------------------
    def _of_function(
        self, op: mlir.Operation
    ) -> tuple[str, list[str], Mapping[str, mlir.Attribute]]:
        further = {key: value for key, value in op.attributes.items() if key != "callee"}
        operands = [self.values[operand] for operand in op.operands]
        return self.functions[ir.callee_of(op)], operands, further

    def _by_function(self, op: mlir.Operation, call: Call) -> tuple[str, list[str]]:
        description = DESCRIPTIONS[op.name]
        operands = iter([self.values[operand] for operand in op.operands])
        regions = iter(enumerate(op.regions))
        arguments: list[str] = []
        positional = True
        for parameter in description.parameters:
            value = (call.arguments or {})[parameter.name]
            if _is_default(parameter, value):
                positional = False
                continue
            written = self._argument(parameter, value, call, operands, regions)
            positional = positional and _is_positional(description, parameter)
            arguments.append(written if positional else f"{parameter.name}={written}")
        return self._function_name(description), arguments

    def _function_name(self, description: OpDescription) -> str:
        self.literals.uses.add("ops")
        room = "ops.chlo" if description.name.startswith("chlo.") else "ops"
        return f"{room}.{description.rule.__name__}"

    def _argument(
        self,
        parameter: Parameter,
        value: Any,
        call: Call,
        operands: Iterator[str],
        regions: Iterator[tuple[int, mlir.Region]],
    ) -> str:
        match parameter.role:
            case Role.OPERAND | Role.SCALAR:
                return next(operands)
            case Role.OPERANDS:
                return f"[{', '.join(next(operands) for _ in value)}]"
            case Role.REGION:
                number, region = next(regions)
                return self._region(region, parameter.name, annotated=number in call.declared)
            case Role.REGIONS:
                wish = parameter.name.removesuffix("es")  # branches
                filled = [self._region(r, wish, annotated=n in call.declared) for n, r in regions]
                return f"[{', '.join(filled)}]"
            case Role.RESULT_TYPE:
                return self.literals.type(value.mlir())
            case Role.RESULT_TYPES:
                return f"[{', '.join(self.literals.type(each.mlir()) for each in value)}]"
            case _ if value is LEFT_OUT:
                return "None"
            case _ if is_symbol(value):
                if value not in self.functions:
                    raise UnsupportedError(f"there is no function @{value}")
                return self.functions[value]
            case _:
                return self.literals.value(value)

    def _generic(self, op: mlir.Operation, call: Call) -> tuple[str, list[str]]:
        if op.successors:
            raise UnsupportedError("jumps between blocks cannot be written in Python")
        if not mlir.current_context().is_registered_operation(op.name):
            raise UnsupportedError("no dialect defines such an op")
        arguments = [quoted(op.name), f"[{', '.join(self.values[each] for each in op.operands)}]"]
        types = [self.literals.type(result.type) for result in op.results]
        arguments.append(f"[{', '.join(types)}]")
        attributes = dict(op.attributes.items())
        if attributes:
            arguments.append(self.literals.attributes(attributes))
        if len(op.regions):
            ends = [_ending(region) for region in op.regions]
            regions = [
                self._generic_region(region, end)
                for region, end in zip(op.regions, ends, strict=True)
            ]
            arguments.append(f"regions=[{', '.join(regions)}]")
            if set(ends) != {"stablehlo.return"}:
                listed = f"[{', '.join(map(quoted, ends))}]"
                arguments.append(f"terminators={listed if len(set(ends)) > 1 else quoted(ends[0])}")
        self.literals.uses.add("operation")
        return "operation", arguments

    def _generic_region(self, region: mlir.Region, terminator: str) -> str:
        blocks = list(region.blocks)
        if not blocks:
            return "None"
        return self._region(region, "region", annotated=True, terminator=terminator)

    # --- regions ----------------------------------------------------------------------------------
    def _region(
        self,
        region: mlir.Region,
        wish: str,
        *,
        annotated: bool,
        terminator: str = "stablehlo.return",
    ) -> str:
        """A function that fills a region: an op function, a lambda, or the name of one above."""
        blocks = list(region.blocks)
        if len(blocks) != 1:
            raise UnsupportedError("a region of several blocks cannot be written in Python")
        if not annotated and (known := self._op_function(blocks[0])):
            return known
        if self._depth >= _DEEPEST:
            raise UnsupportedError(f"regions are nested {_DEEPEST} deep: Python's indents end")
        name = self.names.fresh(wish)
        parameters = self.parameters(blocks[0])
        if annotated:
            types = [self.literals.type(argument.type) for argument in blocks[0].arguments]
            parameters = [f"{n}: {t}" for n, t in zip(parameters, types, strict=True)]
        if self.lines and self.lines[-1] and not self.lines[-1].endswith(":"):
            self.lines.append("")
        for line in call_text(f"def {name}", parameters, 4 * self._depth, ending=":"):
            self._line(line)
        with self._indented():
            self.block(blocks[0], terminator)
        self.lines.append("")
        return name

    def _op_function(self, block: mlir.Block) -> str | None:
        """``ops.add`` for a region that does nothing else to its arguments."""
        inner = [mlir.inner_operation(op) for op in block.operations]
        if len(inner) != 2 or list(inner[0].operands) != list(block.arguments):
            return None
        op, end = inner
        call = call_of(op)
        plain = call.arguments is not None and isinstance(call.results, Value) and not call.further
        if not plain or list(end.operands) != list(op.results) or len(end.attributes):
            return None
        description = DESCRIPTIONS[op.name]
        if not all(
            p.role is Role.OPERAND or _is_default(p, (call.arguments or {})[p.name])
            for p in description.parameters
        ):
            return None
        return self._function_name(description)


@contextmanager
def naming(op: mlir.Operation) -> Iterator[None]:
    """Errors of the block name the op, and where it stands."""
    try:
        yield
    except ShloError as error:
        first = error.diagnostics[0]
        if first.place is not None or first.message.startswith("to_python: "):
            raise
        message = f"to_python: {op.name} cannot be written: {first.message}"
        raise UnsupportedError(message, place=mlir.place_of(op.location)) from error


def _ending(region: mlir.Region) -> str:
    """The op that ends a region's block; of an empty region the usual one."""
    blocks = list(region.blocks)
    return ir.terminator(blocks[0]).name if blocks else "stablehlo.return"


def _leaf(op: mlir.Operation, functions: Mapping[str, str]) -> str:
    if op.name == "func.call":
        return functions.get(ir.callee_of(op), "call")
    return op.name.rpartition(".")[2]


def _pattern(results: Any, names: Iterator[str]) -> str:
    if isinstance(results, Value):
        return next(names)
    inner = ", ".join(_pattern(each, names) for each in results)
    return f"({inner},)" if len(results) == 1 else f"({inner})"


def _is_default(parameter: Parameter, value: Any) -> bool:
    """Whether an argument may be left out."""
    if not parameter.optional:
        return False
    if value is None or parameter.default is None:
        return value is None and parameter.default is None
    if parameter.role in OPERAND_ROLES:
        return len(value) == 0 and len(parameter.default) == 0
    same = type(value) is type(parameter.default) and value == parameter.default
    return bool(same)


def _is_positional(description: OpDescription, parameter: Parameter) -> bool:
    """Whether an argument needs no name to be understood: operands, a constant, a type."""
    kind = description.signature.parameters[parameter.name].kind
    plain = parameter.role in (*OPERAND_ROLES, Role.RESULT_TYPE)
    named = kind is inspect.Parameter.KEYWORD_ONLY
    return not named and (plain or description.name == "stablehlo.constant")
