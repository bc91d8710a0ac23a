"""Calls of libraries' functions: what the bodies of kernels are built of."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.codegen.llvm import Code, Word
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value


class Library:
    """External functions, declared in a module where they are first called."""

    def __init__(self, module: Operation) -> None:
        self._module = module
        self._declared = {ir.symbol_name(child) for child in ir.children(module)}

    def call(
        self, code: Code, name: str, arguments: Sequence[Word], result: str | None = None
    ) -> Word | None:
        """Call a function of the C calling convention."""
        if name not in self._declared:
            self._declared.add(name)
            self._declare(name, [word.type for word in arguments], result or "void")
        if result is not None:
            return code.result_of(name, arguments, result)
        code.run(name, arguments)
        return None

    def _declare(self, name: str, types: Sequence[str], result: str) -> None:
        inputs = ", ".join(types).replace("!llvm.", "")
        type = mlir.parse_type(f"!llvm.func<{result} ({inputs})>")
        attributes = {"sym_name": mlir.string_attr(name), "function_type": mlir.type_attr(type)}
        build = Build(mlir.at_start(self._module.regions[0].blocks[0]), self._module.location)
        build.op("llvm.func", (), (), attributes, regions=1)


def body_of(func: Operation) -> tuple[list[Value], Code]:
    """The arguments of a declared kernel, and a builder in the body that it gets."""
    inputs, _ = ir.signature(func)
    block, code = Code(mlir.before(func), func.location).block(func.regions[0], inputs)
    if "arg_attrs" in func.attributes:
        del func.attributes["arg_attrs"]
    return list(block.arguments), code
