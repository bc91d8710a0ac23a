"""Sizes known at run time in the reference."""

from __future__ import annotations

import numpy as np
import pytest
from reference_arrays import run, same

from shlo_tools import errors


def test_sizes_are_checked() -> None:
    add = "%0 = stablehlo.add %x, %y : tensor<?xf32>\nreturn %0 : tensor<?xf32>"
    signature = "(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>"
    two, three, one = (np.ones(n, np.float32) for n in (2, 3, 1))
    same(run(add, two, two, signature=signature), two + two)
    for other in (three, one):  # nothing stretches
        with pytest.raises(errors.ExecutionError, match=r"stablehlo\.add"):
            run(add, two, other, signature=signature)
    body = "%0 = stablehlo.abs %x : (tensor<?xf32>) -> tensor<2xf32>\nreturn %0 : tensor<2xf32>"
    with pytest.raises(errors.ExecutionError, match=r"stablehlo\.abs"):
        run(body, three, signature="(%x: tensor<?xf32>) -> tensor<2xf32>")


def test_dynamic_ops_refuse_what_does_not_fit() -> None:
    body = """
      %0 = stablehlo.dynamic_reshape %x, %s :
        (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>"""
    signature = "(%x: tensor<6xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32>"
    x = np.arange(6, dtype=np.float32)
    same(run(body, x, [2, 3], signature=signature), x.reshape(2, 3))
    for shape in ([-1, 3], [2, 2]):
        with pytest.raises(errors.ExecutionError):
            run(body, x, shape, signature=signature)


def test_set_and_get_dimension_size() -> None:
    body = """
      %0 = stablehlo.set_dimension_size %x, %n, dim = 0 :
        (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
      %1 = stablehlo.get_dimension_size %0, dim = 0 :
        (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
      return %1 : tensor<i32>"""
    signature = "(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<i32>"
    x = np.zeros(4, np.float32)
    assert run(body, x, 3, signature=signature) == 3
    with pytest.raises(errors.ExecutionError):
        run(body, x, 5, signature=signature)
