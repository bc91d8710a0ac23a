"""Compiling programs for this machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from shlo_tools import ir, mlir, program
from shlo_tools.calling.executable import Executable
from shlo_tools.codegen.manifest import is_lowered
from shlo_tools.cpu import weights
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.native import Tell, linked, lower
from shlo_tools.cpu.process_library.threads import limit_of
from shlo_tools.cpu.saved import programs
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.dialects import shape_names
from shlo_tools.errors import ShloError, UnsupportedError, did_you_mean
from shlo_tools.extend.targets import GRID
from shlo_tools.garbage import uncollected
from shlo_tools.pipeline.contents import contents
from shlo_tools.pipeline.stage_texts import StageTexts
from shlo_tools.program.donation import Donate, donated

if TYPE_CHECKING:
    from shlo_tools.cpu.profiling.rows import Origins

_SIZES = ("i1", "i32", "i64", "index", "!shape.shape", "!shape.size")


def compile(
    source: Any,
    *,
    function: str = "main",
    opt_level: int = 2,
    check_sizes: bool = True,
    donate: Donate = (),
    grid: tuple[int, int] | None = None,
    cache: store.Cache = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> Executable:
    """Compile a program for this machine.

    Args:
        source: StableHLO (or linalg, or lowered) as text, bytes, a path, a module of the
            bindings, or a ``builder.Module``. It is not changed.
        function: the function to run.
        opt_level: LLVM's optimisation level, 0 to 3; kernels of stages need none.
        check_sizes: whether calls check that unknown sizes fit, and raise ShapeMismatchError.
            Without that, a program with sizes that do not fit may end the process.
        donate: numbers of arguments that calls may write: a result may lie where such an argument
            did, so that a cache is updated in place from call to call. ``"module"`` stands for the
            arguments that the program marks (``jax.buffer_donor``, ``tf.aliasing_output``). They
            have to be writable, row-major numpy arrays of the wanted dtype that overlap with no
            other argument. Nothing else is ever written.
        grid: how many replicas, and how many partitions of each, run the program together, each
            of them in a thread that ``shlo_tools.parallel`` runs; by default it runs alone.
        cache: keep what is compiled on disk, and look there first: in a folder, or, by True, in
            that of ``SHLO_CACHE_DIR`` or of the user's caches. Programs with custom calls, or with
            constants in a file beside them, are compiled again, but for their kernels. By default
            ``SHLO_CACHE_DIR`` decides; False keeps nothing.
        threads: how many threads a call may use at most, the calling one included: 1 is that one
            alone, and then none is started for it. By default all of the pool: as many as there are
            processors, or as ``SHLO_NUM_THREADS`` says. Results have the same bits for any number.
        tell: is told what happens next (``in pass 'cse'``); passes then run one by one.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: it holds something that cannot be compiled yet.
        ShloError: there is no such function, argument, level, or number of threads.
    """
    limit = limit_of(threads)
    require_level(opt_level)
    executable = _kept(source, function, opt_level, check_sizes, donate, grid, cache, tell)
    executable.threads = limit
    return executable


def require_level(opt_level: Any) -> None:
    """Raise a ShloError where LLVM has no such level."""
    if opt_level not in range(4):
        raise ShloError(f"opt_level={opt_level!r}: a number from 0 to 3 is wanted")


def _kept(
    source: Any,
    function: str,
    opt_level: int,
    check_sizes: bool,
    donate: Donate,
    grid: tuple[int, int] | None,
    cache: store.Cache,
    tell: Tell | None,
) -> Executable:
    """What runs a program: what disk has of it, or what is compiled, and kept there."""
    with store.kept_in(cache):
        is_plain = isinstance(donate, str | list | tuple | set | frozenset) and grid is None
        options = [function, opt_level, check_sizes, donate]
        known = programs.known(source, options) if is_plain else None
        executable = known.found() if known is not None else None
        if known is not None and executable is not None:
            executable.texts = partial(_text, known, function)
            tells_of(executable, partial(_source, known, function))
            return executable
        return _compiled(source, function, opt_level, check_sizes, donate, grid, tell, known)


def _compiled(
    source: Any,
    function: str,
    opt_level: int,
    check_sizes: bool,
    donate: Donate,
    grid: tuple[int, int] | None,
    tell: Tell | None,
    known: programs.Known | None,
) -> Executable:
    """Compile a program, and keep it where it is ``known``."""
    with mlir.library_context(), uncollected():
        module, constants = weights.detached(source)
        ops = mlir.walk(module.operation)
        program.verify_further(module, ops)
        if grid is not None:
            module.operation.attributes[GRID] = mlir.i64_array_attr(grid)
        if not is_lowered(module, function):
            select_function(module, function)
            numbers = donated(module, function, donate)
            staged = building.build(
                module,
                constants,
                contents(module.operation, ops),
                function=function,
                opt_level=opt_level,
                donate=numbers,
                tell=tell,
            )
            if staged is not None:
                if known is not None and programs.is_whole(module, ops):
                    known.keep(staged)
                staged.texts = StageTexts(module)
                tells_of(staged, lambda: module)
                return staged
            texts = StageTexts(program.clone(module))
            lower(module, check_sizes=check_sizes, tell=tell)
        elif donate:
            raise ShloError(f"@{function} is lowered already: its arguments are never written")
        else:
            numbers, texts = frozenset(), StageTexts(program.clone(module), ("stablehlo",))
        whole = linked(module, constants, function=function, opt_level=opt_level, tell=tell)
        whole.donated, whole.texts = numbers, texts
        whole.dumps = partial(_dump_function, texts, function)
        return whole


def tells_of(
    executable: StagedExecutable | SizedExecutable, source: Callable[[], mlir.Module]
) -> None:
    """Let an executable tell what its stages are, by the program that it was made of.

    What reads programs for that is loaded when somebody asks: it takes longer than small programs.
    """

    name = executable.name  # which is all that they keep: executables end with their last user

    def read(sizes: Sequence[int] = ()) -> Origins:
        from shlo_tools.cpu.profiling import origins

        return origins.read(source, name, sizes)

    def dump(folder: str) -> None:
        from shlo_tools.cpu.stages import dumping

        dumping.dump(source, name, folder)

    executable.origins, executable.dumps = read, dump


def _dump_function(texts: StageTexts, function: str, folder: str) -> None:
    from shlo_tools.cpu.stages import dumping

    dumping.dump_function(texts, function, folder)


def _text(known: programs.Known, function: str, stage: str) -> str:
    """A kept program at a stage; it is read when it is first asked for."""
    with mlir.library_context():
        return StageTexts(_source(known, function))(stage)


def _source(known: programs.Known, function: str) -> mlir.Module:
    """A kept program without its large constants."""
    module, _ = weights.detached(known.data)
    select_function(module, function)
    return module


def select_function(module: mlir.Module, function: str) -> None:
    """Make ``function`` the only public one, so that only what it needs is compiled.

    Raises:
        ShloError: there is none of that name, or it has no body.
        UnsupportedError: its types are dynamic.
    """
    named = ir.functions_by_name(module.operation)
    if function not in named:
        listed = ", ".join(f"@{name}" for name in list(named)[:10]) or "none"
        hint = did_you_mean(function, named) or f"functions: {listed}"
        raise ShloError(f"there is no function @{function}", hint=hint)
    if ir.is_declaration(named[function]):
        raise ShloError(f"@{function} is a declaration without a body")
    for type in itertools.chain(*ir.signature(named[function])):
        if not (mlir.is_tensor(type) or _is_size(type, module)):
            place = mlir.place_of(named[function].location)
            message = f"@{function} takes or returns {type}; tensors are supported"
            raise UnsupportedError(message, place=place)
    for name, func in named.items():
        visibility = "public" if name == function else "private"
        func.attributes["sym_visibility"] = mlir.string_attr(visibility)


def _is_size(type: mlir.Type, module: mlir.Module) -> bool:
    """Whether ``shlo-legalize-shape`` makes a tensor of a type."""
    ops = mlir.walk(module.operation) if str(type) in _SIZES else ()
    return any(shape_names.concerns(op) for op in ops)
