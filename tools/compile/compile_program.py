"""What shlo-compile does in its child: read, compile, and hand back an object and its header."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from shlo_tools import mlir, program
from shlo_tools.aot import compiling, header
from shlo_tools.codegen import target
from shlo_tools.cpu.saved import container
from shlo_tools.errors import Diagnostic, ShloError, listening
from shlo_tools.tools.compile.request import Request
from shlo_tools.tools.isolation import Channel


def work(request: Request, sources: Sequence[bytes], channel: Channel) -> int:
    """Do what was asked for; returns the exit status."""

    def tell(error: ShloError) -> None:
        print(_in_program(error, request, sources[0]).render(), file=sys.stderr)

    def warn(diagnostic: Diagnostic) -> None:
        tell(ShloError(diagnostic))

    with listening(warn):
        try:
            target.host()  # there may be no such target
            image, text = _compiled(request, sources, channel)
        except ShloError as error:
            tell(error)
            return 1
        except MemoryError:
            print(f"error: out of memory {channel.told()[0]}", file=sys.stderr)
            return 1
    for piece in container.packed({}, [image, text.encode()]):
        channel.output.write(piece)
    return 0


def _compiled(request: Request, sources: Sequence[bytes], channel: Channel) -> tuple[bytes, str]:
    """The object, and its header."""
    if request.runtime:
        channel.tell("while compiling the runtime")
        named = dict(zip(request.inputs, sources, strict=True))
        return b"".join(compiling.runtime_for(named)), ""
    channel.tell("while parsing")
    with mlir.library_context():
        module = program.module_of(sources[0], name=_name(request), anywhere=True, expendable=True)
        program.locate(module, request.inputs[0])
        program.warn_of_attributes(module)
    channel.tell("while compiling")
    compiled = compiling.compile_object(
        module,
        name=request.name,
        functions=request.functions,
        standalone=request.standalone,
        lapack=request.lapack,
    )
    return b"".join(compiled.pieces), header.text(compiled) if request.header else ""


def _in_program(error: ShloError, request: Request, source: bytes) -> ShloError:
    """The error with the program's name, and with its text where that is what it points into."""
    if error.source is not None or request.runtime:
        return error
    places = [d.place for d in error.diagnostics if d.place]
    text = None
    if places and all(place.file == "-" for place in places) and not program.is_bytecode(source):
        text = source.decode(errors="replace")
    return error.with_source(text, _name(request))


def _name(request: Request) -> str:
    return "<stdin>" if request.inputs[0] == "-" else request.inputs[0]
