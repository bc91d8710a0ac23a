"""Every op with sizes erased: refinement finds them again, and so do its expressions.

The conformance cases of all ops are written with ``?`` for each size. Refined for the arguments'
types they have the results' types again; as expressions of the arguments' sizes they are right for
these sizes; and the C++ passes find nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import pytest
from cases import FAMILIES, rows
from cases._case import Case, program

from shlo_tools import dims, ir, mlir
from shlo_tools.dims import Dim, Symbol
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Module, Operation, Type
from shlo_tools.pipeline import runner
from shlo_tools.shapes import Extent, Shapes, types

# Results that no operand or attribute determines: their types alone say what they are.
FREE = {"all_gather", "custom_call", "infeed", "recv", "reduce_scatter", "rng", "rng_bit_generator"}
# Ops with no sizes to erase: their types are all there is to say of them.
STATIC = {
    *("chlo.constant", "stablehlo.constant", "stablehlo.iota"),
    *("stablehlo.infeed", "stablehlo.partition_id", "stablehlo.recv", "stablehlo.replica_id"),
}
# Operands that hold sizes: they are constants here.
SIZES = {
    "dynamic_broadcast_in_dim": (1,),
    "dynamic_conv": (2,),
    "dynamic_gather": (2,),
    "dynamic_iota": (0,),
    "dynamic_pad": (2, 3, 4),
    "dynamic_reshape": (1,),
    "real_dynamic_slice": (1, 2, 3),
    "set_dimension_size": (1,),
}
PER_ROW = 25  # cases of an op with one element type


@dataclass(frozen=True)
class Erased:
    """A case with ``?`` for sizes."""

    op: str
    text: str
    inputs: tuple[str, ...]
    results: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.op}: {', '.join(self.inputs)}"


_SIZES = re.compile(r"(dense<[^>]*> : )?tensor<((?:\d+x)+)")


def _erased(text: str) -> str:
    """Sizes of types that are not those of attributes become ``?``."""
    return _SIZES.sub(
        lambda match: match[0] if match[1] else "tensor<" + "?x" * match[2].count("x"), text
    )


def _forms(case: Case) -> Iterator[str]:
    """Programs with all sizes erased, with those of operands, and with those of results.

    Not all are valid: some types have to be static.
    """
    text = program([case])
    yield _erased(text)
    for kept, erased in ((case.results, case.inputs), (case.inputs, case.results)):
        types = [item if isinstance(item, str) else item.type for item in erased]
        others = {item if isinstance(item, str) else item.type for item in kept}
        form = text
        for type in set(types) - others:
            form = form.replace(type, _erased(type))
        if form != text:
            yield form


def _with_constants(case: Case, op: str) -> Case:
    lines, text = [], case.text
    for i in SIZES.get(op.partition(".")[2], ()):
        item = case.inputs[i]
        lines.append(f"%k{i} = stablehlo.constant dense<{item.array.tolist()}> : {item.type}")
        text = text.replace(f"%in{i}", f"%k{i}")
    return replace(case, text="\n".join([*lines, text]))


def _cases(family: str) -> Iterator[Erased]:
    for row in rows(family):
        chosen = [e for e in row.elements if e.startswith(("!quant", "q"))][:1]
        for element in dict.fromkeys([row.elements[0], *row.elements[:8:4], *chosen]):
            results = [c for c in row.build(element) if _is_valid(c) and _has_sizes(c)]
            for case in results[:PER_ROW]:
                inputs = tuple(item.type for item in case.inputs)
                for text in _forms(_with_constants(case, row.op)):
                    yield Erased(row.op, text, inputs, case.results)


def _is_valid(case: Case) -> bool:
    """Also programs that exchange values with nobody have types."""
    return not case.undefined or "alone" in case.undefined


def _has_sizes(case: Case) -> bool:
    return any(_SIZES.search(type) for type in (*case.results, *(i.type for i in case.inputs)))


@cache
def _parsed_cases(family: str) -> list[Erased]:
    """The cases that are valid programs without their sizes, each once: many differ in values."""
    results = []
    for case in dict.fromkeys(_cases(family)):
        with mlir.library_context():
            try:
                mlir.parse_module(case.text)
            except mlir.MLIRError:
                continue
        results.append(case)
    return results


def _main(module: Module) -> Operation:
    (main,) = [f for f in ir.functions(module.operation) if ir.symbol_name(f) == "main"]
    return main


def _parsed(spelled: tuple[str, ...]) -> list[Type]:
    return [mlir.parse_type(text) for text in spelled]


@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_are_found_again(family: str) -> None:
    wrong = []
    for case in _parsed_cases(family):
        if case.op.partition(".")[2] in FREE:
            continue
        with mlir.library_context():
            module = mlir.parse_module(case.text)
            pipeline = f"shlo-refine-arguments{{types={','.join(case.inputs)}}},shlo-refine-shapes"
            try:
                runner.run(f"builtin.module({pipeline})", module)
            except ShloError as error:
                wrong.append(f"{case}\n    {error}")
                continue
            _, results = ir.signature(_main(module))
            if list(results) != _parsed(case.results):
                wrong.append(f"{case}\n    {', '.join(map(str, results))} is not {case.results}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_expressions_are_right_and_demands_are_met(family: str) -> None:
    wrong = []
    for case in _parsed_cases(family):
        with mlir.library_context():
            module = mlir.parse_module(case.text)
            main = _main(module)
            shapes = Shapes()
            shapes.function(main)
            wrong += [f"{case}\n    {reason}" for reason in _failures(case, main, shapes)]
    assert not wrong, "\n".join(wrong)


def _failures(case: Erased, main: Operation, shapes: Shapes) -> Iterator[str]:
    block = main.regions[0].blocks[0]
    inputs = [types.declared(type).type for type in _parsed(case.inputs)]
    sizes: dict[Symbol, Dim] = {}
    for argument, type in zip(block.arguments, inputs, strict=True):
        own = shapes.type(argument)
        if isinstance(own, TensorType) and isinstance(type, TensorType):
            for dim, number in zip(own.shape, type.shape, strict=True):
                sizes.update(dict.fromkeys(dims.symbols(dim), number))
    expected = [types.declared(type).type for type in _parsed(case.results)]
    for value, want in zip(ir.terminator(block).operands, expected, strict=True):
        results = shapes.type(value)
        if isinstance(results, TensorType) and isinstance(want, TensorType):
            for dim, number in zip(results.shape, want.shape, strict=True):
                known = _evaluated(dim, sizes)
                if known is not None and known != number:
                    yield f"{results} has {dim} = {known}, not {number}"
    for item in shapes.unproven:
        for fact in item.obligation.facts:
            a, b = _evaluated(fact.a, sizes), _evaluated(fact.b, sizes)
            if a is None or b is None:
                continue
            if not {"==": a == b, "<=": a <= b, "stretches to": a in (1, b)}[fact.relation]:
                yield f"demands {fact}: {a} {fact.relation} {b} ({item.obligation})"


def _evaluated(dim: Dim, sizes: dict[Symbol, Dim]) -> int | None:
    """A number, where the size depends on arguments' sizes only."""
    symbols = dims.symbols(dim)
    if any(s not in sizes and not _learnt(s, sizes) for s in symbols):
        return None
    values = {s: sizes[s] if s in sizes else _same_source(s, sizes) for s in symbols}
    number = dims.substituted(dim, values)
    return number if isinstance(number, int) else None


