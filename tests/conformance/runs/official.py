"""The official interpreter as a judge: programs come in as pickles, results go out.

It ends its process on whatever it cannot do; the parent (``runs/oracles.py``) starts another.
"""

from __future__ import annotations

from typing import Any

from runs.serving import serve
from shlo_tools import dtypes, ir, mlir, program
from shlo_tools.errors import ShloError


def answer(text: str, inputs: list[Any]) -> tuple[str, Any]:
    try:
        with mlir.library_context():
            module = program.load(text)
            (main,) = [f for f in ir.functions(module.operation) if ir.symbol_name(f) == "main"]
            types = [dtypes.tensor_type(type) for type in ir.signature(main)[0]]
            arguments = [
                dtypes.to_attribute(array, type.element_type)
                for array, type in zip(inputs, types, strict=True)
            ]
            results = mlir._stablehlo.eval_module(module, arguments)
            return "done", [dtypes.from_attribute(attribute) for attribute in results]
    except (ShloError, ValueError, TypeError) as error:
        return "refused", str(error).partition("\n")[0]


if __name__ == "__main__":
    serve(answer)
