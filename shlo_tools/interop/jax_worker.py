"""The child process that JAX is loaded in, for ``from_jax`` in processes that cannot load it."""

from __future__ import annotations

from shlo_tools import workers
from shlo_tools.interop.exporting import export_by_name

if __name__ == "__main__":
    workers.serve({"export": export_by_name})
