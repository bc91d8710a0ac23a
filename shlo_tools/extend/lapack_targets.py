"""``lapack_{s,d,c,z}<routine>_ffi``: LAPACK as JAX exports calls of it, and how it is spelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# LAPACK's letter for each element type that it computes with, and for the reals beside it.
PREFIXES = {"s": "f32", "d": "f64", "c": "complex<f32>", "z": "complex<f64>"}
REAL = {"s": "f32", "d": "f64", "c": "f32", "z": "f64"}

# Routine -> its name for complex types.
ROUTINES = {
    "potrf": "potrf",
    "getrf": "getrf",
    "geqrf": "geqrf",
    "geqp3": "geqp3",
    "orgqr": "ungqr",
    "ormqr": "unmqr",
    "gesdd": "gesdd",
    "gesvd": "gesvd",
    "syevd": "heevd",
    "geev": "geev",
    "gees": "gees",
    "gehrd": "gehrd",
    "sytrd": "hetrd",
    "trsm": "trsm",
    "gtsv": "gtsv",
}

# The letters that options may have; other options are numbers and truth values.
LETTERS = {
    "uplo": "LU",
    "side": "LR",
    "diag": "NU",
    "trans_x": "NTC",
    "mode": "NVAS",
    "compute_left": "NV",
    "compute_right": "NV",
    "sort": "N",
}

# ``info`` for NaN or Inf where LAPACK would iterate on them for minutes or print complaints.
NOT_FINITE = -4

# CBLAS numbers of option letters.
CBLAS = {
    "side": {"L": 141, "R": 142},
    "uplo": {"U": 121, "L": 122},
    "trans_x": {"N": 111, "T": 112, "C": 113},
    "diag": {"N": 131, "U": 132},
}


class Target(NamedTuple):
    """The routine of a target, by its name for reals, and the letter of its element type."""

    routine: str
    prefix: str


def is_complex(prefix: str) -> bool:
    """Whether a letter stands for a complex element type."""
    return prefix in "cz"


def spelled(routine: str, prefix: str) -> str:
    """A routine's name for an element type, without its letter."""
    return ROUTINES[routine] if is_complex(prefix) else routine


TARGETS: Mapping[str, Target] = {
    f"lapack_{prefix}{spelled(routine, prefix)}_ffi": Target(routine, prefix)
    for routine in ROUTINES
    for prefix in PREFIXES
}


def letter_of(option: str, value: object) -> str | None:
    """The letter of an option, which is written as a character code; None if it may not be."""
    return next((letter for letter in LETTERS[option] if value == ord(letter)), None)
