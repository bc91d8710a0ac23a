"""Pictures in files, by matplotlib where it is installed."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from typing import Any

from shlo_tools.errors import ShloError

SUFFIXES = (".png", ".svg")


def check(path: str, name: str) -> None:
    """Refuse what could not be drawn, before anything is done for it.

    Args:
        path: of the file.
        name: of what asks for it: an option or a function.

    Raises:
        ShloError: the file has another suffix, or matplotlib is not installed.
    """
    if Path(path).suffix not in SUFFIXES:
        raise ShloError(f"{name}={path}: the name must end in .png or .svg")
    if importlib.util.find_spec("matplotlib") is None:
        raise ShloError(f"{name} needs matplotlib", hint="pip install 'shlo-tools[plot]'")


def picture(figure: Any, path: str) -> bytes:
    """A figure of matplotlib as bytes of the file's format."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix[1:], dpi=150)
    return content.getvalue()
