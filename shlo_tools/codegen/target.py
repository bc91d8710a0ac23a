"""The processor that code is generated for: vector width and what its instructions can do.

Every width in generated code comes from here. ``SHLO_TARGET`` (``avx512``, ``avx2``, ``baseline``,
``neon``) forces a narrower target of the same architecture, on which all code has to work too.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from shlo_tools.errors import ShloError, did_you_mean

_VARIABLE = "SHLO_TARGET"
_X86 = ("x86_64", "AMD64")
_LEVEL: ContextVar[Target | None] = ContextVar("_LEVEL", default=None)


@dataclass(frozen=True)
class Target:
    """What code may use.

    Attributes:
        name: how people choose it.
        vector_bytes: width of a vector register.
        vector_registers: how many there are.
        fma: whether a fused multiply-add is one instruction.
        converts_f16: whether conversions of f16 are instructions, not calls of a runtime library.
        compresses: whether bringing the masked lanes of a register together is one instruction.
        blends: whether one instruction chooses lanes of two registers by a third one's signs.
        adds_words: whether adding two products of i16 is one instruction.
        multiplies_words: whether two products of i16, added to each other, are one instruction.
        multiplies_bytes: whether four of u8 and i8 are, added to a sum (VNNI).
        rounds: whether what makes whole numbers of f64 is one instruction for vectors.
        splits_floats: whether taking f32 apart by exponent and mantissa, and back, is instructions.
        looks_up: whether a table of 32 f32 is looked up for all lanes by one instruction.
        masks: whether loads and stores of some lanes take no longer than those of all.
        broadcasts: whether an operand in memory may be one number for all lanes.
        pause: the instruction that says that a loop waits.
        features: LLVM's target features that hold code to this target on a better machine.
    """

    name: str
    vector_bytes: int
    vector_registers: int
    fma: bool
    features: tuple[str, ...] = ()
    converts_f16: bool = True
    compresses: bool = False
    blends: bool = False
    adds_words: bool = False
    multiplies_words: bool = False
    multiplies_bytes: bool = False
    rounds: bool = False
    splits_floats: bool = False
    looks_up: bool = False
    masks: bool = False
    broadcasts: bool = False
    pause: str = "pause"

    def lanes(self, bits: int) -> int:
        """Elements of ``bits`` in a vector register."""
        return self.vector_bytes * 8 // bits


_WITHOUT_AVX512 = tuple(f"-avx512{part}" for part in ("f", "vl", "bw", "dq", "cd"))
_WITHOUT_AVX = ("-avx", "-fma", "-avx2", "-f16c", *_WITHOUT_AVX512)
_TARGETS = {
    target.name: target
    for target in (
        Target(
            "avx512",
            64,
            32,
            fma=True,
            compresses=True,
            adds_words=True,
            multiplies_words=True,
            rounds=True,
            splits_floats=True,
            looks_up=True,
            masks=True,
            broadcasts=True,
        ),
        Target(
            "avx2",
            32,
            16,
            fma=True,
            features=("+avx2", "+fma", *_WITHOUT_AVX512),
            blends=True,
            rounds=True,
            multiplies_words=True,
        ),
        Target(
            "baseline",
            16,
            16,
            fma=False,
            features=_WITHOUT_AVX,
            converts_f16=False,
        ),
        Target("neon", 16, 32, fma=True, rounds=True, pause="yield"),
    )
}


def host() -> Target:
    """The target of this machine, or the one that ``SHLO_TARGET`` asks for.

    Raises:
        ShloError: the machine cannot run code for what is asked for.
    """
    return _LEVEL.get() or _chosen()


@contextmanager
def of_level() -> Iterator[None]:
    """Generate code for every processor of the host's level: without what few of them can do."""
    token = _LEVEL.set(replace(_chosen(), multiplies_bytes=False))
    try:
        yield
    finally:
        _LEVEL.reset(token)


@cache
def _chosen() -> Target:
    targets = possible()
    name = os.environ.get(_VARIABLE)
    if not name:
        return targets[0]
    for target in targets:
        if target.name == name:
            return target
    names = [target.name for target in targets]
    hint = did_you_mean(name, names) or f"this machine runs {', '.join(names)}"
    raise ShloError(f"{_VARIABLE}={name}: this machine has no such target", hint=hint)


def possible() -> tuple[Target, ...]:
    """Targets that this machine can run, the best first."""
    if platform.machine() not in _X86:
        return (_TARGETS["neon"],)
    flags = processor_flags()
    names = ["baseline"]
    if {"avx2", "fma"} <= flags:
        names.insert(0, "avx2")
    if {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx2", "fma"} <= flags:
        names.insert(0, "avx512")
    best = _TARGETS[names[0]]
    # What the machine has at best needs no features that forbid better ones.
    first = replace(best, features=(), multiplies_bytes=best.masks and "avx512_vnni" in flags)
    return (first, *(_TARGETS[name] for name in names[1:]))


@cache
def processor() -> str:
    """What the system says of the first processor: LLVM generates code for exactly that one."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    kinds = ("vendor_id", "cpu family", "model", "stepping", "flags")
    lines = text.partition("\n\n")[0].splitlines()
    return "\n".join(line for line in lines if line.startswith(kinds))


def processor_flags() -> set[str]:
    """What the first processor can do, in the system's words; nothing where it does not say."""
    for line in processor().splitlines():
        if line.startswith("flags"):
            return set(line.partition(":")[2].split())
    return set()
