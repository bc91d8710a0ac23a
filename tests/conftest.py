"""Where tests keep machine code: in the checkout, not among the user's files."""

import os
from pathlib import Path

os.environ.setdefault("SHLO_CACHE_DIR", str(Path(__file__).resolve().parents[1] / "build/cache"))
