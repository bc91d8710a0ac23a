"""Sizes and shapes as arguments and results of a program: integers on the host."""

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ExecutionError, UnsupportedError

TEXT = """
func.func @main(%n: index, %s: !shape.shape, %x: tensor<?xf32>)
    -> (!shape.size, index, !shape.shape, tensor<?xindex>, i1) {
  %size = shape.num_elements %s : !shape.shape -> !shape.size
  %more = arith.addi %n, %n : index
  %own = shape.shape_of %x : tensor<?xf32> -> !shape.shape
  %both = shape.broadcast %s, %own : !shape.shape, !shape.shape -> !shape.shape
  %extents = shape.to_extent_tensor %both : !shape.shape -> tensor<?xindex>
  %fits = shape.is_broadcastable %s, %own : !shape.shape, !shape.shape
  return %size, %more, %both, %extents, %fits
    : !shape.size, index, !shape.shape, tensor<?xindex>, i1
}"""


@pytest.mark.parametrize("options", [{}, {"specialize": True}, {"backend": "reference"}])
def test_sizes_are_integers_on_the_host(options: dict[str, object]) -> None:
    executable = shlo_tools.compile(TEXT, **options)  # type: ignore[arg-type]
    for shape, length in (([3, 1], 4), ([4], 4), ([], 2), ([5, 0, 1], 1)):
        inputs = np.array(shape, np.int64)
        size, more, both, extents, fits = executable(
            np.int64(7), inputs, np.zeros(length, np.float32)
        )
        assert (int(size), int(more), bool(fits)) == (np.prod(shape, dtype=int), 14, True)
        expected = np.broadcast_shapes(tuple(shape), (length,))
        assert tuple(both) == tuple(extents) == expected
    with pytest.raises(ExecutionError, match="required broadcastable shapes"):
        executable(np.int64(7), np.array([3]), np.zeros(2, np.float32))


def test_without_the_dialect_arguments_are_tensors() -> None:
    with pytest.raises(UnsupportedError, match="takes or returns index; tensors are supported"):
        shlo_tools.compile("func.func @main(%i: index) -> index { return %i : index }")
