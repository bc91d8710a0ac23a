"""A user's program as files that all engines read, and what is known of it. Needs no MLIR."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shlo_tools.tools.bench.limit_share import Limit

MODULE, ARGUMENTS = "program.mlir", "arguments.npz"
LISTING, CONSTANTS = "program.json", "constants.npz"  # the program for torch
_DTYPES, _LIMIT = "dtypes.json", "limit.json"


def write_facts(folder: Path, dtypes: dict[str, str], limit: Limit) -> None:
    """Write what is known of the program.

    Args:
        dtypes: of the arguments that their archive has as void.
    """
    (folder / _DTYPES).write_text(json.dumps(dtypes))
    (folder / _LIMIT).write_text(json.dumps(asdict(limit)))


def request(folder: Path) -> dict[str, Any]:
    """The program as ``worker.serve`` takes it."""
    return {
        "module": str(folder / MODULE),
        "listing": str(folder / LISTING),
        "arguments": str(folder / ARGUMENTS),
        "dtypes": json.loads((folder / _DTYPES).read_text()),
    }


def limit(folder: Path) -> Limit:
    """The time that no engine can beat."""
    return Limit(**json.loads((folder / _LIMIT).read_text()))
