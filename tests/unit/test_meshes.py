"""Meshes and shardings: which process holds which part, by numpy's own slicing."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools import sharding
from shlo_tools.errors import ShloError

MESHES = {
    "mesh": sharding.mesh_of('<["x"=2, "y"=4]>'),
    "turned": sharding.mesh_of('<["x"=4], device_ids=[3, 1, 0, 2]>'),
}
A = np.arange(64).reshape(8, 8)


def test_parts_lie_along_axes_major_ones_first() -> None:
    parts = sharding.sharding_of('<@mesh, [{"y", "x"}, {?}p1]>', MESHES).tiling().split(A)
    for process, part in enumerate(parts):
        x, y = divmod(process, 4)
        np.testing.assert_array_equal(part, A[2 * y + x : 2 * y + x + 1])


def test_parts_of_axes_have_strides() -> None:
    major = sharding.sharding_of('#sdy.sharding<@mesh, [{"y":(1)2}, {"y":(2)2}]>', MESHES).tiling()
    for process, part in enumerate(major.split(A)):
        row, column = divmod(process % 4, 2)
        np.testing.assert_array_equal(part, A[4 * row :, 4 * column :][:4, :4])


def test_devices_have_an_order() -> None:
    tiling = sharding.sharding_of('<@turned, [{"x"}]>', MESHES).tiling()
    assert [part.tolist() for part in tiling.split(np.arange(4))] == [[2], [1], [3], [0]]
    assert tiling.groups(0) == [[3, 1, 0, 2]]


@pytest.mark.parametrize(
    "spelled",
    [
        "[{}, {}]",
        '[{"x"}, {"y"}]',
        '[{}, {"y", "x"}]',
        '[{"y":(2)2}, {"x", "y":(1)2}]',
        '[{"x", ?}, {}], replicated={"y"}',
    ],
)
def test_what_is_split_is_joined(spelled: str) -> None:
    cut = sharding.sharding_of(f"<@mesh, {spelled}>", MESHES)
    tiling = cut.tiling()
    parts = tiling.split(A)
    np.testing.assert_array_equal(tiling.join(parts), A)
    assert sharding.sharding_of(str(cut), {}) == cut
    for dimension in range(2):
        groups = tiling.groups(dimension)
        assert sorted(process for group in groups for process in group) == list(range(8))
        for group in groups:
            stripe = np.concatenate([parts[process] for process in group], dimension)
            assert stripe.shape[dimension] == 8


def test_cutting_along_some_axes_alone() -> None:
    cut = sharding.sharding_of('<@mesh, [{"x", "y"}, {}]>', MESHES)
    assert cut.along(["y"]).tiling().counts == (4, 1)
    assert cut.along([]).tiling().is_whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<@mesh, [{"z"}]>', "no axis 'z'"),
        ("<@other, []>", "no mesh @other"),
        ('<@mesh, [{"x"}', "malformed"),
        ('<@mesh, [{"y":(3)2}]>', "malformed"),
        ("<@mesh, []> and more", "malformed"),
        ('<@mesh, [], unreduced={"x"}>', "unreduced axes"),
    ],
)
def test_what_is_no_sharding_is_refused(text: str, message: str) -> None:
    with pytest.raises(ShloError, match=message):
        sharding.sharding_of(text, MESHES)


def test_arrays_that_have_no_equal_parts_are_refused() -> None:
    tiling = sharding.sharding_of('<@mesh, [{"y"}]>', MESHES).tiling()
    with pytest.raises(ShloError, match="dimension 0 of size 6 is not cut into 4 equal parts"):
        tiling.split(np.arange(6))
    with pytest.raises(ShloError, match="1 dimensions for an array of 2"):
        tiling.split(A)
    with pytest.raises(ShloError, match="3 parts of an array are missing"):
        tiling.join([np.zeros(1), *[None] * 7])
    with pytest.raises(ShloError, match="more than once"):
        sharding.sharding_of('<@mesh, [{"x"}, {"x"}]>', MESHES).tiling()
    for text in ("<[x=2]>", '<["x"=0]>', '<["x"=2], device_ids=[0]>', '<["x"=1, "x"=2]>'):
        with pytest.raises(ShloError, match="malformed"):
            sharding.mesh_of(text)
