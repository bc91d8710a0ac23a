"""The ``@op`` decorator as refinement rule; expected types follow from the constraints."""

from __future__ import annotations

import pytest
from op_calls import BUILT, argument_list, op_named

from shlo_tools import mlir, ops, program

# (op, declarations before it, arguments, op, types that follow from operands and attributes)
INFERRED: list[tuple[str, str, str, str, list[str]]] = [
    (
        "reduce",
        "",
        "%a: tensor<?x3x5xf32>, %b: tensor<4x?x5xi32>, %x: tensor<f32>, %y: tensor<i32>",
        """"stablehlo.reduce"(%a, %b, %x, %y) ({
        ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
          stablehlo.return %p, %q : tensor<f32>, tensor<i32>
        }) {dimensions = array<i64: 1>} : (tensor<?x3x5xf32>, tensor<4x?x5xi32>, tensor<f32>,
            tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)""",
        ["tensor<4x5xf32>", "tensor<4x5xi32>"],
    ),
    (
        "reduce, nothing known",
        "",
        "%a: tensor<?x3xf32>, %x: tensor<f32>",
        """stablehlo.reduce(%a init: %x) applies stablehlo.add across dimensions = [1]
           : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>""",
        ["tensor<?xf32>"],
    ),
    (
        "gather",
        "",
        "%o: tensor<3x?x2xi32>, %i: tensor<?x6x2xi64>",
        """"stablehlo.gather"(%o, %i) {
          dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [0],
                                                start_index_map = [1, 0], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 4, 2>
        } : (tensor<3x?x2xi32>, tensor<?x6x2xi64>) -> tensor<?x?x?x?xi32>""",
        ["tensor<?x4x6x2xi32>"],  # offset sizes 4, 2 at axes 1, 3; batch sizes ?, 6 at 0, 2
    ),
    (
        "gather, batching",
        "",
        "%o: tensor<7x4x2xf32>, %i: tensor<7x5x1xi64>",
        """"stablehlo.gather"(%o, %i) {
          dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
            operand_batching_dims = [0], start_indices_batching_dims = [0],
            start_index_map = [1], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 1, 2>
        } : (tensor<7x4x2xf32>, tensor<7x5x1xi64>) -> tensor<?x?x?xf32>""",
        ["tensor<7x5x2xf32>"],
    ),
    (
        "custom_call",
        "",
        "%a: tensor<3xf32>",
        "stablehlo.custom_call @foo(%a) : (tensor<3xf32>) -> (tensor<?xf32>, !stablehlo.token)",
        ["tensor<?xf32>", "!stablehlo.token"],
    ),
    (
        "case",
        "",
        "%i: tensor<i32>, %a: tensor<?x4xf32>, %b: tensor<3x?xf32>",
        """"stablehlo.case"(%i) ({ stablehlo.return %a : tensor<?x4xf32> },
          { stablehlo.return %b : tensor<3x?xf32> }) : (tensor<i32>) -> tensor<?x?xf32>""",
        ["tensor<3x4xf32>"],  # (C3): the branches have one type
    ),
    (
        "dot_general",
        "",
        "%a: tensor<?x?x3xi8>, %b: tensor<2x?x5xi8>",
        """stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
           : (tensor<?x?x3xi8>, tensor<2x?x5xi8>) -> tensor<?x?x?xi32>""",
        ["tensor<2x?x5xi32>"],
    ),
    (
        "dot_general, known result",
        "",
        "%a: tensor<?x3xf32>, %b: tensor<3x?xf32>",
        """stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
           : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<6x?xf32>""",
        ["tensor<6x?xf32>"],
    ),
    (
        "pad",
        "",
        "%a: tensor<?x3x0x5xi32>, %v: tensor<i32>",
        """"stablehlo.pad"(%a, %v) {
          edge_padding_low = array<i64: 0, 1, 2, -1>, edge_padding_high = array<i64: 2, 1, 0, -2>,
          interior_padding = array<i64: 1, 2, 9, 3>
        } : (tensor<?x3x0x5xi32>, tensor<i32>) -> tensor<?x?x?x?xi32>""",
        # (C4): 3 + 2*2 + 1 + 1, 0 + 0*9 + 2, 5 + 4*3 - 3
        ["tensor<?x9x2x14xi32>"],
    ),
    (
        "composite",
        """func.func private @impl(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi1>) {
          %c = stablehlo.constant dense<true> : tensor<2xi1>
          return %a, %c : tensor<?xf32>, tensor<2xi1>
        }""",
        "%a: tensor<?xf32>",
        """stablehlo.composite "my.op" %a {decomposition = @impl}
           : (tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi1>)""",
        ["tensor<?xf32>", "tensor<2xi1>"],
    ),
]


@pytest.mark.parametrize(("title", "before", "arguments", "text", "expected"), INFERRED)
def test_inference_from_parsed_ir(
    title: str, before: str, arguments: str, text: str, expected: list[str]
) -> None:
    results = f"%0:{len(expected)} = "
    module = program.load(f"{before} func.func @main({arguments}) {{ {results}{text}\n return }}")
    with mlir.library_context():
        op = op_named(module, title.split(",", maxsplit=1)[0])
        assert [str(type) for type in ops.infer(op)] == expected
        ops.verify(op)


def test_inference_agrees_with_mlir_where_mlir_infers() -> None:
    """The result types that MLIR's own inference gives to static programs."""
    for name in ("gather", "pad", "case", "reduce"):
        types, _, body = BUILT[name]
        text = f"func.func @main({argument_list(types)}) {{{body.rpartition('return')[0]} return }}"
        module = program.load(text)  # MLIR checks the written types against its inference
        with mlir.library_context():
            op = op_named(module, name)
            assert [str(t) for t in ops.infer(op)] == [str(r.type) for r in op.results]
