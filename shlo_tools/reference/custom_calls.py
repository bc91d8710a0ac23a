"""``custom_call``: registered functions, and targets whose meaning every implementation knows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools import extend
from shlo_tools.errors import ExecutionError, Place, UnsupportedError
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.interpreter import Run
from shlo_tools.reference.reduction import results_of

# They tell where values live, not what they are.
_IDENTITIES = (
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "LayoutConstraint",
    "mhlo.frontend_attributes",
)


@evaluates
def custom_call(
    inputs: Sequence[Any],
    call_target_name: str,
    has_side_effect: bool | None = None,
    backend_config: str | Mapping[str, Any] | None = None,
    api_version: int | None = None,
    called_computations: Sequence[str] | None = None,
    *,
    result_types: list[Any],
    place: Place | None,
    carried: Mapping[str, Any],
    run: Run,
) -> tuple[Any, ...]:
    if call_target_name in _IDENTITIES and len(inputs) == len(result_types):
        return tuple(inputs)
    if call_target_name == "shape_assertion":
        _assert_shape(inputs, str(backend_config or ""), call_target_name)
        return ()
    function = (
        run.custom_calls.get(call_target_name)
        or extend.registered(call_target_name)
        or extend.plugged_in(call_target_name)
    )
    if function is None:
        raise UnsupportedError(
            f"custom_call target {call_target_name!r} is not registered",
            hint=f"register a function with @shlo_tools.custom_call({call_target_name!r})",
        )
    offered = {
        "attributes": _attributes(backend_config, carried),
        "result_types": result_types,
        "place": place,
    }
    named = {name: value for name, value in offered.items() if name in _parameters(function)}
    computed = function(*(_read_only(x) for x in inputs), **named)
    values = [] if computed is None else results_of(computed)
    if len(values) != len(result_types):
        raise ExecutionError(f"custom_call {call_target_name!r} returned {len(values)} results")
    return tuple(np.array(value) for value in values)


def _assert_shape(inputs: Sequence[Any], message: str, target: str) -> None:
    """Fail with the message, in which ``{0}`` stands for the first value after the predicate."""
    if inputs and not inputs[0]:
        values = [str(int(value)) for value in inputs[1:]]
        raise ExecutionError(
            re.sub(r"\{(\d+)[^}]*\}", lambda found: _entry(values, int(found[1])), message)
            or f"{target} failed"
        )


def _entry(values: Sequence[str], index: int) -> str:
    return values[index] if index < len(values) else f"{{{index}}}"


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # builtin functions may have no signature
        return []


def _read_only(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _attributes(
    config: str | Mapping[str, Any] | None, carried: Mapping[str, Any]
) -> dict[str, Any]:
    """``backend_config`` as a dictionary; exporters for old versions call it ``mhlo``'s."""
    if not config and isinstance(carried.get("mhlo.backend_config"), dict):
        config = carried["mhlo.backend_config"]
    if not config:
        return {}
    return {"backend_config": config} if isinstance(config, str) else dict(config)
