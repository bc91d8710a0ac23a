"""Deprecated ops of the reference, against numpy."""

from __future__ import annotations

import numpy as np
from reference_arrays import same, type_of

from shlo_tools.reference import deprecated


def test_einsum_with_repeated_and_summed_indices() -> None:
    x = np.arange(18).reshape(2, 3, 3)
    y = np.arange(6).reshape(2, 3)
    result = deprecated.einsum(x, y, "bii,bi->b", result_types=type_of("i64", 2))
    same(result, np.array([sum(int(x[b, i, i] * y[b, i]) for i in range(3)) for b in range(2)]))
    total = deprecated.unary_einsum(y, "bi->i", result_types=type_of("i64", 3))
    same(total, y.sum(axis=0))


def test_torch_index_select_clamps() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    index = np.array([[0, 9], [-1, 1]])
    result = deprecated.torch_index_select(x, index, 1, 1)
    same(result, np.stack([x[0][[0, 2]], x[1][[0, 1]]]))
