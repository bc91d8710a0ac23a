"""Writes a program with its arguments and expected results as a test for lit."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shlo_tools import files
from shlo_tools.dtypes import Array
from shlo_tools.tools.run.values import array_files


def save(
    folder: str,
    stem: str,
    story: Sequence[str],
    program: str,
    arguments: Sequence[Array],
    expected: Sequence[Array],
    options: Sequence[str] = (),
) -> str:
    """Write ``stem.mlir`` and ``stem.npz``, numbered where these exist; returns the first's path.

    Args:
        story: lines that say what the test is about.
        program: a module's text, whose ``@main`` is run.
        options: further options of shlo-run, for tolerances.

    Raises:
        ShloError: a file cannot be written.
    """
    name = _free(Path(folder), re.sub(r"[^\w.-]", "_", stem))
    archive = io.BytesIO()
    arrays = {f"arg{n}": array for n, array in enumerate(arguments)}
    arrays |= {f"result{n}": array for n, array in enumerate(expected)}
    named = {key: array_files.storable(np.asarray(array)) for key, array in arrays.items()}
    np.savez(archive, allow_pickle=False, **named)
    command = _command(f"@%S/{name}.npz", bool(arguments), options)
    by_hand = _command(f"@{name}.npz", bool(arguments), options)
    lines = [
        *(f"// {line}" for line in story),
        "//",
        f"// By hand: shlo-run {name}.mlir {by_hand}",
        "// With lit: put both files into a folder below tests/lit of shlo-tools, and run",
        f"//   lit -v tests/lit --filter={re.escape(name)}",
        "",
        f"// RUN: %shlo-run %s {command}",
        "",
        program,
    ]
    path = Path(folder) / f"{name}.mlir"
    files.write_file(str(path.with_name(f"{name}.npz")), archive.getvalue())
    files.write_file(str(path), "\n".join(lines).encode())
    return str(path)


def _command(values: str, arguments: bool, options: Sequence[str]) -> str:
    words = [f"--input={values}"] if arguments else []
    return " ".join([*words, f"--expected-output={values}", *options])


def _free(folder: Path, stem: str) -> str:
    """A name under which nothing is there yet."""
    name, number = stem, 1
    while any((folder / f"{name}{suffix}").exists() for suffix in (".mlir", ".npz")):
        number += 1
        name = f"{stem}-{number}"
    return name
