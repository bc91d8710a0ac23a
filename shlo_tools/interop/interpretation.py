"""Programs interpreted as StableHLO's own interpreter does it: which function, what it prints.

    tensor<2x2xi8> {
      [
        [1, 2],
        [3, 4]
      ]
    }

What ops compute is the reference's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes, ir, mlir, reference
from shlo_tools.dtypes import Array, TensorType, of_array
from shlo_tools.errors import Diagnostic, ExecutionError, ShloError
from shlo_tools.reference import probes
from shlo_tools.reference.check import TOLERANCE, CheckError, as_the_interpreter, max_ulp_difference
from shlo_tools.types import TupleType, ValueType

_EXAMPLE = "i.e. --args=[dense<1> : tensor<2xi32>, ...]"


def interpret(module: mlir.Module, args: str = "", *, dense: bool = False) -> str:
    """What a program returns, as text; '' for a module without functions.

    Args:
        module: a program of StableHLO, with ops of the check and interpreter dialects.
        args: the arguments as an array attribute of dense ones, ``[dense<1> : tensor<2xi32>]``.
        dense: write results as dense attributes.

    Raises:
        ShloError: there is no such function, the arguments are not its own, or it fails.
    """
    with mlir.library_context():
        name = _entry(module)
        if not name:
            return ""
        _require_folder(module)
        compiled = reference.compile(module, function=name)
        arguments = _arguments(args)
    inputs, results = compiled.signature.inputs, compiled.signature.results
    _check(arguments, inputs)
    with as_the_interpreter():
        try:
            values: Any = compiled(*arguments)
        except ExecutionError as error:
            raise _in_upstreams_words(error, name) from error
    listed = [values] if len(results) == 1 else list(values)
    texts = [
        text
        for type, value in zip(results, listed, strict=True)
        for text in _written(type, value, dense)
    ]
    return "".join(f"{text}\n" for text in texts)


def _entry(module: mlir.Module) -> str:
    """The function to run: ``main``, or the only one; '' where there is none."""
    names = list(ir.functions_by_name(module.operation))
    if not names or len(names) == 1:
        return names[0] if names else ""
    if "main" not in names:
        raise ShloError("module must have entry func with name main")
    return "main"


def _require_folder(module: mlir.Module) -> None:
    """Raise ShloError where a program writes probes, and nobody said where to."""
    if probes.current() is not None:
        return
    for op in mlir.walk(module.operation):
        if op.name == "interpreter.probe":
            place = mlir.place_of(op.location)
            message = "interpreter.probe: no folder for what it writes"
            raise ShloError(message, place=place, hint="add --probe-output-dir=DIR")


# --- arguments ------------------------------------------------------------------------------------
def _arguments(text: str) -> list[Array]:
    """The arrays of an array attribute of dense ones."""
    if not text:
        return []
    try:
        attribute: Any = mlir.parse_attribute(text)
    except (mlir.MLIRError, ValueError) as error:
        reason = mlir.diagnostics_of(error)[0].message
        message = f"expected array attribute string for args, {_EXAMPLE}: {reason}"
        raise ShloError(message) from error
    if not mlir.is_array(attribute):
        raise ShloError(f"expected array attribute string for args, {_EXAMPLE}")
    arrays = []
    for item in attribute:
        if not (mlir.is_dense(item) or mlir.is_sparse(item) or mlir.is_dense_resource(item)):
            raise ShloError(f"expected dense elements attribute for args elements, {_EXAMPLE}")
        arrays.append(dtypes.from_attribute(item))
    return arrays


def _check(arguments: Sequence[Array], inputs: Sequence[ValueType]) -> None:
    """Raise ShloError where arguments are not those of a function."""
    if len(arguments) != len(inputs):
        raise ShloError(
            f"incorrect number of arguments specified, provided {len(arguments)} inputs but"
            f" function expected {len(inputs)}"
        )
    for index, (array, declared) in enumerate(zip(arguments, inputs, strict=True)):
        type = declared.storage_type if isinstance(declared, TensorType) else declared
        if not _fits(array, type):
            raise ShloError(
                f"invalid input argument type at index {index}, input type was {of_array(array)}"
                f" but entry function expected {type}"
            )


def _fits(array: Array, type: ValueType) -> bool:
    if not isinstance(type, TensorType):
        return False
    return array.dtype == type.element_type.dtype and type.admits(array.shape)


# --- results --------------------------------------------------------------------------------------
def _written(type: ValueType, value: Any, dense: bool) -> Iterator[str]:
    if isinstance(type, TupleType):
        yield f"{type} ("
        for member, item in zip(type.members, value, strict=True):
            yield from _written(member, item, dense)
        yield ")"
    elif not isinstance(value, np.ndarray):
        yield str(type)
    elif dense:
        with mlir.library_context():
            yield str(dtypes.to_attribute(value))
    else:
        yield probes.written(str(of_array(value)), value)


# --- failures -------------------------------------------------------------------------------------
def _in_upstreams_words(error: ExecutionError, entry: str) -> ShloError:
    """The error of a check in the words that tests of StableHLO look for; any other as it is."""
    check: BaseException | None = error
    while check is not None and not isinstance(check, CheckError):
        check = check.__cause__
    if check is None:
        return error
    function = check.function or entry  # a custom call does not know where it stands
    text = f"Error evaluating function: {function}. \n\tFallback for {check.check} failed: "
    first = check.diagnostics[0]
    return ExecutionError(Diagnostic("error", text + _difference(check), first.place))


def _difference(check: CheckError) -> str:
    if check.mismatch is None:
        return check.detail
    *elements, index = check.mismatch
    actual, expected = (probes.elements_of(element)[0] for element in elements)
    where = f"{actual} (actual) vs {expected} (expected) at index [{', '.join(map(str, index))}]"
    match check.check:
        case "check.expect_almost_eq":
            tolerance = float(check.attributes.get("tolerance", TOLERANCE))
            return f"Element values don't match with tolerance {tolerance:e}: {where}"
        case "check.expect_close":
            limit = max_ulp_difference(check.attributes)
            most = f"maximal ULP difference={limit} limit"
            return (
                f"Elements values don't match with respect to {most}:\n\t{where}\n\t{check.detail}"
            )
        case _:
            return f"Element values don't match: {where}"
