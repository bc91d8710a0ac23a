"""Executables of stages: kernels for what they compute, what is left through linalg.

Where sizes are unknown, kernels get them as words of their contexts, and tables are made for the
sizes of a call; so are the kernels that want numbers. Programs whose sizes are computed from data
are no programs of stages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shlo_tools import dtypes, ir, mlir, program
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.codegen import shared_kernels
from shlo_tools.codegen.library import entering
from shlo_tools.codegen.lowered import NUMBERS, PLAIN, STAGE, SYMBOLS, WEIGHT, calls_stages
from shlo_tools.codegen.stages.contractions import later
from shlo_tools.cpu import native, symbols, weights
from shlo_tools.cpu.machine_code.compilation import MachineCode
from shlo_tools.cpu.native import Tell
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.saved.contents import ExecutableParts
from shlo_tools.cpu.stages import kernels
from shlo_tools.cpu.stages.code import Code
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.program import Program, read, stages
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.dtypes import Array
from shlo_tools.errors import PassError
from shlo_tools.garbage import collect_new
from shlo_tools.pipeline.contents import Contents, contents
from shlo_tools.pipeline.stage_texts import STATIC
from shlo_tools.types import value_type

# What makes static ops of those whose sizes have become numbers.
TO_STATIC = "shlo-expand-custom-calls,inline,shlo-canonicalize-dynamism{exact}"

_OPT_LEVEL = 2  # of code that only says which sizes do not fit


def build(
    module: mlir.Module,
    constants: Sequence[Array],
    known: Contents,
    *,
    function: str,
    opt_level: int,
    donate: Collection[int] = (),
    tell: Tell | None = None,
) -> StagedExecutable | SizedExecutable | None:
    """An executable of stages; None where a program cannot be cut into such.

    Args:
        known: what the module holds.
        donate: numbers of the arguments that calls may write.
    """
    if not is_fit(known):
        return None
    parts.start([entering.CALLED])
    copy = program.clone(module)
    whole_function = normalize(copy, len(constants), known, function, tell)
    if whole_function is None:
        return None
    signature, own, is_sized = whole_function
    kept = [*constants, *own]
    native.run_passes("shlo-partition{lower},shlo-lower-stages{shared}", copy, tell, verify="none")
    if is_sized and any(ir.text_of(f, STAGE) == "op" for f in ir.functions(copy.operation)):
        shared_kernels.take()  # nobody compiles them
        return None
    kernels.begin()
    cut = read(copy, function, donate)
    building = _Building(function, copy, kept, opt_level)
    if not is_sized:
        return StagedExecutable(function, signature, cut, building.code(copy, cut, tell), kept)
    whole = program.clone(module)
    code = building.code(copy, replace(cut, plain={}), tell)

    def saved() -> ExecutableParts:
        with mlir.library_context():
            text = ir.printed(whole.operation, enable_debug_info=True)
        return ExecutableParts(function, signature, cut, code, kept, text)

    refusal = _refusal(lambda: program.clone(whole), kept, function, opt_level)
    instance = building.instance(code)
    return SizedExecutable(function, signature, cut, instance, refusal, saved)


def loaded(saved: ExecutableParts) -> SizedExecutable:
    """What a file has of a program whose sizes run time tells."""
    name, code, constants = saved.name, saved.code, saved.constants

    def instance(cut: Program, sizes: Sequence[int]) -> StagedExecutable:
        return _for_sizes(name, cut, code, constants)

    refusal = _refusal(lambda: mlir.parse_module(saved.module), constants, name, _OPT_LEVEL)
    return SizedExecutable(name, saved.signature, saved.program, instance, refusal, lambda: saved)


def _for_sizes(name: str, cut: Program, code: Code, constants: Sequence[Array]) -> StagedExecutable:
    """What runs calls of some sizes. It keeps nothing: there may be many, of the same constants."""
    return StagedExecutable(name, _static_signature(cut), cut, code, constants, keeps=False)


def _refusal(
    module: Callable[[], mlir.Module], constants: Sequence[Array], function: str, opt_level: int
) -> Callable[[], Executable]:
    """What makes code for any sizes, which says which of them do not fit."""

    def refusal() -> Executable:
        with mlir.library_context():
            whole = module()
            native.lower(whole, check_sizes=True)
            return native.linked(whole, constants, function=function, opt_level=opt_level)

    return refusal


def normalize(
    module: mlir.Module,
    first: int,
    known: Contents,
    function: str,
    tell: Tell | None = None,
) -> tuple[Signature[Any], list[Array], bool] | None:
    """Make a program ready to be cut into stages, in place; None where it cannot be cut.

    Args:
        first: the number in the table of weights of the first constant that is taken out.

    Returns:
        The function's signature, the constants that were taken out of it, and whether some sizes
        are names.
    """
    known = _normalize(module, known, tell)
    func = ir.functions_by_name(module.operation)[function]
    ops = mlir.walk(func)
    is_sized = any(map(mlir.is_dynamic, known.types))
    is_whole = not any(op.name == "func.call" for op in ops)
    if not is_fit(known) or not is_whole or (is_sized and SYMBOLS not in func.attributes):
        return None
    inputs, results = (tuple(map(value_type, types)) for types in ir.signature(func))
    own = weights.take_out(module, ops, threshold=0, first=first)
    return Signature(inputs, results), own, is_sized


def cut(module: mlir.Module, function: str) -> None:
    """Cut a program into stages in place, as ``build`` does before it lowers these."""
    first = sum(WEIGHT in op.attributes for op in ir.children(module.operation))
    normalize(module, first, contents(module.operation), function)
    native.run_passes("shlo-partition", module, None, verify="none")


def _static_signature(cut: Program) -> Signature[Any]:
    results = tuple(cut.types[value] for value in cut.body.returned)
    return Signature(cut.types[: cut.arguments], results)


def _normalize(module: mlir.Module, known: Contents, tell: Tell | None) -> Contents:
    """Rewrite a program so that sizes are known or have names; what it holds then."""
    still = native.run_passes(STATIC, module, tell, known, verify="python")
    known = still or contents(module.operation)
    if any(map(mlir.is_dynamic, known.types)):
        native.run_passes("shlo-name-sizes", module, tell)
    return known


@dataclass(frozen=True)
class _Building:
    """What machine code is made of.

    Attributes:
        module: a function that is cut into stages.
        constants: by their numbers in the table of weights.
    """

    function: str
    module: mlir.Module
    constants: Sequence[Array]
    opt_level: int

    def instance(self, code: Code) -> Callable[[Program, Sequence[int]], StagedExecutable | None]:
        """What makes executables for sizes; there is the code of kernels of named sizes."""

        def instance(cut: Program, sizes: Sequence[int]) -> StagedExecutable | None:
            own = code
            if cut.plain:
                with mlir.library_context():
                    bound = self._bound(cut, sizes)
                    if bound is None:
                        return None
                    codes, plain = stages(bound)
                    cut = replace(cut, codes={**cut.codes, **codes}, plain=plain)
                    own = code.joined(self.code(bound, cut, None))
            return _for_sizes(self.function, cut, own, self.constants)

        return instance

    def _bound(self, cut: Program, sizes: Sequence[int]) -> mlir.Module | None:
        """The stages that want numbers for sizes, lowered for such.

        None where ops of these sizes are none that a program may say: windows of no elements.
        """
        module = program.clone(self.module)
        _keep_plain(module, cut)
        module.operation.attributes[NUMBERS] = mlir.i64_array_attr(sizes)
        try:
            native.run_passes("shlo-bind-sizes", module, None)
        except PassError:
            return None
        native.run_passes(TO_STATIC + ",shlo-lower-stages{shared}", module, None)
        kernels.begin()
        return module

    def code(self, module: mlir.Module, cut: Program, tell: Tell | None) -> Code:
        """The machine code of all stages; those that no kernel computes are in the module."""
        codes, addresses = _machine_code(cut, tell)
        if not cut.plain:
            return Code(codes, addresses, native.calls_alone(module))
        _keep_plain(module, cut)
        native.run_passes("shlo-normalized-to-llvm", module, tell)
        plain = native.link(
            module,
            self.constants,
            functions=list(cut.plain),
            opt_level=self.opt_level,
            tell=tell,
        )
        return Code(codes, {**addresses, **plain.addresses()}, plain)


def _machine_code(cut: Program, tell: Tell | None) -> tuple[dict[str, MachineCode], dict[str, int]]:
    """What has a program's kernels, and the addresses of what else it reads."""
    jobs = {job.function for code in cut.codes.values() for job in code.jobs}
    parts.start(name for name in jobs if name.startswith(parts.PREFIX))
    products = [product for code in cut.codes.values() for product in code.products]
    parts.start({later.likely_function(product) for product in products})
    if tell is not None:
        tell("while generating machine code")
    codes = kernels.compiled(jobs)
    collect_new()
    words = {word for code in cut.codes.values() for c in code.contexts for word in c.words}
    names = [word for word in words if isinstance(word, str)]
    return codes, {name: symbols.known_address(name) for name in names}


def _keep_plain(module: mlir.Module, cut: Program) -> None:
    """Erase what is not needed for the stages that no kernel computes; those are public then."""
    for op in ir.children(module.operation):
        if op.name != "func.func":
            continue
        if ir.symbol_name(op) in cut.plain:
            del op.attributes[PLAIN]
            op.attributes["sym_visibility"] = mlir.string_attr("public")
        elif calls_stages(op) or ir.symbol_name(op) in cut.codes:
            op.erase()


def is_fit(known: Contents) -> bool:
    """Whether all values are tensors of plain numbers without bounds."""
    return all(_is_fit_type(type) for type in known.types if not mlir.is_memref(type))


def _is_fit_type(type: mlir.Type) -> bool:
    if not mlir.is_tensor(type) or "!" in mlir.spelling(type):
        return False
    tensor = dtypes.tensor_type(type)
    return not tensor.bounds and not tensor.element_type.is_quantized
