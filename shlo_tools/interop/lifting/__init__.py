"""Programs as Python source that builds them: ``to_python``."""

from __future__ import annotations

import re
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.errors import UnsupportedError
from shlo_tools.interop.lifting.bodies import Body, naming
from shlo_tools.interop.lifting.literals import IMPORTS, Literals, call_text, quoted
from shlo_tools.interop.lifting.names import Names
from shlo_tools.ops._op import DESCRIPTIONS

_SYMBOL = re.compile(r"@([\w$.-]+)")
_TYPICAL = ("function_type", "sym_name", "sym_visibility", "arg_attrs", "res_attrs")


def to_python(source: Any) -> str:
    """Python source that builds a program with ``shlo_tools.builder``.

    Running it makes ``module``, a ``builder.Module`` that prints as the program does: the same ops,
    names, types and attributes; locations are those of the source. An op is a call of its function
    of ``ops``, or of ``operation`` where that would make another op: one of another dialect, or
    with less exact types than its operands give it. Attributes that no parameter stands for are in
    ``with attributes(...)``. Constants of more than 64 elements are bytes at the top.

    Constants in resources (``dense_resource``) become dense ones with the same values.

    Args:
        source: a module, a ``builder.Module``, a text, bytes or a path.

    Raises:
        UnsupportedError: the program has something that the builder does not make: regions and
            functions of several blocks; attributes on what ends a block, or another op there than
            the builder's; regions nested forty deep; ops with regions beside functions; types that
            hold what no op computes with, such as tensors of no known rank; ops of no dialect.
        ShloError: it cannot be read; see ``load``.
    """
    with mlir.library_context():
        module = program.module_of(source)
        return _Source(module.operation).text()


class _Source:
    """Writes a module."""

    def __init__(self, module: mlir.Operation) -> None:
        self.module = module
        self.literals = Literals()
        self.names = Names()
        self.functions: dict[str, str] = {}
        self.defined: set[str] = set()

    def text(self) -> str:
        ops = ir.children(self.module)
        for op in ops:
            with naming(op):
                if op.name == "func.func":
                    symbol = ir.symbol_name(op)
                    self.functions[symbol] = self.names.fresh(symbol)
        parts = [self._module()]
        by_name = ir.functions_by_name(self.module)
        for op in ops:
            with naming(op):
                if op.name != "func.func":
                    parts.append(self._beside_functions(op))
                    continue
                for symbol in self._wanted(op):
                    if symbol in by_name and symbol not in self.defined:
                        parts.append(self._declaration(by_name[symbol]))
                        self.defined.add(symbol)
                parts.append(self._declaration(op) if ir.is_declaration(op) else self._function(op))
                self.defined.add(ir.symbol_name(op))
        return self._imports() + "\n\n\n".join((*self.literals.constants, *parts)) + "\n"

    def _imports(self) -> str:
        uses = self.literals.uses
        standard = [IMPORTS[key] for key in ("base64",) if key in uses]
        packages = [IMPORTS[key] for key in ("ml_dtypes", "np") if key in uses]
        own = [IMPORTS["ops"]] if "ops" in uses else []
        written = [key for key in ("attribute", "attributes", "operation") if key in uses]
        own.append(f"from shlo_tools.builder import {', '.join(['Module', *written])}")
        own += [IMPORTS["OtherType"]] if "OtherType" in uses else []
        groups = ("\n".join(group) for group in (standard, packages, own) if group)
        return "\n\n".join(groups) + "\n\n"

    def _module(self) -> str:
        attributes = dict(self.module.attributes.items())
        arguments = []
        if attributes.pop("sym_name", None) is not None:
            arguments.append(quoted(ir.symbol_name(self.module)))
        if attributes:
            arguments.append(f"attributes={self.literals.attributes(attributes)}")
        return "\n".join(call_text("module = Module", arguments))

    def _beside_functions(self, op: mlir.Operation) -> str:
        """An op of the module that is no function, and has neither regions nor operands."""
        if len(op.regions) or len(op.operands) or len(op.results):
            raise UnsupportedError("of what stands beside functions, only plain ops are written")
        arguments = [quoted(op.name), self.literals.attributes(dict(op.attributes.items()))]
        return "\n".join(call_text("module.operation", arguments))

    def _wanted(self, func: mlir.Operation) -> list[str]:
        """Functions that a function calls or names, in the order of their first use."""
        names: dict[str, None] = {}
        for op in mlir.walk(func)[1:]:
            if name := ir.called_name(op):
                names[name] = None
            elif op.name not in DESCRIPTIONS:
                for value in dict(op.attributes.items()).values():
                    if not mlir.is_dense(value):
                        names.update(dict.fromkeys(_SYMBOL.findall(str(value))))
        return list(names)

    def _declaration(self, func: mlir.Operation) -> str:
        inputs, results = ir.signature(func)
        listed = [f"[{', '.join(map(self.literals.type, types))}]" for types in (inputs, results)]
        arguments = [quoted(ir.symbol_name(func)), *listed]
        private = ir.text_of(func, "sym_visibility") == "private"
        arguments += [] if private else ["private=False"]
        arguments += self._attributes(func, arg_attrs=True)
        target = self.functions[ir.symbol_name(func)]
        return "\n".join(call_text(f"{target} = module.declare", arguments))

    def _attributes(self, func: mlir.Operation, *, arg_attrs: bool) -> list[str]:
        """Keyword arguments for the attributes of a function, its results and arguments."""
        written = []
        for name, keyword in (("arg_attrs", "arg_attrs"), ("res_attrs", "result_attrs")):
            if name in func.attributes and (arg_attrs or name != "arg_attrs"):
                each = ", ".join(map(self.literals.attribute, func.attributes[name]))
                written.append(f"{keyword}=[{each}]")
        own = {key: value for key, value in func.attributes.items() if key not in _TYPICAL}
        visibility = ir.text_of(func, "sym_visibility")
        if visibility not in ("", "private"):
            own["sym_visibility"] = func.attributes["sym_visibility"]
        if own:
            written.append(f"attributes={self.literals.attributes(own)}")
        return written

    def _function(self, func: mlir.Operation) -> str:
        blocks = list(func.regions[0].blocks)
        if len(blocks) != 1:
            raise UnsupportedError("a function of several blocks cannot be written in Python")
        symbol = ir.symbol_name(func)
        name = self.functions[symbol]
        body = Body(self.literals, self.functions, Names(self.names))
        arguments = [] if name == symbol else [f"name={quoted(symbol)}"]
        private = ir.text_of(func, "sym_visibility") == "private"
        if private != symbol.startswith("_"):
            arguments.append(f"private={private}")
        arguments += self._attributes(func, arg_attrs=False)
        parameters = self._parameters(func, body.parameters(blocks[0]))
        body.block(blocks[0], "func.return")
        decorator = call_text("@module.func", arguments) if arguments else ["@module.func"]
        head = call_text(f"def {name}", parameters, ending=":")
        return "\n".join((*decorator, *head, *body.lines))

    def _parameters(self, func: mlir.Operation, names: list[str]) -> list[str]:
        """``x: "4x8xf32"``, with the attributes of the argument where it has some."""
        types = [self.literals.type(type) for type in ir.signature(func)[0]]
        attributes = ir.items_of(func, "arg_attrs") or [None] * len(types)
        written = []
        for name, type, each in zip(names, types, attributes, strict=True):
            some = each is not None and len(each) > 0
            annotation = f"({type}, {self.literals.attribute(each)})" if some else type
            written.append(f"{name}: {annotation}")
        return written
