"""``shlo.shape_mismatch``: what lowered checks of sizes call when they fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shlo_tools.cpu.frame import read_place
from shlo_tools.dtypes import Array
from shlo_tools.errors import Diagnostic, ShapeMismatchError
from shlo_tools.extend import CustomCall


def shape_mismatch(*values: Array, attributes: Mapping[str, Any]) -> None:
    """Stop the program; ``{0}``, ``{1}``, ... in the ``message`` stand for the operands.

    Raises:
        ShapeMismatchError: always, with the ``op`` and its ``place``, if that is known.
    """
    message = attributes["message"].format(*(value.tolist() for value in values))
    place = read_place(attributes.get("place"))
    raise ShapeMismatchError(Diagnostic("error", f"{attributes['op']}: {message}", place))


TARGETS: dict[str, CustomCall] = {"shlo.shape_mismatch": shape_mismatch}
