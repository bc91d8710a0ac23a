"""Batches whose matrices are all the same are more rows of one product.

Before, as exporters of PyTorch write a linear layer of a batch:
    %1 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<128x384xf32>) -> ...
    %2 = stablehlo.dot_general %x, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<32x2x128xf32>, tensor<32x128x384xf32>) -> tensor<32x2x384xf32>
After:
    %2 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
        : (tensor<32x2x128xf32>, tensor<128x384xf32>) -> tensor<32x2x384xf32>

A matrix that is packed once is multiplied by 64 rows then, not 32 times by two.
"""

from __future__ import annotations

from shlo_tools import dtypes, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.simplify.values import origin, without_dims

_NUMBERS = "dot_dimension_numbers"


def as_rows(op: Operation, build: Build) -> list[Value] | None:
    """A product without the batch dimensions along which its second factor is the same.

    None where there are none. The first factor has them as rows, and the result in another order.
    """
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes[_NUMBERS])
    batches = [numbers.get(f"{side}_batching_dimensions", []) for side in ("lhs", "rhs")]
    if not batches[0] or not all(
        mlir.is_static_tensor(v.type) for v in (*op.operands, *op.results)
    ):
        return None
    lhs, rhs = op.operands
    types = [dtypes.tensor_type(value.type) for value in (lhs, rhs)]
    matrix, dims = origin(rhs)
    repeated = {
        number
        for number, d in enumerate(batches[1])
        if d not in dims and types[1].static_shape[d] != 1
    }
    if not repeated:
        return None
    kept = [d for d in range(types[1].rank) if d not in {batches[1][n] for n in repeated}]
    factor = without_dims(build, rhs, kept, matrix, dims)
    staying = [n for n in range(len(batches[0])) if n not in repeated]
    summed = [numbers.get(f"{side}_contracting_dimensions", []) for side in ("lhs", "rhs")]
    changed = {
        "lhs_batching_dimensions": [batches[0][n] for n in staying],
        "rhs_batching_dimensions": [kept.index(batches[1][n]) for n in staying],
        "lhs_contracting_dimensions": summed[0],
        "rhs_contracting_dimensions": [kept.index(d) for d in summed[1]],
    }
    # Dimensions of results, old and new, by those of the first factor; the second one's follow.
    free = [d for d in range(types[0].rank) if d not in (*batches[0], *summed[0])]
    before = [*batches[0], *free]
    after = [batches[0][n] for n in staying]
    after += [d for d in range(types[0].rank) if d not in (*after, *summed[0])]
    result = dtypes.tensor_type(op.results[0].type)
    columns = list(range(len(before), result.rank))
    order = [*(before.index(d) for d in after), *columns]
    attributes = {**dict(op.attributes.items()), _NUMBERS: DOT_DIMENSION_NUMBERS.encode(changed)}
    type = result.with_shape([result.static_shape[d] for d in order]).mlir()
    product = build.value("stablehlo.dot_general", (lhs, factor), type, attributes)
    if order == sorted(order):
        return [product]
    back = {"permutation": mlir.i64_array_attr([order.index(d) for d in range(result.rank)])}
    return [build.value("stablehlo.transpose", (product,), op.results[0].type, back)]
