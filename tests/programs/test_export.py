"""Exporting again writes the committed files: programs and records are what the scripts say."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from recording import HERE, INDEX, Bound

import shlo_tools

NAMES = ("mlp_step", "newton", "symbolic_heads")

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with freshly exported files.

    The scripts write beside themselves, so copies of them run there; and in a process of their
    own, since JAX brings an MLIR that cannot share ours.
    """
    folder = tmp_path_factory.mktemp("exported")
    for script in HERE.glob("*.py"):
        if not script.name.startswith("test_"):
            shutil.copy(script, folder)
    command = [sys.executable, str(folder / "export_jax.py"), *NAMES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if "No module named 'jax'" in done.stderr:
        pytest.skip("jax is not installed")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_records_agree(name: str, exported: Path) -> None:
    """Arguments to the bit, results within the bound: another JAX may round otherwise."""
    entry = json.loads(INDEX.read_text())[name]
    bound = Bound(entry["rtol"], entry["atol"], entry["reason"])
    with np.load(exported / f"{name}.npz") as new, np.load(HERE / f"{name}.npz") as old:
        assert sorted(new) == sorted(old)
        for key in old:
            assert (new[key].dtype, new[key].shape) == (old[key].dtype, old[key].shape)
            if key.startswith("arg"):
                assert new[key].tobytes() == old[key].tobytes(), key
            else:
                assert bound.excess(new[key], old[key]) <= 1, key


@pytest.mark.parametrize("name", NAMES)
def test_modules_are_the_same(name: str, exported: Path) -> None:
    """Up to locations, by the same JAX; another version may write the program in other words."""
    old = json.loads(INDEX.read_text())[name]["source"]
    new = json.loads((exported / "programs.json").read_text())[name]["source"]
    if old != new:
        pytest.skip(f"recorded by {old}, and this is {new}")
    texts = [
        shlo_tools.load(folder / f"{name}.mlir").operation.get_asm() for folder in (exported, HERE)
    ]
    assert texts[0] == texts[1]
    assert "stablehlo." in texts[0]
