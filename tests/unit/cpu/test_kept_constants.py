"""What is made of constants alone is made once, and is what each call would make of them."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import compile, load_executable
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.preparation import Preparation
from shlo_tools.errors import ExecutionTimeout

_PACKING = ("_pack_", "_rest_")  # in names of jobs


def type_of(array: Any) -> str:
    sizes = "".join(f"{size}x" for size in array.shape)
    kind = {"float32": "f32", "float64": "f64", "float16": "f16", "complex64": "complex<f32>"}
    return f"tensor<{sizes}{kind[array.dtype.name]}>"


def program(body: str, result: str, constants: dict[str, Any], inputs: dict[str, Any]) -> str:
    """A program whose other operands are constants."""
    arguments = ", ".join(f"%{name}: {type_of(array)}" for name, array in inputs.items())
    lines = [
        f'%{name} = stablehlo.constant dense<"0x{array.tobytes().hex()}"> : {type_of(array)}'
        for name, array in constants.items()
    ]
    text = "\n".join([*lines, body])
    return f"func.func @main({arguments}) -> {result} {{\n{text}\nreturn %r : {result}\n}}"


def staged(text: str, **options: Any) -> StagedExecutable:
    executable = compile(text, **options)
    assert isinstance(executable, StagedExecutable)
    return executable


def numbers(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def functions(executable: StagedExecutable, *inputs: Any) -> list[str]:
    """What a later call runs."""
    return [job.function for row in executable.profile(*inputs, calls=1).rows for job in row.jobs]


def kept(executable: StagedExecutable) -> int:
    assert executable.memory is not None
    return executable.memory.kept


def product(x: str, w: str, r: str, m: int, k: int, n: int, *, turned: bool = False) -> str:
    """[m, k] by [k, n], or by the transposition of [n, k]."""
    shape, dimension = ((n, k), 1) if turned else ((k, n), 0)
    return (
        f"%{r} = stablehlo.dot_general %{x}, %{w}, contracting_dims = [1] x [{dimension}] :"
        f" (tensor<{m}x{k}xf32>, tensor<{shape[0]}x{shape[1]}xf32>) -> tensor<{m}x{n}xf32>"
    )


def assert_same_bits(
    body: str, result: str, constants: dict[str, Any], inputs: dict[str, Any]
) -> StagedExecutable:
    """Calls compute what they do where the constants are arguments; returns what keeps them."""
    executable = staged(program(body, result, constants, inputs))
    other = staged(program(body, result, {}, constants | inputs))
    expected = other(*constants.values(), *inputs.values())
    for _ in range(3):
        np.testing.assert_array_equal(executable(*inputs.values()), expected)
    np.testing.assert_array_equal(executable(*inputs.values(), timeout=60), expected)
    assert kept(other) == 0
    return executable


# --- what is packed -------------------------------------------------------------------------------
@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("n", [7, 32, 300])
@pytest.mark.parametrize("m", [8, 17, 64, 130, 700])
def test_a_constant_factor_is_packed_once(m: int, n: int, turned: bool) -> None:
    w = numbers(0, *((n, 150) if turned else (150, n)))
    body = product("x", "w", "r", m, 150, n, turned=turned)
    x = numbers(1, m, 150)
    executable = assert_same_bits(body, f"tensor<{m}x{n}xf32>", {"w": w}, {"x": x})
    assert not any(part in name for name in functions(executable, x) for part in _PACKING)


def test_views_of_a_constant_are_packed_once() -> None:
    body = f"""
      %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<40x500xf32>) -> tensor<500x40xf32>
      %s = stablehlo.slice %t [100:400, 0:40] : (tensor<500x40xf32>) -> tensor<300x40xf32>
      %v = stablehlo.reshape %s : (tensor<300x40xf32>) -> tensor<200x60xf32>
      {product("x", "v", "r", 50, 200, 60)}"""
    x = numbers(1, 50, 200)
    inputs, constants = {"x": x}, {"w": numbers(0, 40, 500)}
    executable = assert_same_bits(body, "tensor<50x60xf32>", constants, inputs)
    assert kept(executable) > 0
    assert not any(part in name for name in functions(executable, x) for part in _PACKING)


def test_what_is_made_of_a_constant_is_packed_once() -> None:
    """Of a type that packing does not convert, so that the stage stores it first."""
    body = f"""
      %c = stablehlo.convert %w : (tensor<90x120xf64>) -> tensor<90x120xf32>
      %e = stablehlo.exponential %c : tensor<90x120xf32>
      {product("x", "e", "r", 100, 90, 120)}"""
    x, w = numbers(1, 100, 90), numbers(0, 90, 120, dtype=np.float64)
    executable = assert_same_bits(body, "tensor<100x120xf32>", {"w": w}, {"x": x})
    assert 0 < kept(executable) < 2 * 4 * 90 * 128  # the packed form alone
    assert len(functions(executable, x)) == 1


@pytest.mark.parametrize("layout", ["b01f", "bf01"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "complex<f32>"])
def test_a_convolution_with_a_constant_kernel_packs_it_once(layout: str, dtype: str) -> None:
    kinds = {"f32": np.float32, "f16": np.float16, "complex<f32>": np.complex64}
    x = numbers(1, *((2, 12, 10, 24) if layout == "b01f" else (2, 24, 12, 10)), dtype=kinds[dtype])
    w = numbers(0, 3, 3, 24, 40, dtype=kinds[dtype])
    shape = "2x12x10x40" if layout == "b01f" else "2x40x12x10"
    result = f"tensor<{shape}x{dtype}>"
    numbers_of = {"b01f": "[b, 0, 1, f]", "bf01": "[b, f, 0, 1]"}[layout]
    body = f"""%r = stablehlo.convolution(%x, %w)
      dim_numbers = {numbers_of}x[0, 1, i, o]->{numbers_of},
      window = {{pad = [[1, 1], [1, 1]]}}
      {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : ({type_of(x)}, {type_of(w)}) -> {result}"""
    executable = assert_same_bits(body, result, {"w": w}, {"x": x})
    assert kept(executable) > 0
    assert not any("_rest_" in name for name in functions(executable, x))


def test_one_constant_of_many_products_is_packed_once() -> None:
    bodies = [product(f"x{k}", "w", f"x{k + 1}", 80, 96, 96) for k in range(4)]
    body = "\n".join([*bodies, "%r = stablehlo.negate %x4 : tensor<80x96xf32>"])
    inputs, constants = {"x0": numbers(1, 80, 96)}, {"w": numbers(0, 96, 96) / 10}
    executable = assert_same_bits(body, "tensor<80x96xf32>", constants, inputs)
    assert 0 < kept(executable) < 2 * 4 * 96 * 96


def test_what_is_multiplied_very_often_is_packed_at_each_call() -> None:
    w, body = numbers(0, 100, 100), product("x", "w", "r", 5000, 100, 100)
    inputs = {"x": numbers(1, 5000, 100)}
    assert kept(assert_same_bits(body, "tensor<5000x100xf32>", {"w": w}, inputs)) == 0


# --- stages of constants --------------------------------------------------------------------------
STAGES = f"""
  %s = "stablehlo.sort"(%w) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }}) {{dimension = 1 : i64}} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  {product("s", "s", "p", 64, 64, 64)}
  {product("x", "p", "r", 20, 64, 64)}"""


def test_stages_of_constants_run_once() -> None:
    x, w = numbers(1, 20, 64), numbers(0, 64, 64)
    executable = assert_same_bits(STAGES, "tensor<20x64xf32>", {"w": w}, {"x": x})
    assert 0 < kept(executable) <= 64 * 64 * 4  # what is between them is not kept
    assert len(functions(executable, x)) == 1
    timeline = executable.memory.timeline  # type: ignore[union-attr]
    assert len([step for step in timeline.steps if step.stage]) == 1


def in_loop(body: str, shape: str) -> str:
    return f"""
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r, %count = stablehlo.while(%y = %x, %i = %zero) : tensor<{shape}xf32>, tensor<i32>
      cond {{
        %three = stablehlo.constant dense<3> : tensor<i32>
        %less = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }} do {{
        {body}
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %j : tensor<{shape}xf32>, tensor<i32>
      }}"""


def test_a_loop_reads_what_was_made_before_it() -> None:
    body = STAGES.replace("%x,", "%y,").replace("%r =", "%next =")
    body = in_loop(body, "20x64")
    x, w = numbers(1, 20, 64) * 1e-3, numbers(0, 64, 64) * 1e-2
    executable = assert_same_bits(body, "tensor<20x64xf32>", {"w": w}, {"x": x})
    assert kept(executable) > 0
    assert not any("sort" in name for name in functions(executable, x))


def test_a_branch_that_may_not_be_taken_makes_nothing_ahead() -> None:
    inner = STAGES.replace("%r =", "%n =")
    body = f"""
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %first = stablehlo.slice %x [0:1, 0:1] : (tensor<20x64xf32>) -> tensor<1x1xf32>
      %one = stablehlo.reshape %first : (tensor<1x1xf32>) -> tensor<f32>
      %is = stablehlo.compare GT, %one, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r = "stablehlo.if"(%is) ({{
        {inner}
        stablehlo.return %n : tensor<20x64xf32>
      }}, {{
        stablehlo.return %x : tensor<20x64xf32>
      }}) : (tensor<i1>) -> tensor<20x64xf32>"""
    x, w = numbers(1, 20, 64), numbers(0, 64, 64)
    for sign in (1, -1):
        executable = assert_same_bits(body, "tensor<20x64xf32>", {"w": w}, {"x": sign * x})
        assert kept(executable) == 0


def test_random_numbers_are_drawn_at_each_call() -> None:
    body = f"""
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %shape = stablehlo.constant dense<[64, 64]> : tensor<2xi64>
      %p = stablehlo.rng %zero, %one, %shape, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<64x64xf32>
      %q = stablehlo.rng %zero, %one, %shape, distribution = NORMAL
        : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<64x64xf32>
      {product("p", "q", "a", 64, 64, 64)}
      {product("x", "a", "r", 20, 64, 64)}"""
    executable = staged(program(body, "tensor<20x64xf32>", {}, {"x": numbers(1, 20, 64)}))
    assert kept(executable) == 0


def test_no_more_is_kept_than_a_few_times_the_constants() -> None:
    body = f"""
      %wide = stablehlo.broadcast_in_dim %w, dims = [1]
        : (tensor<1000xf32>) -> tensor<1000x1000xf32>
      %s = "stablehlo.sort"(%wide) ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }}) {{dimension = 1 : i64}} : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
      {product("x", "s", "r", 20, 1000, 1000)}"""
    inputs, constants = {"x": numbers(1, 20, 1000)}, {"w": numbers(0, 1000)}
    assert kept(assert_same_bits(body, "tensor<20x1000xf32>", constants, inputs)) < 100_000


# --- when it is made ------------------------------------------------------------------------------
@pytest.fixture
def layer() -> tuple[str, Any]:
    """A program and its argument."""
    inputs = {"x": numbers(1, 20, 64)}
    return program(STAGES, "tensor<20x64xf32>", {"w": numbers(0, 64, 64)}, inputs), inputs["x"]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Preparation]:
    """Grows whenever something is made of constants."""
    preparations: list[Preparation] = []
    run = Preparation._run

    def counted(self: Preparation) -> None:
        preparations.append(self)
        run(self)

    monkeypatch.setattr(Preparation, "_run", counted)
    return preparations


def test_the_first_call_makes_it(layer: tuple[str, Any], runs: list[Preparation]) -> None:
    text, x = layer
    executable = staged(text)
    assert not runs
    results = [executable(x) for _ in range(3)]
    assert len(runs) == 1
    np.testing.assert_array_equal(results[0], results[2])


def test_threads_that_call_first_at_once(layer: tuple[str, Any], runs: list[Preparation]) -> None:
    text, x = layer
    executable = staged(text)
    expected = staged(text)(x)
    runs.clear()
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(executable(x))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 1 and len(results) == 8
    for result in results:
        np.testing.assert_array_equal(result, expected)


def test_a_call_from_within_the_first_one(
    layer: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a signal's handler makes it: it gets its result, and the first call goes on."""
    text, x = layer
    executable, expected = staged(text), staged(text)(x)
    preparation = executable._preparation
    assert preparation is not None
    frame, inner = preparation._frame, list[Any]()

    def interrupted() -> Any:
        monkeypatch.setattr(preparation, "_frame", frame)
        inner.append(executable(x))
        assert not preparation._is_done  # other threads wait for the outer one
        return frame()

    monkeypatch.setattr(preparation, "_frame", interrupted)
    for result in (executable(x), *inner, executable(x)):
        np.testing.assert_array_equal(result, expected)
    assert preparation._is_done


