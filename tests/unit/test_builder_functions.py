"""Functions of a module being built: annotated arguments, attributes, declarations, places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import dtypes, mlir, ops, program
from shlo_tools.builder import Module, attribute, attributes, operation
from shlo_tools.errors import ConstraintError, ShloError
from shlo_tools.ops import Tensor
from shlo_tools.types import OtherType

THIRD = dtypes.parse_tensor_type("?x3xf32")


def same(module: Module, text: str) -> bool:
    """Whether a module is what ``text`` says, up to names of values."""
    return str(module) == str(program.load(text))


# --- annotations ----------------------------------------------------------------------------------
# Annotations of this file are kept as source text; those of code that ``exec`` runs are not.
EAGER = """
from shlo_tools import ops

@module.func
def main(x: "4x8xf32", bias: "tensor<8xf32>", t: "!stablehlo.token", n: ("i32", {"a.b": True})):
    return ops.tanh(x), n
"""


def test_arguments_are_annotated_with_types() -> None:
    expected = """
        func.func @main(%x: tensor<4x8xf32>, %bias: tensor<8xf32>, %t: !stablehlo.token,
                        %n: tensor<i32> {a.b = true}) -> (tensor<4x8xf32>, tensor<i32>) {
          %0 = stablehlo.tanh %x : tensor<4x8xf32>
          return %0, %n : tensor<4x8xf32>, tensor<i32>
        }"""
    eager = Module()
    exec(compile(EAGER, "eager.py", "exec", dont_inherit=True), {"module": eager})
    assert same(eager, expected)
    postponed = Module()
    exec(compile(EAGER, "postponed.py", "exec"), {"module": postponed})
    assert same(postponed, expected)


def test_annotations_may_be_names_of_types() -> None:
    module = Module()

    @module.func
    def main(x: THIRD) -> Any:  # type: ignore[valid-type]
        return x

    assert [str(type) for type in main.input_types or ()] == ["tensor<?x3xf32>"]


def test_types_of_the_decorator_go_before_annotations() -> None:
    module = Module()

    @module.func("2xi8")
    def main(x: Tensor) -> Tensor:
        return x

    assert str((main.input_types or ())[0]) == "tensor<2xi8>"


@pytest.mark.parametrize("annotation", ["Tensor", "Any", "int", "Nowhere", "list[int]"])
def test_an_argument_without_a_type_is_refused(annotation: str) -> None:
    names: dict[str, Any] = {"Tensor": Tensor, "Any": Any}
    exec(f"from __future__ import annotations\ndef main(x: {annotation}): return x", names)
    with pytest.raises(ShloError, match="@main: parameter 'x' has no type"):
        Module().func(names["main"])


def test_an_annotation_that_is_no_type_is_explained() -> None:
    module = Module()
    with pytest.raises(ShloError, match=r"parameter 'x': element type f33 is not supported"):

        @module.func
        def main(x: "4xf33") -> Any:  # type: ignore[valid-type,syntax]  # noqa: F722
            return x


def test_regions_take_what_they_are_annotated_with() -> None:
    """A reduction of bf16 accumulates in f32, as the specification allows (C6)."""
    module = Module()

    def body(a: "f32", b: "f32") -> Any:  # type: ignore[name-defined]  # noqa: F821,UP037
        return a + b

    module.func("4xbf16", name="main")(lambda x: ops.reduce([x], [0.0], [0], body))
    assert "-> tensor<f32>" in str(module)
    total = shlo_tools.run(module, np.arange(4).astype(dtypes.element_type("bf16").dtype))
    assert (total, total.dtype) == (6, np.float32)


def test_regions_are_not_annotated_otherwise_than_their_op_says() -> None:
    def body(a: "i32", b: "i32") -> Any:  # type: ignore[name-defined]  # noqa: F821,UP037
        return a + b

    with pytest.raises(ConstraintError, match="C6"):
        Module().func("4xf32", name="main")(lambda x: ops.reduce([x], [0.0], [0], body))


# --- attributes -----------------------------------------------------------------------------------
def test_modules_functions_arguments_and_results_have_attributes() -> None:
    module = Module("jit_f", {"mhlo.num_partitions": np.int32(2)})
    build = module.func(
        "4xf32",
        "4xf32",
        name="main",
        arg_attrs={1: {"jax.buffer_donor": True}},
        result_attrs=[{"jax.result_info": "x"}],
        attributes={"some.numbers": [1, 2.5, "three"], "no_inline": attribute("unit")},
    )
    build(lambda x, y: (y, x))
    assert same(
        module,
        """module @jit_f attributes {mhlo.num_partitions = 2 : i32} {
             func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32> {jax.buffer_donor = true})
                 -> (tensor<4xf32> {jax.result_info = "x"}, tensor<4xf32>)
                 attributes {some.numbers = [1, 2.5 : f64, "three"], no_inline} {
               return %y, %x : tensor<4xf32>, tensor<4xf32>
             }
           }""",
    )


def test_ops_and_calls_have_attributes_within_a_block() -> None:
    module = Module()
    inner = module.func("f32", name="_inner")(lambda x: x)

    @module.func("f32")
    def main(x: Tensor) -> Any:
        with attributes({"some.name": "outer"}), attributes({"some.more": {"n": 1}}):
            y = inner(ops.tanh(x))
            (z,) = ops.if_(ops.is_finite(y), lambda: ops.negate(y), lambda: y)
        return ops.abs(z)

    lines = str(module).splitlines()
    with_both = [line for line in lines if 'some.more = {n = 1 : i64}, some.name = "outer"' in line]
    assert len(with_both) == 4  # tanh, call, is_finite, if
    assert not any("negate" in line or "abs" in line for line in with_both)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"arg_attrs": [{}, {"a.b": 1}]}, "1 arguments or results"),
        ({"arg_attrs": {-1: {"a.b": 1}}}, "1 arguments or results"),
        ({"result_attrs": [{"a.b": 1}, {"a.b": 1}]}, "1 of what res_attrs has 2"),
        ({"arg_attrs": [{"a.b": object()}]}, "a.b: .*cannot be written as an attribute"),
        ({"attributes": {"": 1}}, "no name"),
        ({"attributes": [1]}, "are a dictionary"),
    ],
)
def test_wrong_attributes_are_refused(options: Any, reason: str) -> None:
    module = Module()
    with pytest.raises(ShloError, match=reason):
        module.func("f32", name="main", **options)(lambda x: x)
    assert same(module, "module {}")


@pytest.mark.parametrize(
    "text", ["", " ", "#nothing", "1 :", "dense<", "1 2", "\0", "\ud800", '"\n"']
)
def test_attributes_that_mlir_does_not_read_are_refused(text: str) -> None:
    """Its parser does not even survive an empty text."""
    with pytest.raises(ShloError, match="is no attribute"):
        attribute(text)


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: Module("\ud800"), "no name of a module"),
        (lambda: Module(attributes={"a.b": "\ud800"}), "no text"),
        (lambda: Module(attributes={"\ud800": 1}), "no name"),
        (lambda: Module(attributes={"a.b": 1 << 70}), "71 bits"),
        (lambda: Module(attributes={"a.b": CYCLE}), "nested more than 100 deep"),
        (lambda: Module().func(name="\ud800")(lambda: None), "no name of a function"),
        (lambda: Module().func(name="m")(lambda: operation("\ud800")), "no name of an op"),
        (lambda: Module().func(name="m")(lambda: operation("func.return")), "ends its block"),
        (lambda: Module().func(OtherType("!no.type"), name="m")(lambda x: x), "is no type"),
    ],
)
def test_what_mlir_cannot_hold_is_refused(build: Any, reason: str) -> None:
    with pytest.raises(ShloError, match=reason):
        build()


def test_what_is_nested_too_deep_is_refused() -> None:
    for build in (attribute, lambda text: Module().func(text, name="main")(lambda x: x)):
        with pytest.raises(ShloError):
            build("[" * 100_000 + "]" * 100_000)
        with pytest.raises(ShloError):
            build("tuple<" * 100_000 + ">" * 100_000)


# --- declarations ---------------------------------------------------------------------------------
def test_functions_are_called_before_they_are_defined() -> None:
    module = Module()
    later = module.declare("later", ["f32"], ["f32"])
    module.func("f32", name="main")(lambda x: later(x))
    module.func("f32", name="later", private=True)(lambda x: -x)
    assert same(
        module,
        """func.func @main(%x: tensor<f32>) -> tensor<f32> {
             %0 = call @later(%x) : (tensor<f32>) -> tensor<f32>
             return %0 : tensor<f32>
           }
           func.func private @later(%x: tensor<f32>) -> tensor<f32> {
             %0 = stablehlo.negate %x : tensor<f32>
             return %0 : tensor<f32>
           }""",
    )


def test_a_definition_is_of_the_types_declared() -> None:
    module = Module()
    module.declare("later", ["f32"], ["f32"])
    before = str(module)
    with pytest.raises(ShloError, match="was declared with"):
        module.func("2xf32", name="later")(lambda x: x)
    with pytest.raises(ShloError, match="was declared with"):
        module.func("f32", name="later")(lambda x: (x, x))
    assert str(module) == before


def test_what_is_defined_is_not_declared() -> None:
    module = Module()
    module.func(name="main")(lambda: None)
    with pytest.raises(ShloError, match="@main is defined already"):
        module.declare("main")


# --- ops of any dialect ---------------------------------------------------------------------------
def test_ops_of_other_dialects() -> None:
    """Sizes by the shape dialect, of arrays whose sizes are not known."""
    module = Module()

    @module.func("?x3xf32", "f32")
    def main(x: Tensor, y: Tensor) -> Any:
        size = operation("shape.shape_of", [x], ["2xindex"])
        return x + ops.dynamic_broadcast_in_dim(y, size, (), result_type="?x3xf32")

    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(shlo_tools.run(module, x, np.float32(2)), x + 2)


def test_results_and_regions_of_ones_own() -> None:
    module = Module()

    def body(a: "f32", b: "f32") -> Any:  # type: ignore[name-defined]  # noqa: F821,UP037
        return a * b

    @module.func("4xf32")
    def main(x: Tensor) -> Any:
        return operation(
            "stablehlo.reduce",
            [x, np.float32(1)],
            ["f32"],
            {"dimensions": attribute("array<i64: 0>")},
            regions=[body],
        )

    assert shlo_tools.run(module, np.array([1, 2, 3, 4], np.float32)) == 24


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda x: operation("stablehlo.nothing", [x]), "no op 'stablehlo.nothing'"),
        (lambda x: operation("shape.shape_of", [x], ["2xf33"]), "f33"),
        (lambda x: operation("stablehlo.add", [x, x], ["3xf32"]), "stablehlo.add"),
        (lambda x: operation("stablehlo.transpose", [x], ["2xf32"]), "permutation"),
        (
            lambda x: operation(  # MLIR's rule divides by the size of the groups
                "stablehlo.all_to_all",
                [x],
                ["2xf32"],
                {
                    "split_dimension": 0,
                    "concat_dimension": 0,
                    "split_count": 0,
                    "replica_groups": np.zeros((0, 0), np.int64),
                },
            ),
            "stablehlo.all_to_all",
        ),
        (
            lambda x: operation(  # and this takes a dimension for a position
                "chlo.broadcast_add",
                [x, np.float32(1)],
                ["2xf32"],
                {"broadcast_dimensions": attribute("array<i64: -1>")},
            ),
            "are negative",
        ),
        (lambda x: operation("scf.if", [True], regions=[None], terminators=[]), "0 terminators"),
    ],
)
def test_wrong_ops_are_refused(build: Any, reason: str) -> None:
    module = Module()
    with pytest.raises(ShloError, match=reason):
        module.func("2xf32", name="main")(build)
    assert same(module, "module {}")


def test_globals_stand_beside_functions() -> None:
    module = Module()
    module.operation(
        "memref.global",
        {"sym_name": "g", "type": attribute("memref<2xf32>"), "sym_visibility": "private"},
    )
    assert same(module, 'module {\n memref.global "private" @g : memref<2xf32>\n}')


# --- places ---------------------------------------------------------------------------------------
SPREAD = """\
from shlo_tools import ops

