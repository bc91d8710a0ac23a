"""Random programs of ops that move elements, between elementwise ones, against the reference."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from staged_programs import assert_staged

SIZES = (1, 2, 3, 7, 31, 32, 33, 65)


class Program:
    """A chain of ops on one f32 tensor; numbers stay small integers, so that sums are exact."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.shape = [int(size) for size in rng.choice(SIZES, rng.integers(1, 4))]
        self.first, self.name = list(self.shape), "%x"

    @staticmethod
    def typed(shape: list[int]) -> str:
        return f"tensor<{'x'.join([*map(str, shape), 'f32'])}>"

    def emit(self, op: str, shape: list[int], operands: str = "") -> None:
        old, new = self.typed(self.shape), self.typed(shape)
        result = f"%v{len(self.lines)}"
        types = operands or f"({old}) -> {new}"
        self.lines.append(f"{result} = {op} : {types}")
        self.name, self.shape = result, shape

    def negate(self) -> None:
        self.emit(f"stablehlo.negate {self.name}", self.shape, self.typed(self.shape))

    def transpose(self) -> None:
        order = [int(d) for d in self.rng.permutation(len(self.shape))]
        shape = [self.shape[d] for d in order]
        self.emit(f"stablehlo.transpose {self.name}, dims = {order}", shape)

    def reverse(self) -> None:
        d = int(self.rng.integers(len(self.shape)))
        self.emit(
            f"stablehlo.reverse {self.name}, dims = [{d}]", self.shape, self.typed(self.shape)
        )

    def pad(self) -> None:
        rank = len(self.shape)
        low, high = ([int(n) for n in self.rng.integers(-1, 3, rank)] for _ in range(2))
        inner = [int(n) for n in self.rng.integers(0, 2, rank)]
        shape = [
            size + a + b + (size - 1) * k
            for size, a, b, k in zip(self.shape, low, high, inner, strict=True)
        ]
        if min(shape) < 1 or np.prod(shape) > 20000:
            return
        attributes = f"low = {low}, high = {high}, interior = {inner}"
        types = f"({self.typed(self.shape)}, tensor<f32>) -> {self.typed(shape)}"
        self.emit(f"stablehlo.pad {self.name}, %two, {attributes}", shape, types)

    def concatenate(self) -> None:
        d = int(self.rng.integers(len(self.shape)))
        shape = [size * (1 + (k == d)) for k, size in enumerate(self.shape)]
        if np.prod(shape) > 20000:
            return
        old = self.typed(self.shape)
        types = f"({old}, {old}) -> {self.typed(shape)}"
        self.emit(f"stablehlo.concatenate {self.name}, {self.name}, dim = {d}", shape, types)

    def dynamic_slice(self) -> None:
        shape = [int(self.rng.integers(1, size + 1)) for size in self.shape]
        starts = "".join([", %i"] * len(shape))
        of = ", ".join([self.typed(self.shape), *["tensor<i32>"] * len(shape)])
        op = f"stablehlo.dynamic_slice {self.name}{starts}, sizes = {shape}"
        self.emit(op, shape, f"({of}) -> {self.typed(shape)}")

    def dynamic_update_slice(self) -> None:
        part = [int(self.rng.integers(1, size + 1)) for size in self.shape]
        bounds = ", ".join(f"0:{size}" for size in part)
        whole, old = self.name, list(self.shape)
        self.emit(f"stablehlo.slice {whole} [{bounds}]", part)
        starts = "".join([", %i"] * len(part))
        of = ", ".join([self.typed(old), self.typed(part), *["tensor<i32>"] * len(part)])
        op = f"stablehlo.dynamic_update_slice {whole}, {self.name}{starts}"
        self.emit(op, old, f"({of}) -> {self.typed(old)}")

    def gather(self) -> None:
        rest = self.shape[1:]
        offsets = list(range(1, len(rest) + 1))
        numbers = f"offset_dims = {offsets}, collapsed_slice_dims = [0], start_index_map = [0]"
        sizes = ", ".join(map(str, [1, *rest]))
        op = (
            f'"stablehlo.gather"({self.name}, %n) {{dimension_numbers = '
            f"#stablehlo.gather<{numbers}, index_vector_dim = 1>, "
            f"slice_sizes = array<i64: {sizes}>}}"
        )
        shape = [5, *rest]
        self.emit(op, shape, f"({self.typed(self.shape)}, tensor<5xi32>) -> {self.typed(shape)}")

    def scatter(self) -> None:
        of, rest = self.typed(self.shape), self.shape[1:]
        update = self.typed([5, *rest])
        windows = list(range(1, len(rest) + 1))
        whole, old = self.name, list(self.shape)
        self.gather()
        numbers = (
            f"update_window_dims = {windows}, inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
        )
        mark = len(self.lines)
        op = (
            f'"stablehlo.scatter"({whole}, %n, {self.name}) ({{\n'
            f"^bb0(%a{mark}: tensor<f32>, %b{mark}: tensor<f32>):\n"
            f"  %c{mark} = stablehlo.add %a{mark}, %b{mark} : tensor<f32>\n"
            f"  stablehlo.return %c{mark} : tensor<f32>\n"
            f"}}) {{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}"
        )
        self.emit(op, old, f"({of}, tensor<5xi32>, {update}) -> {of}")

    def sort(self) -> None:
        d, mark, of = (
            int(self.rng.integers(len(self.shape))),
            len(self.lines),
            self.typed(self.shape),
        )
        types = "(tensor<f32>, tensor<f32>) -> tensor<i1>"
        op = (
            f'"stablehlo.sort"({self.name}) ({{\n'
            f"^bb0(%a{mark}: tensor<f32>, %b{mark}: tensor<f32>):\n"
            f"  %c{mark} = stablehlo.compare GT, %a{mark}, %b{mark}, TOTALORDER : {types}\n"
            f"  stablehlo.return %c{mark} : tensor<i1>\n"
            f"}}) {{dimension = {d} : i64, is_stable = true}}"
        )
        self.emit(op, self.shape, f"({of}) -> {of}")

    def text(self) -> str:
        body = "\n".join(self.lines)
        arguments = f"%x: {self.typed(self.first)}, %i: tensor<i32>, %n: tensor<5xi32>"
        return f"""func.func @main({arguments}) -> {self.typed(self.shape)} {{
          %two = stablehlo.constant dense<2.0> : tensor<f32>
          {body}
          return {self.name} : {self.typed(self.shape)}
        }}"""


