"""Ops that move values in and out of a process, or compute while others go on."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import require
from shlo_tools.ops._attributes import I64Matrix
from shlo_tools.ops._op import op
from shlo_tools.ops.collectives import CHANNEL_HANDLE
from shlo_tools.ops.traits import Trait
from shlo_tools.types import OtherType, Region, Tensor, TokenType, Value, ValueType, as_value

_FUTURE = "!stablehlo.future<"


def _ends_with_token(label: str, types: Sequence[ValueType]) -> None:
    require(label, len(types) > 0, "there are no results")
    require(label, isinstance(types[-1], TokenType), f"the last result is {types[-1]}, no token")


def _channel(channel_type: int | None, is_host_transfer: bool | None, host: int) -> None:
    """Channels between devices have type 1, those with the host ``host``."""
    expected = host if is_host_transfer else 1
    fits = channel_type in (expected, 0, None)
    require("C1", fits, f"channel type {channel_type} where {expected} is wanted")


@op(traits=Trait.CARRIES | Trait.COMMUNICATES)
def infeed(
    token: Value, infeed_config: str | None = None, *, result_types: Sequence[ValueType]
) -> tuple[Value, ...]:
    """The next values of the process's infeed, and a token."""
    _ends_with_token("C3", result_types)
    return tuple(as_value(type) for type in result_types)


@op(traits=Trait.CARRIES | Trait.COMMUNICATES)
def outfeed(inputs: Sequence[Value], token: Value, outfeed_config: str | None = None) -> Value:
    """Write values to the process's outfeed."""
    require("I2", isinstance(token.type, TokenType), f"{token.type} is no token")
    return Value(TokenType())


@op(structs=[CHANNEL_HANDLE], traits=Trait.CARRIES | Trait.COMMUNICATES)
def recv(
    token: Value,
    channel_id: int,
    channel_type: int | None = None,
    is_host_transfer: bool | None = None,
    source_target_pairs: I64Matrix | None = None,
    *,
    result_types: Sequence[ValueType],
) -> tuple[Value, ...]:
    """The next values sent to a channel, and a token."""
    _channel(channel_type, is_host_transfer, 3)
    _ends_with_token("C4", result_types)
    return tuple(as_value(type) for type in result_types)


@op(structs=[CHANNEL_HANDLE], traits=Trait.CARRIES | Trait.COMMUNICATES)
def send(
    inputs: Sequence[Value],
    token: Value,
    channel_id: int,
    channel_type: int | None = None,
    is_host_transfer: bool | None = None,
    source_target_pairs: I64Matrix | None = None,
) -> Value:
    """Send values to a channel."""
    _channel(channel_type, is_host_transfer, 2)
    require("I2", isinstance(token.type, TokenType), f"{token.type} is no token")
    return Value(TokenType())


@op(traits=Trait.CARRIES | Trait.COMMUNICATES)
def async_start(operands: Sequence[Tensor], called_computation: Region) -> Value:
    """Begin a computation; ``async_done`` waits for what it returns."""
    results = called_computation(*operands)
    require("C1", len(results) > 0, "the computation returns nothing to wait for")
    types = ", ".join(str(result.type) for result in results)
    return Value(OtherType(f"{_FUTURE}{types}>"))


@op(traits=Trait.CARRIES | Trait.COMMUNICATES)
def async_done(future: Value, result_types: Sequence[ValueType]) -> tuple[Value, ...]:
    """What the computation that ``async_start`` began returns."""
    require("I1", str(future.type).startswith(_FUTURE), f"{future.type} is no future")
    expected = f"{_FUTURE}{', '.join(str(type) for type in result_types)}>"
    require("C1", str(future.type) == expected, f"{future.type} does not hold these results")
    return tuple(as_value(type) for type in result_types)
