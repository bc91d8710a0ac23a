"""Values that a program shows while it runs: ``interpreter.probe`` and ``interpreter.print``.

Probes write to a folder as StableHLO's interpreter does: ``probe1.npy``, ``probe2.npy``, ... and
``index.csv``, which has a row for each, in the order of execution:

    logits,tensor<2xf32>,/tmp/probes/probe1.npy

What it has written can be read as well, here and by ``check.expect_serialized_eq``.
"""

from __future__ import annotations

import csv
import threading
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import Array, Kind
from shlo_tools.errors import ShloError

INDEX = "index.csv"
_CHUNK = 64  # MLIR prints longer constants as hexadecimal numbers

# What numpy's and csv's readers raise on damaged files.
_DAMAGED = (
    *(ValueError, EOFError, KeyError, TypeError, OverflowError, MemoryError, RecursionError),
    *(SyntaxError, tokenize.TokenError, csv.Error),
)


@dataclass
class Probes:
    """A folder of probed values. The first one that is written replaces an older index."""

    folder: Path
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, probe_id: str, type: str, value: Array) -> None:
        """Add a value.

        Args:
            type: its MLIR type, which tells how the file's bytes are to be read.

        Raises:
            ShloError: the folder cannot be written to.
        """
        with self._lock:  # processes of a grid may share the folder
            self._count += 1
            path = self.folder / f"probe{self._count}.npy"
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                with open(path, "wb") as file:
                    np.lib.format.write_array(file, _storable(value), allow_pickle=False)
                mode = "w" if self._count == 1 else "a"
                with open(self.folder / INDEX, mode, newline="") as index:
                    csv.writer(index, lineterminator="\n").writerow([probe_id, type, path])
            except OSError as error:
                reason = error.strerror or error
                raise ShloError(f"cannot write probe {probe_id!r} to {path}: {reason}") from error

    def read(self, probe_id: str, iteration: int) -> tuple[str, Array]:
        """The type and the value of a probe's n-th execution, counted from 1.

        Raises:
            ShloError: there is none, or the files cannot be read.
        """
        rows = [row for row in self._rows() if row[0] == probe_id]
        if not 1 <= iteration <= len(rows):
            raise ShloError(
                f"{self.folder} has {len(rows)} values of probe {probe_id!r}, and no {iteration}."
            )
        *type, path = rows[iteration - 1][1:]
        return ",".join(type), self._load(Path(path))

    def _rows(self) -> list[list[str]]:
        try:
            with open(self.folder / INDEX, newline="") as index:
                return [row for row in csv.reader(index) if len(row) >= 3]
        except OSError as error:
            reason = error.strerror or error
            raise ShloError(f"cannot read {self.folder / INDEX}: {reason}") from error
        except _DAMAGED as error:
            raise ShloError(f"{self.folder / INDEX} is damaged: {error}") from error

    def _load(self, path: Path) -> Array:
        here = self.folder / path.name  # the folder may have moved since
        try:
            with open(path if path.exists() else here, "rb") as file:
                value: Array = np.lib.format.read_array(file, allow_pickle=False)
                return value
        except OSError as error:
            raise ShloError(f"cannot read {path}: {error.strerror or error}") from error
        except _DAMAGED as error:
            raise ShloError(f"{path} is damaged: {error}") from error


def as_type(stored: Array, like: Array) -> Array:
    """A value from a file with the dtype and shape of another: files know numpy's own types only.

    Raises:
        ShloError: the bytes do not suffice for it, or are too many.
    """
    raw = np.ascontiguousarray(stored).tobytes()
    if len(raw) != like.nbytes:
        raise ShloError(f"the file has {len(raw)} bytes of values, not {like.nbytes}")
    return np.frombuffer(raw, like.dtype).reshape(like.shape)


def _storable(value: Array) -> Array:
    """The array itself, or as void where numpy would write a type that it cannot read back."""
    return value if value.dtype.isbuiltin == 1 else value.view(f"V{value.dtype.itemsize}")


_probes: ContextVar[Probes | None] = ContextVar("probes", default=None)


@contextmanager
def writing(folder: str | None) -> Iterator[Probes | None]:
    """Have programs that run in the block write their probes to a folder."""
    probes = None if folder is None else Probes(Path(folder))
    token = _probes.set(probes)
    try:
        yield probes
    finally:
        _probes.reset(token)


def current() -> Probes | None:
    """Where probes go, if anywhere."""
    return _probes.get()


# --- printing -------------------------------------------------------------------------------------
def shown(name: str, type: str, value: Array) -> str:
    """A value as MLIR writes its elements; ``name`` is the value's name in the program."""
    return f"{name} = {written(type, value)}"


def written(type: str, value: Array) -> str:
    """A value's type, and its elements as MLIR writes them: one line for each innermost row."""
    elements = iter(elements_of(value))
    if not value.ndim:
        return f"{type} {{{next(elements)}}}"
    return f"{type} {{\n{_nested(elements, value.shape, '  ')}\n}}"


def _nested(elements: Iterator[str], shape: tuple[int, ...], indent: str) -> str:
    if not shape[0]:
        return f"{indent}[]"
    if len(shape) == 1:
        return f"{indent}[{', '.join(next(elements) for _ in range(shape[0]))}]"
    rows = [_nested(elements, shape[1:], indent + "  ") for _ in range(shape[0])]
    return "\n".join([f"{indent}[", ",\n".join(rows), f"{indent}]"])


def elements_of(value: Array) -> list[str]:
    """Each element as MLIR writes it."""
    flat = np.ascontiguousarray(value).reshape(-1)
    texts: list[str] = []
    with mlir.library_context():
        for start in range(0, flat.size, _CHUNK):
            chunk = flat[start : start + _CHUNK]
            text = str(dtypes.to_attribute(chunk))
            inside = text[len("dense<") : text.rindex("> : ")]
            one = [inside] * chunk.size
            texts += inside[1:-1].split(", ") if inside.startswith("[") else one
    if dtypes.from_dtype(value.dtype).kind is Kind.COMPLEX:
        return [f"[{text[1:-1].replace(',', ', ')}]" for text in texts]
    return texts