def _learnt(symbol: Symbol, sizes: dict[Symbol, Dim]) -> bool:
    """Whether it is an argument's size of which more has been learnt."""
    return isinstance(symbol.source, Extent) and any(s.source == symbol.source for s in sizes)


def _same_source(symbol: Symbol, sizes: dict[Symbol, Dim]) -> Dim:
    return next(value for s, value in sizes.items() if s.source == symbol.source)


# What the C++ passes get wrong, by op.
NATIVE_ERRORS: set[str] = set()


@pytest.mark.parametrize("family", FAMILIES)
def test_native_passes_find_no_other_sizes(family: str) -> None:
    common, wrong = 0, []
    for case in _parsed_cases(family):
        with mlir.library_context():
            module = mlir.parse_module(case.text)
            arguments = f"stablehlo-refine-arguments{{types={','.join(case.inputs)}}}"
            try:
                passes = f"builtin.module({arguments},stablehlo-refine-shapes)"
                mlir.parse_pipeline(passes).run(module.operation)
            except (ValueError, mlir.MLIRError):
                continue  # tokens, tuples, and what they do not refine
            _, results = ir.signature(_main(module))
            pairs = list(zip(results, _parsed(case.results), strict=True))
            if any("?" in str(type) for type, _ in pairs):
                continue
            common += 1
            if any(a != b for a, b in pairs) and case.op not in NATIVE_ERRORS:
                wrong.append(f"{case}: {pairs}")
    assert not wrong, "\n".join(wrong)
    if family not in UNCOMMON:
        assert common > 0


# Families of which the C++ passes refine nothing.
UNCOMMON = {"quantization", "random", "transfer"}


def test_nearly_every_op_is_covered() -> None:
    """Only ops whose types cannot leave sizes open are not."""
    named = {row.op for family in FAMILIES for row in rows(family)}
    results = {case.op for family in FAMILIES for case in _parsed_cases(family)}
    assert named - results == STATIC
