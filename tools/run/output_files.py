"""The files that shlo-run writes, checked before any work is done."""

from __future__ import annotations

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools.run.run_request import TABLE, Request


def check(request: Request) -> None:
    """Refuse files that cannot be written, and those that would be lost.

    Raises:
        ShloError: a file cannot be written, has the wrong ending, or is another one's or the
            program's.
    """
    if request.output and not request.output.endswith((".npy", ".npz")):
        raise ShloError(f"--output={request.output}: the name must end in .npy or .npz")
    written = {
        "--output": request.output,
        "--save-executable": request.save_executable,
        "--trace": request.trace,
        "--memory": "" if request.memory == TABLE else request.memory,
    }
    for path in filter(None, written.values()):
        files.check_writable(path)
        if path == "-":
            raise ShloError("files of shlo-run have names: standard output is for results")
    files.check_apart(written, request.model)