OPS = [name for name in vars(Program) if name not in ("typed", "emit", "text") and name[0] != "_"]


@pytest.mark.parametrize("seed", range(40))
def test_random_moves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = Program(rng)
    for name in rng.choice(OPS, 8):
        getattr(program, str(name))()
        program.negate()
    x = rng.integers(-9, 10, program.first).astype(np.float32)
    numbers = rng.integers(-2, 12, 5).astype(np.int32)
    assert_staged(program.text(), x, np.int32(rng.integers(-1, 9)), numbers)


def test_the_number_of_threads_changes_no_bit() -> None:
    script = textwrap.dedent("""
        import hashlib
        import numpy as np
        from shlo_tools import compile
        rng = np.random.default_rng(0)
        x = rng.standard_normal((300, 130)).astype(np.float32)
        u = rng.standard_normal((900, 130)).astype(np.float32)
        i = rng.integers(-2, 302, (900, 1)).astype(np.int32)
        text = '''func.func @main(%x: tensor<300x130xf32>, %i: tensor<900x1xi32>,
            %u: tensor<900x130xf32>) -> (tensor<300x130xf32>, tensor<39000xf32>) {
          %0 = "stablehlo.scatter"(%x, %i, %u) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %c = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %c : tensor<f32>
          }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
            inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
            : (tensor<300x130xf32>, tensor<900x1xi32>, tensor<900x130xf32>) -> tensor<300x130xf32>
          %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<300x130xf32>) -> tensor<130x300xf32>
          %2 = stablehlo.reshape %1 : (tensor<130x300xf32>) -> tensor<39000xf32>
          %3 = "stablehlo.sort"(%2) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }) : (tensor<39000xf32>) -> tensor<39000xf32>
          return %0, %3 : tensor<300x130xf32>, tensor<39000xf32>
        }'''
        for result in compile(text)(x, i, u):
            print(hashlib.sha256(result.tobytes()).hexdigest())
    """)
    outputs = set()
    for threads in ("1", "2", "3"):
        variables = {**os.environ, "SHLO_NUM_THREADS": threads}
        root = Path(__file__).resolve().parents[3]
        command = [sys.executable, "-c", script]
        run = subprocess.run(
            command, env=variables, cwd=root, capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
