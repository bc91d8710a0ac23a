"""The table of programs: name -> family and how to build it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
# A function to export, and its arguments (pytrees of numpy arrays).
Built = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """One row: the module that holds it tells when a cached export is out of date."""

    name: str
    family: str
    module: str
    build: Callable[[np.random.Generator], Built]


PROGRAMS: dict[str, Program] = {}


def program(
    family: str, **cases: tuple[Any, ...]
) -> Callable[[Callable[..., Built]], Callable[..., Built]]:
    """Enter the decorated builder: a builder's name and a case's make the program's.

    Args:
        family: what the table groups by.
        cases: name -> what the builder takes behind the generator; none where it takes no more.
    """

    def enter(build: Callable[..., Built]) -> Callable[..., Built]:
        for case, values in (cases or {"": ()}).items():
            name = f"{build.__name__}_{case}".strip("_")
            if name in PROGRAMS:
                raise ValueError(f"two programs are called {name}")

            def built(generator: np.random.Generator, values: tuple[Any, ...] = values) -> Built:
                return build(generator, *values)

            PROGRAMS[name] = Program(name, family, build.__module__, built)
        return build

    return enter


def normal(generator: np.random.Generator, *shape: int, dtype: Any = np.float32) -> Array:
    """Normal values."""
    return np.asarray(generator.standard_normal(shape)).astype(dtype)


def weights(generator: np.random.Generator, *shape: int) -> Array:
    """Normal values that keep the scale of what they are multiplied with."""
    scale = float(np.prod(shape[:-1])) ** -0.5
    return np.asarray(scale * generator.standard_normal(shape)).astype(np.float32)


def integers(generator: np.random.Generator, high: int, *shape: int) -> Array:
    """Uniform int32 values from 0, ``high`` excluded."""
    return generator.integers(0, high, shape).astype(np.int32)
