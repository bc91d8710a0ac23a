"""Failures made small, and kept as files with a command that repeats them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools.campaign.children import Worker
from shlo_tools.tools.campaign.outcome import Case, Outcome
from shlo_tools.tools.reduce.chunks import fewest

_COMMAND = "python -m shlo_tools.tools.campaign --repeat={}"


def reduced(case: Case, outcome: Outcome, worker: Worker, seconds: float) -> Case:
    """The smallest case with an outcome of the same sort that is found in some time."""
    end = time.monotonic() + seconds

    def shows(parts: Sequence[Any]) -> bool:
        if not parts or time.monotonic() > end:
            return False
        return worker.check(replace(case, parts=list(parts))).sort == outcome.sort

    if case.kind == "programs":
        return replace(case, parts=_program(case.parts, shows))
    if len(case.parts) > 1:
        case = replace(case, parts=fewest(case.parts, shows))
    if case.kind == "pipelines":
        return _with_smaller_program(case, outcome, worker, end)
    return case


def _with_smaller_program(case: Case, outcome: Outcome, worker: Worker, end: float) -> Case:
    def shows(lines: Sequence[str]) -> bool:
        if time.monotonic() > end:
            return False
        other = replace(case, rest={"text": "\n".join(lines)})
        return worker.check(other).sort == outcome.sort

    text = "\n".join(_program(case.rest["text"].splitlines(), shows))
    return replace(case, rest={"text": text})


def _program(lines: Sequence[str], shows: Any) -> list[str]:
    """The lines of a smaller program."""
    from shlo_tools.tools.reduce.reduction import Reduction, text_of  # loads MLIR

    try:
        text = text_of("\n".join(lines))
    except ShloError:  # it is built, but does not parse
        return list(lines)
    if not shows(text.splitlines()):
        return list(lines)
    reduction = Reduction(text, lambda text: shows(text.splitlines()))
    reduction.run()
    return reduction.text.splitlines()


def keep(case: Case, outcome: Outcome, folder: Path) -> str:
    """Write a case to files in a folder; returns the command that tries it again."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.kind}-{outcome.status}-{case.seed}.json"
    data = {**case.data(), "status": outcome.status, "detail": outcome.detail}
    files.write_file(str(path), json.dumps(data, indent=1).encode())
    if case.kind == "bytecode":
        from shlo_tools.tools.campaign import bytecode

        files.write_file(str(path.with_suffix(".mlirbc")), bytecode.damaged(case))
    elif case.kind in ("programs", "text"):
        text = "\n".join(case.parts) + "\n"
        files.write_file(str(path.with_suffix(".mlir")), text.encode(errors="replace"))
    return _COMMAND.format(path)


def read(path: str) -> Case:
    """A case that was kept."""
    try:
        data = json.loads(files.read_file(path))
        return Case(data["kind"], data["seed"], data["parts"], data["rest"])
    except (ValueError, KeyError, TypeError) as error:
        raise ShloError(f"{path!r} holds no case of a campaign: {error}") from error
