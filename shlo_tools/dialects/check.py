"""What the ``check`` dialect is: ops that fail where a value is not the expected one.

    check.expect_eq %0, %1 : tensor<2xi64>
    check.expect_eq_const %0, dense<[3, 4]> : tensor<2xi64>
    check.expect_almost_eq %0, %1, tolerance = 1.0e-3 : tensor<2xf32>
    check.expect_close %0, %1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
    check.expect_serialized_eq %0, probe_id = "logits", iteration = 1 : tensor<2xf32>

StableHLO's test files are written in it, and the MLIR wheel does not have it. ``DEFINITION``
defines its ops; ``shlo_tools.text.check_syntax`` reads these forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PREFIX = "check."
_FLOATS = "float or complex"


@dataclass(frozen=True)
class Attribute:
    """An attribute of a check.

    Attributes:
        kind: what it holds: ``elements``, ``number``, ``count`` (a whole number) or ``string``.
        keyword: another name that the custom form takes for it.
    """

    kind: str
    required: bool = False
    keyword: str = ""


@dataclass(frozen=True)
class Check:
    """One op of the dialect.

    Attributes:
        operands: how many it has; two of them have the same type.
        elements: which element types it compares; '' stands for all.
    """

    operands: int
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    elements: str = ""

    @property
    def has_constant(self) -> bool:
        return "value" in self.attributes


_VALUE = {"value": Attribute("elements", required=True)}
_TOLERANCE = {"tolerance": Attribute("number")}
_ULPS = {"max_ulp_difference": Attribute("count"), "min_ulp_difference": Attribute("count")}
_PROBE = {
    "probe_id": Attribute("string", required=True, keyword="probe"),
    "probe_dir": Attribute("string"),
    "iteration": Attribute("count"),  # from 1 on
    "iter": Attribute("count"),  # from 0 on, as StableHLO counts by now
}

CHECKS: dict[str, Check] = {
    "check.expect_eq": Check(2),
    "check.expect_eq_const": Check(1, _VALUE),
    "check.expect_almost_eq": Check(2, _TOLERANCE),
    "check.expect_almost_eq_const": Check(1, {**_VALUE, **_TOLERANCE}),
    "check.expect_close": Check(2, _ULPS, _FLOATS),
    "check.expect_serialized_eq": Check(1, _PROBE),
}


def _operation(name: str, check: Check) -> str:
    operands = ", ".join(["lhs: %type", "rhs: %type"][: check.operands])
    required = [name for name, attribute in check.attributes.items() if attribute.required]
    named = ", ".join(f'"{name}" = %any' for name in required)
    attributes = f"irdl.attributes {{ {named} }}" if named else ""
    return f"""
  irdl.operation @{name.removeprefix(PREFIX)} {{
    %type = irdl.any
    %any = irdl.any
    irdl.operands({operands})
    {attributes}
  }}"""


# The dialect in IRDL, which MLIR verifies programs by.
DEFINITION = f"irdl.dialect @check {{{''.join(_operation(*row) for row in CHECKS.items())}\n}}"
