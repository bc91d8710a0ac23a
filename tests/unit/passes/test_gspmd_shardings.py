"""GSPMD's shardings: which device holds which part, by numpy's own slicing."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools.errors import ShloError
from shlo_tools.passes.normalize.gspmd_shardings import sharding_of

A = np.arange(32).reshape(4, 8)


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("{devices=[2,2]<=[4]}", [[0, 1], [2, 3]]),
        ("{devices=[2,2]<=[2,2]T(1,0)}", [[0, 2], [1, 3]]),
        ("{devices=[2,2]3,1,0,2}", [[3, 1], [0, 2]]),
        ("{devices=[1,4]<=[4]}", [[0, 1, 2, 3]]),
        ('{devices=[2,2]<=[4] metadata={op_name="a"}}', [[0, 1], [2, 3]]),
    ],
)
def test_devices_lie_as_the_text_lists_them(text: str, devices: list[list[int]]) -> None:
    parts = sharding_of(text, 2, 4).tiling().split(A)
    rows, columns = np.shape(devices)
    for (i, j), device in np.ndenumerate(devices):
        expected = np.split(np.split(A, rows, 0)[i], columns, 1)[j]
        np.testing.assert_array_equal(parts[device], expected)


@pytest.mark.parametrize(
    "text",
    [
        "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
        "{devices=[2,1,1,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}",
    ],
)
def test_dimensions_beyond_the_tensors_cut_nothing(text: str) -> None:
    parts = sharding_of(text, 2, 4).tiling().split(A)
    for device, part in enumerate(parts):  # [[0, 2], [1, 3]]: the first row holds the first half
        np.testing.assert_array_equal(part, np.split(A, 2)[device % 2])


def test_what_is_replicated_is_whole() -> None:
    assert sharding_of("{replicated}", 2, 4).tiling().is_whole
    assert sharding_of("{replicated}", 0, 1).tiling().is_whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{manual}",
        "{maximal device=0}",
        "{{replicated}, {replicated}}",
        "{devices=[2,2]<=[4]",
        "{devices=[2,2]<=[2,2]T(0,0)}",
        "{devices=[2,2]<=[8]}",
        "{devices=[2,2]0,1,2,2}",
        "{devices=[2,2]0,1,2}",
        "{devices=[4]<=[4]}",
        "{devices=[2,2,1]<=[4]}",
        "{devices=[0,2]<=[0]}",
        "{devices=[999999999,999999999]<=[999999999,999999999]}",
    ],
)
def test_texts_that_say_no_parts_of_this_array(text: str) -> None:
    with pytest.raises(ShloError):
        sharding_of(text, 2, 4)
