"""Code for the sizes that a program is called with."""

import threading

import numpy as np
import pytest
from running import child

import shlo_tools
from shlo_tools import mlir
from shlo_tools.cpu.specialized import SpecializedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.errors import (
    ArgumentError,
    ExecutionTimeout,
    ParseError,
    ShapeMismatchError,
    ShloError,
)

ADD = """func.func @main(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %b : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}"""


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def specialized(
    source: str, specialize: bool | int = True, **options: str
) -> SpecializedExecutable:
    result = shlo_tools.compile(source, specialize=specialize, **options)
    assert isinstance(result, SpecializedExecutable)
    return result


def test_each_set_of_shapes_has_code_of_its_own() -> None:
    add = specialized(ADD)
    assert str(add.signature) == "(tensor<?x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>)"
    assert add.shapes == []
    for rows in (2, 5, 0, 2):
        np.testing.assert_array_equal(add(ones(rows, 3), ones(rows, 3)), 2 * ones(rows, 3))
    assert [shapes[0][0] for shapes in add.shapes] == [5, 0, 2]


def test_what_was_not_called_for_longest_goes_first() -> None:
    add = specialized(ADD, 2)
    for rows in (1, 2, 1, 3):
        add(ones(rows, 3), ones(rows, 3))
    assert [shapes[0][0] for shapes in add.shapes] == [1, 3]


def test_sizes_that_do_not_fit_are_refused_as_without() -> None:
    calls = [(ones(2, 3), ones(4, 3)), (ones(1, 3), ones(2, 3))]
    messages = []
    for add in (shlo_tools.compile(ADD), specialized(ADD)):
        for call in calls:
            with pytest.raises(ShapeMismatchError) as raised:
                add(*call)
            messages.append(str(raised.value))
        assert add(ones(2, 3), ones(2, 3)).shape == (2, 3)
    assert messages[:2] == messages[2:]
    assert "2" in messages[0] and "4" in messages[0]


def test_arguments_are_checked_before_anything_is_compiled() -> None:
    add = specialized(ADD)
    with pytest.raises(ArgumentError, match="takes 2 arguments, 1 given"):
        add(ones(2, 3))
    with pytest.raises(ArgumentError):
        add(ones(2, 4), ones(2, 4))
    assert add.shapes == []


def test_any_function_can_be_chosen() -> None:
    source = """
    func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
    func.func @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
      %0 = func.call @sum(%a, %a) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    func.func private @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.add %a, %b : tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    twice = specialized(source, function="twice")
    np.testing.assert_array_equal(twice(ones(4)), 2 * ones(4))


def test_quantized_and_bounded_arguments() -> None:
    quantized = "tensor<?x!quant.uniform<i8:f32, 0.5>>"
    double = specialized(f"""func.func @main(%a: {quantized}) -> {quantized} {{
      %0 = stablehlo.add %a, %a : {quantized}
      return %0 : {quantized} }}""")
    np.testing.assert_array_equal(double(np.array([3, -5], np.int8)), np.array([6, -10], np.int8))
    bounded = "tensor<?xf32, #stablehlo.bounds<3>>"
    same = specialized(f"func.func @main(%a: {bounded}) -> {bounded} {{ return %a : {bounded} }}")
    assert same(ones(3)).shape == (3,)
    with pytest.raises(ArgumentError):
        same(ones(4))


def test_threads_share_what_is_made() -> None:
    add = specialized(ADD)
    wrong: list[int] = []

    def call(rows: int) -> None:
        for _ in range(20):
            if not (add(ones(rows, 3), ones(rows, 3)) == 2).all():
                wrong.append(rows)

    threads = [threading.Thread(target=call, args=(1 + n % 3,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(add.shapes) == 3


def test_a_call_waits_no_longer_than_it_may() -> None:
    """For a thread that compiles something else."""
    compiles, done = threading.Event(), threading.Event()

    def occupy() -> None:
        with mlir.library_context():
            compiles.set()
            done.wait()

    add = specialized(ADD)
    other = threading.Thread(target=occupy)
    other.start()
    compiles.wait()
    with pytest.raises(ExecutionTimeout):
        add(ones(2, 3), ones(2, 3), timeout=0.05)
    done.set()
    other.join()
    assert (add(ones(2, 3), ones(2, 3), timeout=10) == 2).all()


def test_sizes_that_are_called_with_keep_their_tables() -> None:
    add = shlo_tools.compile(ADD)
    assert isinstance(add, SizedExecutable)
    add(ones(1, 3), ones(1, 3))
    often = add.latest
    for rows in range(2, 40):
        add(ones(rows, 3), ones(rows, 3))
        add(ones(1, 3), ones(1, 3))
        assert add.latest is often


def test_a_fork_while_another_thread_makes_code() -> None:
    done = child(f"""
        import os, threading
        import numpy as np
        import shlo_tools
        ADD = {ADD!r}
        def call(add, rows):
            one = np.ones((rows, 3), np.float32)
            return int(add(one, one).sum())
        for options in (dict(specialize=True), dict()):
            add = shlo_tools.compile(ADD, **options)
            thread = threading.Thread(target=lambda: [call(add, n) for n in range(3, 60)])
            thread.start()
            for rows in range(60, 80):
                child = os.fork()
                if child == 0:
                    os._exit(call(add, rows) - 6 * rows)
                assert os.waitpid(child, 0)[1] == 0
            thread.join()
        print("done")
    """)
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_errors_at_compile_time() -> None:
    with pytest.raises(ParseError):
        specialized("func.func @main(")
    with pytest.raises(ShloError, match="there is no function @other"):
        specialized(ADD, function="other")
    with pytest.raises(ShloError, match="specialize=-1"):
        specialized(ADD, -1)


def test_sizes_are_not_checked_where_that_is_turned_off() -> None:
    """Only what fits is called here: the rest may do anything."""
    lowered = shlo_tools.load(ADD)
    shlo_tools.Pipeline("builtin.module(shlo-to-linalg,shlo-remove-size-checks)").run(lowered)
    assert "shlo.check" not in str(lowered)
    for specialize in (False, True):
        add = shlo_tools.compile(ADD, check_sizes=False, specialize=specialize)
        np.testing.assert_array_equal(add(ones(2, 3), ones(2, 3)), 2 * ones(2, 3))
