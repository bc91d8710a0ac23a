"""All ranks of a job have to run the same program; one error says on all of them where not."""

from __future__ import annotations

import pytest
from mpi_jobs import mpi, run

OTHER_PROGRAMS = """
import sys
import numpy as np
from shlo_tools import errors, parallel
from shlo_tools.parallel import mpi
rank = mpi.job().rank
body = {BODIES}[rank]
T = "tensor<2xf32>"
text = f"func.func @main(%x: {{T}}) -> {{T}} {{{{ {{body}} return %0 : {{T}} }}}}"
for _ in range(2):
    try:
        parallel.run_spmd(text, [[np.ones(2, np.float32)]] * 3, transport="mpi", timeout=30)
    except errors.ExecutionError as error:
        print(f"{{rank}} {{error}}\\n", end="", flush=True)
"""
NEGATE = "%0 = stablehlo.negate %x : tensor<2xf32>"
GATHER = """%g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups =
  dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<6xf32>
  %0 = stablehlo.slice %g [0:2] : (tensor<6xf32>) -> tensor<2xf32>"""


@mpi
@pytest.mark.parametrize(
    "bodies",
    [
        ["%0 = stablehlo.negate %x : tensor<2xf32>"] * 2
        + ["%0 = stablehlo.sine %x : tensor<2xf32>"],
        [GATHER, GATHER, "%0 = stablehlo.negate %x : tensor<2xf32>"],
    ],
)
def test_ranks_that_run_other_programs_all_say_so(bodies: list[str]) -> None:
    """Whether the programs would have come to an end or not."""
    status, output, errors = run(OTHER_PROGRAMS.format(BODIES=repr(bodies)), 3)
    assert status == 0, errors
    lines = [line for line in output.splitlines() if line]
    assert sorted(line[0] for line in lines) == ["0", "0", "1", "1", "2", "2"], output
    for line in lines:
        assert "the ranks run other programs: " in line
        assert " on 0, 1; " in line
        assert line.endswith(" on 2")