def test_a_call_with_little_time_does_not_wait_for_another_thread(layer: tuple[str, Any]) -> None:
    text, x = layer
    executable, expected = staged(text), staged(text)(x)
    preparation = executable._preparation
    assert preparation is not None
    is_held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with preparation._lock:
            is_held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    with pytest.raises(ExecutionTimeout):
        executable(x, timeout=0.05)
    done.set()
    thread.join()
    np.testing.assert_array_equal(executable(x), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_while_another_thread_makes_it(layer: tuple[str, Any]) -> None:
    text, x = layer
    executable, expected = staged(text), staged(text)(x)
    preparation = executable._preparation
    assert preparation is not None
    with preparation._lock:
        child: list[int] = []

        def fork() -> None:
            pid = os.fork()
            if pid == 0:
                is_same = np.array_equal(executable(x, timeout=30), expected)
                os._exit(0 if is_same else 1)
            child.append(pid)

        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    assert os.waitpid(child[0], 0)[1] == 0
    np.testing.assert_array_equal(executable(x), expected)


def test_a_file_has_none_of_it(layer: tuple[str, Any], tmp_path: Path) -> None:
    text, x = layer
    executable = staged(text)
    before, after = tmp_path / "before.shloexe", tmp_path / "after.shloexe"
    executable.save(before)
    expected = executable(x)
    executable.save(after)
    assert before.read_bytes() == after.read_bytes()
    loaded = load_executable(after)
    np.testing.assert_array_equal(loaded(x), expected)
    assert loaded.memory is not None
    assert loaded.memory.kept == kept(executable)


def test_sizes_that_come_with_calls_keep_nothing() -> None:
    """There may be many, each with a packed form of its own."""
    text = program(
        product("x", "w", "r", 33, 150, 40),
        "tensor<33x40xf32>",
        {"w": numbers(0, 150, 40)},
        {"x": numbers(1, 33, 150)},
    ).replace("33x", "?x")
    executable = compile(text)
    x = numbers(1, 33, 150)
    first = executable(x)
    latest = executable.latest  # type: ignore[attr-defined]
    assert latest.memory.kept == 0
    np.testing.assert_array_equal(first, executable(x))


def test_memory_says_what_is_kept(layer: tuple[str, Any]) -> None:
    executable = staged(layer[0])
    assert f"{kept(executable):,} made of constants once" in str(executable.memory)
    assert "once" not in str(shlo_tools.compile("func.func @main() { return }").memory)
