"""Large constants in a file beside the program: written, referred to, and found again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import dtypes, mlir, program
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType, of_array
from shlo_tools.errors import ShloError
from shlo_tools.program import safetensors

W = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)
BIAS = np.arange(40, dtype=np.float32)
X = np.linspace(-1, 1, 120, dtype=np.float32).reshape(3, 40)


def _dense(array: Any) -> str:
    return f'dense<"0x{array.tobytes().hex()}">'


TEXT = f"""
func.func @main(%x: tensor<?x40xf32>) -> tensor<?x40xf32> {{
  %w = stablehlo.constant {_dense(W)} : tensor<40x40xf32>
  %same = stablehlo.constant {_dense(W)} : tensor<40x40xf32>
  %one = stablehlo.constant dense<1.0> : tensor<40x40xf32>
  %v = stablehlo.add %w, %same : tensor<40x40xf32>
  %u = stablehlo.multiply %v, %one : tensor<40x40xf32>
  %b = stablehlo.constant {_dense(BIAS)} : tensor<40xf32>
  %y = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0]
    : (tensor<?x40xf32>, tensor<40x40xf32>) -> tensor<?x40xf32>
  %s = shape.shape_of %y : tensor<?x40xf32> -> tensor<2xindex>
  %d = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1]
    : (tensor<40xf32>, tensor<2xindex>) -> tensor<?x40xf32>
  %r = stablehlo.add %y, %d : tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}}"""
EXPECTED = X @ (2 * W) + BIAS

OPTIONS: list[dict[str, Any]] = [
    {},
    {"specialize": True},
    {"check_nans": True},
    {"backend": "reference"},
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A program with its constants beside it, in a folder that is not the working directory."""
    module = shlo_tools.load(TEXT)
    assert shlo_tools.externalize(module, tmp_path / "w.safetensors", min_bytes=100) == 2
    shlo_tools.save(module, tmp_path / "model.mlir")
    shlo_tools.save(module, tmp_path / "model.mlirbc")
    return tmp_path


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["model.mlir", "model.mlirbc"])
def test_programs_are_compiled_with_their_file(
    name: str, options: dict[str, Any], saved: Path
) -> None:
    for source in (saved / name, shlo_tools.load(saved / name)):
        result = shlo_tools.compile(source, **options)(X)
        np.testing.assert_allclose(result, EXPECTED, rtol=1e-5, atol=1e-4)


def test_what_is_large_and_no_splat_leaves_and_equal_constants_are_one(saved: Path) -> None:
    text = (saved / "model.mlir").read_text()
    assert text.count('{shlo.weight = "constant_0"} dense_resource<') == 2
    assert text.count('{shlo.weight = "constant_1"} dense_resource<') == 1
    assert '"0x' not in text and "dense<1.0" in text
    file = safetensors.Arrays(str(saved / "w.safetensors"))
    np.testing.assert_array_equal(file.array("constant_0", of_array(W)), W)
    np.testing.assert_array_equal(file.array("constant_1", of_array(BIAS)), BIAS)


def test_smaller_constants_stay(tmp_path: Path) -> None:
    module = shlo_tools.load(TEXT)
    assert shlo_tools.externalize(module, tmp_path / "w", min_bytes=161) == 1
    module, before = shlo_tools.load(TEXT), str(shlo_tools.load(TEXT))
    assert shlo_tools.externalize(module, tmp_path / "none", min_bytes=W.nbytes + 1) == 0
    assert str(module) == before
    assert not (tmp_path / "none").exists()


def test_back_and_forth_is_the_same_module(saved: Path) -> None:
    module = shlo_tools.load(saved / "model.mlirbc")
    assert shlo_tools.internalize(module) == 3
    assert str(module) == str(shlo_tools.load(TEXT))


def test_compiling_maps_the_file_instead_of_reading_it(saved: Path) -> None:
    """What is written into the file behind the executable's back is what it computes with."""
    executable = shlo_tools.compile(saved / "model.mlir")
    with open(saved / "w.safetensors", "r+b") as file:
        file.seek(-BIAS.nbytes - W.nbytes, 2)
        assert file.read(W.nbytes) == W.tobytes()
        file.seek(-BIAS.nbytes - W.nbytes, 2)
        file.write((-W).tobytes())
    np.testing.assert_allclose(executable(X), X @ (-2 * W) + BIAS, rtol=1e-5, atol=1e-4)


