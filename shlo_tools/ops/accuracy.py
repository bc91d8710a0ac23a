"""How exact a result has to be: the ``result_accuracy`` of mathematical functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from shlo_tools import mlir
from shlo_tools.ops._attributes import AttributeEnum, AttributeStruct


class ResultAccuracyMode(AttributeEnum):
    """What is asked of an implementation: nothing, its best, or to keep a tolerance."""

    DEFAULT = 0
    HIGHEST = 1
    TOLERANCE = 2


@dataclass(frozen=True)
class ResultAccuracy(AttributeStruct):
    """How far a result may be from the exact one: ``ResultAccuracy(ulps=4)``.

    Bounds are those of a tolerance; the error may use their sum.

    Attributes:
        atol: absolute error.
        rtol: error relative to the exact result.
        ulps: error in units in the last place.
        mode: ``ResultAccuracy(mode="HIGHEST")`` asks for the best implementation.
    """

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0
    mode: ResultAccuracyMode | str = ResultAccuracyMode.TOLERANCE

    def __str__(self) -> str:
        return f"atol = {self.atol:g}, rtol = {self.rtol:g}, ulps = {self.ulps}"

    @property
    def is_tolerance(self) -> bool:
        return self._mode_name() == "TOLERANCE"

    def _mode_name(self) -> str:
        return self.mode.name if isinstance(self.mode, ResultAccuracyMode) else self.mode

    def written(self) -> str:
        mode = f"#stablehlo.result_accuracy_mode<{self._mode_name()}>"
        bounds = f"atol = {_spelled(self.atol)}, rtol = {_spelled(self.rtol)}, ulps = {self.ulps}"
        return f"#stablehlo.result_accuracy<{bounds}, mode = {mode}>"

    @classmethod
    def read(cls, text: str) -> Self:
        fields = dict(re.findall(r"(atol|rtol|ulps) = ([^,>]+)", text))
        atol, rtol = (_number(fields.get(name, "0.0")) for name in ("atol", "rtol"))
        (mode,) = re.findall(r"result_accuracy_mode<(\w+)>", text)
        return cls(atol, rtol, int(fields.get("ulps", 0)), ResultAccuracyMode[mode])


def _spelled(value: float) -> str:
    """As MLIR writes it: infinity is hexadecimal."""
    return str(mlir.float_attr(float(value), mlir.parse_type("f64"))).partition(" ")[0]


def _number(text: str) -> float:
    written: Any = mlir.parse_attribute(f"{text} : f64")
    return float(written.value)
