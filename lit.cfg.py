"""lit's configuration: ``lit tests/lit`` or ``lit .`` in the checkout, installed or not.

Tools run under the interpreter that lit runs under; ``shlo_tools.testing`` says which names they
have, where FileCheck comes from, and which features there are.
"""

# ruff: noqa: F821
import os
import sys

root = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, root)

from shlo_tools.testing import configure_lit  # noqa: E402

config.name = "shlo-tools"
config.test_source_root = root
config.test_exec_root = os.path.join(root, "build", "lit")
# No suffixes: tests/lit has some, and programs elsewhere are no tests.
configure_lit(config, lit_config, suffixes=())
config.environment["XDG_CACHE_HOME"] = os.path.join(root, "build", "cache")
config.environment["SHLO_COMPILE_THREADS"] = "1"  # as many tests at a time as processors
