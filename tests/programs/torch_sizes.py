"""Programs in the torch dialect with unknown sizes, and what numpy computes.

torch-mlir's lowering makes StableHLO of them mixed with the shape, tensor and arith dialects: what
users get who bring dynamic PyTorch programs to StableHLO.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch_mlir import ir
from torch_mlir.dialects import torch
from torch_mlir.passmanager import PassManager

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

_PIPELINE = (
    "builtin.module(func.func(torch-decompose-complex-ops),"
    "torch-backend-to-stablehlo-backend-pipeline)"
)


@dataclass(frozen=True)
class Value:
    name: str
    type: str


class Torch:
    """Writes a function in the torch dialect."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def aten(self, name: str, *operands: Any, to: str) -> Value:
        """``torch.aten.<name>``; ``to`` is its result's type: ``?,8`` or ``? si64``."""
        return self._op(f"aten.{name}", [self._value(o) for o in operands], _tensor(to))

    def size(self, tensor: Value, dim: int) -> Value:
        return self._op("aten.size.int", [tensor, self._value(dim)], "!torch.int")

    def _op(self, name: str, operands: Sequence[Value], type: str) -> Value:
        result = Value(f"%v{len(self.lines)}", type)
        names, types = (", ".join(getattr(o, part) for o in operands) for part in ("name", "type"))
        arrow = f"({types}) ->" if name == "prim.ListConstruct" else f"{types} ->"
        self.lines.append(f"{result.name} = torch.{name} {names} : {arrow} {type}")
        return result

    def _value(self, inputs: Any) -> Value:
        if isinstance(inputs, Value):
            return inputs
        if isinstance(inputs, list):
            values = [self._value(item) for item in inputs]
            kind = "vtensor" if values and "vtensor" in values[0].type else "int"
            return self._op("prim.ListConstruct", values, f"!torch.list<{kind}>")
        kind = "none" if inputs is None else type(inputs).__name__
        spelled = {"none": "", "bool": str(inputs).lower(), "str": f'"{inputs}"'}
        text = f"{inputs:e}" if kind == "float" else spelled.get(kind, str(inputs))
        result = Value(f"%v{len(self.lines)}", f"!torch.{kind}")
        self.lines.append(f"{result.name} = torch.constant.{kind} {text}")
        return result


@dataclass(frozen=True)
class Program:
    """A function of tensors.

    Attributes:
        arguments: types, as ``Torch.aten`` has them.
        result: its result's type.
        body: writes it.
        calls: shapes of arguments.
        expected: the same in numpy.
    """

    arguments: Sequence[str]
    result: str
    body: Callable[..., Value]
    calls: Sequence[Sequence[Shape]]
    expected: Callable[..., Array]

    def stablehlo(self) -> str:
        """What torch-mlir makes of it."""
        writer = Torch()
        inputs = [Value(f"%a{n}", _tensor(type)) for n, type in enumerate(self.arguments)]
        result = self.body(writer, *inputs)
        head = ", ".join(f"{value.name}: {value.type}" for value in inputs)
        text = "\n".join(
            [
                f"func.func @main({head}) -> {result.type} {{",
                *writer.lines,
                f"return {result.name} : {result.type} }}",
            ]
        )
        with ir.Context() as context:
            torch.register_dialect(context)
            module = ir.Module.parse(text)
            PassManager.parse(_PIPELINE).run(module.operation)
            return str(module)

    def values(self, shapes: Sequence[Shape]) -> list[Array]:
        """Arguments of these shapes; integers are 0 or 1."""
        rng = np.random.default_rng(0)
        drawn: list[Array] = []
        for type, shape in zip(self.arguments, shapes, strict=True):
            normal = rng.standard_normal(shape)
            kinds = {"si64": np.int64, "i1": np.bool_}
            element = kinds.get(type.partition(" ")[2])
            drawn.append(
                normal.astype(np.float32) if element is None else (normal > 0).astype(element)
            )
        return drawn


def _tensor(short: str) -> str:
    sizes, _, element = short.partition(" ")
    return f"!torch.vtensor<[{sizes}],{element or 'f32'}>"


# --- the programs ---------------------------------------------------------------------------------
def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _layer_norm(x: Array, scale: Array, offset: Array) -> Array:
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale + offset


