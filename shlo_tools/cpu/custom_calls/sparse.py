"""``cpu_csr_sparse_dense_ffi``: products of a CSR matrix with a dense vector or matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ExecutionError
from shlo_tools.extend import CustomCall


def csr_times_dense(
    values: Array,
    ends: Array,
    columns: Array,
    dense: Array,
    *,
    result_types: Sequence[TensorType],
) -> Array:
    """Row r of the matrix holds ``values[ends[r]:ends[r + 1]]`` in the columns of those numbers.

    Raises:
        ExecutionError: an index points outside.
    """
    starts, ends = ends[:-1], ends[1:]
    within = np.all((starts >= 0) & (starts <= ends) & (ends <= len(values)))
    if not within or np.any((columns < 0) | (columns >= len(dense))):
        raise ExecutionError("cpu_csr_sparse_dense_ffi: an index leaves the matrix")
    result = np.zeros(result_types[0].static_shape, result_types[0].element_type.dtype)
    filled = np.flatnonzero(starts < ends)  # the rows that hold something, one behind the other
    if len(filled):
        products = (values * dense.T[..., columns]).T[: ends[-1]]
        result[filled] = np.add.reduceat(products, starts[filled], axis=0, dtype=result.dtype)
    return result


TARGETS: dict[str, CustomCall] = {"cpu_csr_sparse_dense_ffi": csr_times_dense}
