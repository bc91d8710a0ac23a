"""Tests keep machine code in the checkout, not among the user's files, and verify all IR.

Threads share all that they may: programs of tests are short, and run once.

Files of lit are lit's to run: pytest does not collect them.
"""

import os
from pathlib import Path

os.environ.setdefault("SHLO_VERIFY_EACH", "1")
os.environ.setdefault("SHLO_SHARE_ALL", "1")
os.environ.pop("SHLO_CACHE_DIR", None)  # programs are compiled each time
os.environ["XDG_CACHE_HOME"] = str(Path(__file__).resolve().parents[1] / "build/cache")

collect_ignore_glob = ["*.mlir"]
