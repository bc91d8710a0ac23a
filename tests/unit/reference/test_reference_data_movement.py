"""Moving data in the reference, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from reference_arrays import same, type_of

from shlo_tools import errors
from shlo_tools.reference import data_movement


def test_broadcast_may_transpose() -> None:
    x = np.array([[1, 2, 3]], np.int64)
    result = data_movement.broadcast_in_dim(x, [2, 1], result_types=type_of("i64", 2, 3, 2))
    same(result, np.broadcast_to(np.array([[1], [2], [3]]), (2, 3, 2)).copy())


PADDINGS = [(0, 0, 0), (2, 1, 1), (-1, 3, 0), (-2, -1, 2), (-3, 0, 1), (1, -4, 3), (-9, 2, 1)]


@pytest.mark.parametrize("size", [0, 1, 4, 7])
@pytest.mark.parametrize(("low", "high", "interior"), PADDINGS)
def test_pad(size: int, low: int, high: int, interior: int) -> None:
    """Elements are spread, then edges are put on or cut off."""
    x = np.arange(1, size + 1)
    spread = [value for i in x for value in (i, *[0] * interior)][
        : max(0, size + (size - 1) * interior)
    ]
    line = [0] * max(low, 0) + spread + [0] * max(high, 0)
    if low + len(spread) + high < 0:
        with pytest.raises(errors.ExecutionError):
            data_movement.pad(x, np.asarray(0), [low], [high], [interior])
        return
    kept = line[max(-low, 0) : len(line) - max(-high, 0)]
    if len(line) < max(-low, 0) + max(-high, 0):
        kept = []
    same(data_movement.pad(x, np.asarray(0), [low], [high], [interior]), np.array(kept, x.dtype))


def test_iota_wraps() -> None:
    result = data_movement.iota(0, result_types=type_of("i4", 20))
    expected = [(i + 8) % 16 - 8 for i in range(20)]
    assert result.astype(int).tolist() == expected
