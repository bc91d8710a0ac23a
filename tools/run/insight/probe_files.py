"""What probes see, as files: one .npy per value, and index.csv that says which is which.

    sequence,file,op,name,location,function,result,type,iteration
    0,000000-stablehlo.log-0.npy,stablehlo.log,jit(f)/log,model.py:12:3,main,0,tensor<4xf32>,0

Files get their names when they are complete. Types that numpy has no name for are stored as
``array_files`` has them.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from shlo_tools import files
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.probes.hits import Hit
from shlo_tools.tools.run.values import array_files

COLUMNS = (
    *("sequence", "file", "op", "name", "location"),
    *("function", "result", "type", "iteration"),
)
_INDEX = "index.csv"
_INDEX_EVERY = 1.0  # seconds; a run that is killed leaves an index as old as that


class Recorder:
    """A listener that writes results to a folder.

    Attributes:
        files: how many were written.
        dropped: per op how many executions were not written, being beyond the limit.
    """

    def __init__(self, folder: str, model: str, limit: int) -> None:
        self.files = 0
        self.dropped: dict[str, int] = {}
        self._folder = Path(folder)
        self._model = model
        self._limit = limit
        self._sequence = 0
        self._written = time.monotonic()
        self._rows = io.StringIO()
        self._table = csv.writer(self._rows, lineterminator="\n")
        self._table.writerow(COLUMNS)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ShloError(f"cannot make folder {folder!r}: {error.strerror}") from error
        files.check_writable(str(self._folder / _INDEX))

    def __call__(self, hit: Hit) -> None:
        if hit.iteration >= self._limit:
            what = f"{hit.site.op} at {self._located(hit.site.location) or 'an unknown place'}"
            self.dropped[what] = self.dropped.get(what, 0) + 1
            return
        for number, array in enumerate(hit.results):
            name = f"{self._sequence:06d}-{hit.site.op}-{number}.npy"
            _write(self._folder / name, array)
            self.files += 1
            self._table.writerow(self._row(hit, number, name).values())
        self._sequence += 1
        if time.monotonic() - self._written > _INDEX_EVERY:
            self.write_index()

    def _row(self, hit: Hit, number: int, name: str) -> Mapping[str, object]:
        site = hit.site
        return {
            "sequence": self._sequence,
            "file": name,
            "op": site.op,
            "name": site.name,
            "location": self._located(site.location),
            "function": site.function,
            "result": number,
            "type": site.types[site.operands + number],
            "iteration": hit.iteration,
        }

    def _located(self, location: str) -> str:
        """A place in the model by the model's name."""
        return self._model + location[1:] if location.startswith("-:") else location

    def write_index(self) -> None:
        files.write_file(str(self._folder / _INDEX), self._rows.getvalue().encode())
        self._written = time.monotonic()

    def summary(self) -> str:
        lines = [f"{self.files} probed values are in {self._folder / _INDEX}"]
        for what, count in self.dropped.items():
            lines.append(f"  {what}: {count} more were not written, see --probe-limit")
        return "\n".join(lines)


def _write(path: Path, array: Array) -> None:
    """Write an array under a temporary name, without a copy of it, and rename the file."""
    try:
        with files.replacing(path) as file:
            np.lib.format.write_array(file, array_files.storable(array), allow_pickle=False)
    except OSError as error:
        raise ShloError(f"cannot write {str(path)!r}: {error.strerror}") from error


@contextmanager
def recording(folder: str | None, model: str, limit: int) -> Iterator[Recorder | None]:
    """A recorder for the block; its index is written however the block ends."""
    if folder is None:
        yield None
        return
    recorder = Recorder(folder, model, limit)
    try:
        yield recorder
    finally:
        recorder.write_index()
    print(recorder.summary())
