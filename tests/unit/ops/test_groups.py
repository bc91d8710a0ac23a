"""Groups by the axes of a mesh: those of the official compatibility expander."""

from __future__ import annotations

import itertools

import pytest

from shlo_tools import mlir
from shlo_tools.dtypes import from_attribute
from shlo_tools.errors import ConstraintError
from shlo_tools.ops import _groups

MESH = "#stablehlo.mesh<axes = [{}]>"
AXES = {"x": 2, "y": 4, "z": 3}


def attribute(sizes: dict[str, int], axes: list[str]) -> str:
    mesh = MESH.format(", ".join(f'<name = "{n}", size = {s}>' for n, s in sizes.items()))
    listed = ", ".join(f"#stablehlo.axis_ref<{axis}>" for axis in axes)
    return f"{_groups.PREFIX}mesh = {mesh}, axes = [{listed}]>"


def parsed(text: str) -> str:
    """As MLIR prints it."""
    with mlir.library_context():
        return str(mlir.parse_attribute(text))


NAMES = [names for count in (1, 2, 3) for names in itertools.permutations("xyz", count)]


@pytest.mark.parametrize("names", NAMES)
def test_official_groups(names: tuple[str, ...]) -> None:
    text = attribute(AXES, [f'name = "{name}"' for name in names])
    module = f"""func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {{
      %0 = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64, replica_groups = {text},
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}
        : (tensor<4xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }}"""
    with mlir.library_context():
        official = mlir.parse_module(module)
        expander = "builtin.module(stablehlo-compatibility-expander{target=1.9.0})"
        mlir.run_passes(mlir.parse_pipeline(expander), official.operation)
        (gather,) = [op for op in mlir.walk(official.operation) if op.name.endswith("all_gather")]
        expected = from_attribute(gather.attributes["replica_groups"]).tolist()
    assert _groups.of_axes(parsed(text)) == expected


def test_parts_of_axes() -> None:
    """An axis of 4 is 2 times 2 positions; the first part that is named varies slowest."""
    for part, expected in (
        ("(1)2", [[0, 2], [1, 3], [4, 6], [5, 7]]),
        ("(2)2", [[0, 1], [2, 3], [4, 5], [6, 7]]),
    ):
        text = parsed(attribute({"x": 2, "y": 4}, [f'name = "y", sub_axis_info = {part}']))
        assert _groups.of_axes(text) == expected
    both = ['name = "y", sub_axis_info = (2)2', 'name = "x"']
    assert _groups.of_axes(parsed(attribute({"x": 2, "y": 4}, both))) == [
        [0, 4, 1, 5],
        [2, 6, 3, 7],
    ]


def test_what_is_no_axis() -> None:
    axis = '#stablehlo.axis_ref<name = "z">'
    mesh = MESH.format('<name = "x", size = 2>')
    with pytest.raises(ConstraintError, match="no such axis"):
        _groups.of_axes(f"{_groups.PREFIX}mesh = {mesh}, axes = [{axis}]>")
    with pytest.raises(ConstraintError, match="not written out"):
        _groups.of_axes(f"{_groups.PREFIX}mesh = @m, axes = [{axis}]>")
