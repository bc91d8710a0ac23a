"""The MLIR provider is one constant: another package in its place works, none is explained.

Every case runs in a process of its own, because a process has one MLIR.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "shlo_tools" / "mlir.py"
PROVIDER = 'PROVIDER = "torch_mlir"\n'

# A package that re-exports the wheel: ``other_mlir.x`` is the module ``x`` of the real provider.
# (Loading the shared libraries a second time under another name would be a second MLIR.)
OTHER = """
import importlib, importlib.util, sys
__path__ = []

class Alias:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("other_mlir."):
            return importlib.util.spec_from_loader(name, self, is_package=True)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        real = module.__name__.replace("other_mlir", "torch_mlir", 1)
        sys.modules[module.__name__] = importlib.import_module(real)

sys.meta_path.insert(0, Alias())
"""

USE = """
import numpy as np
import shlo_tools
from shlo_tools import ops

text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
assert "func.func @main" in str(shlo_tools.load(text))

module = shlo_tools.Module()

@module.func("2x3xf32", "2x3xf32")
def main(a, b):
    return ops.tanh(a) + b

shlo_tools.Pipeline("builtin.module(canonicalize,shlo-to-linalg)").run(module.module)
assert "linalg" in str(module)
x = np.ones((2, 3), np.float32)
np.testing.assert_allclose(
    shlo_tools.run(text, x[0, :2]), x[0, :2]
)
import sys
print(sorted({m.split(".")[0] for m in sys.modules if "mlir" in m.split(".")[0]}))
"""


def run(code: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process that finds the library, and first what is in ``paths``."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [*paths, ROOT]))}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=paths[0] if paths else ROOT,
        timeout=300,
    )


def with_provider(name: str) -> str:
    """Code that loads the library with another value of the constant, and nothing else changed."""
    return f"""
import importlib.util, pathlib, sys
source = pathlib.Path({str(SOURCE)!r}).read_text()
assert source.count({PROVIDER!r}) == 1
import shlo_tools
spec = importlib.util.spec_from_file_location("shlo_tools.mlir", {str(SOURCE)!r})
mlir = importlib.util.module_from_spec(spec)
sys.modules["shlo_tools.mlir"] = shlo_tools.mlir = mlir
code = source.replace({PROVIDER!r}, "PROVIDER = {name!r}\\n")
exec(compile(code, {str(SOURCE)!r}, "exec"), mlir.__dict__)
"""


def test_the_library_works_with_the_provider() -> None:
    done = run(USE)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['torch_mlir']\n"


def test_the_library_works_with_another_provider(tmp_path: Path) -> None:
    (tmp_path / "other_mlir").mkdir()
    (tmp_path / "other_mlir" / "__init__.py").write_text(OTHER)
    done = run(with_provider("other_mlir") + USE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['other_mlir', 'torch_mlir']\n"


def test_a_missing_provider_is_explained(tmp_path: Path) -> None:
    code = f"""
try:
    {textwrap.indent(with_provider("no_such_mlir"), "    ").lstrip()}
except Exception as error:
    print(type(error).__name__, isinstance(error, ImportError))
    print(error)
"""
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    kind, message, hint = done.stdout.rstrip().split("\n")
    assert kind == "ProviderError True"
    assert "the MLIR bindings cannot be imported" in message
    assert "no_such_mlir" in message
    assert "hint: pip install torch-mlir==" in hint


SECOND = """
import sys, types
sys.modules[{name!r}] = types.ModuleType({name!r})
import shlo_tools
try:
    shlo_tools.load("module {{}}")
except ImportError as error:
    print(type(error).__name__)
    print(error)
print("torch_mlir" in sys.modules)
"""


@pytest.mark.parametrize("name", ["jaxlib.mlir", "iree.compiler", "mlir.ir"])
def test_a_second_mlir_is_detected(name: str) -> None:
    """Refused before the bindings are loaded: after that it would be too late."""
    done = run(SECOND.format(name=name))
    assert done.returncode == 0, done.stderr
    kind, message, hint, loaded = done.stdout.rstrip().split("\n")
    assert kind == "ProviderError"
    assert repr(name) in message
    assert "hint" in hint
    assert "another process" in hint
    assert loaded == "False"


@pytest.mark.peer
def test_jax_loaded_first_is_detected() -> None:
    """The real thing: ``import jax``, then the library."""
    done = run("""
        import jax
        import shlo_tools
        try:
            shlo_tools.load("module {}")
        except ImportError as error:
            print(error)
        print(jax.numpy.arange(3).sum())
    """)
    assert done.returncode == 0, done.stderr
    assert "brings an MLIR of its own" in done.stdout
    assert done.stdout.endswith("3\n")  # and JAX still works
