"""The child process of ``executable``: XLA with as many devices as its command line says.

It keeps the programs that were used last. One that it does not know is sent again: a child that
takes the place of a dead one knows none.
"""

from __future__ import annotations

import os
import re
import sys
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import workers
from shlo_tools.errors import ExecutionError, UnsupportedError

Array = np.ndarray[Any, Any]

_KEPT = 64  # programs


def _serve(num_devices: int) -> None:
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = re.sub(r"--xla_force_host_platform_device_count=\S*", "", flags)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # what it says of errors, errors say
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", num_devices)
    jax.config.update("jax_enable_x64", True)
    from shlo_tools.xla import client

    xla = client.client()
    programs: OrderedDict[str, Any] = OrderedDict()

    # Errors of jaxlib's types would be read by importing jaxlib: ours go back.
    def compile(key: str, text: str, num_replicas: int) -> None:
        try:
            programs[key] = client.compile(xla, text, num_replicas)
        except client.ERRORS as error:
            raise UnsupportedError(f"XLA refuses the program: {error}") from None
        while len(programs) > _KEPT:
            programs.popitem(last=False)

    def call(key: str, rows: Sequence[Sequence[Array]]) -> list[list[Array]] | None:
        if key not in programs:
            return None
        programs.move_to_end(key)
        try:
            results = client.called(programs[key], client.placed(xla, rows))
            columns = [[np.array(array) for array in shards] for shards in results]
        except client.ERRORS as error:
            raise ExecutionError(f"XLA: {error}") from None
        return [[column[number] for column in columns] for number in range(len(rows))]

    workers.serve({"compile": compile, "call": call})


if __name__ == "__main__":
    _serve(int(sys.argv[2]))
