"""One program run in several ways, which must all agree.

Natively as it is (fused), natively with probes (every op on its own), natively after
``shlo-simplify``, and by the reference; with the sizes that its types say, and where they leave
sizes open, with others, too, which all ways must accept or all refuse (but values that nothing
needs may vanish with the checks of their sizes).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools import dtypes, ir, mlir, program
from shlo_tools.dtypes import Array, Dim, TensorType
from shlo_tools.errors import ExecutionTimeout, ShloError
from shlo_tools.tools.campaign.outcome import REFUSED, RIGHT, WRONG, Outcome
from shlo_tools.tools.campaign.programs.drawing import OPEN, small
from shlo_tools.tools.campaign.programs.elementwise import ROUGH
from shlo_tools.tools.run.comparing import comparison

LONG = 4.0  # seconds of the reference after which a program is taken for one that does not end
_NO_MEMORY = "memory does not suffice"
OPEN_CALLS = 6  # of a program of unknown sizes: with those of its drawing, then with others
_ROUGH = re.compile(rf"\b(stablehlo|chlo)\.({'|'.join(ROUGH)})\b")
# Parts of complex products are differences of products, which are rounded or not once they are
# larger than whole numbers of the type.
_DIFFERENCES = re.compile(r"stablehlo\.multiply .*complex<")
Call = Callable[..., Any]
Differs = Callable[[Array, Array], str]  # '' where two results agree


def examine(text: str, seed: int, differs: Differs | None = None) -> Outcome:
    """Run a program in all ways; what differs is wrong, what all refuse is refused.

    A program that does not end is one that all ways stop when they are asked to. Of one that takes
    the reference more memory than there is, nobody knows what is right.

    Args:
        text: the program.
        seed: what its arguments are drawn from.
        differs: tells results apart; by default bit by bit, or with the usual tolerances where
            there are ops that implementations round differently.
    """
    module = shlo_tools.load(text)
    types = argument_types(module)
    careful = needs_all(module)
    limit = differs or differs_for(text)
    reference, refusal = _attempt(lambda: shlo_tools.compile(module, backend="reference"))
    ways = {"native": lambda: shlo_tools.compile(text), "probed": lambda: _probed(text)}
    ways["simplified"] = lambda: shlo_tools.compile(_simplified(text))
    calls: dict[str, Call] = {}
    for way, compiled in ways.items():
        call, error = _attempt(compiled)
        if refusal is not None and error is None:
            return _parted(way, error, refusal)
        calls[way] = call if error is None else _refused(error)
    if reference is None:
        return Outcome(REFUSED, _said(refusal))
    accepted = False
    for turn in range(OPEN_CALLS if any(not type.is_static for type in types) else 1):
        inputs = arguments(types, random.Random(seed + turn), turn == 0)
        expected, refusal = _attempt(partial(reference, *inputs, timeout=LONG))
        if isinstance(refusal, ExecutionTimeout) or _NO_MEMORY in _said(refusal):
            for call in calls.values():
                _attempt(partial(call, *inputs, timeout=1))
            return Outcome(REFUSED, _said(refusal))
        accepted |= expected is not None
        for way, call in calls.items():
            result = partial(call, *inputs, timeout=3 * LONG)
            outcome = _agree(way, result, expected, refusal, limit)
            needed = expected is not None or (careful and way != "simplified")
            if outcome is not None and needed:
                return outcome
    return Outcome(RIGHT) if accepted else Outcome(REFUSED, _said(refusal))


def differs_for(text: str) -> Differs:
    """How to tell results of a program apart."""
    return rounded if _ROUGH.search(text) or _DIFFERENCES.search(text) else exact


def _agree(
    way: str,
    call: Callable[[], Any],
    expected: Any,
    refusal: ShloError | None,
    differs: Differs,
) -> Outcome | None:
    got, error = _attempt(call)
    if (error is None) != (refusal is None):
        return _parted(way, error, refusal)
    if error is not None:
        return None
    for number, (one, other) in enumerate(zip(listed(got), listed(expected), strict=True)):
        difference = differs(one, other)
        if difference:
            return Outcome(WRONG, f"{way} differs from the reference: result{number} {difference}")
    return None


def _attempt(work: Callable[[], Any]) -> tuple[Any, ShloError | None]:
    try:
        return work(), None
    except ShloError as error:
        return None, error


def _refused(error: ShloError) -> Call:
    """A call of a program that one way refuses when it compiles it, another when it runs it."""

    def call(*arguments: Array, timeout: float) -> Any:
        raise error

    return call


def _said(error: ShloError | None) -> str:
    return str(error.diagnostics[0].message)[:200] if error is not None else ""


def _parted(way: str, error: ShloError | None, refusal: ShloError | None) -> Outcome:
    if error is not None:
        return Outcome(WRONG, f"{way} refuses what the reference runs: {_said(error)}")
    return Outcome(WRONG, f"{way} runs what the reference refuses: {_said(refusal)}")


def listed(results: Any) -> Sequence[Array]:
    """What a call returned, as several results."""
    return results if isinstance(results, tuple) else (results,)


def _probed(text: str) -> Call:
    return shlo_tools.compile(text, probe=lambda hit: None)


def _simplified(text: str) -> Any:
    module = shlo_tools.load(text)
    with mlir.library_context():
        program.verify_further(module)  # as the other ways do, before what is wrong may vanish
    shlo_tools.Pipeline("builtin.module(shlo-simplify)").run(module)
    return module


def needs_all(module: mlir.Module) -> bool:
    """Whether all values are used, so that no check of sizes may be left out."""
    with mlir.library_context():
        for op in mlir.walk(module.operation):
            if len(op.results) and not any(len(list(r.uses)) for r in op.results):
                return False
    return True


# --- arguments ------------------------------------------------------------------------------------
def argument_types(module: mlir.Module) -> list[TensorType]:
    with mlir.library_context():
        main = ir.functions_by_name(module.operation)["main"]
        return [dtypes.tensor_type(type) for type in ir.signature(main)[0]]


def drawn_shape(shape: Sequence[Dim]) -> list[int]:
    """The shape that arguments of a type have where sizes that it leaves open are the drawing's."""
    return [dim if isinstance(dim, int) else OPEN for dim in shape]