def _convolved(x: Array, kernel: Array, bias: Array) -> Array:
    _, _, height, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    total = sum(
        np.einsum("bchw,oc->bohw", padded[:, :, i : i + height, j : j + width], kernel[:, :, i, j])
        for i in range(3)
        for j in range(3)
    )
    return np.asarray(total + bias[:, None, None])


def _pooled(x: Array) -> Array:
    b, c, h, w = x.shape
    even = x[:, :, : h // 2 * 2, : w // 2 * 2]
    return np.asarray(even.reshape(b, c, h // 2, 2, w // 2, 2).max((3, 5)))


def _gelu(x: Array) -> Array:
    return np.asarray(x * 0.5 * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / np.sqrt(2))))


def _normalized(x: Array, scale: Array, offset: Array, mean: Array, variance: Array) -> Array:
    scale, offset, mean, variance = (v[:, None] for v in (scale, offset, mean, variance))
    return np.asarray((x - mean) / np.sqrt(variance + 1e-5) * scale + offset)


MATRIX = "?,?"
PROGRAMS = {
    "softmax": Program(
        [MATRIX],
        MATRIX,
        lambda t, x: t.aten("softmax.int", x, -1, None, to=MATRIX),
        [[(3, 5)], [(1, 1)]],
        _softmax,
    ),
    "layer_norm": Program(
        ["?,8", "8", "8"],
        "?,8",
        lambda t, x, w, b: t.aten("layer_norm", x, [8], w, b, 1e-5, False, to="?,8"),
        [[(3, 8), (8,), (8,)], [(0, 8), (8,), (8,)]],
        _layer_norm,
    ),
    "view": Program(
        ["?,4,6"],
        "?,24",
        lambda t, x: t.aten("view", x, [t.size(x, 0), 24], to="?,24"),
        [[(3, 4, 6)]],
        lambda x: x.reshape(len(x), 24),
    ),
    "view_of_the_rest": Program(
        [MATRIX],
        "?,2,?",
        lambda t, x: t.aten("view", x, [t.size(x, 0), 2, -1], to="?,2,?"),
        [[(3, 6)], [(2, 2)]],
        lambda x: x.reshape(len(x), 2, -1),
    ),
    "flatten": Program(
        ["?,?,?"],
        "?,1,?",
        lambda t, x: t.aten(
            "unsqueeze", t.aten("flatten.using_ints", x, 1, 2, to=MATRIX), 1, to="?,1,?"
        ),
        [[(3, 4, 2)]],
        lambda x: x.reshape(len(x), 1, -1),
    ),
    "cat": Program(
        [MATRIX, MATRIX],
        MATRIX,
        lambda t, x, y: t.aten("cat", [x, y], 0, to=MATRIX),
        [[(3, 6), (2, 6)], [(0, 1), (2, 1)]],
        lambda x, y: np.concatenate([x, y]),
    ),
    "slice": Program(
        [MATRIX],
        MATRIX,
        lambda t, x: t.aten("slice.Tensor", x, 1, 1, -1, 2, to=MATRIX),
        [[(3, 8)], [(3, 2)], [(1, 5)]],
        lambda x: x[:, 1:-1:2],
    ),
    "convolution": Program(
        ["?,3,?,?", "4,3,3,3", "4"],
        "?,4,?,?",
        lambda t, x, w, b: t.aten(
            "convolution", x, w, b, [1, 1], [1, 1], [1, 1], False, [], 1, to="?,4,?,?"
        ),
        [[(2, 3, 5, 7), (4, 3, 3, 3), (4,)], [(1, 3, 1, 1), (4, 3, 3, 3), (4,)]],
        _convolved,
    ),
    "max_pool": Program(
        ["?,3,?,?"],
        "?,3,?,?",
        lambda t, x: t.aten("max_pool2d", x, [2, 2], [2, 2], [0, 0], [1, 1], False, to="?,3,?,?"),
        [[(2, 3, 5, 4)]],
        _pooled,
    ),
    "batch_norm": Program(
        ["?,3,?", "3", "3", "3", "3"],
        "?,3,?",
        lambda t, x, w, b, m, v: t.aten(
            "batch_norm", x, w, b, m, t.aten("abs", v, to="3"), False, 0.1, 1e-5, True, to="?,3,?"
        ),
        [[(3, 3, 5), (3,), (3,), (3,), (3,)]],
        lambda x, w, b, m, v: _normalized(x, w, b, m, np.abs(v)),
    ),
    "embedding": Program(
        ["10,4", "?,? si64"],
        "?,?,4",
        lambda t, w, i: t.aten("embedding", w, i, -1, False, False, to="?,?,4"),
        [[(10, 4), (3, 2)]],
        lambda w, i: w[i],
    ),
    "gather": Program(
        [MATRIX, "?,? si64"],
        MATRIX,
        lambda t, x, i: t.aten("gather", x, 1, i, False, to=MATRIX),
        [[(3, 4), (3, 2)]],
        lambda x, i: np.take_along_axis(x, i, 1),
    ),
    "index_select": Program(
        [MATRIX, "? si64"],
        MATRIX,
        lambda t, x, i: t.aten("index_select", x, 1, i, to=MATRIX),
        [[(3, 4), (6,)]],
        lambda x, i: x[:, i],
    ),
    "bmm": Program(
        ["?,?,?", "?,?,?"],
        "?,?,?",
        lambda t, x, y: t.aten("bmm", x, y, to="?,?,?"),
        [[(2, 3, 4), (2, 4, 5)]],
        np.matmul,
    ),
    "matmul": Program(
        ["?,?,?", MATRIX],
        "?,?,?",
        lambda t, x, y: t.aten("matmul", x, y, to="?,?,?"),
        [[(2, 3, 4), (4, 5)]],
        np.matmul,
    ),
    "mean": Program(
        ["?,?,?"],
        "?,?,1",
        lambda t, x: t.aten("mean.dim", x, [-1], True, None, to="?,?,1"),
        [[(2, 3, 4)]],
        lambda x: x.mean(-1, keepdims=True),
    ),
    "argmax": Program(
        [MATRIX],
        "? si64",
        lambda t, x: t.aten("argmax", x, 1, False, to="? si64"),
        [[(3, 4)]],
        lambda x: x.argmax(1),
    ),
    "broadcast": Program(
        ["?,1", "?"],
        MATRIX,
        lambda t, x, y: t.aten(
            "gelu",
            t.aten("sub.Tensor", t.aten("mul.Tensor", x, y, to=MATRIX), y, 2, to=MATRIX),
            "none",
            to=MATRIX,
        ),
        [[(3, 1), (4,)], [(0, 1), (4,)], [(3, 1), (1,)]],
        lambda x, y: _gelu(x * y - 2 * y),
    ),
    "where": Program(
        ["?,? i1", MATRIX, "?"],
        MATRIX,
        lambda t, c, x, y: t.aten("where.self", c, x, y, to=MATRIX),
        [[(3, 4), (3, 4), (4,)]],
        np.where,
    ),
    "expand": Program(
        ["?,1", MATRIX],
        MATRIX,
        lambda t, x, y: t.aten("expand", x, [t.size(y, 0), t.size(y, 1)], False, to=MATRIX),
        [[(3, 1), (3, 4)]],
        lambda x, y: np.broadcast_to(x, y.shape),
    ),
    "arange": Program(
        [MATRIX],
        "? si64",
        lambda t, x: t.aten(
            "arange.start_step", 0, t.size(x, 0), 1, None, None, None, None, to="? si64"
        ),
        [[(3, 4)], [(0, 1)]],
        lambda x: np.arange(len(x)),
    ),
    "pad": Program(
        [MATRIX],
        MATRIX,
        lambda t, x: t.aten("constant_pad_nd", x, [1, 2], 0.5, to=MATRIX),
        [[(3, 4)]],
        lambda x: np.pad(x, ((0, 0), (1, 2)), constant_values=0.5),
    ),
    "full_like": Program(
        [MATRIX],
        MATRIX,
        lambda t, x: t.aten(
            "add.Tensor",
            t.aten("full_like", x, 2.5, None, None, None, None, None, to=MATRIX),
            x,
            1,
            to=MATRIX,
        ),
        [[(3, 4)]],
        lambda x: x + np.float32(2.5),
    ),
}
