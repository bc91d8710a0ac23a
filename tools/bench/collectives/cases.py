"""Programs of collectives to be timed, and the loop of the workers that time them.

Workers run under any interpreter: this file needs numpy alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Call = Callable[[], Any]

CHAIN = 16  # collectives of a program, each of the last one's result
# Rows of all processes together, then sizes of the layers.
_ROWS, _INPUTS, _HIDDEN, _OUTPUTS = 512, 784, 1024, 16
RATE = 0.01


@dataclass(frozen=True)
class Case:
    """A program for some processes.

    Attributes:
        op: ``all_reduce``, ``all_gather``, ``chain`` (of all_reduce) or ``training_step``.
        size: bytes of the result that each process gets; not of a training step.
        processes: how many run it, as replicas.
    """

    op: str
    size: int
    processes: int

    @property
    def elements(self) -> int:
        """How many f32 the result has."""
        return self.size // 4

    def asdict(self) -> dict[str, Any]:
        return asdict(self)


def text(case: Case) -> str:
    """The program as StableHLO."""
    if case.op == "training_step":
        return _training_step(case.processes)
    whole = f"tensor<{case.elements}xf32>"
    if case.op == "all_gather":
        part = f"tensor<{case.elements // case.processes}xf32>"
        return f"""func.func @main(%x: {part}) -> {whole} {{
  %0 = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64, {_groups(case.processes)}}}
    : ({part}) -> {whole}
  return %0 : {whole}
}}"""
    if case.op == "all_reduce":
        lines, last = [_all_reduce("%0", "%x", whole, case.processes)], "%0"
    else:
        share = 1 / case.processes
        lines, last = [f"%share = stablehlo.constant dense<{share}> : {whole}"], "%x"
        for n in range(CHAIN):
            lines += [
                _all_reduce(f"%s{n}", last, whole, case.processes),
                f"%m{n} = stablehlo.multiply %s{n}, %share : {whole}",
            ]
            last = f"%m{n}"
    body = "\n".join(lines)
    return f"func.func @main(%x: {whole}) -> {whole} {{\n{body}\nreturn {last} : {whole}\n}}"


def arguments(case: Case) -> list[list[Array]]:
    """What each process is given."""
    generator = np.random.default_rng(0)
    count = case.processes
    if case.op == "training_step":
        x, y, v, w = (
            generator.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[0]))
            for shape in (
                *((_ROWS, _INPUTS), (_ROWS, _OUTPUTS)),
                *((_INPUTS, _HIDDEN), (_HIDDEN, _OUTPUTS)),
            )
        )
        pairs = zip(np.split(x, count), np.split(y, count), strict=True)
        return [[own_x, own_y, v, w] for own_x, own_y in pairs]
    elements = case.elements // count if case.op == "all_gather" else case.elements
    return [[generator.standard_normal(elements, np.float32)] for _ in range(count)]


def expected(case: Case) -> list[Array]:
    """What each process returns."""
    rows = arguments(case)
    if case.op == "training_step":
        return _numpy_step(
            *(np.concatenate([row[n] for row in rows]) for n in (0, 1)), *rows[0][2:]
        )
    parts = [row[0] for row in rows]
    if case.op == "all_gather":
        return [np.concatenate(parts)]
    total = np.asarray(np.sum(parts, 0, np.float64))
    return [total / case.processes if case.op == "chain" else total]


def _groups(count: int) -> str:
    members = ", ".join(map(str, range(count)))
    return f"replica_groups = dense<[[{members}]]> : tensor<1x{count}xi64>"


def _all_reduce(result: str, operand: str, type: str, count: int) -> str:
    return f"""{result} = "stablehlo.all_reduce"({operand}) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }}) {{{_groups(count)}}} : ({type}) -> {type}"""


# --- a training step of two layers ----------------------------------------------------------------
def _training_step(count: int) -> str:
    """Each process has its rows and all weights; gradients are summed over the processes."""
    rows = _ROWS // count
    x, y, h, v, w = (
        f"tensor<{a}x{b}xf32>"
        for a, b in (
            *((rows, _INPUTS), (rows, _OUTPUTS), (rows, _HIDDEN)),
            *((_INPUTS, _HIDDEN), (_HIDDEN, _OUTPUTS)),
        )
    )
    return f"""func.func @main(%x: {x}, %y: {y}, %v: {v}, %w: {w}) -> ({v}, {w}) {{
  %one = stablehlo.constant dense<1.0> : {h}
  %scale = stablehlo.constant dense<{2 / _ROWS}> : {y}
  %vrate = stablehlo.constant dense<{RATE}> : {v}
  %wrate = stablehlo.constant dense<{RATE}> : {w}
  %p = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : ({x}, {v}) -> {h}
  %h = stablehlo.tanh %p : {h}
  %o = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : ({h}, {w}) -> {y}
  %e = stablehlo.subtract %o, %y : {y}
  %do = stablehlo.multiply %e, %scale : {y}
  %gw = stablehlo.dot_general %h, %do, contracting_dims = [0] x [0] : ({h}, {y}) -> {w}
  %dh = stablehlo.dot_general %do, %w, contracting_dims = [1] x [1] : ({y}, {w}) -> {h}
  %hh = stablehlo.multiply %h, %h : {h}
  %slope = stablehlo.subtract %one, %hh : {h}
  %dp = stablehlo.multiply %dh, %slope : {h}
  %gv = stablehlo.dot_general %x, %dp, contracting_dims = [0] x [0] : ({x}, {h}) -> {v}
  {_all_reduce("%sw", "%gw", w, count)}
  {_all_reduce("%sv", "%gv", v, count)}
  %vstep = stablehlo.multiply %sv, %vrate : {v}
  %wstep = stablehlo.multiply %sw, %wrate : {w}
  %vnext = stablehlo.subtract %v, %vstep : {v}
  %wnext = stablehlo.subtract %w, %wstep : {w}
  return %vnext, %wnext : {v}, {w}
}}"""


def _numpy_step(x: Array, y: Array, v: Array, w: Array) -> list[Array]:
    """The step on one process, in double precision."""
    x, y, v, w = (array.astype(np.float64) for array in (x, y, v, w))
    hidden = np.tanh(x @ v)
    error = (hidden @ w - y) * 2 / _ROWS
    slope = (error @ w.T) * (1 - hidden**2)
    return [v - RATE * (x.T @ slope), w - RATE * (hidden.T @ error)]


# --- workers --------------------------------------------------------------------------------------
def serve(
    requests: Iterable[dict[str, Any]],
    bind: Callable[[Case], Call],
    first_result: Callable[[Any], Sequence[Array]],
    answer: Callable[[dict[str, Any]], None],
) -> None:
    """Answer requests: ``bind`` a case, then ``run`` it some times.

    Args:
        requests: ``{"do": "bind", "case": {...}}``, ``{"do": "run", "calls": 10}``.
        bind: a call of a case's program, compiled and with its arguments.
        first_result: what process 0 returned, of what a call returns.
        answer: told the largest distance from numpy's result, or the median seconds of a call.
    """
    call: Call | None = None
    for request in requests:
        if request["do"] == "bind":
            case = Case(**request["case"])
            call = bind(case)
            pairs = zip(first_result(call()), expected(case), strict=True)
            answer({"answer": max(float(np.max(np.abs(x - y))) for x, y in pairs)})
        elif call is not None:
            times = []
            for _ in range(request["calls"]):
                start = time.perf_counter()
                call()
                times.append(time.perf_counter() - start)
            answer({"answer": float(np.median(times))})


def requests_of(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    """Requests as they are written to a worker, one a line."""
    return (json.loads(line) for line in lines)


def write_answer(answer: dict[str, Any]) -> None:
    """Say an answer where the benchmark reads it."""
    print(json.dumps(answer), flush=True)
