"""Functions of several blocks: what is known of sizes across ``cf.br`` and ``cf.cond_br``."""

from __future__ import annotations

import re

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.errors import ConstraintError, ShapeMismatchError
from shlo_tools.pipeline import runner

V = "tensor<?xf32>"

# %given has 3 elements. ^bb2 is reached from two blocks with as many elements, ^bb3 from one; the
# blocks are not in the order in which they run.
MEETING = f"""
  func.func @main(%given: GIVEN, %u: tensor<i1>, %v: tensor<i1>) -> {V} {{
    %p = tensor.extract %u[] : tensor<i1>
    %q = tensor.extract %v[] : tensor<i1>
    %x = stablehlo.abs %given : (GIVEN) -> {V}
    cf.cond_br %p, ^bb2(%x : {V}), ^bb4
  ^bb2(%a: {V}):
    %b = stablehlo.add %a, %x : {V}
    cf.br ^bb5(%b : {V})
  ^bb3(%c: {V}):
    %d = stablehlo.negate %c : {V}
    cf.br ^bb5(%d : {V})
  ^bb5(%e: {V}):
    return %e : {V}
  ^bb4:
    %z = stablehlo.concatenate %x, %x, dim = 0 : ({V}, {V}) -> {V}
    %n = stablehlo.negate %x : {V}
    cf.cond_br %q, ^bb3(%z : {V}), ^bb2(%n : {V})
  }}"""
# The carried value has as many elements as %w, after the first round 3.
LOOP = f"""
  func.func @main(%given: GIVEN, %w: {V}, %n: tensor<i32>) -> {V} {{
    %x = stablehlo.abs %given : (GIVEN) -> {V}
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    cf.br ^bb1(%w, %zero : {V}, tensor<i32>)
  ^bb1(%a: {V}, %i: tensor<i32>):
    %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %more = tensor.extract %less[] : tensor<i1>
    cf.cond_br %more, ^bb2, ^bb3
  ^bb2:
    %s = stablehlo.add %x, %x : {V}
    %next = stablehlo.add %i, %one : tensor<i32>
    cf.br ^bb1(%s, %next : {V}, tensor<i32>)
  ^bb3:
    %r = stablehlo.negate %a : {V}
    return %r : {V}
  }}"""
FAILING = f"""
  func.func @main(%given: GIVEN, %u: tensor<i1>) -> {V} {{
    %p = tensor.extract %u[] : tensor<i1>
    %x = stablehlo.abs %given : (GIVEN) -> {V}
    %one = stablehlo.constant dense<1.0> : tensor<1xf32>
    %z = stablehlo.concatenate %x, %one, dim = 0 : ({V}, tensor<1xf32>) -> {V}
    cf.cond_br %p, ^bb1, ^bb2(%x : {V})
  ^bb1:
    %s = stablehlo.add %x, %z : {V}
    cf.br ^bb2(%s : {V})
  ^bb2(%r: {V}):
    return %r : {V}
  }}"""
RETURNS = f"""
  func.func @main(%given: GIVEN, %u: tensor<i1>) -> ({V}, {V}) {{
    %p = tensor.extract %u[] : tensor<i1>
    %x = stablehlo.abs %given : (GIVEN) -> {V}
    %z = stablehlo.concatenate %x, %x, dim = 0 : ({V}, {V}) -> {V}
    cf.cond_br %p, ^bb1, ^bb2
  ^bb1:
    return %x, %x : {V}, {V}
  ^bb2:
    return %x, %z : {V}, {V}
  }}"""
X = np.array([1, -2, 3], np.float32)


def _refined(text: str) -> str:
    with mlir.library_context():
        module = mlir.parse_module(text.replace("GIVEN", "tensor<3xf32>"))
        runner.run("builtin.module(shlo-refine-shapes)", module)
        return str(module)


def test_arguments_of_blocks_are_what_all_branches_agree_on() -> None:
    refined = _refined(MEETING)
    arguments = re.findall(r"\^bb\d\(%\w+: ([^)]*)\)", refined)
    assert sorted(arguments) == ["tensor<3xf32>", "tensor<6xf32>", "tensor<?xf32>"]
    assert len(re.findall(r"= stablehlo.*\?", refined)) == 0


def test_arguments_of_a_loop_stay_as_they_are_declared() -> None:
    refined = _refined(LOOP)
    assert re.search(r"\^bb1\(%\w+: tensor<\?xf32>", refined)
    assert "stablehlo.add" in refined and refined.count("tensor<3xf32> to tensor<?xf32>") == 1


def test_results_are_what_all_returns_agree_on() -> None:
    refined = _refined(RETURNS)
    assert "-> (tensor<3xf32>, tensor<?xf32>) {" in refined
    assert len(re.findall(r"return %\w+, %\w+ : tensor<3xf32>, tensor<\?xf32>", refined)) == 2


def test_a_function_that_others_call_stays_as_it_is() -> None:
    caller = f"""
      func.func @caller(%x: tensor<3xf32>, %p: tensor<i1>) -> {V} {{
        %y = stablehlo.abs %x : (tensor<3xf32>) -> {V}
        %0 = func.call @main(%y, %p, %p) : ({V}, tensor<i1>, tensor<i1>) -> {V}
        return %0 : {V}
      }}"""
    text = MEETING.replace("GIVEN", V)
    refined = _refined(f"{text}{caller}")
    assert "call @main(%cast, %arg1, %arg1) : (tensor<?xf32>, " in refined


def _summing(text: str, inputs: str, name: str) -> str:
    """With the sum of the result for a result: those of unknown size have to be in one block."""
    total = f"""%f = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce({name} init: %f) applies stablehlo.add across dimensions = [0]
        : ({V}, tensor<f32>) -> tensor<f32>
      return %sum : tensor<f32>"""
    plain = text.replace("GIVEN", inputs).replace(f"-> {V} {{", "-> tensor<f32> {")
    return plain.replace(f"return {name} : {V}", total)


@pytest.mark.parametrize("inputs", [V, "tensor<3xf32>"])
def test_compiled(inputs: str) -> None:
    exe = shlo_tools.compile(_summing(MEETING, inputs, "%e"))
    yes, no = np.bool_(True), np.bool_(False)
    assert exe(X, yes, no) == 12  # twice 1, 2, 3
    assert exe(X, no, no) == 0
    assert exe(X, no, yes) == -12


@pytest.mark.parametrize("inputs", [V, "tensor<3xf32>"])
def test_a_block_that_fails_may_not_run(inputs: str) -> None:
    exe = shlo_tools.compile(_summing(FAILING, inputs, "%r"))
    assert exe(X, np.bool_(False)) == 6
    with pytest.raises(ShapeMismatchError, match="operands differ in type"):
        exe(X, np.bool_(True))


def test_the_first_block_always_runs() -> None:
    text = FAILING.replace("cf.cond_br", f"%bad = stablehlo.add %x, %z : {V}\ncf.cond_br")
    with pytest.raises(ConstraintError, match="operands differ in type"):
        shlo_tools.compile(text.replace("GIVEN", V))
