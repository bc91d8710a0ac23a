"""What is installed, as far as it can be told without loading MLIR."""

from __future__ import annotations

import platform
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import shlo_tools
from shlo_tools.codegen import target
from shlo_tools.errors import ShloError

# Packages that more is possible with, and what that is.
OPTIONAL = {
    "jax": "programs from JAX, comparisons with XLA",
    "torch": "programs from PyTorch",
    "mpi4py": "several processes by MPI",
    "iree-base-compiler": "benchmarks against IREE",
    "llvmlite": "machine code by another LLVM",
    "filecheck": "tests with lit or pytest",
    "lit": "tests with lit",
    "pytest": "tests with pytest",
}


def facts() -> dict[str, Any]:
    """Versions by name, None for what is not installed, and what the machine is."""
    return {
        "shlo-tools": shlo_tools.__version__,
        "folder": str(Path(shlo_tools.__file__).parent),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "target": _target(),
        "packages": {name: version(name) for name in requirements()},
        "optional packages": {name: version(name) for name in OPTIONAL},
    }


def requirements() -> dict[str, str]:
    """What the package needs, and the version of it that it is pinned to, or nothing."""
    project = Path(shlo_tools.__file__).resolve().parents[1] / "pyproject.toml"
    if project.is_file():  # a checkout, installed or not
        lines = tomllib.loads(project.read_text())["project"]["dependencies"]
    else:
        lines = [each for each in metadata.requires("shlo-tools") or () if "extra" not in each]
    matches = [re.match(r"([\w.-]+)\s*(?:==\s*([\w.]+))?", line) for line in lines]
    return {match[1]: match[2] or "" for match in matches if match}


def version(distribution: str) -> str | None:
    """The installed version of a distribution; None where there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _target() -> str:
    try:
        return target.host().name
    except ShloError as error:
        return error.render()


def problems(known: dict[str, Any]) -> list[str]:
    """What is missing, or of another version than the tested one, with what to do about it."""
    messages = []
    for name, pinned in requirements().items():
        installed = known["packages"][name]
        remedy = f"pip install {name}=={pinned}" if pinned else f"pip install {name}"
        if installed is None:
            messages.append(f"{name} is not installed: {remedy}")
        elif pinned and installed.partition("+")[0] != pinned:
            messages.append(f"{name} {installed} is not the tested version {pinned}: {remedy}")
    return messages