@module.func
def main(x: "4xf32"):
    y = ops.sine(x)
    z = y + 1.0

    def body(a, b):
        return ops.maximum(
            a, b)
    (w,) = ops.reduce([z[1:]], [0.0], [0], body)
    return w
"""


def test_each_op_has_the_line_that_asked_for_it() -> None:
    module = Module()
    exec(compile(SPREAD, "spread.py", "exec"), {"module": module})
    with mlir.library_context():
        ops_of = mlir.walk(module.module.operation)
        places = {op.name: mlir.place_of(op.location) for op in ops_of if "hlo." in op.name}
    lines = {name: (place.file, place.line) for name, place in places.items() if place}
    assert {Path(file).name for file, _ in lines.values()} == {"spread.py"}
    expected = {"sine": 5, "add": 6, "broadcast_in_dim": 6, "maximum": 9, "slice": 11, "reduce": 11}
    assert {name: lines[f"stablehlo.{name}"][1] for name in expected} == expected


def test_errors_name_the_line_and_the_label() -> None:
    text = "from shlo_tools import ops\n\n\ndef main(x):\n    return ops.transpose(x, (0, 2))\n"
    names: dict[str, Any] = {}
    exec(compile(text, "wrong.py", "exec"), names)
    with pytest.raises(ConstraintError, match=r"wrong.py:5.*stablehlo.transpose: \(C2\)"):
        Module().func("2x3xf32")(names["main"])


def test_lists_are_constants() -> None:
    """Of the element type of the op's tensor, exactly, and of their own shape."""
    module = Module()
    module.func("2x2xbf16", name="main")(lambda x: ops.add(x, [[1, 2], [3, 4.5]]))
    assert "dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.500000e+00]]>" in str(module)
    for wrong in ([1.5, 2], [[1], [2, 3]], ["a", "b"], [300, 1]):
        with pytest.raises(ShloError):
            Module().func("2xi8", name="main")(lambda x, wrong=wrong: x + wrong)


def test_an_attribute_with_a_default_is_left_out_by_none() -> None:
    """The op says nothing of it; rules see the default."""
    module = Module()
    build = module.func("4xf32", name="main")
    build(lambda x: ops.sort([x], is_stable=None, comparator=lambda a, b: a < b))
    assert "is_stable" not in str(module)
