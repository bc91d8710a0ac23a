"""Which threads run the chunks of a job: each chunk once, whatever was measured and who is late."""

from __future__ import annotations

import pool_children
import pytest

# A chunk counts itself and says whose scratch memory it had; the one that ``context[1]`` names
# waits until all others are done. ``context[3]`` nanoseconds it spends first.
CODE = """
from shlo_tools import mlir
from shlo_tools.codegen.function import I64, Function
from shlo_tools.codegen.library import clock, jobs, pool, sharing
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.process_library import parts

f = Function("job", pool.JOB)
context, chunk, scratch = f.arguments
chunks, late, spent = (f.load(context.at(8 * k), I64) for k in (0, 1, 3))
start = clock.now(f)
f.while_(lambda: clock.now(f) - start < spent, f.pause)
f.if_(
    chunk == late,
    lambda: f.while_(lambda: f.load_atomic(context.at(16)) < chunks - 1, f.pause),
)
f.add_atomic(context.at(16), 1)
f.add_atomic(context.at(chunk + 4, I64), 1)
f.store(scratch, context.at(chunk + chunks + 4, I64))
with mlir.library_context():
    code, addresses = parts.compiled([*clock.functions(), f])
parts.keep(code)
parallel = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 2)(
    parts.address(sharing.PARALLEL)
)
frame = Frame(0, 0, has_jobs=True)

def run(row, late=-1, spent=0):
    chunks = row[2]
    words = np.zeros(4 + 2 * chunks, np.int64)
    words[:4] = chunks, late, 0, spent
    row[1] = words.ctypes.data
    assert parallel(frame.address, ctypes.addressof(row)) == 0
    assert (words[4 : 4 + chunks] == 1).all()
    return words[4 + chunks :]

def new(chunks, measured):
    return (ctypes.c_int64 * len(pool.ROW))(addresses["job"], 0, chunks, *measured)
"""


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_what_a_late_thread_has_not_begun_others_run(threads: int) -> None:
    """Any chunk may be the one that waits for all others, those of its thread's share too."""
    output = pool_children.run(
        CODE
        + """
for chunks in (2, 3, 5, 16, 40):
    for late in range(chunks):
        run(new(chunks, sharing.ALWAYS), late)
print("all")
""",
        threads=threads,
    )
    assert output == "all\n"


def test_a_short_job_is_the_calling_threads() -> None:
    output = pool_children.run(
        CODE
        + """
own = frame["scratch"]
assert all((run(new(64, (0, sharing.TRIALS, 0, 0))) == own).all() for _ in range(100))
row = new(2, jobs.NOTHING_MEASURED)
assert (run(row) == own).all() and row[4] == 1 and row[3] > 0
print("own")
"""
    )
    assert output == "own\n"


def test_the_rest_of_a_long_trial_is_shared() -> None:
    """The second chunk waits for all others, so that these have to be run by other threads."""
    output = pool_children.run(
        CODE
        + """
row = new(8, jobs.NOTHING_MEASURED)
assert len(set(run(row, late=1, spent=250_000).tolist())) > 1
assert row[4] == sharing.TRIALS
print("shared")
"""
    )
    assert output == "shared\n"


def test_what_became_short_is_shared_no_more() -> None:
    output = pool_children.run(
        CODE
        + """
row = new(8, (1 << 40, sharing.TRIALS, 1 << 39, 0))
for _ in range(10_000):
    run(row)
    if row[3] < sharing.LEAST:
        break
assert (run(row) == frame["scratch"]).all()
print("alone")
"""
    )
    assert output == "alone\n"
