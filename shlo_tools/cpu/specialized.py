"""Programs with unknown sizes, compiled again for the sizes that they are called with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.calling.profile import Profile
from shlo_tools.codegen.manifest import is_lowered
from shlo_tools.cpu import executable, native, weights
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.process_library.threads import limit_of
from shlo_tools.cpu.recent import Recent
from shlo_tools.cpu.stages import building
from shlo_tools.dtypes import Array
from shlo_tools.errors import ConstraintError, ShloError
from shlo_tools.pipeline import runner
from shlo_tools.pipeline.contents import contents
from shlo_tools.pipeline.stage_texts import StageTexts
from shlo_tools.program.donation import Donate, donated
from shlo_tools.time_limit import limited
from shlo_tools.types import ValueType, value_type

Shapes = tuple[tuple[int, ...], ...]
MOST = 32  # sets of shapes whose code is kept


@dataclass(frozen=True)
class _Options:
    function: str
    opt_level: int
    check_sizes: bool
    donated: frozenset[int]
    cache: store.Cache
    threads: int | None


class SpecializedExecutable(Executable):
    """A function that is compiled for each set of shapes when it is first called with them.

    Code for fixed sizes runs faster, and serves one set of shapes; the code that was not called
    for longest is dropped first. Where sizes contradict the program, code for any sizes runs: the
    call is refused as it always is, by the check that fails.
    """

    _why_not_saved = "it is compiled for each set of shapes when it is called"

    def __init__(
        self, module: mlir.Module, constants: Sequence[Array], most: int, options: _Options
    ) -> None:
        self.name = options.function
        self.signature = _signature(module, self.name)
        self._parameters = Parameters(self.name, self.signature)
        self._module, self._constants, self._options = module, constants, options
        self.texts = StageTexts(module)
        self.donated = options.donated
        self.threads = options.threads
        self._any: Executable | None = None
        self._executables = Recent[Shapes](most)

    @property
    def shapes(self) -> list[Shapes]:
        """The arguments' shapes that there is code for, those called last at the end."""
        return self._executables.keys()

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        inputs = self._parameters.bound(arguments, cast=cast, donated=self.donated)
        return self._at(inputs, timeout)._run(inputs, False, timeout)

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        inputs: Sequence[Array] = self._parameters.bound(arguments, cast=cast)
        return self._at(inputs, timeout)._profiled(inputs, False, timeout, calls)

    def _at(self, inputs: Sequence[Array], timeout: float | None) -> Executable:
        """The code for the shapes of arguments."""
        shapes = tuple(array.shape for array in inputs)
        executable = self._executables.get(shapes)
        if executable is None:
            with limited(timeout), mlir.library_context():  # who waited here may find it made
                executable = self._executables.get(shapes) or self._added(shapes)
        return executable

    def _added(self, shapes: Shapes) -> Executable:
        try:
            executable = self._compiled(shapes)
        except ConstraintError:  # which op breaks it, and whether it is reached, run time knows
            executable = self._any = self._any or self._compiled(None)
        return self._executables.add(shapes, executable)

    def _compiled(self, shapes: Shapes | None) -> Executable:
        options, constants = self._options, self._constants
        with store.kept_in(options.cache), mlir.library_context():
            module = program.clone(self._module)
            if shapes is not None:
                native.run_passes(_refinement(module, self.name, shapes), module, None)
                staged = building.build(
                    module,
                    constants,
                    contents(module.operation),
                    function=self.name,
                    opt_level=options.opt_level,
                    donate=options.donated,
                )
                if staged is not None:
                    staged.threads = options.threads
                    executable.tells_of(staged, lambda: module)
                    return staged
            native.lower(module, check_sizes=options.check_sizes)
            whole = native.linked(
                module, constants, function=self.name, opt_level=options.opt_level
            )
            whole.threads = options.threads
            return whole


def compile(
    source: Any,
    *,
    specialize: bool | int,
    function: str = "main",
    opt_level: int = 2,
    check_sizes: bool = True,
    donate: Donate = (),
    cache: store.Cache = None,
    threads: int | None = None,
) -> SpecializedExecutable:
    """Compile a program when it is called, for the sizes that it is called with.

    Args:
        source, function, opt_level, check_sizes, donate, cache, threads: see
            ``executable.compile``.
        specialize: of how many sets of shapes code is kept; True stands for 32.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        ShloError: there is no such function, it is lowered already, or nothing would be kept.
    """
    most = MOST if specialize is True else specialize
    if not isinstance(most, int) or most < 1:
        raise ShloError(f"specialize={most!r}: a number of sets of shapes, from 1 on, is wanted")
    executable.require_level(opt_level)
    limit = limit_of(threads)
    with mlir.library_context():
        module, constants = weights.detached(source)
        if is_lowered(module, function):
            raise ShloError(f"@{function} is lowered already: its sizes are what they are")
        executable.select_function(module, function)
        runner.run("builtin.module(shlo-legalize-shape)", module)  # sizes as arguments
        numbers = donated(module, function, donate)
        options = _Options(function, opt_level, check_sizes, numbers, cache, limit)
        return SpecializedExecutable(module, constants, most, options)


def _signature(module: mlir.Module, function: str) -> Signature[ValueType]:
    inputs, results = ir.signature(ir.functions_by_name(module.operation)[function])
    return Signature(tuple(map(value_type, inputs)), tuple(map(value_type, results)))


def _refinement(module: mlir.Module, function: str, shapes: Shapes) -> str:
    inputs, _ = ir.signature(ir.functions_by_name(module.operation)[function])
    types: list[Any] = list(inputs)
    refined = [
        mlir.tensor_type(shape, type.element_type)
        for shape, type in zip(shapes, types, strict=True)
    ]
    return f"shlo-refine-arguments{{types={','.join(map(str, refined))}}}"
