"""What other implementations say of the fast cases, beside the reference.

Each runs in a child process, since it may die: that and refusals are answers too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from batch import interpret
from cases._case import Array, Case, program
from cases._tolerances import Between, Sums, difference, finfo
from cases._types import INTEGER

from runs.outcomes import Key, Work, batches, cases_of, in_halves

DIVISIONS = ("stablehlo.divide", "stablehlo.remainder")
PATIENCE = 30.0  # seconds for a case

AGREES, DIFFERS, DIES, REFUSES = "agrees", "differs", "dies", "refuses"


@dataclass(frozen=True)
class Verdict:
    """What an implementation says of a case."""

    key: Key
    label: str
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class Fault:
    """What an implementation is excused for.

    Attributes:
        kinds: ``differs``, ``dies``, ``refuses``.
        ops: without their dialect.
        elements: the element types that it is excused for.
        reason: what the specification says, and who does something else.
    """

    kinds: str
    ops: str
    elements: tuple[str, ...]
    reason: str

    def excuses(self, verdict: Verdict) -> bool:
        return (
            verdict.kind in self.kinds.split()
            and verdict.key.op.partition(".")[2] in self.ops.split()
            and verdict.key.element in self.elements
        )


class Oracle:
    """A worker (``runs.official``, ``runs.xla``) that answers one program at a time."""

    def __init__(
        self,
        worker: str,
        python: str = sys.executable,
        *,
        flushes: bool = False,
        together: int = 1,
    ) -> None:
        """How it is asked.

        Args:
            flushes: it takes denormal numbers for zeros, so it is given none.
            together: cases of one program, where none of them is refused.
        """
        self.command = [python, "-m", worker]
        self.environment = dict(os.environ)
        if python == sys.executable:  # which finds what this process finds
            self.environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self.flushes, self.together = flushes, together
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, text: str, inputs: Sequence[Any]) -> tuple[str, Any]:
        """``("done", results)``, ``("refused", why)`` or ``("died", how)``."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=Path(__file__).parents[1],
                env=self.environment,
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        watch = threading.Timer(PATIENCE, self.process.kill)
        watch.start()
        try:
            pickle.dump((text, list(inputs)), self.process.stdin)
            self.process.stdin.flush()
            results: tuple[str, Any] = pickle.load(self.process.stdout)
            return results
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            status = self.process.wait()
            self.end()
            return "died", f"exit status {status}"
        finally:
            watch.cancel()

    def end(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
        self.process = None


def verdicts(
    oracle: Oracle,
    families: Sequence[str],
    elements: Sequence[str],
    left_out: Container[str] = (),
) -> Iterator[Verdict]:
    """What it says of the fast cases of families, on some element types and without some ops."""
    work = [
        (key, _answerable(oracle, key, case))
        for family in families
        for key, case in cases_of(family, elements=elements, fast=True)
        if key.op not in left_out
    ]
    try:
        for some in batches(work, oracle.together):
            yield from _asked(oracle, some)
    finally:
        oracle.end()


def _answerable(oracle: Oracle, key: Key, case: Case) -> Case:
    """A case without what implementations need not agree on."""
    if key.op in DIVISIONS and key.element in INTEGER:
        case = _without_traps(case)
    return _without_denormals(case) if oracle.flushes else case


def _asked(oracle: Oracle, work: Work) -> Iterator[Verdict]:
    """What it says of cases, asked in halves where it does not answer for all of them."""

    def ask(some: Work) -> tuple[str, Any]:
        cases = [case for _, case in some]
        return oracle.ask(program(cases), [i.array for case in cases for i in case.inputs])

    for some, (kind, answer) in in_halves(work, ask, lambda answer: answer[0] != "done"):
        results = iter(answer)
        for key, case in some:
            if kind != "done":
                judged = DIES if kind == "died" else REFUSES, str(answer)
            else:
                judged = _judged(oracle, case, [next(results) for _ in case.results])
            yield Verdict(key, case.label, *judged)


def _without_traps(case: Case) -> Case:
    """Divisors other than 0 and -1, at which what happens is implementation-defined."""
    operand, divisor = case.inputs
    wide = divisor.array.astype(np.int64)
    safe = np.where((wide == 0) | (wide == -1), 1, wide).astype(divisor.array.dtype)
    return replace(case, inputs=(operand, replace(divisor, array=safe)))


def _without_denormals(case: Case) -> Case:
    inputs = [replace(item, array=_flushed(item.array)) for item in case.inputs]
    return replace(case, inputs=tuple(inputs))


def _flushed(array: Array) -> Array:
    """Zeros for denormal numbers."""
    if array.dtype.kind == "c":
        parts = np.empty_like(array)
        parts.real, parts.imag = _flushed(array.real), _flushed(array.imag)
        return parts
    if array.dtype.kind != "f" and "float" not in array.dtype.name:
        return array
    least = float(finfo(array.dtype).smallest_normal)
    small = np.abs(array.astype(np.float64)) < least
    return np.where(small, np.zeros((), array.dtype), array).astype(array.dtype)


def _judged(oracle: Oracle, case: Case, results: Sequence[Array]) -> tuple[str, str]:
    if case.undefined or isinstance(case.tolerance, Between):
        return AGREES, "left open"
    target = interpret([case])
    sizes: Sequence[Any] = [None] * len(target)
    if isinstance(case.tolerance, Sums):
        sizes = interpret([case], absolute=True)
    for number, (actual, expected, size) in enumerate(zip(results, target, sizes, strict=True)):
        actual = actual.reshape(expected.shape)
        if oracle.flushes:
            actual, expected = _flushed(actual), _flushed(expected)
        wrong = difference(actual, expected, case.tolerance, size)
        if wrong:
            return DIFFERS, f"result {number}: {wrong}"
    return AGREES, ""


def check(verdicts: Iterable[Verdict], faults: Sequence[Fault]) -> None:
    """Fails for a difference that nothing excuses, and for an excuse of nothing."""
    verdicts_apart = [verdict for verdict in verdicts if verdict.kind != AGREES]
    unknown = [v for v in verdicts_apart if not any(fault.excuses(v) for fault in faults)]
    assert not unknown, "\n".join(
        f"{v.kind}: {v.key.op} {v.key.element} {v.label}: {v.detail}" for v in unknown
    )
    outlived = [fault for fault in faults if not any(fault.excuses(v) for v in verdicts_apart)]
    assert not outlived, f"no difference any more: {outlived}"
