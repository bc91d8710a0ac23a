"""What a conformance case is: a snippet of a program, its inputs, and how near its results must be.

The snippet reads ``%in0``, ``%in1``, ... and defines ``%out0``, ...; its other names are its own,
and so are the functions that it declares in ``symbols``. Many snippets make one program, since
compiling costs more than running.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cases._tolerances import EXACT, Tolerance
from cases._types import tensor
from shlo_tools import dtypes

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Input:
    """An argument: its type in the program, and its values (integers of a quantized tensor)."""

    type: str
    array: Array


@dataclass(frozen=True, repr=False)
class Case:
    """One snippet.

    Attributes:
        label: what it tries: shape, attributes.
        text: the snippet.
        inputs: its arguments.
        results: the types of its results.
        tolerance: how near native results must be to the reference's.
        symbols: functions beside ``@main`` that it uses.
        undefined: why the specification defines no result; both sides must refuse the case.
        expected: what must come out, as something else than the library says; None where the
            reference says it.
    """

    label: str
    text: str
    inputs: tuple[Input, ...]
    results: tuple[str, ...]
    tolerance: Tolerance = EXACT
    symbols: str = ""
    undefined: str = ""
    expected: tuple[Array, ...] | None = None

    def __repr__(self) -> str:
        return f"Case({self.text}, {[item.array.tolist() for item in self.inputs]})"[:2000]


Build = Callable[[str], Iterable[Case]]


@dataclass(frozen=True)
class Row:
    """The cases of an op.

    Attributes:
        op: its full name, ``stablehlo.add``.
        elements: the element types that the specification allows.
        build: the cases of one of them; the first is the smallest that is interesting.
    """

    op: str
    elements: tuple[str, ...]
    build: Build


def given(element: str, array: Array, axis: int | None = None) -> Input:
    """An argument of an element type."""
    return Input(tensor(element, array.shape, axis), array)


def type_of(array: Array) -> str:
    """The MLIR type of an array."""
    return str(dtypes.of_array(array))


def arrays(*values: Array) -> tuple[Input, ...]:
    """Arguments whose types are those of their arrays."""
    return tuple(Input(type_of(value), value) for value in values)


def call(
    op: str,
    inputs: Sequence[Input],
    results: Sequence[str],
    attributes: str = "",
    *,
    label: str = "",
    tolerance: Tolerance = EXACT,
    regions: str = "",
    symbols: str = "",
    expected: Sequence[Array] | None = None,
) -> Case:
    """A case of one op in its generic form, with all inputs as operands."""
    operands = ", ".join(f"%in{i}" for i in range(len(inputs)))
    outs = ", ".join(f"%out{i}" for i in range(len(results)))
    types = ", ".join(item.type for item in inputs)
    returned = results[0] if len(results) == 1 else f"({', '.join(results)})"
    properties = f" <{{{attributes}}}>" if attributes else ""
    inside = f" ({regions})" if regions else ""
    signature = f"({types}) -> {returned}"
    return Case(
        label or f"{types} {attributes}".strip(),
        f'{outs}{" = " if outs else ""}"{op}"({operands}){properties}{inside} : {signature}',
        tuple(inputs),
        tuple(results),
        tolerance,
        symbols,
        expected=None if expected is None else tuple(expected),
    )


def operation(
    name: str,
    inputs: Sequence[Array],
    expected: Array,
    attributes: str = "",
    *,
    tolerance: Tolerance = EXACT,
    result: str = "",
) -> Case:
    """A case of one StableHLO op; the result's type is that of ``expected`` by default."""
    return call(
        f"stablehlo.{name}",
        arrays(*inputs),
        [result or type_of(expected)],
        attributes,
        label=" ".join((name, *map(type_of, inputs), attributes)).strip(),
        tolerance=tolerance,
        expected=[expected],
    )


def snippet(
    label: str,
    text: str,
    inputs: Sequence[Array],
    expected: Sequence[Array],
    tolerance: Tolerance = EXACT,
    results: Sequence[str] = (),
) -> Case:
    """A case of some lines; the results' types are those of ``expected`` by default."""
    types = tuple(results) or tuple(map(type_of, expected))
    return Case(label, text, arrays(*inputs), types, tolerance, expected=tuple(expected))


def renamed(text: str, prefix: str) -> str:
    """A snippet whose values and functions are told from those of others by a prefix."""
    text = re.sub(r"%(?=\w)", f"%{prefix}", text)
    return re.sub(r"@(?=[a-z_])", f"@{prefix}", text)


def program(cases: Sequence[Case]) -> str:
    """One function that takes the inputs of all cases and returns all their results."""
    arguments: list[str] = []
    lines: list[str] = []
    returned: list[str] = []
    types: list[str] = []
    symbols: list[str] = []
    for number, case in enumerate(cases):
        prefix = f"c{number}_"
        arguments += [f"%{prefix}in{i}: {item.type}" for i, item in enumerate(case.inputs)]
        lines.append(renamed(case.text, prefix))
        symbols.append(renamed(case.symbols, prefix))
        returned += [f"%{prefix}out{i}" for i in range(len(case.results))]
        types += case.results
    signature = f"({', '.join(arguments)}) -> ({', '.join(types)})"
    ending = f"return {', '.join(returned)} : {', '.join(types)}" if types else "return"
    main = "\n".join((f"func.func @main{signature} {{", *lines, ending, "}"))
    return "\n".join((main, *filter(None, symbols)))
