"""The file format of a recorded program, shared by every exporter in this folder.

A program `name` is three things:

* `name.mlir`: the exported module as text;
* `name.npz`: inputs `arg0`, `arg1`, ... and results `result0`, `result1`, ..., in the order of
  the arguments and results of the module's `@main`;
* an entry in `programs.json`: the bound within which results must agree, and why that bound.

A program for any sizes has besides them `name_sizes.npz`, with `0.arg0`, `0.result0`, `1.arg0`, ...
for further shapes of its arguments, and in its entry `refused`: shapes, and what the exporter says
of them.

A result `x` agrees with the recorded `r` where `|x - r| <= atol + rtol * |r|`; integer and
boolean results agree only where they are equal. Element types that plain numpy lacks (bf16, f8)
are stored as void of their width, which is what shlo-run reads and writes, and the entry's
`dtypes` names them: `{"arg1": "bfloat16"}` means `npz["arg1"].view(ml_dtypes.bfloat16)`.
"""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
INDEX = HERE / "programs.json"

# Committed files stay small enough to look at.
MODULE_LIMIT = 200_000
ARRAYS_LIMIT = 100_000

# Moving every input by its last bit may use this part of the bound; the rest is for the
# roundings of the implementation under test.
CONDITIONING_LIMIT = 0.5
PERTURBATIONS = 8

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Bound:
    """How far a result may be from the recorded one.

    Attributes:
        rtol: allowed distance relative to the recorded element.
        atol: allowed absolute distance.
        reason: one line that says where the distance comes from.
    """

    rtol: float
    atol: float
    reason: str

    def excess(self, result: Array, recorded: Array) -> float:
        """The largest distance between two arrays in units of the bound (<= 1: they agree)."""
        if recorded.dtype.kind in "iub":
            return 0.0 if np.array_equal(result, recorded) else np.inf
        wide = np.complex128 if recorded.dtype.kind == "c" else np.float64
        got, want = result.astype(wide), recorded.astype(wide)
        limit = self.atol + self.rtol * np.abs(want)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(got == want, 0.0, np.abs(got - want) / limit)
        return float(np.max(np.where(np.isnan(ratio), np.inf, ratio), initial=0.0))


def random_generator(name: str) -> np.random.Generator:
    """A generator seeded by the program's name: a second export writes the same bytes."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def conditioning(
    name: str,
    run: Callable[[list[Array]], list[Array]],
    arguments: Sequence[Array],
    results: Sequence[Array],
    bound: Bound,
) -> float:
    """How far results move, in units of the bound, when inputs move by their last bit.

    Raises:
        ValueError: so far that a right implementation could miss the bound.
    """
    generator = random_generator(name)
    worst = 0.0
    for _ in range(PERTURBATIONS):
        moved = run([perturb(array, generator) for array in arguments])
        pairs = zip(moved, results, strict=True)
        worst = max(worst, *(bound.excess(result, recorded) for result, recorded in pairs))
    if worst > CONDITIONING_LIMIT:
        raise ValueError(f"{name}: the last bit of the inputs moves results by {worst:.2g} bounds")
    return worst


def perturb(array: Array, generator: np.random.Generator) -> Array:
    """Move each nonzero float up or down by one unit in the last place, or leave it."""
    if array.dtype.kind in "iub":
        return array
    if array.dtype.kind == "c":
        return perturb(array.view(array.real.dtype), generator).view(array.dtype)
    infinity = np.array(np.inf, array.dtype)
    step = generator.integers(-1, 2, array.shape) * (array != 0)
    target = np.where(step == 0, array, np.where(step > 0, infinity, -infinity))
    return np.asarray(np.nextafter(array, target))


def record(
    name: str,
    module: str,
    arguments: Sequence[Array],
    results: Sequence[Array],
    bound: Bound,
    source: str,
) -> None:
    """Write the three parts of one program.

    Raises:
        ValueError: a file would be too large to commit, or a result is not finite.
    """
    arrays: dict[str, Any] = {f"arg{i}": array for i, array in enumerate(arguments)}
    arrays |= {f"result{i}": array for i, array in enumerate(results)}
    arrays = {key: np.array(array, order="C") for key, array in arrays.items()}
    dtypes = {key: array.dtype.name for key, array in arrays.items() if _is_extension(array)}
    for key, array in arrays.items():
        if _is_extension(array):
            arrays[key] = array.view(f"V{array.dtype.itemsize}")
        elif array.dtype.kind in "fc" and not np.isfinite(array).all():
            raise ValueError(f"{name}: {key} is not finite; choose better inputs")
    (HERE / f"{name}.mlir").write_text(module)
    np.savez_compressed(HERE / f"{name}.npz", **arrays)
    for suffix, limit in ((".mlir", MODULE_LIMIT), (".npz", ARRAYS_LIMIT)):
        size = (HERE / f"{name}{suffix}").stat().st_size
        if size > limit:
            raise ValueError(f"{name}{suffix} has {size} bytes, more than {limit}; shrink it")
    _index(name, bound, source, dtypes)


def record_sizes(
    name: str,
    cases: Sequence[tuple[Sequence[Array], Sequence[Array]]],
    refused: Sequence[dict[str, object]],
) -> None:
    """Write what a program of any sizes computes for further ones.

    Args:
        cases: arguments and results.
        refused: `shapes` of arguments, and the exporter's `message`.
    """
    arrays = {}
    for number, (arguments, results) in enumerate(cases):
        arrays |= {f"{number}.arg{i}": array for i, array in enumerate(arguments)}
        arrays |= {f"{number}.result{i}": array for i, array in enumerate(results)}
    np.savez_compressed(HERE / f"{name}_sizes.npz", **{k: np.array(a) for k, a in arrays.items()})
    entries = json.loads(INDEX.read_text())
    entries[name]["refused"] = refused
    INDEX.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")


def _is_extension(array: Array) -> bool:
    """Whether the element type comes from ml_dtypes: numpy itself would pickle it."""
    return array.dtype.kind == "V" or array.dtype.isbuiltin == 2


def _index(name: str, bound: Bound, source: str, dtypes: dict[str, str]) -> None:
    entries = json.loads(INDEX.read_text()) if INDEX.exists() else {}
    entry: dict[str, object] = {"rtol": bound.rtol, "atol": bound.atol, "reason": bound.reason}
    entry["source"] = source
    if dtypes:
        entry["dtypes"] = dtypes
    entries[name] = entry
    INDEX.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")
