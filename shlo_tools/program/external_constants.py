"""Large constants in a file beside the program, found by name:

    module attributes {shlo.weights = "model.safetensors"} {
      ...
      %w = stablehlo.constant {shlo.weight = "constant_0"} dense_resource<constant_0>
        : tensor<784x512xf32>

A resource without data is what MLIR itself has for a value that is elsewhere: every tool reads,
moves and prints it, and nothing can take it for a value. Its own name does not do to find the
array, because MLIR renames resources where a context has read one of that name; hence the
attribute. In a program's file, the path is relative to that file where the arrays are beside or
below it; in a module, to the working directory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from shlo_tools import ir, mlir
from shlo_tools.dtypes import Array, TensorType, from_attribute, tensor_type, to_attribute
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Attribute, Operation
from shlo_tools.program import safetensors

FILE = "shlo.weights"  # on the module: the path
NAME = "shlo.weight"  # on a constant: the array in the file
CONSTANTS = ("stablehlo.constant", "arith.constant")
MIN_BYTES = 4096  # smaller constants stay: passes read shapes in them


def is_external(op: Operation) -> bool:
    """Whether an op is a constant whose value is in a file."""
    if op.name not in CONSTANTS or NAME not in op.attributes:
        return False
    return mlir.is_dense_resource(op.attributes["value"])


def file_of(module: Operation) -> str:
    """The path of a module's file of constants; empty where it has none."""
    return ir.text_of(module, FILE) if FILE in module.attributes else ""


def locate(module: mlir.Module, path: str) -> None:
    """Make the path in a module that was read from ``path`` one that leads there from here."""
    operation = module.operation
    file, folder = file_of(operation), os.path.dirname(path)
    if file and folder and not os.path.isabs(file):
        with mlir.at(operation.context):
            operation.attributes[FILE] = mlir.string_attr(os.path.join(folder, file))


@contextmanager
def relative_to(module: mlir.Module, path: str) -> Iterator[None]:
    """Have in a module, within the block, what its file of that path says of its constants."""
    operation = module.operation
    file = file_of(operation)
    if not file or path == "-" or "\0" in file:
        yield
        return
    folder = os.path.realpath(os.path.dirname(path))
    place = os.path.realpath(file)
    if os.path.commonpath([place, folder]) == folder:
        place = os.path.relpath(place, folder)
    with mlir.at(operation.context):
        operation.attributes[FILE] = mlir.string_attr(place)
        try:
            yield
        finally:
            operation.attributes[FILE] = mlir.string_attr(file)


# --- out of the module ----------------------------------------------------------------------------
def externalize(
    module: mlir.Module | Operation,
    path: str | os.PathLike[str],
    *,
    min_bytes: int = MIN_BYTES,
) -> int:
    """Write large constants of a module to a safetensors file, and leave references to them.

    Equal constants are one array of the file, and those of one repeated value stay. Element types
    that the format lacks (``i4``, ``complex<f64>``, some of 8 bits, ...) are stored as bytes.

    Args:
        module: it is changed in place, once the file is there.
        path: of the file, replaced if it exists.
        min_bytes: smaller constants stay.

    Returns:
        How many arrays were written; where there are none, neither module nor file is changed.

    Raises:
        ShloError: the module has external constants already, or the file cannot be written.
    """
    operation: Operation = module.operation
    if min_bytes < 0:
        raise ShloError(f"min_bytes={min_bytes}: a number of bytes is wanted, from 0 on")
    if FILE in operation.attributes:
        message = f"its large constants are in {file_of(operation)!r} already"
        raise ShloError(message, hint="bring them back first, by internalize")
    path = os.fspath(path)
    with mlir.at(operation.context):
        names: dict[Attribute, str] = {}
        arrays: dict[str, Array] = {}
        places: list[tuple[Operation, str]] = []
        for op in mlir.walk(operation):
            value = _large_value(op, min_bytes)
            if value is None:
                continue
            if value not in names:
                names[value] = f"constant_{len(names)}"
                arrays[names[value]] = from_attribute(value)
            places.append((op, names[value]))
        if not places:
            return 0
        safetensors.write(path, arrays)
        _refer(places)
        operation.attributes[FILE] = mlir.string_attr(path)
    return len(arrays)


def _large_value(op: Operation, min_bytes: int) -> Attribute | None:
    """The value of a constant that leaves the module."""
    if op.name not in CONSTANTS or not mlir.is_tensor(op.results[0].type):
        return None
    value: Attribute = op.attributes["value"]
    if mlir.is_splat(value):
        return None
    type = tensor_type(value.type)
    return value if type.size and type.nbytes >= min_bytes else None


def _refer(places: list[tuple[Operation, str]]) -> None:
    """Give constants names in the file instead of values."""
    resources: dict[tuple[str, mlir.Type], Attribute] = {}
    for op, name in places:
        type = op.attributes["value"].type
        if (name, type) not in resources:
            resources[name, type] = mlir.parse_attribute(f"dense_resource<{name}> : {type}")
        op.attributes["value"] = resources[name, type]
        op.attributes[NAME] = mlir.string_attr(name)


# --- and back -------------------------------------------------------------------------------------
def internalize(module: mlir.Module | Operation, path: str | os.PathLike[str] | None = None) -> int:
    """Put the constants of a file back into the module.

    Args:
        module: it is changed in place.
        path: of the file; by default what the module says.

    Returns:
        How many constants there were.

    Raises:
        ShloError: the file cannot be read, is broken, or lacks a constant of the wanted type.
    """
    operation: Operation = module.operation
    external = [op for op in mlir.walk(operation) if is_external(op)]
    with mlir.at(operation.context):
        file = ExternalConstants(operation, path)
        values: dict[tuple[str, mlir.Type], Attribute] = {}
        for op in external:
            key = ir.text_of(op, NAME), op.attributes["value"].type
            if key not in values:
                values[key] = to_attribute(file.array(op), _type(op).element_type)
        for op in external:
            op.attributes["value"] = values[ir.text_of(op, NAME), op.attributes["value"].type]
            del op.attributes[NAME]
        if FILE in operation.attributes:
            del operation.attributes[FILE]
    return len(external)


class ExternalConstants:
    """The file of a module's constants, opened with the first that is asked for."""

    def __init__(self, module: Operation, path: str | os.PathLike[str] | None = None) -> None:
        self._path = os.fspath(path) if path is not None else file_of(module)
        self._arrays: safetensors.Arrays | None = None

    def array(self, op: Operation) -> Array:
        """The value of a constant, in the memory that the file is mapped to: nobody can write it.

        Raises:
            ShloError: see ``internalize``.
        """
        if self._arrays is None:
            if not self._path:
                name = ir.text_of(op, NAME)
                message = f"the module does not say in which file the constant {name!r} is"
                raise ShloError(message, hint=f"that is its attribute {FILE}")
            self._arrays = safetensors.Arrays(self._path)
        return self._arrays.array(ir.text_of(op, NAME), _type(op))


def _type(op: Operation) -> TensorType:
    return tensor_type(op.attributes["value"].type)
