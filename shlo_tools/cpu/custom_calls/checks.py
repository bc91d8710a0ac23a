"""Targets of checks and probes: what ``shlo-legalize-check`` leaves, and test files call.

    stablehlo.custom_call @check.expect_close(%0, %1) {has_side_effect = true} : ...

The reference has the functions. It is not loaded before one of them runs: few programs have any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dialects import check, interpreter
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import Place
from shlo_tools.extend import CustomCall

# Every op of the two dialects that does not run functions; ``check.eq`` is in older test files.
_OPS = (*check.CHECKS, *(interpreter.ATTRIBUTES.keys() - {"interpreter.run_parallel"}))
_NAMES = ("check.eq", *dict.fromkeys(name.removesuffix("_const") for name in _OPS))


def _target(name: str) -> CustomCall:
    def call(
        *operands: Array,
        attributes: Mapping[str, Any],
        place: Place | None,
        result_types: Sequence[TensorType],
    ) -> Array | None:
        from shlo_tools.reference.self_checking import TARGETS

        place = Place.read(attributes["place"]) if "place" in attributes else place
        TARGETS[name](*operands, attributes=attributes, place=place)
        return np.ones((), np.bool_) if result_types else None  # a check that fails raises

    return call


TARGETS: dict[str, CustomCall] = {name: _target(name) for name in _NAMES}
