"""shlo-bench beside torch: programs rebuilt as its operations compute what ours do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peer

PYTHON = os.environ.get("SHLO_TORCH_PYTHON", sys.executable)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True, scope="module")
def torch() -> None:
    """Skip where there is none."""
    command = [PYTHON, "-c", "import torch"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"{PYTHON} has no PyTorch")


def _bench(tmp_path: Path, text: str, *words: str) -> tuple[Any, subprocess.CompletedProcess[str]]:
    """What --json says, and the process."""
    (tmp_path / "model.mlir").write_text(text)
    command = [sys.executable, "-m", "shlo_tools.tools.bench", "model.mlir", "--json=x.json"]
    peer = ["--against=torch", f"--torch-python={PYTHON}", "--repeats=1", "--rounds=1"]
    done = subprocess.run(
        [*command, *peer, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
    )
    return json.loads((tmp_path / "x.json").read_text()), done


# By what they show: arguments' types, and lines whose last value is the result, %r.
BODIES = {
    "negative and interior padding": (
        "tensor<5x4xf32>, tensor<f32>",
        """%r = stablehlo.pad %a, %b, low = [-1, 2], high = [3, -1], interior = [2, 1]
      : (tensor<5x4xf32>, tensor<f32>) -> tensor<15x8xf32>""",
    ),
    "strided slices, reversal, transposition": (
        "tensor<7x6x5xf32>",
        """%0 = stablehlo.slice %a [1:7:2, 0:6:3, 2:5] : (tensor<7x6x5xf32>) -> tensor<3x2x3xf32>
    %1 = stablehlo.reverse %0, dims = [0, 2] : tensor<3x2x3xf32>
    %r = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<3x2x3xf32>) -> tensor<3x3x2xf32>""",
    ),
    "dimensions that broadcast in another order": (
        "tensor<3x2xf32>",
        """%r = stablehlo.broadcast_in_dim %a, dims = [2, 0]
      : (tensor<3x2xf32>) -> tensor<2x4x3xf32>""",
    ),
    "slices that are moved inside": (
        "tensor<6x5xf32>, tensor<2x2xf32>",
        """%i = stablehlo.constant dense<9> : tensor<i32>
    %j = stablehlo.constant dense<-3> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %b, %i, %j
      : (tensor<6x5xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
    %r = stablehlo.dynamic_slice %0, %j, %i, sizes = [6, 2]
      : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x2xf32>""",
    ),
    "products of batches in another order": (
        "tensor<4x3x5xf32>, tensor<5x6x3xf32>",
        """%r = stablehlo.dot_general %a, %b,
      batching_dims = [1] x [2], contracting_dims = [2] x [0]
      : (tensor<4x3x5xf32>, tensor<5x6x3xf32>) -> tensor<3x4x6xf32>""",
    ),
    "convolutions with all their attributes": (
        "tensor<2x9x8x4xf32>, tensor<3x2x2x6xf32>",
        """%r = stablehlo.convolution(%a, %b)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, f, 1],
      window = {stride = [2, 1], pad = [[2, 1], [-1, 2]], lhs_dilate = [1, 2],
        rhs_dilate = [2, 1], reverse = [true, false]}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<2x9x8x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x4x6x15xf32>""",
    ),
    "sums and greatest ones of windows": (
        "tensor<9x8xf32>, tensor<f32>",
        """%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%a, %low) <{window_dimensions = array<i64: 3, 2>,
        window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %m = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<9x8xf32>, tensor<f32>) -> tensor<5x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.reduce_window"(%0, %zero) <{window_dimensions = array<i64: 1, 8>,
        padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %m = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<5x8xf32>, tensor<f32>) -> tensor<5x8xf32>""",
    ),
    "gathers of windows": (
        "tensor<6x5x4xf32>",
        """%i = stablehlo.constant dense<[[0, 9], [-1, 2], [3, 1]]> : tensor<3x2xi32>
    %r = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2],
        collapsed_slice_dims = [1], start_index_map = [1, 0], index_vector_dim = 1>,
        slice_sizes = array<i64: 2, 1, 4>}>
      : (tensor<6x5x4xf32>, tensor<3x2xi32>) -> tensor<2x3x4xf32>""",
    ),
    "rows that are picked": (
        "tensor<6x5xf32>",
        """%i = stablehlo.constant dense<[[0, 9], [-1, 2]]> : tensor<2x2xi32>
    %r = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
        collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
        slice_sizes = array<i64: 1, 5>}>
      : (tensor<6x5xf32>, tensor<2x2xi32>) -> tensor<2x2x5xf32>""",
    ),
    "updates, of which some lie outside": (
        "tensor<6x5xf32>, tensor<3x2xf32>",
        """%i = stablehlo.constant dense<[[0, 1], [5, 4], [2, 3]]> : tensor<3x2xi32>
    %r = "stablehlo.scatter"(%a, %i, %b) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<6x5xf32>, tensor<3x2xi32>, tensor<3x2xf32>) -> tensor<6x5xf32>""",
    ),
    "loops and branches": (
        "tensor<4xf32>",
        """%zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %y = %a) : tensor<i32>, tensor<4xf32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %two = stablehlo.constant dense<2> : tensor<i32>
        %k = stablehlo.remainder %i, %two : tensor<i32>
        %z = "stablehlo.case"(%k) ({
          %p = stablehlo.sine %y : tensor<4xf32>
          stablehlo.return %p : tensor<4xf32>
        }, {
          %p = stablehlo.add %y, %a : tensor<4xf32>
          stablehlo.return %p : tensor<4xf32>
        }) : (tensor<i32>) -> tensor<4xf32>
        stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
      }
    %r = stablehlo.add %0#1, %a : tensor<4xf32>""",
    ),
    "order of one tensor moves another": (
        "tensor<5x6xf32>, tensor<5x6xf32>",
        """%0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<f32>, %v: tensor<f32>):
        %c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) : (tensor<5x6xf32>, tensor<5x6xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>)
    %r = stablehlo.add %0#1, %0#1 : tensor<5x6xf32>""",
    ),
    "integers and their bits": (
        "tensor<9xi32>",
        """%s = stablehlo.constant dense<[0, 1, 5, 31, 32, 40, -1, 7, 2]> : tensor<9xi32>
    %0 = stablehlo.shift_right_logical %a, %s : tensor<9xi32>
    %1 = stablehlo.shift_left %a, %s : tensor<9xi32>
    %2 = stablehlo.shift_right_arithmetic %a, %s : tensor<9xi32>
    %d = stablehlo.constant dense<-7> : tensor<9xi32>
    %3 = stablehlo.divide %a, %d : tensor<9xi32>
    %4 = stablehlo.remainder %a, %d : tensor<9xi32>
    %5 = stablehlo.xor %0, %1 : tensor<9xi32>
    %6 = stablehlo.xor %2, %3 : tensor<9xi32>
    %7 = stablehlo.xor %5, %4 : tensor<9xi32>
    %8 = stablehlo.xor %7, %6 : tensor<9xi32>
    %9 = stablehlo.bitcast_convert %8 : (tensor<9xi32>) -> tensor<9x4xi8>
    %r = stablehlo.convert %9 : (tensor<9x4xi8>) -> tensor<9x4xi32>""",
    ),
}


