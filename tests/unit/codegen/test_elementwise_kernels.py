"""Every elementwise op of every element type has a kernel, or stands in a table with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shlo_tools import ir, mlir, program
from shlo_tools.codegen.lowered import PLAIN
from shlo_tools.cpu.native import run_passes
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType
from shlo_tools.errors import ShloError
from shlo_tools.ops import DESCRIPTIONS, Trait, has_trait
from shlo_tools.ops._op import OPERAND_ROLES

TYPES = [row.name for row in ELEMENT_TYPES.values() if row.name != "index"]
ONE = {"bitcast_convert", "compare", "complex", "convert", "select"}  # of mixed types, see below
ATTRIBUTES = {
    "reduce_precision": "exponent_bits = 5 : i32, mantissa_bits = 2 : i32",
    "chlo.constant_like": "value = 1.0 : f32",
}


def elementwise() -> list[str]:
    """Names of the ops whose operands and results are all of one shape."""
    names = [name for name in DESCRIPTIONS if has_trait(name, Trait.ELEMENTWISE)]
    return sorted(name for name in names if name.removeprefix("stablehlo.") not in ONE)


def one_op(name: str, operands: list[str], result: str, attributes: str = "") -> str:
    """A program of an op on tensors of five elements."""
    types = [f"tensor<5x{element}>" for element in operands]
    arguments = ", ".join(f"%{k}: {type}" for k, type in enumerate(types))
    values = ", ".join(f"%{k}" for k in range(len(types)))
    inner = f'"{name}"({values}) {{{attributes}}} : ({", ".join(types)}) -> tensor<5x{result}>'
    return (
        f"func.func @main({arguments}) -> tensor<5x{result}> {{\n"
        f"  %r = {inner}\n  return %r : tensor<5x{result}>\n}}"
    )


def plain(text: str) -> list[str]:
    """Why stages of a program have no kernel, those that have none."""
    with mlir.library_context():
        module = program.parse(text)
        program.verify_further(module)
        run_passes("shlo-normalize,shlo-to-stages", module, None)
        stages = ir.functions(module.operation)
        return [ir.text_of(func, PLAIN) for func in stages if PLAIN in func.attributes]


def of_one_type(name: str) -> Iterator[tuple[str, str]]:
    """An op on operands of each element type, whatever its result is: label and program."""
    attributes = ATTRIBUTES.get(name.removeprefix("stablehlo."), "")
    roles = [parameter.role for parameter in DESCRIPTIONS[name].parameters]
    count = sum(role in OPERAND_ROLES for role in roles)
    for element in TYPES:
        for result in dict.fromkeys((element, "i1", part(ELEMENT_TYPES[element]))):
            yield f"{name} {element}", one_op(name, [element] * count, result, attributes)


def part(element: ElementType) -> str:
    return f"f{element.bits // 2}" if element.is_complex else element.name


def mixed() -> Iterator[tuple[str, str]]:
    """Ops whose operands or results are of several types."""
    for source in TYPES:
        for target in TYPES:
            yield f"convert {source} {target}", one_op("stablehlo.convert", [source], target)
            if ELEMENT_TYPES[source].bits == ELEMENT_TYPES[target].bits:
                name = "stablehlo.bitcast_convert"
                yield f"bitcast {source} {target}", one_op(name, [source], target)
        yield f"select {source}", one_op("stablehlo.select", ["i1", source, source], source)
        for kind in ("FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"):
            for direction in ("NE", "LT"):
                attributes = (
                    f"comparison_direction = #stablehlo<comparison_direction {direction}>,"
                    f" compare_type = #stablehlo<comparison_type {kind}>"
                )
                text = one_op("stablehlo.compare", [source] * 2, "i1", attributes)
                yield f"compare {kind} {direction} {source}", text
    for element in ("f32", "f64"):
        text = one_op("stablehlo.complex", [element] * 2, f"complex<{element}>")
        yield f"complex {element}", text


def without(programs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """Programs whose stages have no kernel; what is no program is passed over."""
    reasons: dict[str, list[str]] = {}
    for label, text in programs:
        try:
            reasons.setdefault(label, []).extend(plain(text))
        except ShloError:
            continue
    assert reasons
    return {label: why for label, why in reasons.items() if why}


@pytest.mark.parametrize("name", elementwise())
def test_ops_of_one_type(name: str) -> None:
    assert without(of_one_type(name)) == {}


def test_ops_of_several_types() -> None:
    assert without(mixed()) == {}


@pytest.mark.parametrize(
    "accuracy", ["mode = HIGHEST", "ulps = 4, mode = TOLERANCE", "ulps = 1, mode = TOLERANCE"]
)
def test_accuracy_that_is_kept_needs_no_other_path(accuracy: str) -> None:
    """What is asked beyond the stated bound is refused where the op is lowered."""
    mode = accuracy.replace("mode = ", "mode = #stablehlo.result_accuracy_mode<") + ">"
    attribute = f"result_accuracy = #stablehlo.result_accuracy<{mode}>"
    text = one_op("stablehlo.exponential", ["f32"], "f32", attribute)
    assert bool(plain(text)) == ("ulps = 1" in accuracy)
