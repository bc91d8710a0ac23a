"""Values that leave or enter a process, and tokens; see ``ordering`` for their order.

Source: XLA's operation semantics, "AfterAll", "Infeed", "Recv" and "Send"; ``Outfeed``, what goes
to and comes from the host, and forms with tokens of one's own are of XlaBuilder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

from shlo_tools import ops
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operands
from shlo_tools.ops.xla.computations import Result, grouped, values_of
from shlo_tools.ops.xla.processes.ordering import latest_token, set_latest_token
from shlo_tools.ops.xla.shapes import AnyShape, value_shape
from shlo_tools.types import TokenType, TupleType, Value, ValueType

Pairs: TypeAlias = Sequence[tuple[int, int]]
_SPLIT = "StableHLO has no op for it: {0} does both parts at once, and its token tells when it ends"


@xla_op
def AfterAll(*operands: Value) -> Value:
    """A token that comes after all others, of which there may be none: ``after_all``.

    Raises:
        ShloError: an operand is no token.
    """
    return ops.after_all(operands)


@xla_op
def CreateToken() -> Value:
    """A token that nothing comes before: ``after_all`` of nothing."""
    return ops.after_all()


def _types(shape: AnyShape) -> tuple[list[ValueType], bool]:
    """The types of what is transferred, and whether it is a tuple."""
    type = value_shape(shape)
    types: list[ValueType] = list(type.members) if isinstance(type, TupleType) else [type]
    for member in types:
        if isinstance(member, TupleType | TokenType):
            raise ShloError(f"{member} in {type}: arrays or a flat tuple are wanted")
    return types, isinstance(type, TupleType)


@xla_op
def Infeed(shape: AnyShape, config: str = "") -> Result:
    """The next values of the process's infeed: ``infeed``.

    Args:
        shape: that of an array, or shapes of the members of a tuple. An empty tuple reads nothing.
        config: what it says to the implementation.

    Returns:
        An array, or a tuple of them.

    Raises:
        ShloError: tuples within a tuple.
    """
    if not _types(shape)[0]:
        return ()
    result, token = _fed(latest_token(), shape, config)
    set_latest_token(token)
    return result


@xla_op
def InfeedWithToken(token: Value, shape: AnyShape, config: str = "") -> tuple[Result, Value]:
    """``Infeed`` after a token, and a token that comes after it; see there.

    Returns:
        What ``Infeed`` returns, and the token.
    """
    return _fed(token, shape, config)


def _fed(token: Value, shape: AnyShape, config: str) -> tuple[Result, Value]:
    types, is_tuple = _types(shape)
    if not types:
        return (), token
    *values, after = ops.infeed(token, config, result_types=[*types, TokenType()])
    return grouped(values, is_tuple), after


@xla_op
def Outfeed(operand: Operands, config: str = "") -> None:
    """Write values to the process's outfeed: ``outfeed``.

    Args:
        operand: an array, or a tuple of them.
        config: what it says to the implementation.
    """
    values, _ = values_of(operand)
    set_latest_token(ops.outfeed(values, latest_token(), config))


@xla_op
def OutfeedWithToken(operand: Operands, token: Value, config: str = "") -> Value:
    """``Outfeed`` after a token; returns a token that comes after it."""
    values, _ = values_of(operand)
    return ops.outfeed(values, token, config)


@xla_op
def Recv(shape: AnyShape, channel_handle: int, source_target_pairs: Pairs | None = None) -> Result:
    """The values that ``Send`` sends to a channel: ``recv``, which waits for them.

    Args:
        shape: that of an array, or shapes of the members of a tuple.
        channel_handle: the number of the channel.
        source_target_pairs: who sends to whom.

    Returns:
        An array, or a tuple of them.

    Raises:
        ShloError: tuples within a tuple.
    """
    result, token = _received(latest_token(), shape, channel_handle, source_target_pairs, 1)
    set_latest_token(token)
    return result


@xla_op
def RecvWithToken(
    token: Value, shape: AnyShape, channel_handle: int, source_target_pairs: Pairs | None = None
) -> tuple[Result, Value]:
    """``Recv`` after a token, and a token that comes after it; see there.

    Returns:
        What ``Recv`` returns, and the token.
    """
    return _received(token, shape, channel_handle, source_target_pairs, 1)


@xla_op
def RecvFromHost(shape: AnyShape, channel_handle: int) -> Result:
    """The values that the host sends to a channel: ``recv``; see ``Recv``."""
    result, token = _received(latest_token(), shape, channel_handle, None, 3)
    set_latest_token(token)
    return result


def _received(
    token: Value,
    shape: AnyShape,
    channel: int,
    source_target_pairs: Pairs | None,
    channel_type: int,
) -> tuple[Result, Value]:
    types, is_tuple = _types(shape)
    *values, after = ops.recv(
        token,
        channel,
        channel_type,
        channel_type != 1,
        _rows(source_target_pairs),
        result_types=[*types, TokenType()],
    )
    return grouped(values, is_tuple), after


def _rows(source_target_pairs: Pairs | None) -> list[list[int]] | None:
    return None if source_target_pairs is None else [list(pair) for pair in source_target_pairs]


@xla_op
def Send(operand: Operands, channel_handle: int, source_target_pairs: Pairs | None = None) -> None:
    """Send values to a channel, where ``Recv`` gets them: ``send``.

    Args:
        operand: an array, or a tuple of them.
        channel_handle: the number of the channel.
        source_target_pairs: who sends to whom.
    """
    set_latest_token(_sent(operand, latest_token(), channel_handle, source_target_pairs, 1))


@xla_op
def SendWithToken(
    operand: Operands,
    token: Value,
    channel_handle: int,
    source_target_pairs: Pairs | None = None,
) -> Value:
    """``Send`` after a token; returns a token that comes after it."""
    return _sent(operand, token, channel_handle, source_target_pairs, 1)


@xla_op
def SendToHost(operand: Operands, channel_handle: int) -> None:
    """Send values to the host by a channel: ``send``; see ``Send``."""
    set_latest_token(_sent(operand, latest_token(), channel_handle, None, 2))


def _sent(
    operand: Operands,
    token: Value,
    channel: int,
    source_target_pairs: Pairs | None,
    channel_type: int,
) -> Value:
    values, _ = values_of(operand)
    pairs = _rows(source_target_pairs)
    return ops.send(values, token, channel, channel_type, channel_type != 1, pairs)


@xla_op
def RecvDone(context: Any) -> NoReturn:
    """The second half of ``Recv`` in HLO, which StableHLO does not split.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(_SPLIT.format("Recv"))


@xla_op
def SendDone(context: Any) -> NoReturn:
    """The second half of ``Send`` in HLO, which StableHLO does not split.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(_SPLIT.format("Send"))
