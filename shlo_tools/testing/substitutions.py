"""What the words of a RUN line stand for: the names of upstream's tools are our tools."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import shlo_tools
from shlo_tools.errors import ShloError
from shlo_tools.testing.fork_server import ForkServer

# The tools that RUN lines call, with and without a percent sign, and the modules that run.
TOOLS = {
    "shlo-opt": "opt",
    "shlo-run": "run",
    "shlo-reduce": "reduce",
    "shlo-cache": "cache",
    "shlo-compile": "compile",
    "shlo-translate": "translate",
    "shlo-bench": "bench",
    "stablehlo-opt": "opt",
    "stablehlo-translate": "translate",
    "mlir-opt": "opt",
    "mlir-translate": "translate",
}

OPTIONAL_PACKAGES = ("iree", "jax", "llvmlite", "matplotlib", "mpi4py", "scipy", "torch")

_KEPT_VARIABLES = ("XDG_CACHE_HOME", "FILECHECK", "FILECHECK_OPTS")


def find_filecheck() -> str:
    """The path of FileCheck: what FILECHECK names, LLVM's on the PATH, or the one that pip brings.

    Raises:
        ShloError: there is none; without it no test could fail.
    """
    chosen = os.environ.get("FILECHECK")
    if chosen:
        path = shutil.which(chosen)
        if path is None:
            raise ShloError(f"FILECHECK={chosen} is no program")
        return path
    beside = os.path.dirname(sys.executable)
    path = (
        shutil.which("FileCheck")
        or shutil.which("filecheck", path=beside)
        or shutil.which("filecheck")
    )
    if path is None:
        raise ShloError("there is no FileCheck", hint="pip install filecheck, or set FILECHECK")
    return path


def substitutions(
    others: Mapping[str, str] | None = None, server: ForkServer | None = None
) -> list[tuple[str, str]]:
    """Patterns of words, and the commands that they stand for, in lit's form.

    Args:
        others: further names and their commands, or other commands for names of ``TOOLS``. A name
            that begins with a percent sign is replaced wherever it stands.
        server: what runs tools, and the FileCheck that pip brings; without it they start by
            themselves.

    Raises:
        ShloError: there is no FileCheck.
    """
    path = _python_path()
    # Said again with each tool: lit's own diff leaves another path to the commands that follow it.
    setting = f'env "PYTHONPATH={path}" ' if path else ""
    commands = {
        name: setting + _quoted(command(f"shlo_tools.tools.{module}", server))
        for name, module in TOOLS.items()
    }
    commands["FileCheck"] = ""
    commands |= others or {}
    if not commands["FileCheck"]:
        filecheck = find_filecheck()
        words = command("filecheck", server) if _is_of_pip(filecheck) else [filecheck]
        commands["FileCheck"] = setting + _quoted(words)
    return [(_pattern(name), text) for name, text in commands.items()]


def command(module: str, server: ForkServer | None) -> list[str]:
    """The words that run a module under this Python."""
    return server.command(module) if server else [sys.executable, "-P", "-m", module]


def _quoted(words: Iterable[str]) -> str:
    """Words for a shell, or lit."""
    return " ".join(f'"{word}"' for word in words)


def _is_of_pip(path: str) -> bool:
    """Whether a program is the one that pip puts beside this Python."""
    beside = os.path.join(os.path.dirname(sys.executable), "filecheck")
    return path == beside and importlib.util.find_spec("filecheck") is not None


def _pattern(name: str) -> str:
    """What matches a tool's name as a word, and not as a part of a path or of a longer word."""
    if name.startswith("%"):
        return rf"{re.escape(name)}(?![\w-])"
    return rf"(?<![\w./%-])%?{re.escape(name)}(?![\w./-])"


def features(others: Iterable[str] = ()) -> set[str]:
    """What REQUIRES may name: optional packages that are installed, and the system.

    ``asserts`` is not among them: what needs an assertion build of LLVM is left out.
    """
    packages = {name for name in OPTIONAL_PACKAGES if importlib.util.find_spec(name)}
    return {*packages, f"system-{sys.platform}", *others}


def environment() -> dict[str, str]:
    """Variables that tools need to be the same as here, and to write plain text.

    lit runs a test per core: numpy's BLAS has no further threads, unless it is told.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("SHLO_") or name in _KEPT_VARIABLES
    }
    variables["NO_COLOR"] = "1"
    variables["OPENBLAS_NUM_THREADS"] = os.environ.get("OPENBLAS_NUM_THREADS", "1")
    if path := _python_path():
        variables["PYTHONPATH"] = path
    return variables


def _python_path() -> str:
    """Where Python has to look first: in a checkout, installed or not; else nowhere else."""
    root = Path(shlo_tools.__file__).resolve().parents[1]
    kept = os.environ.get("PYTHONPATH", "")
    if not (root / "pyproject.toml").is_file():
        return kept
    return os.pathsep.join([str(root), *filter(None, [kept])])
