"""A listed program as calls of torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from shlo_tools.tools.bench.workers.torch_programs import (
    data_movement,
    elementwise,
    indexing,
    products,
    reductions,
)
from shlo_tools.tools.bench.workers.torch_programs.rules import (
    RULES,
    Inner,
    Run,
    Step,
    Type,
    UnsupportedOp,
)

__all__ = ["Program", "data_movement", "elementwise", "indexing", "products", "reductions"]


@dataclass
class _Body:
    """Steps that run in order, on values that are known by their numbers."""

    values: list[Any]
    arguments: Sequence[int]
    yields: Sequence[int]
    steps: list[tuple[str, Run, Sequence[int], Sequence[int], Sequence[int]]] = field(
        default_factory=list
    )

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        values = self.values
        for number, value in zip(self.arguments, inputs, strict=True):
            values[number] = value
        name = ""
        try:
            for name, run, operands, results, last in self.steps:  # noqa: B007 - told if it fails
                returned = run(*[values[number] for number in operands])
                if len(results) == 1:
                    values[results[0]] = returned
                else:
                    for number, value in zip(results, returned, strict=True):
                        values[number] = value
                for number in last:
                    values[number] = None
        except (RuntimeError, TypeError, IndexError) as error:
            raise UnsupportedOp(f"{name}: {error}".splitlines()[0]) from error
        return [values[number] for number in self.yields]


class Program:
    """A program that torch runs; ``main`` takes tensors, and returns a list of them.

    Raises:
        UnsupportedOp: some ops are none that torch has; all of them are named.
    """

    def __init__(self, functions: Mapping[str, Any], constants: Sequence[Tensor]) -> None:
        self._listed, self._constants = functions, constants
        self._functions: dict[str, _Body] = {}
        self._missing: dict[str, None] = {}
        self.main = self._function("main")
        if self._missing:
            raise UnsupportedOp(", ".join(self._missing))

    def _function(self, name: str) -> _Body:
        if name not in self._functions:
            values: list[Any] = [None] * (1 + max(_all_numbers(self._listed[name]), default=0))
            self._functions[name] = self._body(self._listed[name], values, {})
        return self._functions[name]

    def _body(self, listed: Mapping[str, Any], values: list[Any], fills: dict[int, float]) -> _Body:
        body = _Body(values, listed["arguments"], listed["yields"])
        kept: set[int] = set(listed["yields"])
        own = {*listed["arguments"], *(n for step in listed["steps"] for n in step["results"])}
        ends: list[list[int]] = []
        for step in reversed(listed["steps"]):
            used = {*step["operands"], *_inner_numbers(step)} & own
            ends.append(sorted((used | set(step["results"])) - kept))
            kept |= used
        for step, last in zip(listed["steps"], reversed(ends), strict=True):
            if "constant" in step:
                constant = self._constants[step["constant"]]
                if constant.numel() == 1 and not constant.dtype.is_complex:
                    fills[step["results"][0]] = constant.item()
            if step["op"] in _SPREADING and step["operands"][0] in fills:
                fills[step["results"][0]] = fills[step["operands"][0]]
            try:
                run = self._run(step, values, fills)
            except UnsupportedOp as error:
                self._missing[str(error)] = None
                continue
            body.steps.append((step["op"], run, step["operands"], step["results"], last))
        return body

    def _run(self, listed: Mapping[str, Any], values: list[Any], fills: dict[int, float]) -> Run:
        name = listed["op"]
        operands, results = (
            [
                Type(element, None if sizes is None else tuple(sizes))
                for element, sizes in listed[key]
            ]
            for key in ("operand_types", "result_types")
        )
        if "constant" in listed:
            shape, constant = results[0].shape, self._constants[listed["constant"]]
            one = constant.numel() == 1
            value = constant.reshape(()).expand(shape) if one else constant.reshape(shape)
            return lambda: value
        if "callee" in listed:
            return _several(self._function(listed["callee"]))
        bodies = listed["regions"]
        # A region that is one op for a rule has no run of its own.
        inner = [] if name in _FOLDED else [self._body(body, values, fills) for body in bodies]
        known = {k: fills[n] for k, n in enumerate(listed["operands"]) if n in fills}
        step = Step(name, listed["attributes"], operands, results, inner, bodies, known)
        for type in (*operands, *results):
            type.check()
        if name in _CONTROL:
            return _CONTROL[name](step)
        if name not in RULES:
            target = listed["attributes"].get("call_target_name")
            raise UnsupportedOp(f"{name} @{target}" if target else name)
        return RULES[name](step)


# What is filled with one number is so behind them as well.
_SPREADING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")
_FOLDED = frozenset(
    f"stablehlo.{name}"
    for name in ("reduce", "reduce_window", "scatter", "sort", "select_and_scatter", "map")
)


def _several(body: Inner) -> Run:
    def run(*operands: Tensor) -> Any:
        results = body(operands)
        return results[0] if len(results) == 1 else results

    return run


def _while(step: Step) -> Run:
    condition, body = step.regions

    def run(*values: Tensor) -> Any:
        state: Sequence[Tensor] = values
        while bool(condition(state)[0]):
            state = body(state)
        return state[0] if len(state) == 1 else state

    return run


def _branch(step: Step) -> Run:
    last = len(step.regions) - 1
    is_if = step.name == "stablehlo.if"

    def run(index: Tensor) -> Any:
        number = int(index)
        if is_if:
            number = 0 if number else 1
        results = step.regions[number if 0 <= number <= last else last](())
        return results[0] if len(results) == 1 else results

    return run


_CONTROL: Mapping[str, Callable[[Step], Run]] = {
    "stablehlo.case": _branch,
    "stablehlo.if": _branch,
    "stablehlo.while": _while,
}


def _inner_numbers(step: Mapping[str, Any]) -> set[int]:
    """The values that the regions of a step use."""
    return {number for body in step["regions"] for number in _all_numbers(body)}


def _all_numbers(body: Mapping[str, Any]) -> set[int]:
    numbers = {*body["arguments"], *body["yields"]}
    for step in body["steps"]:
        numbers |= {*step["operands"], *step["results"]} | _inner_numbers(step)
    return numbers
