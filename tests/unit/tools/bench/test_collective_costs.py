"""Estimates of collectives: known formulas, and what a job of MPI is seen to send."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from shlo_tools.tools.bench.collectives import costs as collective_costs
from shlo_tools.tools.bench.collectives.costs import Network, best, of, ours

MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
SMALL, LARGE = 4096, 4 << 20
COUNT = """
import json
import numpy as np
from shlo_tools import parallel
from shlo_tools.parallel import mpi, mpi_messages
counted = [0, 0]
def counting(self, rank, value, method=mpi_messages.Messages.send):
    if value[0] in ("meet", "put"):
        counted[0] += 1
        counted[1] += sizes(value)
    return method(self, rank, value)
def sizes(value):
    if isinstance(value, np.ndarray):
        return value.nbytes
    if hasattr(value, "values") and not isinstance(value, dict):
        value = value.values
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(sizes, value)) if isinstance(value, (list, tuple)) else 0
mpi_messages.Messages.send = counting
GROUPS = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"
SUM = '''({^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>})'''
ATTRIBUTES = {
    "all_reduce": (SUM, "", 1, 1), "all_gather": ("", "all_gather_dim = 0 : i64, ", 4, 1),
    "reduce_scatter": (SUM, "scatter_dimension = 0 : i64, ", 1, 4),
    "all_to_all": ("", "split_dimension = 0 : i64, concat_dimension = 0 : i64, "
                   "split_count = 4 : i64, ", 1, 1),
    "collective_broadcast": ("", "", 1, 1),
}
seen = {}
for op, (region, attributes, divided, scattered) in ATTRIBUTES.items():
    for size in SIZES:
        x, y = (f"tensor<{size // 4 // d}xf32>" for d in (divided, scattered))
        text = f'''func.func @main(%x: {x}) -> {y} {{
          %0 = "stablehlo.{op}"(%x) {region} {{{attributes}{GROUPS}}} : ({x}) -> {y}
          return %0 : {y}
        }}'''
        counted[:] = 0, 0
        rows = [[np.ones(size // 4 // divided, np.float32)]] * 4
        parallel.run_spmd(text, rows, transport="mpi", timeout=60)
        seen[f"{op} {size}"] = list(counted)
if mpi.job().rank == 0:
    print(json.dumps(seen), flush=True)
"""


@pytest.mark.skipif(
    find_spec("mpi4py") is None or MPIEXEC is None,
    reason="needs mpi4py and mpiexec: pip install -e '.[mpi]'",
)
def test_messages_and_bytes_are_those_that_a_job_sends() -> None:
    """Of rank 0, which is the root of broadcasts."""
    script = COUNT.replace("SIZES", repr([SMALL, LARGE]))
    done = subprocess.run(
        [str(MPIEXEC), "-n", "4", sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
        check=True,
    )
    for name, (messages, size) in json.loads(done.stdout).items():
        op, _, array = name.partition(" ")
        counts = ours(op, 4, int(array)).counts(4, int(array))
        assert (messages, size) == (counts.messages, counts.size), name


def test_formulas() -> None:
    """Those of the literature: Thakur, Rabenseifner and Gropp, 2005."""
    counts = {(a.op, a.name): a.counts(8, 800) for a in collective_costs.ALGORITHMS}
    ring = counts["all_reduce", "ring"]
    assert (ring.rounds, ring.size) == (14, 1400)
    halving = counts["all_reduce", "halving, doubling"]
    assert (halving.rounds, halving.size) == (6, 1400)
    doubling = counts["all_reduce", "doubling"]
    assert (doubling.rounds, doubling.size) == (3, 2400)
    assert counts["collective_broadcast", "tree"].rounds == 3


def test_what_serves_where() -> None:
    """Doubling for small arrays of many, parts for large ones; ours is near in groups of few."""
    network = Network()
    assert best("all_reduce", 4096, 1024, network).name == "doubling"
    assert best("all_reduce", 4096, 1 << 30, network).name == "halving, doubling"
    for op in collective_costs.OPS:
        for size in (SMALL, LARGE):
            algorithm = ours(op, 4, size)
            assert algorithm in of(op)
            least = best(op, 4, size, network).counts(4, size).seconds(network)
            assert algorithm.counts(4, size).seconds(network) <= 3 * least


def test_the_command_shows_a_table_for_each_size() -> None:
    run = CliRunner().invoke(
        collective_costs.main, ["--op=all_gather", "--kib=1", "--kib=65536", "--group=2"]
    )
    assert run.exit_code == 0
    assert "all_gather, 1 KiB" in run.output
    assert "all_gather, 64 MiB" in run.output
    assert "| parts to all, met again |" in run.output
    wrong = CliRunner().invoke(collective_costs.main, ["--group=1"])
    assert wrong.exit_code != 0
    assert "--group" in wrong.output