def arguments(types: Sequence[TensorType], chance: random.Random, fits: bool) -> list[Array]:
    """Small whole numbers. Sizes that types leave open are those of the drawing if
    ``fits``, else random ones."""
    arrays = []
    for type in types:
        shape = (
            drawn_shape(type.shape)
            if fits
            else [dim if isinstance(dim, int) else chance.randint(0, 4) for dim in type.shape]
        )
        array = small(chance, shape, type.element_type.name)
        array.flags.writeable = False
        arrays.append(array)
    return arrays


# --- comparing ------------------------------------------------------------------------------------
def exact(got: Array, expected: Array) -> str:
    """'' where all bits are the same, but any NaN stands for any other."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"is {got.dtype}{list(got.shape)}, should be {expected.dtype}{list(expected.shape)}"
    if got.dtype.kind == "c":
        halves = [(np.real(got), np.real(expected)), (np.imag(got), np.imag(expected))]
        part = f"f{got.dtype.itemsize // 2}"
        parts = [exact(a.astype(part), b.astype(part)) for a, b in halves]
        return next((text for text in parts if text), "")
    bits = f"u{got.dtype.itemsize}"
    same = np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(expected).view(bits)
    if dtypes.from_dtype(got.dtype).is_float:
        same = same | (np.isnan(got) & np.isnan(expected))
    if same.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~same.reshape(got.shape))[0])
    return f"at {list(at)} is {got[at]}, should be {expected[at]}"


def rounded(got: Array, expected: Array) -> str:
    """'' where results are within the tolerances of ``shlo-run --expected-output``."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return exact(got, expected)
    limit = comparison.tolerance(dtypes.from_dtype(got.dtype), None, None)
    agrees, lines = comparison.report(0, got, expected, limit)
    return "" if agrees else " ".join(lines)[:200]
