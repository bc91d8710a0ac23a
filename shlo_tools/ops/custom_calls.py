"""The op that stands for whatever an implementation makes of its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools.ops._attributes import I32, Symbols
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Value, ValueType, as_value


@op(traits=Trait.QUANTIZED_PER_AXIS)
def custom_call(
    inputs: Sequence[Value],
    call_target_name: str,
    result_types: Sequence[ValueType],
    has_side_effect: bool | None = None,
    backend_config: str | bytes | Mapping[str, Any] | None = None,
    api_version: I32 | None = None,
    called_computations: Symbols | None = None,
) -> tuple[Value, ...]:
    """Whatever ``call_target_name`` means to the implementation; results are as declared."""
    return tuple(as_value(type) for type in result_types)
