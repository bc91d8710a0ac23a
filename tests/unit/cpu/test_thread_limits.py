"""How many threads of the pool a call may use: what it is kept to, and what it never changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pool_children
import pytest

import shlo_tools
from shlo_tools.cpu.process_library.threads import ALL, helpers, limit_of
from shlo_tools.errors import ShloError

# Each chunk waits until as many have begun as the job has: so many threads have to take part.
MEET = """
from shlo_tools import mlir
from shlo_tools.codegen.function import I64, Function
from shlo_tools.codegen.library import pool, sharing
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.process_library import parts

def compiled(waits):
    f = Function("job", pool.JOB)
    context, chunk, scratch = f.arguments
    if waits:
        f.add_atomic(context, 1)
        f.while_(lambda: f.load_atomic(context) < f.load(context.at(8), I64), f.pause)
    f.store(scratch, context.at(chunk + 2, I64))
    with mlir.library_context():
        code, addresses = parts.compiled([f])
    parts.keep(code)
    return addresses["job"]

parallel = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 2)(
    parts.address(sharing.PARALLEL)
)

def threads_of(job, limit, chunks):
    frame = Frame(0, 0, has_jobs=True, threads=limit)
    words = np.zeros(2 + chunks, np.int64)
    words[1] = chunks
    row = (ctypes.c_int64 * len(pool.ROW))(job, words.ctypes.data, chunks, *sharing.ALWAYS)
    assert parallel(frame.address, ctypes.addressof(row)) == 0
    assert words[2:].all()
    return len(set(words[2:].tolist()))
"""


def test_a_job_has_as_many_threads_as_its_call_may_use() -> None:
    """Of a pool of five; they meet, so that none is missing, again and again."""
    output = pool_children.run(
        MEET
        + """
job = compiled(True)
for _ in range(20):
    for limit in (1, 2, 3, 4, 5, 9, None):
        chunks = min(limit or 5, 5)
        assert threads_of(job, limit, chunks) == chunks
print("met")
""",
        threads=5,
    )
    assert output == "met\n"


def test_a_job_never_has_more() -> None:
    output = pool_children.run(
        MEET
        + """
job = compiled(False)
for number in range(2000):
    limit = 1 + number % 4
    assert threads_of(job, limit, 200) <= limit
print("kept")
""",
        threads=6,
    )
    assert output == "kept\n"


def test_one_thread_is_the_callers_alone() -> None:
    """No thread is even started for it; a call without a limit starts them."""
    output = pool_children.run("""
    from shlo_tools.cpu.process_library import threads
    alone = shlo_tools.compile(TEXT, threads=1)
    expected = alone(x, y)
    print(threads._pool is None)
    print(np.array_equal(shlo_tools.compile(TEXT)(x, y), expected), threads._pool is None)
    """)
    assert output.split() == ["True", "True", "False"]


PROGRAMS = {
    "product": pool_children.TEXT,
    "sum": """
func.func @main(%x: tensor<300x200xf32>, %y: tensor<200x100xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<300x200xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}""",
    "any sizes": """
func.func @main(%x: tensor<?x200xf32>, %y: tensor<200x100xf32>) -> tensor<?x100xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<?x200xf32>, tensor<200x100xf32>) -> tensor<?x100xf32>
  %1 = stablehlo.tanh %0 : tensor<?x100xf32>
  return %1 : tensor<?x100xf32>
}""",
}

CHECK = """%true = arith.constant true
  cf.assert %true, "never\""""


def _arguments() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    shapes = ((300, 200), (200, 100))
    x, y = (random.standard_normal(shape).astype(np.float32) for shape in shapes)
    return x, y / 20


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("specialize", [False, True])
def test_same_bits_for_any_limit(name: str, specialize: bool) -> None:
    x, y = _arguments()
    limits: tuple[Any, ...] = (None, 1, 2, np.int64(3), 1000)
    results = [
        shlo_tools.compile(PROGRAMS[name], threads=limit, specialize=specialize)(x, y)
        for limit in limits
    ]
    assert all(np.array_equal(results[0], result) for result in results[1:])


