"""How many of a program's stages no kernel computes, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import shlo_tools
from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import PLAIN, STAGE
from shlo_tools.errors import ShloError
from shlo_tools.pipeline.runner import Pipeline


@dataclass(frozen=True)
class Stages:
    """The distinct stages of a program.

    Attributes:
        count: of all of them.
        plain: for each reason, how many have no kernel for it.
    """

    count: int
    plain: Counter[str]


def count_stages(source: Any) -> Stages:
    """Cut a program into stages and count them; the program is not changed."""
    with mlir.library_context():
        module = shlo_tools.load(source)
        Pipeline("builtin.module(shlo-normalize,shlo-to-stages)").run(module)
        stages = [func for func in ir.functions(module.operation) if STAGE in func.attributes]
        plain = [ir.text_of(func, PLAIN) for func in stages if PLAIN in func.attributes]
        return Stages(len(stages), Counter(plain))


def summary(text: str) -> dict[str, Any]:
    """The counts as data; a program that cannot be cut has one reason and no stages."""
    try:
        stages = count_stages(text)
    except ShloError as error:
        return {"stages": 0, "reasons": {f"no stages: {error}".splitlines()[0]: 1}}
    return {"stages": stages.count, "reasons": dict(stages.plain.most_common())}