def test_folders_move_as_a_whole(saved: Path) -> None:
    moved = saved.with_name("moved")
    saved.rename(moved)
    np.testing.assert_allclose(
        shlo_tools.run(moved / "model.mlir", X), EXPECTED, rtol=1e-5, atol=1e-4
    )


def test_a_program_saved_elsewhere_still_finds_its_file(saved: Path) -> None:
    module = shlo_tools.load(saved / "model.mlir")
    before = str(module)
    (saved / "other").mkdir()
    shlo_tools.save(module, saved / "other" / "model.mlir")
    assert str(module) == before
    np.testing.assert_allclose(
        shlo_tools.run(saved / "other" / "model.mlir", X), EXPECTED, rtol=1e-5, atol=1e-4
    )


def test_paths_are_relative_to_the_program_or_the_working_directory(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (saved / "model.mlir").read_text()
    assert 'shlo.weights = "w.safetensors"' in text
    monkeypatch.chdir(saved)
    np.testing.assert_allclose(shlo_tools.run(text, X), EXPECTED, rtol=1e-5, atol=1e-4)
    monkeypatch.chdir(saved.parent)
    with pytest.raises(ShloError, match=r"cannot read 'w\.safetensors'"):
        shlo_tools.compile(text)


def test_resources_are_constants_as_well(tmp_path: Path) -> None:
    raw = W.tobytes().hex()
    text = f"""
    func.func @main() -> tensor<40x40xf32> {{
      %w = arith.constant dense_resource<w> : tensor<40x40xf32>
      return %w : tensor<40x40xf32>
    }}
    {{-# dialect_resources: {{ builtin: {{ w: "0x04000000{raw}" }} }} #-}}"""
    module = shlo_tools.load(text)
    assert shlo_tools.externalize(module, tmp_path / "w") == 1
    assert raw[:40].upper() not in str(module).upper()
    np.testing.assert_array_equal(shlo_tools.run(module), W)


@pytest.mark.parametrize("name", [name for name in ELEMENT_TYPES if name != "index"])
def test_constants_of_every_element_type(name: str, tmp_path: Path) -> None:
    element = ELEMENT_TYPES[name]
    kinds = [0, 1] if element.is_boolean else [1, 0.5, 2] if element.is_float else [1, 0, -1]
    values = np.array([kinds[n % len(kinds)] for n in range(12)])
    if name.startswith("ui"):
        values = np.abs(values)
    array = values.astype(element.dtype).reshape(3, 4)
    with mlir.library_context():
        attribute = str(dtypes.to_attribute(array, element))
    type = TensorType((3, 4), element)
    text = (
        f"func.func @main() -> {type} {{ %c = stablehlo.constant {attribute} return %c : {type} }}"
    )
    module = shlo_tools.load(text)
    assert shlo_tools.externalize(module, tmp_path / "w", min_bytes=1) == 1
    for backend in ("native", "reference"):
        result = shlo_tools.compile(module, backend=backend)()
        assert result.dtype == element.dtype
        assert result.tobytes() == array.tobytes()


def test_quantized_constants_are_their_integers(tmp_path: Path) -> None:
    type = "tensor<4x!quant.uniform<i8:f32, 0.5>>"
    text = f"""func.func @main() -> {type} {{
      %c = stablehlo.constant() <{{value = dense<[1, -2, 3, 4]> : tensor<4xi8>}}> : () -> {type}
      return %c : {type}
    }}"""
    text = text.replace("stablehlo.constant()", '"stablehlo.constant"()')
    module = shlo_tools.load(text)
    assert shlo_tools.externalize(module, tmp_path / "w", min_bytes=1) == 1
    np.testing.assert_array_equal(shlo_tools.run(module), np.array([1, -2, 3, 4], np.int8))


def test_references_survive_other_contexts_and_copies(saved: Path) -> None:
    """MLIR renames resources where a context has read one of that name: ours are found by name."""
    modules = [shlo_tools.load(saved / "model.mlir") for _ in range(3)]
    copies = [program.clone(modules[1])]
    with mlir.at(mlir.new_context()):
        copies.append(program.moved(modules[2]))
    for module in (*modules, *copies):
        np.testing.assert_allclose(shlo_tools.run(module, X), EXPECTED, rtol=1e-5, atol=1e-4)


def test_one_resource_under_two_names_is_two_arrays(tmp_path: Path) -> None:
    """The attribute says which array a constant is, whatever its resource is called."""
    path = str(tmp_path / "w")
    safetensors.write(path, {"a": W, "b": -W})
    text = f"""
    module attributes {{shlo.weights = "{path}"}} {{
      func.func @main() -> (tensor<40x40xf32>, tensor<40x40xf32>) {{
        %a = stablehlo.constant {{shlo.weight = "a"}} dense_resource<r> : tensor<40x40xf32>
        %b = stablehlo.constant {{shlo.weight = "b"}} dense_resource<r> : tensor<40x40xf32>
        return %a, %b : tensor<40x40xf32>, tensor<40x40xf32>
      }}
    }}"""
    module = shlo_tools.load(text)
    inner = shlo_tools.load(text)
    shlo_tools.internalize(inner)
    for source in (module, inner):
        first, second = shlo_tools.run(source)
        np.testing.assert_array_equal(first, W)
        np.testing.assert_array_equal(second, -W)


def test_programs_with_references_are_valid(saved: Path) -> None:
    shlo_tools.verify(shlo_tools.load(saved / "model.mlir"))


def test_what_cannot_be_externalized_is_refused(saved: Path, tmp_path: Path) -> None:
    module = shlo_tools.load(saved / "model.mlir")
    with pytest.raises(ShloError, match=r"are in .* already"):
        shlo_tools.externalize(module, tmp_path / "again")
    plain = shlo_tools.load(TEXT)
    before = str(plain)
    with pytest.raises(ShloError, match="cannot write"):
        shlo_tools.externalize(plain, tmp_path / "no folder" / "w")
    with pytest.raises(ShloError, match="min_bytes=-1"):
        shlo_tools.externalize(plain, tmp_path / "w2", min_bytes=-1)
    assert str(plain) == before


@pytest.mark.parametrize("options", [{}, {"backend": "reference"}], ids=str)
def test_a_file_that_does_not_fit_is_refused(saved: Path, options: dict[str, Any]) -> None:
    path, source = str(saved / "w.safetensors"), saved / "model.mlir"
    safetensors.write(path, {"constant_0": W, "constant_1": BIAS[1:]})
    with pytest.raises(ShloError, match="'constant_1' is a tensor<39xf32>, a tensor<40xf32>"):
        shlo_tools.compile(source, **options)
    safetensors.write(path, {"constant_0": W})
    with pytest.raises(ShloError, match="no array 'constant_1'"):
        shlo_tools.compile(source, **options)
    os.truncate(path, 30)
    with pytest.raises(ShloError, match="broken safetensors file"):
        shlo_tools.compile(source, **options)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ('"\\00"', "hold no NUL"),
        ('"\\FF"', "no text"),
        ("3 : i32", "cannot read '3'"),
        ('"."', "no regular file"),
        ('"/dev/null"', "no regular file"),
    ],
)
def test_names_that_no_file_has_are_refused(path: str, message: str, tmp_path: Path) -> None:
    text = f"""module attributes {{shlo.weights = {path}}} {{
      func.func @main() -> tensor<4xf32> {{
        %c = stablehlo.constant {{shlo.weight = "a"}} dense_resource<a> : tensor<4xf32>
        return %c : tensor<4xf32>
      }}
    }}"""
    for backend in ("native", "reference"):
        with pytest.raises(ShloError, match=message):
            shlo_tools.compile(text, backend=backend)


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_constant_with_its_value_needs_no_file(backend: str) -> None:
    text = """func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
      %a = stablehlo.constant {shlo.weight = "a"} dense<[1.0, 2.0]> : tensor<2xf32>
      %b = stablehlo.constant {shlo.weight = "b"} dense<3.0> : tensor<2xf32>
      return %a, %b : tensor<2xf32>, tensor<2xf32>
    }"""
    first, second = shlo_tools.compile(text, backend=backend)()
    assert (first.tolist(), second.tolist()) == ([1, 2], [3, 3])


def test_a_module_that_names_no_file_is_refused(saved: Path) -> None:
    text = (saved / "model.mlir").read_text().replace("shlo.weights", "some.thing")
    with pytest.raises(ShloError, match="does not say in which file") as caught:
        shlo_tools.compile(text)
    assert "shlo.weights" in caught.value.render()
