"""Calls of what somebody else defines or of what goes on beside, and what StableHLO lacks.

Source: XLA's operation semantics, "CustomCall"; the others are of XlaBuilder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from shlo_tools import ops
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops._attributes import FunctionSymbol
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of
from shlo_tools.ops.xla.computations import Computation, Result, grouped, region_of, value_of
from shlo_tools.ops.xla.control.control_flow import outlined
from shlo_tools.ops.xla.shapes import AnyShape, value_shape
from shlo_tools.types import TupleType, Value, ValueType


@xla_op
def CustomCall(
    target_name: str,
    args: Sequence[Operand],
    shape: AnyShape,
    opaque: str | Mapping[str, Any] | None = None,
    has_side_effect: bool | None = None,
    api_version: int | None = None,
) -> Result:
    """Call a function that the implementation knows by a name: ``custom_call``.

    Args:
        target_name: the name; see ``shlo_tools.custom_call`` for functions of one's own.
        args: the arguments.
        shape: that of the result, or shapes of several.
        opaque: the ``backend_config``.
        has_side_effect: whether the call must stay where nobody uses its results.
        api_version: how a C function takes its arguments; without it, by ``void* out, void** in``.

    Returns:
        A value; a tuple of them where ``shape`` is several.
    """
    return _called(target_name, args, shape, (), opaque, has_side_effect, api_version)


@xla_op
def CustomCallWithComputation(
    target_name: str,
    args: Sequence[Operand],
    computation: Computation,
    shape: AnyShape,
    opaque: str | Mapping[str, Any] | None = None,
) -> Result:
    """``CustomCall`` that is told a computation: a private function of the module.

    Args:
        target_name: the name.
        args: the arguments.
        computation: a function of the module, or a Python function that takes the arguments.
        shape: that of the result, or shapes of several.
        opaque: the ``backend_config``.

    Raises:
        ShloError: no module is being built.
        VerifyError: the computation uses values other than its arguments.
    """
    operands = [value_of(argument) for argument in args]
    if isinstance(computation, FunctionSymbol):
        symbol = computation
    else:
        symbol, _ = outlined(computation, operands)
    return _called(target_name, operands, shape, (symbol,), opaque, None, None)


def _called(
    target_name: str,
    args: Sequence[Operand],
    shape: AnyShape,
    computations: Sequence[str],
    opaque: str | Mapping[str, Any] | None,
    has_side_effect: bool | None,
    api_version: int | None,
) -> Result:
    type = value_shape(shape)
    is_tuple = isinstance(type, TupleType)
    types: list[ValueType] = list(type.members) if isinstance(type, TupleType) else [type]
    results = ops.custom_call(
        [value_of(argument) for argument in args],
        target_name,
        types,
        has_side_effect,
        opaque,
        api_version,
        computations or None,
    )
    return grouped(results, is_tuple)


@xla_op
def CompositeCall(
    computation: Computation,
    operands: Sequence[Operand],
    name: str,
    attributes: Mapping[str, Any] | None = None,
    version: int | None = None,
) -> Result:
    """A call with a name that an implementation may know: ``composite``.

    Args:
        computation: what it means otherwise, a private function of the module.
        operands: the arguments.
        name: such as ``"my.gelu"``.
        attributes: what it says to the implementation.
        version: of what the name means.

    Raises:
        ShloError: the name has no dot, or no module is being built.
        VerifyError: the computation uses values other than its arguments.
    """
    values = [value_of(operand) for operand in operands]
    if isinstance(computation, FunctionSymbol):
        symbol, is_tuple = computation, len(computation.result_types or ()) != 1
    else:
        symbol, is_tuple = outlined(computation, values)
    results = ops.composite(values, name, symbol, attributes, version)
    return grouped(results, is_tuple)


@xla_op
def AsyncStart(computation: Computation, *operands: Operand) -> Value:
    """Begin a computation, which goes on beside others: ``async_start``.

    Args:
        computation: one collective or slice of the operands.
        operands: what it takes.

    Returns:
        A future, for ``AsyncDone``.

    Raises:
        ShloError: the computation returns nothing.
    """
    tensors = [tensor_of(operand) for operand in operands]
    return ops.async_start(tensors, region_of(computation))


@xla_op
def AsyncUpdate(future: Value) -> NoReturn:
    """Look after a computation that goes on.

    Raises:
        UnsupportedError: always.
    """
    raise _missing("AsyncDone waits for the end")


@xla_op
def AsyncDone(future: Value, shape: AnyShape) -> Result:
    """What a computation returns that ``AsyncStart`` began: ``async_done``.

    Args:
        future: of ``AsyncStart``.
        shape: that of the result, or shapes of several.

    Raises:
        ShloError: it is no future of such results.
    """
    type = value_shape(shape)
    is_tuple = isinstance(type, TupleType)
    types: list[ValueType] = list(type.members) if isinstance(type, TupleType) else [type]
    return grouped(ops.async_done(future, types), is_tuple)


# --- what StableHLO has no op for -----------------------------------------------------------------
@xla_op
def RaggedAllToAll(*arguments: Any, **attributes: Any) -> NoReturn:
    """Parts of different sizes sent from all replicas to all.

    Raises:
        UnsupportedError: always; exporters write a custom call ``ragged_all_to_all``.
    """
    raise _missing('CustomCall("ragged_all_to_all", ...), as exporters do')


@xla_op
def StochasticConvertType(*arguments: Any, **attributes: Any) -> NoReturn:
    """A conversion that rounds up or down by random bits.

    Raises:
        UnsupportedError: always.
    """
    raise _missing("ConvertElementType rounds to the nearest")


@xla_op
def SparseDot(*arguments: Any, **attributes: Any) -> NoReturn:
    """A product of a matrix that stores two of four elements.

    Raises:
        UnsupportedError: always.
    """
    raise _missing("DotGeneral takes all elements")


@xla_op
def ScaledDot(*arguments: Any, **attributes: Any) -> NoReturn:
    """A product of operands that have a scale for each block.

    Raises:
        UnsupportedError: always.
    """
    raise _missing("Mul the operands by their scales, then DotGeneral")


@xla_op
def DynamicConvInputGrad(*arguments: Any, **attributes: Any) -> NoReturn:
    """The gradient of a convolution's input, where its size is computed.

    Raises:
        UnsupportedError: always.
    """
    raise _missing("ops.dynamic_conv takes a computed padding")


@xla_op
def DynamicConvKernelGrad(*arguments: Any, **attributes: Any) -> NoReturn:
    """The gradient of a convolution's kernel, where its size is computed.

    Raises:
        UnsupportedError: always.
    """
    raise _missing("ops.dynamic_conv takes a computed padding")


@xla_op
def RngGetAndUpdateState(*arguments: Any, **attributes: Any) -> NoReturn:
    """The state of the process's own generator, which advances.

    Raises:
        UnsupportedError: always; a StableHLO program has no such state.
    """
    raise _missing("RngBitGenerator takes and returns a state")


def _missing(hint: str) -> UnsupportedError:
    return UnsupportedError("StableHLO has no op for it", hint=hint)
