"""C++ passes that end the process instead of failing: they are refused, with the reason.

The tests run each in a child process, so that a row goes when the bindings mend its pass.
"""

from __future__ import annotations

from shlo_tools.pipeline import grammar
from shlo_tools.pipeline.grammar import Node

_NO_TORCH = "it needs the dialects of torch, which are not loaded here"

ALWAYS = {
    "torch-function-to-torch-backend-pipeline": _NO_TORCH,
    "torch-lower-to-backend-contract": _NO_TORCH,
    "torch-onnx-to-torch-backend-pipeline": _NO_TORCH,
    "torch-reify-dtype-calculations": _NO_TORCH,
    "torch-reify-shape-calculations": _NO_TORCH,
    "torch-shape-refinement-pipeline": _NO_TORCH,
    "torch-simplification-pipeline": _NO_TORCH,
}

# Nested under anything but a module: pipelines already while they are parsed, passes as they run.
FOR_MODULES = frozenset(
    {
        "convert-func-to-spirv",
        "convert-scf-to-spirv",
        "convert-tensor-to-spirv",
        "convert-to-emitc",
        "convert-to-llvm",
        "gpu-lower-to-nvvm-pipeline",
        "gpu-lower-to-rocdl-pipeline",
        "gpu-lower-to-xevm-pipeline",
        "raise-wasm-mlir",
        "shard-partition",
        "sparsifier",
        "torch-backend-to-linalg-on-tensors-backend-pipeline",
        "torch-backend-to-stablehlo-backend-pipeline",
        "torch-backend-to-tosa-backend-pipeline",
        "torchscript-module-to-torch-backend-pipeline",
        "tosa-to-linalg-pipeline",
        "tosa-to-spirv-tosa",
    }
)

# Options that must not be empty.
NOT_EMPTY = {
    "arith-emulate-unsupported-floats": "target-type",
    "math-extend-to-supported-types": "target-type",
}


def reason(node: Node, anchor: str) -> str:
    """Why a C++ pass is refused where it is nested under ``anchor``; empty where it is not."""
    if node.name in ALWAYS:
        return f"pass {node.name!r} ends the process: {ALWAYS[node.name]}"
    if node.name in FOR_MODULES and anchor != "builtin.module":
        return f"pass {node.name!r} runs on 'builtin.module', not on {anchor!r}"
    option = NOT_EMPTY.get(node.name)
    if option and not (grammar.split_options(node.options).get(option, "-") or "").strip(" {}"):
        return f"option {option!r} of pass {node.name!r} needs a value"
    return ""
