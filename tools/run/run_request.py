"""What shlo-run was asked for, and what its two processes agree on."""

from __future__ import annotations

from dataclasses import dataclass

# The child's exit status when results are complete, but not the expected ones.
MISMATCH = 3

# What --cache stands for without a folder.
DEFAULT_CACHE = "default"

# What --memory stands for without a file.
TABLE = "table"

# Activities of the child that its parent knows.
COMPILING = "while compiling"


@dataclass(frozen=True)
class Request:
    """The command's options.

    Attributes:
        model: the path of the program; ``-`` stands for standard input.
        inputs: values for arguments, in the notation of ``inputs``.
        expected_output: values that results are compared with.
        rtol, atol: tolerances; None takes those of the element type.
        timeout: seconds that one run may take.
        repeat: how often to run once more for the time it takes.
        threads: how many threads a run may use; None for all of the pool.
        profile: whether to say what the program was compiled to, and what takes how long.
        trace: the file for what ran when.
        dump_kernels: the folder for what each stage was compiled to.
        memory: ``TABLE``, or the file for a picture of what is in memory when; '' for neither.
        backend: what runs the program.
        compare: the backend that a native run is compared with, op by op.
        save_to: the folder for the test that a comparison leaves.
        probe: a regular expression that names ops; their values go to the folder ``probe_dir``.
        split_input_file: what separates the programs of the input, which check themselves; '' where
            it is one program.
        probe_output_dir: the folder that ``interpreter.probe`` writes to.
        parallel: how the processes of a grid run: ``threads`` or ``mpi``; None for one alone.
        replicas, partitions: the size of the grid; None takes what the program says.
        reduction_order: of sums of a grid's processes: ``group`` or ``any``; None is ``group``.
        save_executable: the file that the executable is written to.
        cache: where machine code of programs is kept: a folder, ``DEFAULT_CACHE``, or '' for what
            ``SHLO_CACHE_DIR`` says.
        trusted: load an executable that other users own or can write.
        probe_limit: how many executions of one op are written.
    """

    model: str = "-"
    function: str = "main"
    inputs: tuple[str, ...] = ()
    output: str | None = None
    expected_output: tuple[str, ...] = ()
    rtol: float | None = None
    atol: float | None = None
    cast: bool = False
    timeout: float | None = None
    repeat: int = 0
    threads: int | None = None
    profile: bool = False
    trace: str | None = None
    memory: str = ""
    dump_kernels: str | None = None
    list_functions: bool = False
    backend: str = "native"
    compare: str | None = None
    save_to: str = "."
    check_nans: bool = False
    probe: str = ""
    probe_dir: str | None = None
    probe_limit: int = 1000
    split_input_file: str = ""
    probe_output_dir: str | None = None
    demo: bool = False
    parallel: str | None = None
    replicas: int | None = None
    partitions: int | None = None
    reduction_order: str | None = None
    save_executable: str | None = None
    cache: str = ""
    trusted: bool = False