@pytest.mark.parametrize("threads", [0, -1, 1.5, 2.0, "2", True, [1]])
@pytest.mark.parametrize("specialize", [False, True])
def test_what_is_no_number_of_threads(threads: Any, specialize: bool) -> None:
    with pytest.raises(ShloError, match="is no number of threads") as caught:
        shlo_tools.compile(pool_children.TEXT, threads=threads, specialize=specialize)
    assert "1 is the calling thread alone" in caught.value.render()


def test_limits_are_counts_of_helpers() -> None:
    assert limit_of(None) is None and limit_of(np.int32(3)) == 3
    assert (helpers(None), helpers(1), helpers(3), helpers(1 << 40)) == (ALL, 0, 2, ALL)


def test_saved_executables_are_kept_to_what_loading_says(tmp_path: Path) -> None:
    """A file knows no number of threads: who loads it says one."""
    executable = shlo_tools.compile(pool_children.TEXT, threads=1)
    executable.save(tmp_path / "model.shlox")
    assert shlo_tools.load_executable(tmp_path / "model.shlox").threads is None
    loaded = shlo_tools.load_executable(tmp_path / "model.shlox", threads=2)
    assert (executable.threads, loaded.threads) == (1, 2)
    x, y = _arguments()
    np.testing.assert_array_equal(executable(x, y), loaded(x, y))
    with pytest.raises(ShloError, match="threads=0 is no number of threads"):
        shlo_tools.load_executable(tmp_path / "model.shlox", threads=0)


def test_callers_at_once_with_limits_of_their_own() -> None:
    """Some have the pool, the others run alone; all get the same bits."""
    output = pool_children.run("""
    executables = [shlo_tools.compile(TEXT, threads=n) for n in (1, 2, 3, None)]
    expected, wrong = executables[0](x, y), []

    def call(number):
        for turn in range(150):
            executable = executables[(number + turn) % 4]
            if not np.array_equal(executable(x, y), expected):
                wrong.append(number)

    callers = [threading.Thread(target=call, args=(n,)) for n in range(6)]
    for caller in callers: caller.start()
    for caller in callers: caller.join()
    print(wrong)
    """)
    assert output == "[]\n"


def test_executables_that_a_host_callback_calls() -> None:
    """Each call is kept to its own limit, and no job is open while the callback runs."""
    output = pool_children.run("""
    inner = {n: shlo_tools.compile(TEXT, threads=n) for n in (1, 3, None)}
    expected, wrong = inner[1](x, y), []

    @shlo_tools.custom_call("ask")
    def ask(x, y):
        for executable in inner.values():
            if not np.array_equal(executable(x, y), expected):
                wrong.append(executable.threads)
        return expected

    OUTER = '''
    func.func @main(%x: tensor<300x200xf32>, %y: tensor<200x100xf32>) -> tensor<300x100xf32> {
      %0 = stablehlo.add %x, %x : tensor<300x200xf32>
      %half = stablehlo.constant dense<0.5> : tensor<300x200xf32>
      %1 = stablehlo.multiply %0, %half : tensor<300x200xf32>
      %2 = stablehlo.custom_call @ask(%1, %y)
        : (tensor<300x200xf32>, tensor<200x100xf32>) -> tensor<300x100xf32>
      %3 = stablehlo.add %2, %2 : tensor<300x100xf32>
      return %3 : tensor<300x100xf32>
    }'''
    outer = [shlo_tools.compile(OUTER, threads=n) for n in (1, 2, None)]

    def call():
        for turn in range(40):
            if not np.array_equal(outer[turn % 3](x, y), 2 * expected):
                wrong.append("outer")

    callers = [threading.Thread(target=call) for _ in range(3)]
    for caller in callers: caller.start()
    for caller in callers: caller.join()
    print(wrong)
    """)
    assert output == "[]\n"


@pytest.mark.parametrize("check", ["", f"  {CHECK}\n"])
def test_code_for_each_set_of_shapes_has_the_limit(check: str) -> None:
    """Of stages, and of a program that goes through linalg; a profile divides by it."""
    head, brace, rest = PROGRAMS["any sizes"].partition("{\n")
    executable = shlo_tools.compile(head + brace + check + rest, threads=1, specialize=True)
    executable(*_arguments())
    own = executable._executables.get(executable.shapes[0])
    assert own is not None
    assert (type(own).__name__ == "NativeExecutable") == bool(check)
    assert own.threads == executable.threads == 1
