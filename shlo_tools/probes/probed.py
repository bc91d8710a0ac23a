"""Executables whose calls tell what ops compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shlo_tools import mlir, program
from shlo_tools.calling.executable import Executable
from shlo_tools.errors import ShloError
from shlo_tools.passes.instrument import Instrument, sites
from shlo_tools.probes import nonfinite
from shlo_tools.probes.hits import Hit, Listener, probing


class Probed(Executable):
    """An executable of an instrumented program, whose calls tell a listener of values.

    Attributes:
        executable: what is called.
    """

    def __init__(self, executable: Executable, listener: Listener) -> None:
        self.executable = executable
        self.signature = executable.signature
        self.name, self.donated = executable.name, executable.donated
        self.texts = executable.texts
        self._listener = listener

    def __repr__(self) -> str:
        return f"<Probed {self.executable!r}>"

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        with probing(self._listener):
            return self.executable._run(arguments, cast, timeout)


def compile(
    source: Any,
    backend: Callable[[mlir.Module], Executable],
    *,
    probe: Listener | None = None,
    ops: str = "",
    check_nans: bool = False,
    operands: bool = True,
) -> Probed:
    """Compile a copy of a program that has probes.

    Args:
        source: text, bytes, a path, a module of the bindings, or a builder's module.
        backend: compiles a module.
        probe: is told of ops that ``ops`` names, see ``Instrument``.
        check_nans: stop at the first op that makes a NaN or an Inf.
        operands: tell operands as well.

    Raises:
        ShloError: no op is as ``ops`` says.
    """
    if check_nans:
        probes = Instrument(operands=True, floats=probe is None)
    else:
        probes = Instrument(ops=ops, operands=operands)
    listeners: list[Listener] = [nonfinite.check] if check_nans else []
    if probe is not None:
        # First, so that the value that stops the program is told, too.
        listeners.insert(0, _choosing(probe, ops) if check_nans and ops else probe)
    return Probed(backend(instrumented(source, probes)), _all(listeners))


def _choosing(probe: Listener, ops: str) -> Listener:
    """Tell of the ops alone that the pattern names."""
    pattern = sites.compiled(ops)

    def choose(hit: Hit) -> None:
        if hit.site.matches(pattern):
            probe(hit)

    return choose


def _all(listeners: Sequence[Listener]) -> Listener:
    if len(listeners) == 1:
        return listeners[0]

    def tell(hit: Hit) -> None:
        for listener in listeners:
            listener(hit)

    return tell


def instrumented(source: Any, probes: Instrument) -> mlir.Module:
    """A copy of a program, with probes."""
    with mlir.library_context():
        module = program.module_of(source, anywhere=True)
        with mlir.at(module.operation.context):
            if probes.ops and not probes.sites(module.operation):
                raise ShloError(f"no op matches {probes.ops!r}", hint=_present(module))
            probes.run(module.operation)
        return module


def _present(module: mlir.Module) -> str:
    sites_left = sites.find(module.operation, "")
    return f"there are {', '.join(sorted({each.op.name for each in sites_left})[:12]) or 'none'}"
