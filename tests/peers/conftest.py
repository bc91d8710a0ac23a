"""Tests that import JAX are collected only when peers are asked for.

Importing them is importing JAX, after which no test of this process could load MLIR.
"""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if "not peer" in config.option.markexpr else None
