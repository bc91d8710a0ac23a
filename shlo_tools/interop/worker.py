"""What the child process of ``remote`` does: compile and run what it is sent, until nobody asks."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import shlo_tools
from shlo_tools.errors import ShloError


def serve(pipe: Connection) -> None:
    """Answer requests until the other end is closed."""
    executables: dict[int, Any] = {}

    def compile(source: Any, options: dict[str, Any]) -> tuple[int, str]:
        number = len(executables)
        executables[number] = shlo_tools.compile(source, **options)
        return number, str(executables[number].signature)

    def call(number: int, arguments: list[Any], options: dict[str, Any]) -> Any:
        return executables[number](*arguments, **options)

    actions: dict[str, Callable[..., Any]] = {"compile": compile, "call": call}
    while True:
        try:
            forgotten, name, *arguments = pipe.recv()
        except EOFError:
            return
        executables.update(dict.fromkeys(forgotten))
        try:
            answer = ("returned", actions[name](*arguments))
        except Exception as error:  # whatever the program's custom calls raise goes to the caller
            answer = ("raised", _portable(error))
        pipe.send(answer)


def _portable(error: Exception) -> Exception:
    """The error itself where it can travel, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except (pickle.PickleError, TypeError, AttributeError):
        return ShloError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
