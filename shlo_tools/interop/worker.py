"""What the child process of ``remote`` does: compile and run what it is sent, until nobody asks."""

from __future__ import annotations

import itertools
import pickle
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import shlo_tools
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.errors import ShloError
from shlo_tools.interop.messages import received, send


def serve(pipe: Connection) -> None:
    """Answer requests until the other end is closed."""
    executables: dict[int, Executable] = {}
    numbers = itertools.count()

    def compile(source: Any, options: dict[str, Any]) -> tuple[int, str, Signature[str]]:
        number = next(numbers)
        executable = executables[number] = shlo_tools.compile(source, **options)
        inputs, results = executable.signature.inputs, executable.signature.results
        signature = Signature(tuple(map(str, inputs)), tuple(map(str, results)))
        return number, executable.name, signature

    def call(number: int, arguments: list[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        return executables[number]._run(arguments, cast, timeout)

    actions: dict[str, Callable[..., Any]] = {"compile": compile, "call": call}
    while True:
        try:
            forgotten, name, *arguments = received(pipe)
        except EOFError:
            return
        for number in forgotten:
            del executables[number]
        try:
            answer = ("returned", actions[name](*arguments))
        except Exception as error:  # whatever the program's custom calls raise goes to the caller
            answer = ("raised", _portable(error))
        send(pipe, answer)


def _portable(error: Exception) -> Exception:
    """The error itself where it can travel, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except (pickle.PickleError, TypeError, AttributeError):
        return ShloError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
