"""Programs that several processes run together: grids of replicas and partitions.

    results = run_spmd(module, [[x0], [x1]], num_replicas=2)    # what each process takes
    y = run_spmd(module, whole=[x])         # the module says how x is cut, and y put together

Each process of the grid is a thread: compiled code runs side by side, and what processes do
together, collectives, channels, feeds, goes through ``shlo_tools.processes``. With
``transport="mpi"`` they are dealt to the ranks of an MPI job (``mpi``).
"""

from shlo_tools.calling.parallel_results import ParallelResults
from shlo_tools.parallel.compiling import compile
from shlo_tools.parallel.executable import ParallelExecutable, own_numbers
from shlo_tools.parallel.mpi import end_job
from shlo_tools.parallel.running import run_mpmd, run_spmd
from shlo_tools.parallel.sharded import ShardedExecutable, compile_sharded

__all__ = [
    "ParallelExecutable",
    "ParallelResults",
    "ShardedExecutable",
    "compile",
    "compile_sharded",
    "end_job",
    "own_numbers",
    "run_mpmd",
    "run_spmd",
]
