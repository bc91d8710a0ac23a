"""What shlo-run was asked for, and what its two processes agree on."""

from __future__ import annotations

from dataclasses import dataclass

# The child's exit status when results are complete, but not the expected ones.
MISMATCH = 3

# Activities of the child that its parent knows.
COMPILING = "while compiling"
GENERATING = "while generating machine code"


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
    list_functions: bool = False
    demo: bool = False
