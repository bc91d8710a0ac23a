"""What a program's functions take and give, as people read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.calling.executable import Executable
from shlo_tools.codegen.manifest import EntryPoint, read_manifest
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError, UnsupportedError, did_you_mean
from shlo_tools.types import array_type


@dataclass(frozen=True)
class Slot:
    """An argument or a result.

    Attributes:
        name: what the exporter called it, such as ``images``; '' where it did not say.
        type: the type in MLIR's spelling.
    """

    name: str
    type: str

    @property
    def tensor(self) -> TensorType:
        """The type of arrays for it: integers for a quantized tensor; raises UnsupportedError."""
        try:
            return array_type(self.type)
        except ShloError as error:
            message = f"a value of type {self.type} cannot be passed in or out"
            raise UnsupportedError(message) from error


@dataclass(frozen=True)
class Function:
    """One function of a module, and whether it is callable from outside and has a body."""

    name: str
    inputs: tuple[Slot, ...]
    results: tuple[Slot, ...]
    public: bool = True
    declared: bool = False

    def __str__(self) -> str:
        """One line: ``@main(tensor<2xf32>) -> (tensor<2xf32>)``, and what is special about it."""
        inputs = ", ".join(slot.type for slot in self.inputs)
        results = ", ".join(slot.type for slot in self.results)
        special = "" if self.public else "  private"
        special += "  (a declaration without a body)" if self.declared else ""
        return f"@{self.name}({inputs}) -> ({results}){special}"


# --- reading --------------------------------------------------------------------------------------
_NAMED = re.compile(r'loc\("((?:[^"\\]|\\.)*)"[()]')  # not "file":line:column


def functions(module: mlir.Module) -> list[Function]:
    """The functions of a module at whatever level, in order."""
    with mlir.library_context():
        signatures = [_of_function(op) for op in ir.functions(module.operation)]
        if signatures:
            return signatures
        return [_of_entry_point(entry) for entry in read_manifest(module).entry_points.values()]


def find(module: mlir.Module, name: str) -> Function:
    """The function called ``name``; raises ShloError where there is none with a body."""
    known = {function.name: function for function in functions(module)}
    if name not in known:
        some = ", ".join(f"@{other}" for other in list(known)[:10])
        hint = did_you_mean(name, known) or (some and f"choose one with --function: {some}")
        raise ShloError(f"there is no function @{name}", hint=hint)
    if known[name].declared:
        raise ShloError(f"@{name} is a declaration without a body")
    return known[name]


def of_executable(executable: Executable) -> Function:
    """The function of an executable, which knows no names of arguments."""
    inputs, results = (
        tuple(Slot("", str(type)) for type in types)
        for types in (executable.signature.inputs, executable.signature.results)
    )
    return Function(executable.name, inputs, results)


def _of_function(op: mlir.Operation) -> Function:
    inputs, results = ir.signature(op)
    declared = ir.is_declaration(op)
    arguments = () if declared else op.regions[0].blocks[0].arguments
    names = [_located(argument) for argument in arguments] or [""] * len(inputs)
    named = [_result_name(op, number) for number in range(len(results))]
    return Function(
        ir.symbol_name(op),
        tuple(Slot(name, str(type)) for name, type in zip(names, inputs, strict=True)),
        tuple(Slot(name, str(type)) for name, type in zip(named, results, strict=True)),
        public=ir.text_of(op, "sym_visibility") in ("", "public"),
        declared=declared,
    )


def _of_entry_point(entry: EntryPoint) -> Function:
    return Function(
        entry.function,
        tuple(Slot("", str(type)) for type in entry.signature.inputs),
        tuple(Slot("", str(type)) for type in entry.signature.results),
    )


def _located(argument: Any) -> str:
    """The name in an argument's location: exporters keep the source's names there."""
    match = _NAMED.match(str(argument.location))
    return re.sub(r"\\(.)", r"\1", match[1]) if match else ""


def _result_name(op: mlir.Operation, number: int) -> str:
    """JAX says in ``jax.result_info`` which part of the function's value a result is."""
    if "res_attrs" not in op.attributes:
        return ""
    attributes = op.attributes["res_attrs"][number]
    return str(attributes["jax.result_info"].value) if "jax.result_info" in attributes else ""


# --- showing --------------------------------------------------------------------------------------
def describe(function: Function, command: str) -> str:
    """What a function takes and gives, one line each, and commands that run it."""
    takes = f"{_count(function.inputs, 'argument')}, {_count(function.results, 'result')}"
    lines = [f"@{function.name}: {takes}"]
    lines += _table("arg", function.inputs) + _table("result", function.results)
    if function.inputs:
        lines.append("run it, for example, with")
        lines += [f"  {command} {values}" for values in _examples(function)]
    return "\n".join(lines)


_SHOWN = 6  # values that an example writes out; of more, the first and the last one


def _examples(function: Function) -> Iterator[str]:
    """Values for all arguments: random ones, of sizes to try where sizes are open; and files."""
    values = [_random(slot) for slot in function.inputs]
    while values[-2:] == ["random:0", "random:0"]:
        values.pop()  # the one before fills all that are left
    if len(values) <= _SHOWN:
        yield " ".join(f"--input={value}" for value in values)
    last = len(function.inputs) - 1
    between = " ... " if last > 1 else " "
    yield between.join(f"--input=@arg{number}.npy" for number in sorted({0, last}))


def _random(slot: Slot) -> str:
    """``random:0``, with a type where the program leaves sizes open."""
    if "?" not in slot.type:
        return "random:0"
    try:
        return f"{with_sizes(slot.tensor)}=random:0"
    except UnsupportedError:
        return "random:0"  # which is refused with the reason


def with_sizes(type: TensorType) -> str:
    """A type such as ``8x3xf32``: with 8, or the bound where that is less, for open sizes."""
    bounds = type.bounds or (None,) * type.rank
    sizes = (
        dim if isinstance(dim, int) else min(8, 8 if bound is None else bound)
        for dim, bound in zip(type.shape, bounds, strict=True)
    )
    return "x".join([*map(str, sizes), str(type.element_type)])


def _count(slots: tuple[Slot, ...], what: str) -> str:
    return f"{len(slots)} {what}{'' if len(slots) == 1 else 's'}"


def _table(prefix: str, slots: tuple[Slot, ...]) -> list[str]:
    width = max((len(slot.type) for slot in slots), default=0)
    numbers = len(f"{prefix}{len(slots) - 1}:")
    return [
        f"  {f'{prefix}{number}:':{numbers}} {slot.type:{width}}  {slot.name}".rstrip()
        for number, slot in enumerate(slots)
    ]
