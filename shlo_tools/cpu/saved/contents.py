"""What a file has of an executable of stages: steps, machine code, weights, host calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.calling.executable import Signature
from shlo_tools.codegen.manifest import Manifest
from shlo_tools.cpu import native, symbols
from shlo_tools.cpu.machine_code.compilation import MachineCode, loading
from shlo_tools.cpu.machine_code.objects import is_supported
from shlo_tools.cpu.native import Linked
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.process_library.callbacks import callback_table
from shlo_tools.cpu.saved import container
from shlo_tools.cpu.saved.container import Bytes, DamagedContainer
from shlo_tools.cpu.stages import plain_data
from shlo_tools.cpu.stages.code import Code
from shlo_tools.cpu.stages.program import Program
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError, UnsupportedError


@dataclass(frozen=True)
class ExecutableParts:
    """What an executable is made of.

    Attributes:
        constants: by their numbers in the table of weights.
        module: the program as text, for calls whose sizes contradict it; '' where all are known.
    """

    name: str
    signature: Signature[Any]
    program: Program
    code: Code
    constants: Sequence[Array]
    module: str = ""


def packed(contents: ExecutableParts, *, with_library: bool) -> list[Bytes]:
    """The contents as pieces of bytes.

    Args:
        with_library: have the parts of the process library in it that it needs, too.

    Raises:
        UnsupportedError: some of it is of this process alone.
    """
    _check(contents)
    library = _library(contents) if with_library else []
    kernels = sorted(kernel.image() for kernel in {*contents.code.kernels.values()})
    arrays = [np.ascontiguousarray(array) for array in contents.constants]
    header = {
        "name": contents.name,
        "inputs": list(map(str, contents.signature.inputs)),
        "results": list(map(str, contents.signature.results)),
        "program": plain_data.to_plain(contents.program),
        "library": [names for names, _ in library],
        "kernels": len(kernels),
        "constants": [str(dtypes.of_array(array)) for array in arrays],
        "described": contents.code.plain.described,
        "module": contents.module,
    }
    memory = [array.reshape(-1).view(np.uint8).data for array in arrays]
    images = [*(image for _, image in library), *kernels]
    return container.packed(header, [*images, *memory])


def _library(contents: ExecutableParts) -> list[tuple[list[str], bytes]]:
    callback_table()  # whatever is called may be asked to stop
    return parts.needed(_jobs(contents.program), contents.code.kernels.values())


def _jobs(program: Program) -> list[str]:
    """The functions of the process library that a program's jobs are."""
    jobs = {job.function for code in program.codes.values() for job in code.jobs}
    return sorted(name for name in jobs if name.startswith(parts.PREFIX))


def _check(contents: ExecutableParts) -> None:
    plain = contents.program.plain
    if plain:
        reason = next(iter(plain.values()))
        message = f"{len(plain)} of its stages have no kernel ({reason})"
    elif not is_supported():
        message = "machine code of this platform cannot be loaded from files"
    else:
        return
    raise UnsupportedError(
        f"the executable of @{contents.name} cannot be saved: {message}",
        hint="save the program, and compile it where it runs",
    )


def unpacked(data: memoryview) -> ExecutableParts:
    """The inverse of ``packed``; arrays stay where they are in the data.

    Raises:
        DamagedContainer: it is no such thing, or code that this process cannot load.
        UnsupportedError: the code calls what this process does not have.
    """
    header, sections = container.unpacked(data)
    try:
        program = plain_data.from_plain(header["program"])
        named = header["library"]
        library = list(zip(named, sections[: len(named)], strict=True))
        sections = sections[len(named) :]
        objects = sections[: header["kernels"]]
        types = list(map(dtypes.parse_tensor_type, header["constants"]))
        constants = [
            np.ndarray(type.static_shape, type.element_type.dtype, section)
            for type, section in zip(types, sections[len(objects) :], strict=True)
        ]
        inputs, results = (
            tuple(map(dtypes.parse_tensor_type, header[name])) for name in ("inputs", "results")
        )
        name, module, described = (str(header[key]) for key in ("name", "module", "described"))
    except (LookupError, TypeError, ValueError, ShloError) as error:
        raise DamagedContainer(f"its header is of another form: {error}") from error
    for names, image in library:
        parts.adopt(names, bytes(image))
    code = _code(program, objects, described)
    return ExecutableParts(name, Signature(inputs, results), program, code, constants, module)


def _code(program: Program, objects: Sequence[memoryview], described: str) -> Code:
    kernels: dict[str, MachineCode] = {}
    for image in objects:
        code = loading(bytes(image), parts.PREFIX, parts.linked)
        if code is None:
            raise DamagedContainer("its machine code cannot be loaded here")
        kernels.update(dict.fromkeys(code.names, code))
    jobs = {job.function for code in program.codes.values() for job in code.jobs}
    parts.start(_jobs(program))
    words = {word for code in program.codes.values() for c in code.contexts for word in c.words}
    names = sorted(word for word in words if isinstance(word, str))
    others = {name: symbols.known_address(name) for name in names}
    used = {name: kernels[name] for name in kernels if name in jobs}
    return Code(used, others, _host_calls(described))


def _host_calls(described: str) -> Linked:
    if not described:
        return Linked(None, Manifest({}, (), ()), (), {})
    with mlir.library_context():
        return native.calls_alone(mlir.parse_module(described))
