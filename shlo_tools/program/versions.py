"""Versions of StableHLO, as portable artifacts have them."""

from __future__ import annotations

import re
from typing import NamedTuple

from shlo_tools import mlir
from shlo_tools.errors import ShloError

CURRENT = "current"  # what a target may say instead of the newest version
_NUMBERS = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
_PRODUCER = re.compile(rb"ML\xefR.{1,9}?StableHLO_v(\d{1,9}\.\d{1,9}\.\d{1,9})\0", re.DOTALL)


class Version(NamedTuple):
    """``1.9.0``; versions compare as their numbers do."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))


def current() -> Version:
    """The newest version that there is here."""
    return parse(mlir.stablehlo_version())


def oldest() -> Version:
    """The oldest version that artifacts can be written for."""
    return parse(mlir.oldest_stablehlo_version())


_LAST_BEFORE_1 = 20  # 0.20.0 was followed by 1.0.0


def window() -> list[Version]:
    """Every version that artifacts can be written for, oldest first; they differ in minor only."""
    first, last = oldest(), current()
    everything = [Version(0, minor) for minor in range(_LAST_BEFORE_1 + 1)]
    everything += [Version(1, minor) for minor in range(last.minor + 1)]
    return [version for version in everything if first <= version <= last]


def parse(text: str) -> Version:
    """Read ``1.9.0``; raises ShloError for anything else."""
    match = _NUMBERS.fullmatch(text)
    if not match:
        what = (
            f"Invalid target version argument {text!r}" if text else "No target version specified."
        )
        raise ShloError(
            f"{what}\nTarget version must be of the form `#.#.#`.",
            hint=f"from {oldest()} to {current()}, or {CURRENT!r}",
        )
    return Version(*map(int, match.groups()))


def target(text: str) -> Version:
    """The version that artifacts are to be written for.

    Args:
        text: ``1.9.0``, or ``current``.

    Raises:
        ShloError: it is no version, or one that nothing can be written for here.
    """
    version = current() if text == CURRENT else parse(text)
    if version < oldest():
        raise ShloError(f"target version {version} is less than minimum supported {oldest()}")
    if version > current():
        raise ShloError(f"target version {version} is greater than current version {current()}")
    return version


def of_artifact(artifact: bytes) -> Version | None:
    """The version in the header of a portable artifact; None where there is none."""
    match = _PRODUCER.match(artifact[:64])
    return parse(match[1].decode()) if match else None
