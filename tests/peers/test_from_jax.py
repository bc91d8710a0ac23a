"""``from_jax``: where JAX is loaded, in this process; elsewhere in a child that loads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
import jax_models
import numpy as np
from jax import export

import shlo_tools
from shlo_tools.errors import ProviderError, ShloError

pytestmark = pytest.mark.peer

HERE = Path(__file__).parent
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
PARAMETERS = {
    "w": np.linspace(-2, 1, 8, dtype=np.float32).reshape(4, 2),
    "b": np.ones(2, np.float32),
}


def leaves(tree: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


# --- in a process of JAX --------------------------------------------------------------------------
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_results_are_those_of_jax_in_the_order_of_its_leaves(backend: str) -> None:
    program = shlo_tools.from_jax(jax_models.layer, PARAMETERS, X, scale=2.0)
    executable = shlo_tools.compile(program, backend=backend)
    arguments = jax.tree.leaves(((PARAMETERS, X), {"scale": 2.0}))
    results = executable(*arguments)
    for got, expected in zip(
        results, leaves(jax_models.layer(PARAMETERS, X, scale=2.0)), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_leaves_are_named() -> None:
    program = shlo_tools.from_jax(jax_models.layer, PARAMETERS, X, scale=2.0)
    assert [str(leaf) for leaf in program.arguments] == [
        "args[0]['b']: float32[2]",
        "args[0]['w']: float32[4,2]",
        "args[1]: float32[3,4]",
        "kwargs['scale']: float32[]",
    ]
    assert [leaf.path for leaf in program.results] == ["result['out']", "result['total']"]
    assert (program.name, program.devices) == ("layer", 1)
    assert "result['out']: float32[3,2]" in str(program)


def test_run_takes_what_is_imported() -> None:
    program = shlo_tools.from_jax(lambda x: jnp.cumsum(x, 0), X)
    np.testing.assert_allclose(shlo_tools.run(program, X), np.cumsum(X, 0), rtol=1e-6)


def test_unused_arguments_stay_but_where_a_jit_says_otherwise() -> None:
    assert len(shlo_tools.from_jax(lambda x, y: jnp.sort(x), X, X).arguments) == 2
    program = shlo_tools.from_jax(jax_models.first, X, X)
    assert [leaf.path for leaf in program.arguments] == ["args[0]"]
    np.testing.assert_array_equal(shlo_tools.run(program, X), np.sort(X))


def test_static_arguments_are_constants_of_the_program() -> None:
    for program in (
        shlo_tools.from_jax(jax_models.power, X, 3, static_argnums=1),
        shlo_tools.from_jax(jax_models.power, X, exponent=3, static_argnames="exponent"),
        shlo_tools.from_jax(jax.jit(jax_models.power, static_argnums=1), X, 3),
    ):
        assert [leaf.path for leaf in program.arguments] == ["args[0]"]
        np.testing.assert_allclose(shlo_tools.run(program, X), X**3, rtol=1e-5)


SHAPES = [
    jax.ShapeDtypeStruct(export.symbolic_shape("b, 4"), np.float32),
    shlo_tools.ArrayType("b, 4", "float32"),
    shlo_tools.ArrayType(("b", 4), np.float32),
]


@pytest.mark.parametrize("type", SHAPES, ids=["ShapeDtypeStruct", "text", "tuple"])
def test_sizes_may_be_symbols(type: Any) -> None:
    program = shlo_tools.from_jax(jax.nn.softmax, type)
    assert program.arguments[0].type == "float32[b,4]"
    executable = shlo_tools.compile(program)
    for rows in (1, 3, 7):
        x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
        np.testing.assert_allclose(executable(x), jax.nn.softmax(x), rtol=1e-6)


def test_symbols_are_shared_and_constrained() -> None:
    types = [shlo_tools.ArrayType("n, m"), shlo_tools.ArrayType("m, n")]
    program = shlo_tools.from_jax(lambda x, y: (x @ y)[:2], *types, constraints=["n >= 2"])
    np.testing.assert_allclose(shlo_tools.run(program, X, X.T), (X @ X.T)[:2], rtol=1e-5, atol=1e-6)


def test_errors_of_functions_are_theirs() -> None:
    with pytest.raises(ValueError, match="not with me"):
        shlo_tools.from_jax(jax_models.failing, X)


@pytest.mark.parametrize("name", ["model.mlir", "model.mlirbc", "model.stablehlo"])
def test_saved_programs_are_compiled_from_their_files(name: str, tmp_path: Path) -> None:
    program = shlo_tools.from_jax(jax_models.Model.doubled, X)
    program.save(tmp_path / name)
    np.testing.assert_array_equal(shlo_tools.run(tmp_path / name, X), 2 * X)
    assert (tmp_path / name).read_bytes().startswith(b"ML\xefR") == (name != "model.mlir")
    with pytest.raises(ShloError, match="cannot write"):
        program.save(tmp_path / "no folder" / name)


def test_modules_need_a_process_without_jax() -> None:
    with pytest.raises(ProviderError, match="two of them crash"):
        _ = shlo_tools.from_jax(jax_models.Model.doubled, X).module


# --- in other processes ---------------------------------------------------------------------------
def said_by(script: str, tmp_path: Path) -> str:
    """What a process prints that runs a script beside ``jax_models``."""
    path = tmp_path / "script.py"
    path.write_text("import sys\nimport numpy as np\nimport shlo_tools\n" + script)
    root = HERE.parents[1]
    done = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={"PYTHONPATH": f"{root}:{HERE}", "PATH": "", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_functions_are_exported_by_name_where_jax_is_not_loaded(tmp_path: Path) -> None:
    script = """
