"""Programs of stages as what JSON holds, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from shlo_tools import dtypes
from shlo_tools.codegen import jobs, named_sizes
from shlo_tools.cpu.stages.program import (
    Block,
    Branches,
    Call,
    Copy,
    Loop,
    Program,
    Step,
    Together,
)
from shlo_tools.dtypes import TensorType


def to_plain(program: Program) -> dict[str, Any]:
    """A program without stages that no kernel computes."""
    return {
        "arguments": program.arguments,
        "donated": sorted(program.donated),
        "weights": program.weights,
        "types": [type_to_plain(type) for type in program.types],
        "body": _block_to_plain(program.body),
        "codes": {name: json.loads(jobs.to_json(code)) for name, code in program.codes.items()},
        "symbols": program.symbols,
        "checks": program.checks,
    }


def from_plain(plain: Any) -> Program:
    """The inverse of ``to_plain``; raises LookupError, TypeError or ValueError for what is none."""
    return Program(
        arguments=int(plain["arguments"]),
        donated=frozenset(plain["donated"]),
        weights=tuple(plain["weights"]),
        types=tuple(map(type_from_plain, plain["types"])),
        body=_block(plain["body"]),
        codes={name: jobs.from_json(json.dumps(code)) for name, code in plain["codes"].items()},
        plain={},
        symbols=tuple((argument, place) for argument, place in plain["symbols"]),
        checks=tuple(plain["checks"]),
    )


def type_to_plain(type: TensorType) -> list[str]:
    """A type whose sizes are numbers or have names."""
    return [named_sizes.shape_text(type.shape), str(type.element_type)]


def type_from_plain(plain: Sequence[str]) -> TensorType:
    """The inverse of ``type_to_plain``."""
    shape, element = plain
    return TensorType(named_sizes.shape(shape), dtypes.element_type(element))


# --- steps ----------------------------------------------------------------------------------------
def _block_to_plain(block: Block) -> list[Any]:
    return [list(map(_step_to_plain, block.steps)), block.returned]


def _step_to_plain(step: Step) -> list[Any]:
    if isinstance(step, Call):
        return ["call", step.stage, step.arguments, step.results, step.offsets]
    if isinstance(step, Copy):
        return ["copy", step.source, step.result]
    if isinstance(step, Loop):
        blocks = map(_block_to_plain, (step.condition, step.body))
        return ["loop", step.inputs, step.carried, *blocks, step.rounds]
    if isinstance(step, Together):
        return ["together", list(map(_block_to_plain, step.blocks))]
    return ["branches", step.index, list(map(_block_to_plain, step.blocks)), step.results]


def _block(plain: Any) -> Block:
    steps, returned = plain
    return Block(tuple(map(_step, steps)), tuple(returned))


def _step(plain: Any) -> Step:
    kind, *parts = plain
    if kind == "call":
        stage, *numbers = parts
        arguments, results, offsets = map(tuple, numbers)
        return Call(stage, arguments, results, offsets)
    if kind == "copy":
        source, result = parts
        return Copy(source, result)
    if kind == "loop":
        inputs, carried, condition, body, rounds = parts
        return Loop(tuple(inputs), tuple(carried), _block(condition), _block(body), rounds)
    if kind == "branches":
        index, blocks, results = parts
        return Branches(index, tuple(map(_block, blocks)), tuple(results))
    if kind == "together":
        (blocks,) = parts
        return Together(tuple(map(_block, blocks)))
    raise ValueError(f"no step: {kind}")
