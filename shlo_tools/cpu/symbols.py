"""External functions of compiled code: found before code is made, named when missing."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import sys
from contextlib import suppress
from pathlib import Path

from shlo_tools import ir, mlir
from shlo_tools.codegen.library.fourier import plans
from shlo_tools.cpu.memory import aligned_bytes
from shlo_tools.dtypes import Array
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend import fourier_loops

_BLAS_PREFIX = "scipy_"


def resolve(module: mlir.Module) -> dict[str, int]:
    """Addresses of the declared functions that have to be bound by hand.

    Raises:
        UnsupportedError: a declared function is nowhere in this process.
    """
    bound: dict[str, int] = {}
    for op in ir.children(module.operation):
        if op.name != "llvm.func" or not ir.is_declaration(op):
            continue
        name = ir.symbol_name(op)
        if name.startswith("llvm."):
            continue
        where = known_address(name)
        if name.startswith(_BLAS_PREFIX):
            bound[name] = where
    return bound


def known_address(name: str) -> int:
    """The address of a function.

    Raises:
        UnsupportedError: neither this process nor OpenBLAS has it.
    """
    where = address(name)
    if not where:
        raise UnsupportedError(f"compiled code calls @{name}, which this process does not have")
    return where


def address(name: str) -> int:
    """The address of a function of this process, of OpenBLAS or numpy; 0 where it has none.

    What kernels read by name is there, too.
    """
    if plans.is_name(name):
        return _factors(name).ctypes.data
    if fourier_loops.is_name(name):
        return fourier_loops.address(name)
    library = blas() if name.startswith(_BLAS_PREFIX) else process()
    return _address(library, name) if hasattr(library, name) else 0


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def _factors(name: str) -> Array:
    """Factors of Fourier transforms; they stay where they are as long as there is a process."""
    if name not in _tables:
        factors = plans.factors_of(name)
        table = aligned_bytes(factors.size)
        table[:] = factors
        _tables.setdefault(name, table)  # another thread may have been faster: its one is used
    return _tables[name]


_tables: dict[str, Array] = {}


@functools.cache
def process() -> ctypes.CDLL:
    """The functions that every process has."""
    with suppress(OSError):  # elsewhere it is a part of what every process has
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(None)


@functools.cache
def blas() -> ctypes.CDLL:
    """OpenBLAS, loaded on first use and kept to one thread."""
    library = ctypes.CDLL(_blas_path())
    library.scipy_openblas_set_num_threads(1)
    library.scipy_LAPACKE_set_nancheck(0)  # NaN goes in and comes out, as in LAPACK itself
    return library


def _blas_path() -> str:
    """Where the library lies, in a package that is not imported.

    That would read what is known of the package's version, which takes longer than the library.
    """
    package = importlib.util.find_spec("scipy_openblas32")
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
    for folder in (package and package.submodule_search_locations) or ():
        for path in Path(folder, "lib").glob(f"libscipy_openblas*{suffix}"):
            return str(path)
    raise ModuleNotFoundError("scipy-openblas32 is not installed", name="scipy_openblas32")