parameters = {"w": np.ones((4, 2), np.float32), "b": np.ones(2, np.float32)}
x = shlo_tools.ArrayType("n, 4")
program = shlo_tools.from_jax("jax_models:layer", parameters, x, scale=1.0)
assert "jax" not in sys.modules
print([leaf.path for leaf in program.arguments])
zeros = np.zeros((3, 4), np.float32)
out, total = shlo_tools.run(program, parameters["b"], parameters["w"], zeros, 1.0)
np.testing.assert_allclose(out, np.full((3, 2), np.tanh(1)), rtol=1e-6)
shlo_tools.verify(program.module)
shlo_tools.save(program.module, "model.mlir")
program.save("model.mlir")
print(shlo_tools.compile("model.mlir").signature)
doubled = shlo_tools.from_jax("jax_models:Model.doubled", np.float32(3))
print(shlo_tools.run(doubled, np.float32(4)))
"""
    script = script.replace('"model.mlir"', repr(str(tmp_path / "model.mlir")))
    lines = said_by(script, tmp_path).splitlines()
    assert lines[0] == "[\"args[0]['b']\", \"args[0]['w']\", 'args[1]', \"kwargs['scale']\"]"
    assert lines[1].startswith("(tensor<2xf32>, tensor<4x2xf32>, tensor<?x4xf32>, tensor<f32>)")
    assert lines[2] == "8.0"


def test_functions_are_exported_by_name_beside_our_mlir(tmp_path: Path) -> None:
    """JAX is loaded after ours: two MLIRs never work in one process."""
    script = """
shlo_tools.load("module {}")
import jax_models
x = np.arange(3, dtype=np.float32)
print(shlo_tools.from_jax(jax_models.power, x, 2, static_argnums=1).arguments[0])
try:
    shlo_tools.from_jax(lambda x: x, x)
except shlo_tools.ShloError as error:
    print(error.render())
"""
    leaf, *message = said_by(script, tmp_path).splitlines()
    assert leaf == "args[0]: float32[3]"
    assert "cannot be imported there by a name" in message[0]
    assert "put it into a module" in message[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jax_models", "names no function"),
        ("no_such_module:f", "cannot be imported: No module named 'no_such_module'"),
        ("jax_models:f.g", "no 'f.g' in the module 'jax_models'"),
    ],
)
def test_names_that_lead_nowhere_are_refused(name: str, message: str) -> None:
    with pytest.raises(ShloError, match=message):
        shlo_tools.from_jax(name, X)


def test_errors_come_back_from_the_child() -> None:
    with pytest.raises(ValueError, match="not with me"):
        shlo_tools.from_jax("jax_models:failing", X)


def test_functions_for_several_devices_keep_their_shardings(tmp_path: Path) -> None:
    """They are exported for as many as the child has, and run on one."""
    script = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
x, weight = np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8), np.ones((8, 6), np.float32)
program = shlo_tools.from_jax("sharded_models:layer", x, weight)
print(program.devices)
module = program.module
print(module.operation.attributes["shlo.meshes"]["mesh"].value)
text = str(module)
print(text.count('shlo.sharding = "#sdy.sharding<@mesh'), text.count("shlo.sharding_constraint"))
y, total = shlo_tools.run(module, x, weight)
np.testing.assert_allclose(y, np.tanh(x @ weight), rtol=1e-5)
np.testing.assert_allclose(total, (x @ weight).sum(), rtol=1e-4, atol=1e-4)
try:
    shlo_tools.compile(program)
except shlo_tools.ShloError as error:
    print(error)
program = shlo_tools.from_jax("sharded_models:manual", x)
np.testing.assert_array_equal(shlo_tools.run_spmd(program, whole=[x]), x[:2] + x[2:])
manual = program.module
print(str(manual).count("stablehlo.custom_call @shlo.manual_computation"))
"""
    lines = said_by(script, tmp_path).splitlines()
    assert lines[:3] == ["4", '<["rows"=2, "columns"=2]>', "2 1"]
    assert any("not supported" in line and "a mesh of 4 devices" in line for line in lines)
    assert lines[-1] == "1"
