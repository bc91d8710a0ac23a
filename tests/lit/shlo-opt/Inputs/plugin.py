"""A pass plug-in of the tests: passes that behave badly, and one that behaves."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

from shlo_tools import errors, mlir
from shlo_tools.pipeline.registry import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class Die(Pass):
    """Kills its process with a signal."""

    name = "test-die"
    anchor = "func.func"
    with_signal: str = "SIGSEGV"

    def run(self, op: mlir.Operation) -> None:
        os.kill(os.getpid(), getattr(signal, self.with_signal))
        time.sleep(60)


@register_pass
@dataclass(frozen=True)
class Fatal(Pass):
    """Runs into LLVM's report_fatal_error: a pass manager that nests by a name it lost."""

    name = "test-fatal"

    def run(self, op: mlir.Operation) -> None:
        manager = mlir.parse_pipeline("builtin.module()")
        manager.add(lambda op, this: None, op_name="func.func")  # type: ignore[attr-defined]
        manager.run(op)


@register_pass
@dataclass(frozen=True)
class Fail(Pass):
    """Fails as a pass should."""

    name = "test-fail"

    def run(self, op: mlir.Operation) -> None:
        raise errors.PassError("this pass always fails", place=mlir.place_of(op.location))


@register_pass
@dataclass(frozen=True)
class Raise(Pass):
    """Has a defect."""

    name = "test-raise"

    def run(self, op: mlir.Operation) -> None:
        raise ZeroDivisionError("a defect")


@register_pass
@dataclass(frozen=True)
class Sleep(Pass):
    """Takes its time."""

    name = "test-sleep"
    seconds: float = 60.0

    def run(self, op: mlir.Operation) -> None:
        time.sleep(self.seconds)


@register_pass
@dataclass(frozen=True)
class Remark(Pass):
    """Says something about each function."""

    name = "test-remark"
    anchor = "func.func"

    def run(self, op: mlir.Operation) -> None:
        place = mlir.place_of(op.location)
        errors.remark(f"function {op.attributes['sym_name']}", place)
        errors.warn("functions can be long", place)


@register_pass
@dataclass(frozen=True)
class Break(Pass):
    """Leaves IR that does not verify: functions without their terminators."""

    name = "test-break"
    anchor = "func.func"

    def run(self, op: mlir.Operation) -> None:
        list(op.regions[0].blocks[0].operations)[-1].operation.erase()
