"""What is known of sizes before a program runs, by programs of a few ops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shlo_tools import dims, ir, mlir
from shlo_tools.constraints import Fact
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.shapes import Shapes


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with mlir.library_context():
        yield


def analysed(text: str) -> tuple[list[str], list[str]]:
    """Types of what the first function returns, and what its ops demand and nothing proves."""
    module = mlir.parse_module(text)
    shapes = Shapes()
    types = [str(type) for type in shapes.function(ir.functions(module.operation)[0])]
    facts = [fact for item in shapes.unproven for fact in item.obligation.facts]
    # That sizes are far below 2**63 is checked, too, and not told here.
    return types, [_spelled(fact) for fact in facts if str(1 << 60) not in str(fact)]


def _spelled(fact: Fact) -> str:
    """Equality has no order."""
    sides = [str(fact.a), str(fact.b)]
    return f" {fact.relation} ".join(sorted(sides) if fact.relation == "==" else sides)


def results(text: str) -> list[str]:
    return analysed(text)[0]


def demands(text: str) -> list[str]:
    return analysed(text)[1]


X = "tensor<?xf32>"
SUM = f"""
  func.func @main(%a: {X}, %b: {X}, %c: {X}) -> ({X}, {X}, {X}) {{
    %0 = stablehlo.add %a, %b : {X}
    %1 = stablehlo.abs %b : {X}
    %2 = stablehlo.add %0, %1 : {X}
    %3 = stablehlo.add %2, %b : {X}
    return %1, %3, %c : {X}, {X}, {X}
  }}"""


# --- what ops check is known after them -----------------------------------------------------------
def test_sizes_that_were_checked_are_one() -> None:
    assert results(SUM) == ["tensor<(arg0.0)xf32>", "tensor<(arg0.0)xf32>", "tensor<(arg2.0)xf32>"]
    assert demands(SUM) == ["arg0.0 == arg1.0"]


def test_a_checked_number_is_the_size() -> None:
    text = f"""
      func.func @main(%a: {X}, %b: tensor<6xf32>) -> ({X}, {X}) {{
        %0 = stablehlo.add %a, %b : ({X}, tensor<6xf32>) -> {X}
        %1 = stablehlo.concatenate %a, %a, dim = 0 : ({X}, {X}) -> {X}
        return %0, %1 : {X}, {X}
      }}"""
    assert results(text) == ["tensor<6xf32>", "tensor<12xf32>"]
    assert demands(text) == ["6 == arg0.0"]


def test_checks_that_contradict_each_other_are_an_error() -> None:
    text = f"""
      func.func @main(%a: {X}, %b: tensor<6xf32>, %c: tensor<5xf32>) -> {X} {{
        %0 = stablehlo.add %a, %b : ({X}, tensor<6xf32>) -> {X}
        %1 = stablehlo.add %a, %c : ({X}, tensor<5xf32>) -> {X}
        return %1 : {X}
      }}"""
    with pytest.raises(ConstraintError, match=r"-:4:14.*stablehlo.add.*5"):
        results(text)


def test_values_keep_the_sizes_that_they_had_before_the_check() -> None:
    """What was computed earlier must not rely on a check that comes later."""
    text = f"""
      func.func @main(%a: {X}, %b: {X}) -> ({X}, {X}) {{
        %first = stablehlo.abs %a : {X}
        %0 = stablehlo.abs %b : {X}
        %1 = stablehlo.add %a, %b : {X}
        return %0, %1 : {X}, {X}
      }}"""
    assert results(text) == ["tensor<(arg1.0)xf32>", "tensor<(arg0.0)xf32>"]


def test_what_a_branch_checks_is_known_in_it_only() -> None:
    text = f"""
      func.func @main(%p: tensor<i1>, %a: {X}, %b: {X}) -> ({X}, {X}) {{
        %0 = "stablehlo.if"(%p) ({{
          %s = stablehlo.add %a, %b : {X}
          stablehlo.return %s : {X}
        }}, {{
          stablehlo.return %b : {X}
        }}) : (tensor<i1>) -> {X}
        %1 = stablehlo.abs %b : {X}
        return %0, %1 : {X}, {X}
      }}"""
    # In the first branch the size of %a is that of %b: the results agree on the latter.
    assert results(text) == ["tensor<(arg2.0)xf32>", "tensor<(arg2.0)xf32>"]
    assert demands(text) == ["arg1.0 == arg2.0"]


def test_branches_of_different_sizes_agree_on_nothing() -> None:
    text = """
      func.func @main(%p: tensor<i1>, %a: tensor<?x3xf32>, %b: tensor<?x3xf32>)
          -> tensor<?x?xf32> {
        %0 = "stablehlo.if"(%p) ({
          stablehlo.return %a : tensor<?x3xf32>
        }, {
          stablehlo.return %b : tensor<?x3xf32>
        }) : (tensor<i1>) -> tensor<?x?xf32>
        return %0 : tensor<?x?xf32>
      }"""
    assert results(text) == ["tensor<(if.0)x3xf32>"]


# --- loops ----------------------------------------------------------------------------------------
def _loop(body: str) -> str:
    return f"""
      func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %n: tensor<i32>)
          -> tensor<?x?xf32> {{
        %loose = stablehlo.abs %a : (tensor<?x4xf32>) -> tensor<?x?xf32>
        %0:2 = "stablehlo.while"(%loose, %n) ({{
        ^bb0(%x: tensor<?x?xf32>, %i: tensor<i32>):
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }}, {{
        ^bb0(%x: tensor<?x?xf32>, %i: tensor<i32>):
          {body}
          stablehlo.return %y, %i : tensor<?x?xf32>, tensor<i32>
        }}) : (tensor<?x?xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<i32>)
        return %0#0 : tensor<?x?xf32>
      }}"""


T = "tensor<?x?xf32>"


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (f"%y = stablehlo.negate %x : {T}", "tensor<(arg0.0)x4xf32>"),
        (
            f"%y = stablehlo.concatenate %x, %x, dim = 0 : ({T}, {T}) -> {T}",
            "tensor<(while.0)x4xf32>",
        ),
        (
            f"%y = stablehlo.concatenate %x, %x, dim = 1 : ({T}, {T}) -> {T}",
            "tensor<(arg0.0)x(while.1)xf32>",
        ),
        (f"%y = stablehlo.transpose %x, dims = [1, 0] : ({T}) -> {T}",
         "tensor<(while.0)x(while.1)xf32>"),
        # The body checks that both have one size, and so it stays the same.
        (f"%y = stablehlo.add %b, %x : (tensor<?x4xf32>, {T}) -> {T}", "tensor<(arg0.0)x4xf32>"),
    ],
)  # fmt: skip
def test_loops_keep_what_an_iteration_keeps(body: str, result: str) -> None:
    assert results(_loop(body)) == [result]


def test_what_a_loop_checks_is_not_known_after_it() -> None:
    text = _loop(f"%y = stablehlo.add %b, %x : (tensor<?x4xf32>, {T}) -> {T}").replace(
        f"return %0#0 : {T}\n",
        f"%1 = stablehlo.add %b, %0#0 : (tensor<?x4xf32>, {T}) -> {T}\nreturn %1 : {T}\n",
    )
    assert demands(text) == ["arg0.0 == arg1.0", "arg0.0 == arg1.0"]


# --- the arithmetic of shapes ---------------------------------------------------------------------
I = "tensor<i32>"  # noqa: E741


def _iota(lines: str, size: str = "%s") -> str:
    return f"""
      func.func @main(%x: tensor<?x?xf32>, %k: {I}) -> tensor<?xf32> {{
        %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> {I}
        %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> {I}
        %two = stablehlo.constant dense<2> : {I}
        {lines}
        %v = stablehlo.reshape {size} : ({I}) -> tensor<1xi32>
        %0 = stablehlo.dynamic_iota %v, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }}"""


@pytest.mark.parametrize(
    ("lines", "size"),
    [
        (f"%s = stablehlo.add %n, %two : {I}", "arg0.0 + 2"),
        (f"%s = stablehlo.multiply %n, %m : {I}", "arg0.0 * arg0.1"),
        (f"%s = stablehlo.maximum %n, %m : {I}", "max(arg0.0, arg0.1)"),
        (f"%t = stablehlo.multiply %n, %two : {I} %s = stablehlo.divide %t, %two : {I}", "arg0.0"),
        (
            f"%t = stablehlo.add %n, %two : {I} %s = stablehlo.subtract %t, %n : {I}",
            "2",
        ),
        (
            f"""%g = stablehlo.compare GE, %n, %m : ({I}, {I}) -> tensor<i1>
            %s = stablehlo.select %g, %n, %n : tensor<i1>, {I}""",
            "arg0.0",
        ),
        (
            f"""%z = stablehlo.constant dense<0> : {I}
            %g = stablehlo.compare LT, %n, %z : ({I}, {I}) -> tensor<i1>
            %s = stablehlo.select %g, %two, %n : tensor<i1>, {I}""",
            "arg0.0",
        ),
        (f"%s = stablehlo.clamp %two, %n, %n : {I}", "arg0.0"),
    ],
)
def test_sizes_are_computed(lines: str, size: str) -> None:
    expected = size if size.isdigit() else f"({size})"
    assert results(_iota(lines)) == [f"tensor<{expected}xf32>"]


def test_elements_that_may_be_any_number_wrap_around() -> None:
    """An argument plus 2 may be below it: its sum is a number of its own, and so is its double."""
    assert results(_iota(f"%s = stablehlo.add %k, %two : {I}")) == ["tensor<(add[0])xf32>"]
    # Once something has had that size, it is one, and sums of it are taken for sizes.
    text = _iota(
        f"""%w = stablehlo.reshape %k : ({I}) -> tensor<1xi32>
        %first = stablehlo.dynamic_iota %w, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
        %s = stablehlo.add %k, %two : {I}"""
    )
    assert results(text) == ["tensor<(arg1[0] + 2)xf32>"]


@pytest.mark.parametrize(
    ("type", "op", "values", "expected"),
    [
        ("i32", "add", (2**31 - 1, 3), "tensor<2147483646xi8>"),  # -2**31 + 2, negated
        ("ui8", "subtract", (3, 5), "tensor<254xi8>"),
        ("i8", "multiply", (100, 3), "tensor<44xi8>"),
        ("ui32", "multiply", (2**31, 2), "tensor<0xi8>"),
    ],
)
def test_numbers_wrap_around_as_their_type_has_it(
    type: str, op: str, values: tuple[int, int], expected: str
) -> None:
    negated = "stablehlo.negate" if op == "add" else "stablehlo.abs"
    if type.startswith("ui"):
        negated = "stablehlo.optimization_barrier"
    text = f"""
      func.func @main() -> tensor<?xi8> {{
        %a = stablehlo.constant dense<{values[0]}> : tensor<{type}>
        %b = stablehlo.constant dense<{values[1]}> : tensor<{type}>
        %s = stablehlo.{op} %a, %b : tensor<{type}>
        %t = {negated} %s : tensor<{type}>
        %v = stablehlo.reshape %t : (tensor<{type}>) -> tensor<1x{type}>
        %0 = stablehlo.dynamic_iota %v, dim = 0 : (tensor<1x{type}>) -> tensor<?xi8>
        return %0 : tensor<?xi8>
      }}"""
    assert results(text) == [expected]


@pytest.mark.parametrize("number", [1, -1, 2, 256])
def test_a_number_that_is_not_zero_is_one_as_a_boolean(number: int) -> None:
    text = f"""
      func.func @main() -> tensor<?xi8> {{
        %a = stablehlo.constant dense<{number}> : tensor<1xi32>
        %b = stablehlo.convert %a : (tensor<1xi32>) -> tensor<1xi1>
        %n = stablehlo.convert %b : (tensor<1xi1>) -> tensor<1xi32>
        %three = stablehlo.constant dense<3> : tensor<1xi32>
        %s = stablehlo.add %n, %three : tensor<1xi32>
        %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi8>
        return %0 : tensor<?xi8>
      }}"""
    assert results(text) == ["tensor<4xi8>"]


# --- calls ----------------------------------------------------------------------------------------
def test_calls_are_followed_with_the_sizes_and_elements_that_they_are_given() -> None:
    text = f"""
      func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {{
        %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> {I}
        %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> {I}
        %0 = func.call @f(%n, %m) : ({I}, {I}) -> {I}
        %1 = func.call @g(%0) : ({I}) -> tensor<?xf32>
        %2 = func.call @h(%1) : (tensor<?xf32>) -> tensor<?xf32>
        return %1, %2 : tensor<?xf32>, tensor<?xf32>
      }}
      func.func private @f(%n: {I} {{jax.global_constant = "n"}},
                           %m: {I} {{jax.global_constant = "m"}}) -> {I} {{
        %0 = stablehlo.add %n, %m : {I}
        return %0 : {I}
      }}
      func.func private @g(%n: {I}) -> tensor<?xf32> {{
        %v = stablehlo.reshape %n : ({I}) -> tensor<1xi32>
        %0 = stablehlo.dynamic_iota %v, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }}
      func.func private @h(%x: tensor<?xf32>) -> tensor<?xf32> {{
        %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }}"""
    assert results(text) == [
        "tensor<(arg0.0 + arg0.1)xf32>",
        "tensor<(2 * arg0.0 + 2 * arg0.1)xf32>",
    ]


# --- assertions of exporters ----------------------------------------------------------------------
def _asserted(compare: str, result: str) -> str:
    return f"""
      func.func @main(%x: tensor<?x2xf32>) -> {result} {{
        %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> {I}
        %zero = stablehlo.constant dense<0> : {I}
        %four = stablehlo.constant dense<4> : {I}
        {compare}
        stablehlo.custom_call @shape_assertion(%ok, %n)
          {{error_message = "{{0}}", has_side_effect = true}} : (tensor<i1>, {I}) -> ()
        %q = stablehlo.divide %n, %four : {I}
        %qq = stablehlo.reshape %q : ({I}) -> tensor<1xi32>
        %ff = stablehlo.constant dense<[4, 2]> : tensor<2xi32>
        %s = stablehlo.concatenate %qq, %ff, dim = 0
          : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
        %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x2xf32>, tensor<3xi32>) -> {result}
        return %0 : {result}
      }}"""


def test_an_assertion_of_a_divisor_proves_a_reshape() -> None:
    divisible = f"""%r = stablehlo.remainder %n, %four : {I}
        %ok = stablehlo.compare EQ, %r, %zero : ({I}, {I}) -> tensor<i1>"""
    text = _asserted(divisible, "tensor<?x4x2xf32>")
    assert results(text) == ["tensor<(arg0.0 / 4)x4x2xf32>"]
    assert demands(text) == []


def test_an_assertion_of_a_number_is_the_number() -> None:
    exact = f"%ok = stablehlo.compare EQ, %n, %four : ({I}, {I}) -> tensor<i1>"
    assert results(_asserted(exact, "tensor<?x4x2xf32>")) == ["tensor<1x4x2xf32>"]


def test_without_the_assertion_the_reshape_is_checked() -> None:
    trivial = f"%ok = stablehlo.compare GE, %n, %zero : ({I}, {I}) -> tensor<i1>"
    text = _asserted(trivial, "tensor<?x4x2xf32>")
    assert demands(text) == ["2 * arg0.0 == 8 * (arg0.0 // 4)"]


# --- bounds ---------------------------------------------------------------------------------------
BOUNDED = "tensor<?xf32, #stablehlo.bounds<8>>"


def test_bounds_are_known() -> None:
    """At most 8 elements and 2 more fit 10, and are never 11."""
    text = f"""
      func.func @main(%x: {BOUNDED}, %p: tensor<f32>) -> tensor<?xf32> {{
        %0 = stablehlo.pad %x, %p, low = [2], high = [0], interior = [0]
          : ({BOUNDED}, tensor<f32>) -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }}"""
    module = mlir.parse_module(text)
    (type,) = Shapes().function(ir.functions(module.operation)[0])
    assert isinstance(type, TensorType)
    assert dims.bounds(type.shape[0]) == (2, 10)
    assert dims.equal(type.shape[0], 11) is False


def test_a_slice_beyond_the_bound_is_an_error() -> None:
    text = f"""
      func.func @main(%x: {BOUNDED}) -> tensor<?xf32> {{
        %zero = stablehlo.constant dense<0> : tensor<1xi32>
        %nine = stablehlo.constant dense<9> : tensor<1xi32>
        %one = stablehlo.constant dense<1> : tensor<1xi32>
        %0 = stablehlo.real_dynamic_slice %x, %zero, %nine, %one
          : ({BOUNDED}, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }}"""
    with pytest.raises(ConstraintError, match=r"real_dynamic_slice.*0:9"):
        results(text)
