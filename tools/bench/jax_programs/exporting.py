"""Writes programs of JAX and what they compute, for engines without JAX.

A program has the files of the recorded programs in tests/programs: ``name.mlir``, ``name.npz`` with
``arg0``, ``result0``, ..., and an entry in ``programs.json``. What the folder holds already is kept
while neither the program's file nor JAX has changed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.export
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import PROGRAMS, Program

# JAX does not promise these to later versions of itself, which never see what is exported here.
_UNSTABLE_CALLS = ("lapack_sormqr_ffi", "lapack_dormqr_ffi")


def main(description: str, modules: Sequence[str]) -> None:
    """The command line of a package of programs.

    Args:
        description: of what is exported.
        modules: those that enter programs.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--folder", type=Path, required=True, help="Where files are cached.")
    parser.add_argument("--select", default="", help="A regular expression for names.")
    options = parser.parse_args()
    for module in modules:
        importlib.import_module(module)
    options.folder.mkdir(parents=True, exist_ok=True)
    index = options.folder / "programs.json"
    entries = json.loads(index.read_text()) if index.exists() else {}
    entries = {name: entry for name, entry in entries.items() if name in PROGRAMS}
    for name, program in PROGRAMS.items():
        cached = name in entries and entries[name]["source"] == source_of(program)
        if not cached and re.search(options.select, name):
            entries[name] = export(program, options.folder)
            print(name, file=sys.stderr, flush=True)
        if name in entries:
            entries[name]["family"] = program.family
    ordered = {name: entries[name] for name in PROGRAMS if name in entries}
    index.write_text(json.dumps(ordered, indent=2) + "\n")


def export(program: Program, folder: Path) -> dict[str, Any]:
    """Write one program's files; its entry."""
    generator = np.random.default_rng(zlib.crc32(program.name.encode()))
    with jax.enable_x64(program.name.endswith("f64")):
        function, arguments = program.build(generator)
        jitted = jax.jit(function, keep_unused=True)
        checks = [jax.export.DisabledSafetyCheck.custom_call(call) for call in _UNSTABLE_CALLS]
        exported = jax.export.export(jitted, platforms=["cpu"], disabled_checks=checks)
        module = exported(*arguments).mlir_module()
        results = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*arguments))]
    inputs = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
    arrays: dict[str, Any] = {f"arg{i}": array for i, array in enumerate(inputs)}
    arrays |= {f"result{i}": array for i, array in enumerate(results)}
    arrays = {key: np.array(array, order="C") for key, array in arrays.items()}
    dtypes = {key: array.dtype.name for key, array in arrays.items() if array.dtype.isbuiltin == 2}
    for key in dtypes:
        arrays[key] = arrays[key].view(f"V{arrays[key].dtype.itemsize}")
    (folder / f"{program.name}.mlir").write_text(str(module))
    np.savez(folder / f"{program.name}.npz", **arrays)
    return {"family": program.family, "source": source_of(program), "dtypes": dtypes}


def source_of(program: Program) -> str:
    """Changes where a cached export is out of date."""
    path = sys.modules[program.module].__file__ or ""
    return f"jax {jax.__version__}, {zlib.crc32(Path(path).read_bytes()):08x}"
