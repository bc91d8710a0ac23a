"""Where probes go: the ops that are chosen, and how a probe names its op."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import PipelineError, Place
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.instrument.values import Leaf, is_floating

TARGET = "shlo.probe"

# Their regions run as often as the program says, one value at a time.
CONTROL_FLOW = ("stablehlo.while", "stablehlo.if", "stablehlo.case")
# What they give stands in the program.
CONSTANTS = ("stablehlo.constant", "chlo.constant", "chlo.constant_like", "arith.constant")
_CALLED = ("callee", "called_computations", "decomposition")


@dataclass(frozen=True)
class Site:
    """An op that has a probe.

    Attributes:
        number: its position among the ops with probes.
        op: the op's name, such as ``stablehlo.add``.
        name: what its location calls it; '' where that has no name.
        location: ``file:line:column``, '' where unknown.
        function: the function that it is in.
        operands: how many of the values it is told of are operands, or captured by its regions.
        types: the values' types as the program has them.
    """

    number: int
    op: str
    name: str
    location: str
    function: str
    operands: int
    types: tuple[str, ...]

    def __str__(self) -> str:
        """The op with its types, for messages."""
        operands, results = self.types[: self.operands], self.types[self.operands :]
        return f"{self.op} ({', '.join(operands)}) -> {', '.join(results)}"

    @property
    def place(self) -> Place | None:
        return Place.read(self.location) if self.location else None

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern is found in the op's name, or in a name or place of its location."""
        return _matches(pattern, self.op, self.name, self.location)


@dataclass(frozen=True)
class Found:
    """An op that is to be probed, with all names of its location."""

    number: int
    op: Operation
    function: str
    names: tuple[str, ...]
    location: str

    @property
    def operands(self) -> list[Value]:
        """What the op reads: its operands, and what its regions capture."""
        return ir.used_values(self.op)


# --- choosing -------------------------------------------------------------------------------------
def find(module: Operation, ops: str, *, floats: bool = False) -> list[Found]:
    """The ops of a module that get probes, in program order; see ``Instrument``.

    Raises:
        PipelineError: ``ops`` is no regular expression.
    """
    pattern = compiled(ops) if ops else None
    sites: list[Found] = []
    for function, op in _reachable(module):
        if not any(_tellable(result, floats) for result in op.results):
            continue
        names, location = names_of(op.location), str(mlir.place_of(op.location) or "")
        if pattern is None:
            chosen = op.name not in CONSTANTS
        else:
            chosen = _matches(pattern, op.name, *names, location)
        if chosen:
            sites.append(Found(len(sites), op, function, names, location))
    return sites


def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression; raises PipelineError where it is none."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise PipelineError(f"{pattern!r} is no regular expression: {error}") from error


def _matches(pattern: re.Pattern[str], *texts: str) -> bool:
    return any(pattern.search(text) for text in texts if text)


def _tellable(value: Value, floats: bool) -> bool:
    text = str(value.type)
    if not floats:
        return "tensor<" in text
    return is_floating(text)


def _reachable(module: Operation) -> Iterable[tuple[str, Operation]]:
    """The ops that a probe may follow, each with the name of its function."""
    functions = ir.functions(module)
    scalar = _scalar_functions(functions)
    for func in functions:
        name = ir.symbol_name(func)
        if name not in scalar:
            yield from ((name, op) for op, inside in _walked(func) if not inside)


def _walked(func: Operation) -> Iterable[tuple[Operation, bool]]:
    """The ops of a function, and whether they are in a computation of scalars."""
    entered = {func}
    for op in mlir.walk(func)[1:]:
        inside = mlir.inner_operation(op.parent) not in entered
        if not inside and op.name in CONTROL_FLOW:
            entered.add(op)
        yield op, inside


def _scalar_functions(functions: Sequence[Operation]) -> set[str]:
    """Functions that computations of scalars call, and custom calls: these run on scalars too."""
    calls: dict[str, set[str]] = {}
    scalar: set[str] = set()
    for func in functions:
        name = ir.symbol_name(func)
        calls[name] = set()
        for op, inside in _walked(func):
            called = called_by(op)
            calls[name] |= called
            if inside or op.name == "stablehlo.custom_call":
                scalar |= called
    left = list(scalar)
    while left:
        new = calls.get(left.pop(), set()) - scalar
        scalar |= new
        left += new
    return scalar


def called_by(op: Operation) -> set[str]:
    """Names of the functions that an op calls or names."""
    texts = [str(op.attributes[name]) for name in _CALLED if name in op.attributes]
    return {name.strip('"') for text in texts for name in re.findall(r'@("[^"]*"|[\w$.-]+)', text)}


# --- naming ---------------------------------------------------------------------------------------
# A string is a name, unless it is the metadata of a fused location, or a file.
_STRING = re.compile(r'(<)?"((?:[^"\\]|\\.)*)"(:\d)?')
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|.)")


def names_of(location: Any) -> tuple[str, ...]:
    """The names in a location, outermost first; places in files are none."""
    strings = _STRING.findall(str(location))
    names = [text for metadata, text, line in strings if text and not metadata and not line]
    raw = (_ESCAPE.sub(_unescaped, name.encode()) for name in names)
    return tuple(name.decode(errors="replace") for name in raw)


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 16)]) if len(match[1]) == 2 else match[1]


def describe(site: Found, operands: Sequence[Leaf], results: Sequence[Leaf]) -> mlir.Attribute:
    """What a probe carries about its op; ``read`` is the way back."""
    types = [mlir.string_attr(leaf.type) for leaf in (*operands, *results)]
    words = {
        "op": site.op.name,
        "name": site.names[0] if site.names else "",
        "location": site.location,
        "function": site.function,
    }
    numbers = {"site": site.number, "operands": len(operands)}
    wide = mlir.integer_type(64)
    return mlir.dict_attr(
        {
            **{key: mlir.string_attr(text) for key, text in words.items()},
            **{key: mlir.integer_attr(number, wide) for key, number in numbers.items()},
            "types": mlir.array_attr(types),
        }
    )


def read(attributes: dict[str, Any]) -> Site:
    """The site that a probe's attributes, as Python values, describe."""
    return Site(
        number=int(attributes["site"]),
        op=str(attributes["op"]),
        name=str(attributes["name"]),
        location=str(attributes["location"]),
        function=str(attributes["function"]),
        operands=int(attributes["operands"]),
        types=tuple(str(type) for type in attributes["types"]),
    )
