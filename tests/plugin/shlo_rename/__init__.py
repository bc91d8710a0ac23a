"""A pass in a package of its own."""

from dataclasses import dataclass

from shlo_tools import Pass, ir, mlir


@dataclass(frozen=True)
class RenameFunctions(Pass):
    """Puts a prefix before the name of every public function."""

    name = "rename-functions"
    prefix: str = "my_"

    def run(self, op: mlir.Operation) -> None:
        for func in ir.functions(op):
            if ir.text_of(func, "sym_visibility") in ("", "public"):
                func.attributes["sym_name"] = mlir.string_attr(self.prefix + ir.symbol_name(func))