def _result_type(body: str) -> str:
    """What the last line says behind its last arrow, or colon."""
    mark = " -> " if " -> " in body.splitlines()[-1] else " : "
    return body[body.rindex(mark) + len(mark) :]


def test_forms_of_ops_compute_what_ours_do(tmp_path: Path) -> None:
    """One program has each form in a function of its own; the largest difference of all counts."""
    functions, calls, arguments = [], [], []
    for number, (text, body) in enumerate(BODIES.values()):
        types, result = text.split(", "), _result_type(body)
        inner = ", ".join(f"%{letter}: {t}" for letter, t in zip("ab", types, strict=False))
        functions.append(
            f"func.func private @f{number}({inner}) -> {result} {{\n{body}\n"
            f"return %r : {result}\n}}"
        )
        names = [f"%a{number}_{k}" for k in range(len(types))]
        arguments += [f"{name}: {type}" for name, type in zip(names, types, strict=True)]
        calls.append(f"%r{number} = call @f{number}({', '.join(names)}) : ({text}) -> {result}")
    returned = ", ".join(f"%r{number}" for number in range(len(BODIES)))
    results = ", ".join(_result_type(body) for _, body in BODIES.values())
    main = f"func.func @main({', '.join(arguments)}) -> ({results}) {{"
    text = "\n".join([*functions, main, *calls, f"return {returned} : {results}", "}"])
    data, done = _bench(tmp_path, text)
    assert (done.returncode, data["failures"]) == (0, {}), done.stderr
    assert data["difference"]["torch"] < 1e-6


@pytest.mark.parametrize(
    "name", ["adam_step", "graph_convolution", "lstm_gradient", "symbolic_attention", "fft"]
)
def test_recorded_programs(name: str, tmp_path: Path) -> None:
    """Training steps, loops, gathers; one with sizes that its arguments tell."""
    folder = ROOT / "tests" / "programs"
    text = (folder / f"{name}.mlir").read_text()
    data, done = _bench(tmp_path, text, f"--input=@{folder / name}.npz")
    assert (done.returncode, data["failures"]) == (0, {}), done.stderr
    assert data["difference"]["torch"] < 1e-5


def test_ops_that_torch_does_not_have_are_named(tmp_path: Path) -> None:
    """In the row, and all of them on standard error; what it fails at in a run is named, too."""
    text = """
func.func @main(%x: tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>) {
  %0 = stablehlo.count_leading_zeros %x : tensor<4xui32>
  %1 = stablehlo.popcnt %x : tensor<4xui32>
  return %0, %1 : tensor<4xui32>, tensor<4xui32>
}"""
    data, done = _bench(tmp_path, text)
    assert done.returncode == 1
    ops = "stablehlo.count_leading_zeros, stablehlo.popcnt"
    assert data["failures"] == {"torch": f"UnsupportedOp: {ops}"}
    row = next(line for line in done.stdout.splitlines() if line.startswith("torch"))
    assert row.endswith("no stablehlo.count_leading_zeros")
    assert "shlo-tools" in data["run"]
