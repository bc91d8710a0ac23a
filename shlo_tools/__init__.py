"""A StableHLO toolchain in Python: parse, verify, transform, lower and run natively.

    import shlo_tools

    executable = shlo_tools.compile("model.mlir")
    y = executable(x)
    y = shlo_tools.interpret("model.mlir", x)  # the specification's answer, by numpy

Names are loaded when they are first used; importing the package does not load MLIR.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from shlo_tools import builder, dtypes, errors, mlir, ops, parallel
    from shlo_tools.builder import Module
    from shlo_tools.calling.executable import Executable
    from shlo_tools.calling.parallel_results import ParallelResults
    from shlo_tools.cpu.saved.loading import load_executable
    from shlo_tools.errors import ShloError
    from shlo_tools.extend import custom_call
    from shlo_tools.extend.shape_rules import shape_rule
    from shlo_tools.interop.exporting import ArrayType
    from shlo_tools.interop.jax_functions import from_jax
    from shlo_tools.interop.lifting import to_python
    from shlo_tools.interop.torch_modules import from_torch
    from shlo_tools.parallel import run_mpmd
    from shlo_tools.pipeline.registry import Pass, register_pass, register_pipeline
    from shlo_tools.pipeline.runner import Pipeline
    from shlo_tools.probes.hits import Hit
    from shlo_tools.program import externalize, internalize, load, save, verify
    from shlo_tools.tools.reduce.reduction import reduce

__version__ = "0.1.0"

_WHERE = {
    "ArrayType": "shlo_tools.interop.exporting",
    "Executable": "shlo_tools.calling.executable",
    "Hit": "shlo_tools.probes.hits",
    "Module": "shlo_tools.builder",
    "Pass": "shlo_tools.pipeline.registry",
    "Pipeline": "shlo_tools.pipeline.runner",
    "ShloError": "shlo_tools.errors",
    "custom_call": "shlo_tools.extend",
    "externalize": "shlo_tools.program",
    "from_jax": "shlo_tools.interop.jax_functions",
    "from_torch": "shlo_tools.interop.torch_modules",
    "internalize": "shlo_tools.program",
    "load": "shlo_tools.program",
    "load_executable": "shlo_tools.cpu.saved.loading",
    "reduce": "shlo_tools.tools.reduce.reduction",
    "register_pass": "shlo_tools.pipeline.registry",
    "register_pipeline": "shlo_tools.pipeline.registry",
    "run_mpmd": "shlo_tools.parallel",
    "save": "shlo_tools.program",
    "shape_rule": "shlo_tools.extend.shape_rules",
    "to_python": "shlo_tools.interop.lifting",
    "verify": "shlo_tools.program",
}
_MODULES = ("builder", "dtypes", "errors", "mlir", "ops", "parallel")

__all__ = [
    "ArrayType",
    "Executable",
    "Hit",
    "Module",
    "Pass",
    "Pipeline",
    "ShloError",
    "builder",
    "compile",
    "compile_sharded",
    "custom_call",
    "dtypes",
    "errors",
    "externalize",
    "from_jax",
    "from_torch",
    "internalize",
    "interpret",
    "load",
    "load_executable",
    "mlir",
    "ops",
    "parallel",
    "reduce",
    "register_pass",
    "register_pipeline",
    "run",
    "run_mpmd",
    "run_spmd",
    "save",
    "shape_rule",
    "to_python",
    "verify",
]


def compile(
    program: Any,
    *,
    backend: Literal["native", "reference", "xla"] = "native",
    probe: Callable[[Hit], object] | None = None,
    probe_ops: str = "",
    check_nans: bool = False,
    specialize: bool | int = False,
    **options: Any,
) -> Executable:
    """Compile a program for this machine; see ``cpu.executable.compile`` for further options.

    Objects of JAX (``jax.jit(f).lower(x)``, ``jax.export.Exported``) and what ``from_jax`` returns
    are taken as well. Where JAX is loaded, compiling and running happen in a child process.

    Args:
        backend: ``native`` is compiled code; ``reference`` computes what the specification
            says, op by op with numpy; ``xla`` hands the program to XLA in a child process, which
            needs jaxlib (``pip install 'shlo-tools[xla]'``). All are called alike.
        probe: called with a ``Hit`` after every op that runs, also in loops and functions;
            ``values.append`` keeps them all. An exception of it stops the program.
        probe_ops: a regular expression: probe only ops in whose name, or in the name or the
            ``file:line:column`` of whose location, it is found.
        check_nans: calls raise an ExecutionError that names the first op which makes a NaN or
            an Inf that its operands did not have.
        specialize: compile a program with unknown sizes when it is called, for the sizes that it
            is called with (native only); what was used last is kept, 32 sets of shapes, or as
            many as this says.
        options: ``function``, ``opt_level``, ``check_sizes``; ``donate`` names arguments that calls
            may write, so that results lie there: ``donate=[0]``; ``cache=True`` keeps what is
            compiled on disk, where later processes find it (or ``cache=folder``); ``threads=N``
            keeps calls to so many threads, 1 being the caller's alone.

    Values are seen as the ops compute them: ops with probes are not fused, and run slower.
    """
    from shlo_tools.errors import ShloError
    from shlo_tools.foreign import second_mlir
    from shlo_tools.interop import exported

    source = exported.source_of(program)
    options |= {"specialize": specialize} if specialize else {}
    if second_mlir() and isinstance(source, str | bytes | os.PathLike):
        if probe is not None:
            message = "probe= works where neither JAX nor another MLIR is loaded"
            raise ShloError(message, hint="export the program to a file, and load that elsewhere")
        from shlo_tools.interop import remote

        options |= {"backend": backend, "check_nans": check_nans}
        return remote.compile(source, **options)
    if backend == "xla" and (probe is not None or check_nans):
        raise ShloError("XLA runs no probes and checks", hint="backend='native' does")
    if probe is None and not check_nans:
        return _compiled(source, backend, options)
    from shlo_tools.probes import probed

    def tell(hit: Hit) -> None:
        if probe is not None:
            probe(hit.copied())

    return probed.compile(
        source,
        lambda module: _compiled(module, backend, options),
        probe=tell if probe is not None else None,
        ops=probe_ops,
        check_nans=check_nans,
    )


def _compiled(source: Any, backend: str, options: dict[str, Any]) -> Executable:
    if backend == "native":
        from shlo_tools.cpu import executable, specialized

        if "specialize" in options:
            return specialized.compile(source, **options)
        return executable.compile(source, **options)
    if backend == "reference":
        from shlo_tools import reference

        return reference.compile(source, **options)
    if backend == "xla":
        from shlo_tools.xla import executable as by_xla

        return by_xla.compile(source, **options)
    from shlo_tools.errors import ShloError

    hint = "there are 'native', 'reference' and 'xla'"
    raise ShloError(f"there is no backend {backend!r}", hint=hint)


def run(program: Any, *arguments: Any, **options: Any) -> Any:
    """Compile a program and call it once; see ``compile`` and ``Executable``."""
    return compile(program)(*arguments, **options)


def compile_sharded(program: Any, *, mesh: str | None = None, **options: Any) -> Executable:
    """Compile a program over a mesh of devices, which takes and returns whole arrays.

    The program says how arrays are cut: ``jax.jit(jax.shard_map(...)).lower(x)``, what ``from_jax``
    returns, a text with Shardy's annotations, a program with GSPMD's custom calls. Each device is
    a process of a grid. Where JAX is loaded, all of them live in a child process.

    Args:
        mesh: what the program leaves open: ``"2x2"`` or ``"x=2,y=2"``.
        options: ``function``, ``backend``, ``transport``, and those of ``compile``; see
            ``parallel.compile_sharded``.

    Raises:
        ParseError, VerifyError: it is no valid program, or cuts arrays that it cannot cut.
        ShloError: it has no mesh, or another one, or meshes of several sizes.
    """
    from shlo_tools.foreign import second_mlir
    from shlo_tools.interop import exported

    source = exported.source_of(program)
    if second_mlir() and isinstance(source, str | bytes | os.PathLike):
        from shlo_tools.interop import remote

        return remote.compile(source, action="compile_sharded", mesh=mesh, **options)
    from shlo_tools import parallel

    return parallel.compile_sharded(source, mesh=mesh, **options)


@overload
def run_spmd(
    program: Any, arguments: Sequence[Sequence[Any]], **options: Any
) -> ParallelResults: ...


@overload
def run_spmd(program: Any, *, whole: Sequence[Any], **options: Any) -> Any: ...


def run_spmd(
    program: Any,
    arguments: Sequence[Sequence[Any]] | None = None,
    *,
    whole: Sequence[Any] | None = None,
    **options: Any,
) -> Any:
    """Run one program in all processes of a grid, once.

        results = run_spmd(program, [[x0], [x1]], num_replicas=2)   # what each process takes
        y = run_spmd(program, whole=[x])   # the program says how x is cut, and y put together

    Programs are those of ``compile`` and ``compile_sharded``.

    Args:
        arguments: for each process a list of what its function takes.
        whole: instead of those, whole arrays, which the program's mesh and shardings cut.
        options: see ``parallel.run_spmd``.

    Returns:
        What each process returns; with ``whole`` the whole results, an array or a tuple of such.
    """
    from shlo_tools.foreign import second_mlir
    from shlo_tools.interop import exported

    source = exported.source_of(program)
    if second_mlir() and isinstance(source, str | bytes | os.PathLike):
        from shlo_tools.interop import remote

        return remote.run_spmd(source, arguments, whole, options)
    from shlo_tools import parallel

    inputs: dict[str, Any] = {"arguments": arguments, "whole": whole}
    return parallel.run_spmd(source, **inputs, **options)


def interpret(program: Any, *arguments: Any, function: str = "main", **options: Any) -> Any:
    """Run a program once by the reference: what the specification says, op by op with numpy.

    ``options`` are those of a call, see ``Executable``.
    """
    return compile(program, backend="reference", function=function)(*arguments, **options)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"shlo_tools.{name}")
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
