"""Calls, branches and loops.

Source: XLA's operation semantics, "Call", "Conditional" and "While".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, overload

from shlo_tools import ir, ops
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.errors import ShloError
from shlo_tools.ops._attributes import FunctionSymbol, as_sequence
from shlo_tools.ops._building import module_being_built
from shlo_tools.ops._op import operand_of, require_callable_with
from shlo_tools.ops.xla.arguments import computation_of, xla_op
from shlo_tools.ops.xla.broadcasting import Operand, several, tensor_of
from shlo_tools.ops.xla.computations import (
    Computation,
    Result,
    applied,
    flat,
    grouped,
    value_of,
    values_of,
)
from shlo_tools.ops.xla.processes.ordering import begin, latest_token, ordered, set_latest_token
from shlo_tools.types import Tensor, TokenType, Value

_BRANCH_INDEX = Tensor(TensorType((), element_type("i32")))
_CONDITION = "a condition that transfers values cannot pass on their order"


# --- calls ----------------------------------------------------------------------------------------
@xla_op
def Call(computation: Computation, *args: Operand) -> Result:
    """Call a computation: ``func.call`` of a private function of the module.

    Args:
        computation: a Python function, which becomes a function of its own, so that it may use
            its arguments only; or a function of the module.
        args: the arguments; there may be none.

    Raises:
        ShloError: a function of the module takes other types, or no module is being built.
        VerifyError: the computation uses values other than its arguments.
    """
    operands = [value_of(argument) for argument in args]
    if isinstance(computation, FunctionSymbol):
        return computation(*operands)
    require_callable_with(computation, len(operands))
    return ordered(lambda token: _called(computation, operands, token))


def outlined(
    computation: Computation,
    operands: Sequence[Value],
    token: Value | None = None,
    refusal: str = "a function that others call cannot pass on the order of transfers",
) -> tuple[FunctionSymbol, bool]:
    """A private function of the module that computes what a Python function does.

    Returns:
        The function, which takes and returns a token more where one is passed; and whether the
        computation returns a tuple.

    Raises:
        UnsupportedError: the computation transfers values, and there is no token; ``refusal``
            says why.
    """
    is_tuple = [False]

    @functools.wraps(computation)  # whose place errors name
    def body(*arguments: Value) -> list[Any]:
        begin(arguments[-1] if token else None, refusal)
        result = computation(*arguments[: len(operands)])
        is_tuple[0] = several(result) is not None or result is None
        values = [] if result is None else [value_of(value) for value in flat(result)]
        return [*values, latest_token()] if token else values

    module = module_being_built()
    types = [operand.type for operand in operands]
    types += [TokenType()] if token else []
    return module.func(*types, name=_unused_name(computation))(body), is_tuple[0]


def _unused_name(computation: Computation) -> str:
    stem = getattr(computation, "__name__", "")
    stem = "_" + (stem.lstrip("_") if stem.isidentifier() else "computation")
    names = (stem if number == 0 else f"{stem}_{number}" for number in count())
    functions = ir.functions_by_name(module_being_built().module.operation)
    return next(name for name in names if name not in functions)


def _called(computation: Computation, operands: Sequence[Value], token: Value | None) -> Result:
    function, is_tuple = outlined(computation, operands, token, refusal="")
    if not callable(function):
        raise ShloError(f"@{function} cannot be called here")
    results = flat(function(*operands, *([token] if token else [])))
    if token:
        set_latest_token(results.pop())
    return grouped(results, is_tuple)


# --- branches -------------------------------------------------------------------------------------
@overload
def Conditional(
    pred: Operand,
    true_operand: Any,
    true_computation: Computation,
    false_operand: Any,
    false_computation: Computation,
    /,
) -> Result: ...


@overload
def Conditional(
    branch_index: Operand,
    branch_computations: Sequence[Computation],
    branch_operands: Sequence[Any],
    /,
) -> Result: ...


@xla_op
def Conditional(index: Operand, *arguments: Any) -> Result:
    """The result of one computation, chosen by a scalar; only that one runs.

    ``Conditional(pred, true_operand, true_computation, false_operand, false_computation)`` is
    ``if``; ``Conditional(branch_index, branch_computations, branch_operands)`` is ``case``, where
    an index out of range takes the last branch. Each computation takes its operand, which may be
    a tuple of values; all return the same types.

    Raises:
        ShloError: neither form; a ``pred`` that is no boolean scalar or an index that is no i32
            one; branches that return different types.
    """
    if len(arguments) == 4:
        true_operand, true_computation, false_operand, false_computation = arguments
        pred, branches = tensor_of(index), (true_computation, false_computation)
        operands = [true_operand, false_operand]
        return _branched(lambda *regions: ops.if_(pred, *regions), branches, operands)
    if len(arguments) != 2:
        raise ShloError(
            f"{len(arguments) + 1} arguments",
            hint="pred, operand, computation, operand, computation; or index and two lists",
        )
    computations, operands = (list(as_sequence(items, "values")) for items in arguments)
    if not computations or len(computations) != len(operands):
        raise ShloError(f"{len(computations)} computations and {len(operands)} operands")
    number = tensor_of(index, _BRANCH_INDEX)
    return _branched(lambda *regions: ops.case(number, regions), computations, operands)


def _branched(
    build: Callable[..., tuple[Tensor, ...]],
    computations: Sequence[Computation],
    operands: Sequence[Any],
) -> Result:
    values = [values_of(operand) for operand in operands]
    checked = [computation_of(computation) for computation in computations]
    is_tuple = [False]

    def region(computation: Computation, operand: tuple[list[Value], bool], token: Any) -> Any:
        def fill() -> list[Any]:
            begin(token)
            result = applied(computation, *operand)
            is_tuple[0] = several(result) is not None
            members = flat(result)
            return [*members, latest_token()] if token else members

        return fill

    def branched(token: Value | None) -> Result:
        pairs = zip(checked, values, strict=True)
        regions = [region(computation, operand, token) for computation, operand in pairs]
        results: list[Value] = list(build(*regions))
        if token:
            set_latest_token(results.pop())
        return grouped(results, is_tuple[0])

    return ordered(branched)


# --- loops ----------------------------------------------------------------------------------------
@xla_op
def While(condition: Computation, body: Computation, init: Any) -> Result:
    """Apply ``body`` to a state as long as ``condition`` holds of it: ``while``.

    Args:
        condition: takes the state, gives a boolean scalar.
        body: takes the state, gives the next one, of the same types.
        init: the first state: a value or a tuple of values, of which the computations then get
            a tuple.

    Returns:
        The last state.

    Raises:
        ShloError: the condition is no boolean scalar, or the body returns other types.
        UnsupportedError: the condition transfers values in or out of the process.
    """
    values, is_tuple = values_of(init)

    def looped(token: Value | None) -> Result:
        def holds(*state: Value) -> Any:
            begin(None, _CONDITION)
            return applied(condition, state[: len(values)], is_tuple)

        def step(*state: Value) -> list[Any]:
            begin(state[-1] if token else None)
            results = flat(applied(body, state[: len(values)], is_tuple))
            if len(results) != len(values):
                raise ShloError(f"the body returns {len(results)} values, not {len(values)}")
            pairs = zip(results, values, strict=True)
            typed = [
                operand_of(result, value if isinstance(value, Tensor) else None, scalar=False)
                for result, value in pairs
            ]
            return [*typed, latest_token()] if token else typed

        results = list(ops.while_([*values, *([token] if token else [])], holds, step))
        if token:
            set_latest_token(results.pop())
        return grouped(results, is_tuple)

    return ordered(looped)
