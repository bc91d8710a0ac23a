"""Tests keep machine code in the checkout, not among the user's files, and verify all IR.

Threads share all that they may: programs of tests are short, and run once. There are as many tests
at a time as processors: one that had several threads compile its program would only hold up others.

A process has no threads of numpy's BLAS, which would keep a core busy for a while at its start.

Files of lit are lit's to run: pytest does not collect them.
"""

import gc
import os
from pathlib import Path

import pytest

os.environ.setdefault("SHLO_VERIFY_EACH", "1")
os.environ.setdefault("SHLO_SHARE_ALL", "1")
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("SHLO_COMPILE_THREADS", "1")
os.environ.pop("SHLO_CACHE_DIR", None)  # programs are compiled each time
os.environ["XDG_CACHE_HOME"] = str(Path(__file__).resolve().parents[1] / "build/cache")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

collect_ignore_glob = ["*.mlir"]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Twenty thousand tests are no garbage, and are not searched for any."""
    gc.freeze()
