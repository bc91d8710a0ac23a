"""lit's configuration: ``lit tests/lit`` or ``lit .`` in the checkout, installed or not.

Tools run under the interpreter that lit runs under; upstream's names stand for ours, so that files
written for ``stablehlo-opt`` run as they are. FileCheck is the one of the environment variable
FILECHECK, else LLVM's on the path, else the ``filecheck`` that pip puts beside the interpreter.
Optional packages that are installed are features: ``// REQUIRES: jax``.
"""

# ruff: noqa: F821
import importlib.util
import os
import shutil
import sys

import lit.formats

OPTIONAL_PACKAGES = ("iree", "jax", "llvmlite", "mpi4py", "scipy", "torch")
TOOLS = {"%shlo-opt": "opt", "%shlo-run": "run", "%shlo-reduce": "reduce"}
UPSTREAM_TOOLS = {"stablehlo-opt": "opt", "stablehlo-translate": "translate"}

root = os.path.dirname(os.path.abspath(__file__))


def find_filecheck() -> str:
    """The FileCheck to use; without one no test could fail."""
    named_path = os.environ.get("FILECHECK")
    path = shutil.which(named_path) if named_path else None
    if named_path and not path:
        lit_config.fatal(f"FILECHECK={named_path} is no program")
    path = path or shutil.which("FileCheck")
    path = path or shutil.which("filecheck", path=os.path.dirname(sys.executable))
    if not path:
        lit_config.fatal("no FileCheck: pip install filecheck, or set FILECHECK")
    return path


config.name = "shlo-tools"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = []  # tests/lit has some: programs elsewhere are no tests
config.excludes = ["Inputs"]
config.test_source_root = root
config.test_exec_root = os.path.join(root, "build", "lit")

config.environment["PYTHONPATH"] = os.pathsep.join(
    [root, *filter(None, [os.environ.get("PYTHONPATH")])]
)
config.environment["NO_COLOR"] = "1"
config.environment["SHLO_CACHE_DIR"] = os.path.join(root, "build", "cache")
config.available_features |= {p for p in OPTIONAL_PACKAGES if importlib.util.find_spec(p)}

for name, module in TOOLS.items():
    config.substitutions.append((name, f'"{sys.executable}" -m shlo_tools.tools.{module}'))
# Names that are part of a path stay. lit's own diff and cat leave a PYTHONPATH of theirs behind.
for name, module in UPSTREAM_TOOLS.items():
    path = f'env "PYTHONPATH={config.environment["PYTHONPATH"]}"'
    command = f'{path} "{sys.executable}" -m shlo_tools.tools.{module}'
    config.substitutions.append((rf"(?<![\w/.%-]){name}(?![\w/.-])", command))
config.substitutions.append((r"\bFileCheck\b", f'"{find_filecheck()}"'))
