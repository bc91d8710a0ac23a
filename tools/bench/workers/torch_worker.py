"""Benchmark worker: torch, op by op. Runs in a process, and an interpreter, of its own.

What it takes is no text of MLIR but what ``listing`` wrote, with constants in an archive.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from shlo_tools.tools.bench.workers.serving import Array, Call, load_arrays, serve
from shlo_tools.tools.bench.workers.torch_programs.program import Program
from shlo_tools.tools.bench.workers.torch_programs.rules import UnsupportedOp


class Torch:
    """Programs as calls of torch, with its tensors."""

    def __init__(self) -> None:
        torch.set_grad_enabled(False)
        if hasattr(os, "sched_getaffinity"):
            torch.set_num_threads(len(os.sched_getaffinity(0)))

    def prepare(self, text: str) -> str:
        """What is warmed up with is text of MLIR; then torch loads what products need."""
        if not text.startswith("func"):
            return text
        torch.tanh(torch.ones(37, 29) @ torch.ones(29, 41)).sum(1)
        return json.dumps({"functions": {"main": {"arguments": [], "steps": [], "yields": []}}})

    def compile(self, text: str) -> Program:
        listed = json.loads(text)
        if "refusal" in listed:
            raise UnsupportedOp(listed["refusal"])
        archive = listed.get("constants")
        arrays = load_arrays(archive, "constant", listed["dtypes"]) if archive else []
        return Program(listed["functions"], [_tensor(array) for array in arrays])

    def bind(self, program: Program, arguments: Sequence[Array]) -> Call:
        tensors = [_tensor(argument) for argument in arguments[: len(program.main.arguments)]]
        return lambda: program.main(tensors)

    def arrays(self, results: Any) -> list[Array]:
        return [_array(tensor) for tensor in results]


def _tensor(array: Array) -> Tensor:
    """A tensor of an array's elements; numpy has no bfloat16 that torch knows."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def _array(tensor: Tensor) -> Array:
    tensor = tensor.contiguous()
    if tensor.dtype == torch.bfloat16:
        import ml_dtypes

        array: Array = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return array
    array = tensor.numpy()
    return array


if __name__ == "__main__":
    serve(Torch(), reads="listing")
