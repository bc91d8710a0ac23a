"""Over the ranks of an MPI job processes compute what they do in one: the reference's bits."""

from __future__ import annotations

import pytest
from grids import COLLECTIVES
from mpi_jobs import mpi, run

pytestmark = mpi

# Every rank compares all results, and those of its own processes once more where only it has them.
COMPARE = """
from grids import VARIADIC, case
from shlo_tools import parallel
from shlo_tools.parallel import mpi

def same(actual, expected):
    for x, y in zip(actual, expected, strict=True):
        assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes()), one.text

for number, op in enumerate(OPS):
    for seed in range(7):
        if mpi.job().size > 1 and (number + seed + mpi.job().size // 2) % 2:
            continue  # of 2 and 4 ranks each has half of them
        elements = "!quant" if seed in (4, 5) else ""
        operands = 1 + (op in VARIADIC and seed in (1, 5, 6))
        one = case(op, seed, large=seed in (0, 6), elements=elements, operands=operands)
        size = {"num_replicas": one.num_replicas, "num_partitions": one.num_partitions}
        expected = parallel.run_spmd(one.text, one.arguments, backend="reference", **size)
        compiled = parallel.compile(one.text, transport="mpi", gather=True, **size)
        for gather in (True, False):
            compiled.gather = gather
            results = compiled(one.arguments, timeout=60)
            own = [k for k, values in enumerate(results) if values is not None]
            count, job = len(results), mpi.job()
            dealt = [k for k in range(count) if k * job.size // count == job.rank]
            assert own == (list(range(count)) if gather else dealt)
            for k in own:
                same(results[k], expected[k])
print("same\\n", end="", flush=True)  # in one piece: ranks share the output
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_collectives_are_those_of_the_reference(ranks: int) -> None:
    """Over random grids: more processes than ranks, and fewer."""
    status, output, errors = run(COMPARE.replace("OPS", repr(COLLECTIVES)), ranks)
    assert (status, output) == (0, "same\n" * ranks), errors


TRANSFERS = """
import numpy as np
from shlo_tools import parallel
from shlo_tools.parallel import mpi
T = "tensor<3xf32>"
text = '''
  func.func @sends(%a: T, %b: T) {
    %t0 = stablehlo.create_token : !stablehlo.token
    %t1 = "stablehlo.send"(%a, %t0) {CHANNEL} : (T, !stablehlo.token) -> !stablehlo.token
    %t2 = "stablehlo.send"(%b, %t1) {CHANNEL} : (T, !stablehlo.token) -> !stablehlo.token
    return
  }
  func.func @receives() -> (T, T) {
    %t0 = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t0) {CHANNEL} : (!stablehlo.token) -> (T, !stablehlo.token)
    %1:2 = "stablehlo.recv"(%0#1) {CHANNEL} : (!stablehlo.token) -> (T, !stablehlo.token)
    return %0#0, %1#0 : T, T
  }
  func.func @beside(%a: T) -> (tensor<6xf32>, T) {
    %f = "stablehlo.async_start"(%a) ({
    ^bb0(%x: T):
      %g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (T) -> tensor<6xf32>
      stablehlo.return %g : tensor<6xf32>
    }) : (T) -> !stablehlo.future<tensor<6xf32>>
    %b = "stablehlo.collective_permute"(%a) {
      source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (T) -> T
    %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<6xf32>>) -> tensor<6xf32>
    return %r, %b : tensor<6xf32>, T
  }
  func.func @feeds() {
    %t0 = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.infeed"(%t0) : (!stablehlo.token) -> (T, !stablehlo.token)
    %t1 = "stablehlo.outfeed"(%0#0, %0#1) : (T, !stablehlo.token) -> !stablehlo.token
    return
  }'''
handle = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
text = text.replace("CHANNEL", handle).replace("(T,", f"({T},").replace(" T)", f" {T})")
text = text.replace(" T,", f" {T},").replace("(T)", f"({T})").replace(" T\\n", f" {T}\\n")
a, b = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
over = {"transport": "mpi", "gather": True, "timeout": 60}
for rows in ([["sends"], ["receives"]], [["receives"], ["sends"]]):
    arguments = [[a, b] if row == ["sends"] else [] for row in rows]
    results = parallel.run_mpmd(text, arguments, rows, **over)
    got = results[rows.index(["receives"])]
    assert [x.tolist() for x in got] == [[1, 2, 3], [4, 5, 6]]
for gathered, other in parallel.run_mpmd(text, [[a], [b]], [["beside"]] * 2, **over):
    assert gathered.tolist() == [1, 2, 3, 4, 5, 6]
assert other.tolist() == [1, 2, 3]
feeds = [[(a,)], [(b,)]]
results = parallel.run_mpmd(text, [[], []], [["feeds"]] * 2, infeed=feeds, **over)
assert [fed[0][0].tolist() for fed in results.outfeeds] == [[1, 2, 3], [4, 5, 6]]
print("same\\n", end="", flush=True)  # in one piece: ranks share the output
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_channels_feeds_and_what_goes_on_beside(ranks: int) -> None:
    """From rank to rank, in either direction; the third rank has no process."""
    status, output, errors = run(TRANSFERS, ranks)
    assert (status, output) == (0, "same\n" * ranks), errors
