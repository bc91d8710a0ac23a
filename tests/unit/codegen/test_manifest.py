"""What the host knows of a lowered module: plain data that outlives it."""

from __future__ import annotations

import dataclasses
import gc
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.codegen import frame, manifest
from shlo_tools.codegen.manifest import read_manifest
from shlo_tools.errors import Place, UnsupportedError

TEXT = """
func.func @main(%x: tensor<?x4xf32>, %q: tensor<2x!quant.uniform<i8:f32, 0.5>>)
    -> (tensor<?x4xf32>, tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %w = stablehlo.constant dense<2.0> : tensor<3x4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %0 = stablehlo.custom_call @somewhere(%x) {
    called_computations = [@doubled],
    mhlo.backend_config = {factor = 2 : i64, values = dense<[1, 2]> : tensor<2xi32>}}
    : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = stablehlo.add %0, %x : tensor<?x4xf32>
  return %1, %q : tensor<?x4xf32>, tensor<2x!quant.uniform<i8:f32, 0.5>>
}
func.func @doubled(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %a : tensor<f32>
  return %0 : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def lowered() -> manifest.Manifest:
    with mlir.library_context():
        module = program.parse(TEXT)
    assert not manifest.is_lowered(module, "main")
    assert read_manifest(module) == manifest.Manifest({}, (), ())
    shlo_tools.Pipeline("builtin.module(shlo-to-llvm)").run(module)
    assert manifest.is_lowered(module, "main") and not manifest.is_lowered(module, "other")
    results = read_manifest(module)
    del module
    gc.collect()
    return results


def test_it_says_what_is_called_and_how(lowered: manifest.Manifest) -> None:
    assert set(lowered.entry_points) == {"main", "doubled"}
    main = lowered.entry_points["main"]
    assert main.symbol == "shlo.entry.main" and main.grows and main.arena >= 0
    types = ["tensor<?x4xf32>", "tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>"]
    assert [str(type) for type in main.signature.inputs] == types
    assert [str(type) for type in main.signature.results] == types


def test_it_says_what_checks_say_and_what_the_host_is_called_for(
    lowered: manifest.Manifest,
) -> None:
    kernels = {kernel.step: kernel for kernel in lowered.host_kernels}
    assert set(kernels) == {"sizes", "values"}
    call = kernels["sizes"].call
    assert (call.target, kernels["sizes"].called) == ("somewhere", ("doubled",))
    assert call.attributes["factor"] == 2 and call.attributes["values"].tolist() == [1, 2]
    assert call.place == Place("-", 6, 8)
    of_sizes = [check for check in lowered.checks if check.is_of_sizes]
    assert any(check.place == Place("-", 10, 8) for check in of_sizes)
    assert all("{0}" in check.message for check in of_sizes if " is not " in check.message)


PLAIN = (type(None), bool, int, float, str, bytes, np.ndarray, np.generic, np.dtype)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    elif dataclasses.is_dataclass(value):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def test_it_is_plain_data(lowered: manifest.Manifest) -> None:
    """No object of the bindings is left in it, so that it may stand beside machine code."""
    kinds = {type(leaf) for leaf in _leaves(lowered) if not isinstance(leaf, PLAIN)}
    assert {kind.__name__ for kind in kinds} <= {"Kind", "Unknown"}
    again = pickle.loads(pickle.dumps(lowered))
    assert repr(again) == repr(lowered)


def test_another_frame_version_is_refused() -> None:
    with mlir.library_context():
        module = program.parse(TEXT.replace("@main", "@another"))
    shlo_tools.Pipeline("builtin.module(shlo-to-llvm)").run(module)
    text = str(module).replace(f"version = {frame.VERSION}", "version = 1")
    with pytest.raises(UnsupportedError, match="lowered for frame version 1") as caught:
        shlo_tools.compile(text, function="another")
    assert "lower the program again" in caught.value.diagnostics[0].hint
