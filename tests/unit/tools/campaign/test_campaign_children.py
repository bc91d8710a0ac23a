"""Workers of a campaign: whatever ends one is an outcome, and the next case finds another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shlo_tools.tools.campaign import keeping
from shlo_tools.tools.campaign.children import Worker
from shlo_tools.tools.campaign.outcome import (
    DEAD,
    HUNG,
    REFUSED,
    RIGHT,
    TRACEBACK,
    WRONG,
    Case,
    Outcome,
    watched,
)

ROOT = Path(__file__).resolve().parents[4]
COMMAND = [sys.executable, "-m", "shlo_tools.tools.campaign"]


def builder(*calls: str) -> Case:
    """The one kind whose parts are Python."""
    return Case("builder", 0, list(calls))


MISSING = "__import__('os').environ['nowhere']"  # fails elsewhere than in the case's own text
GOOD = builder("ops.add(lhs=a, rhs=b)")


@pytest.mark.parametrize(
    "call, status, detail",
    [
        ("__import__('os').abort()", DEAD, "SIGABRT"),
        ("__import__('os')._exit(3)", DEAD, "exit status 3"),
        ("__import__('time').sleep(60)", HUNG, "nothing for 5 s"),
        ("b'x' * (3 << 29) and __import__('time').sleep(60)", REFUSED, "MemoryError"),
        (MISSING, TRACEBACK, "KeyError"),
        ("1", WRONG, "is no tensor"),
        ("ops.tanh(operand=c)", REFUSED, ""),
    ],
)
def test_what_ends_a_case(call: str, status: str, detail: str) -> None:
    with Worker(5, 1) as worker:
        assert worker.check(GOOD).status == RIGHT
        outcome = worker.check(builder(call))
        assert (outcome.status, detail in outcome.detail) == (status, True), outcome
        assert worker.check(GOOD).status == RIGHT


def test_only_the_case_that_ends_the_worker_is_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several seeds at once each has an outcome of its own."""

    def asked(self: Worker, request: dict[str, object], seconds: float) -> object:
        seeds = request["seeds"]
        assert isinstance(seeds, list)
        return Outcome(DEAD, "SIGSEGV") if 3 in seeds else [[RIGHT, ""] for _ in seeds]

    monkeypatch.setattr(Worker, "_ask", asked)
    with Worker(4, 2) as worker:
        results = [outcome.status for outcome in worker.seeds("builder", range(5))]
    assert results == [RIGHT, RIGHT, RIGHT, DEAD, RIGHT]


def test_a_failure_is_reduced_kept_and_repeated(tmp_path: Path) -> None:
    case = builder("ops.add(lhs=a, rhs=b)", MISSING, "ops.tanh(operand=a)")
    with Worker(20, 4) as worker:
        outcome = worker.check(case)
        small = keeping.reduced(case, outcome, worker, 30)
    assert small.parts == [MISSING]
    command = keeping.keep(small, outcome, tmp_path)
    (path,) = tmp_path.glob("*.json")
    assert command.endswith(str(path)) and json.loads(path.read_text())["status"] == TRACEBACK
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*COMMAND, f"--repeat={path}"], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 1 and done.stdout.startswith("traceback: KeyError")


@pytest.mark.parametrize(
    "options, message",
    [
        (["--kind=poems"], "'poems' is not one of"),
        (["--jobs=0"], "are positive numbers"),
        (["--repeat=/dev/null"], "holds no case of a campaign"),
        (["--repeat=nowhere.json"], "cannot read"),
    ],
)
def test_mistakes_are_one_error(options: list[str], message: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr


def test_the_table(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    options = ["--kind=text", "--count=6", "--jobs=1", f"--keep={tmp_path}"]
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, env=environment)
    head, row, total = done.stdout.splitlines()
    assert head.split() == [
        "kind",
        "tried",
        *["right", "refused", "wrong", "traceback", "dead", "hung"],
    ]
    assert row.split()[:2] == ["text", "6"] and total.startswith("6 cases in")
    numbers = [int(number) for number in row.split()[2:]]
    assert sum(numbers) == 6 and done.returncode == int(sum(numbers[2:]) > 0)


def test_an_error_of_ours_is_a_refusal_and_any_other_a_traceback() -> None:
    def broken() -> Outcome:
        raise IndexError("of a list")

    results = watched(broken)
    assert (
        results.status == TRACEBACK and "IndexError in test_campaign_children.py" in results.detail
    )


def test_a_program_of_huge_arguments_is_not_run() -> None:
    line = "func.func @main(%a: tensor<4294967296x?xf32>) -> tensor<4294967296x?xf32> {"
    lines = [line, "  return %a : tensor<4294967296x?xf32>", "}"]
    with Worker(5, 4) as worker:
        assert worker.check(Case("text", 0, lines)).status == RIGHT


def test_nobody_knows_what_the_reference_has_no_memory_for() -> None:
    """Natively, only the size of what is padded is asked for."""
    padded = "low = [0], high = [0], interior = [140737488355329]"
    lines = [
        "func.func @main(%a: tensor<?xf32>, %v: tensor<f32>) -> tensor<i32> {",
        f"  %0 = stablehlo.pad %a, %v, {padded} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>",
        "  %1 = stablehlo.slice %0 [0:1] : (tensor<?xf32>) -> tensor<1xf32>",
        "  %2 = stablehlo.get_dimension_size %1, dim = 0 : (tensor<1xf32>) -> tensor<i32>",
        "  return %2 : tensor<i32>",
        "}",
    ]
    with Worker(20, 16) as worker:
        outcome = worker.check(Case("text", 0, lines))
    assert (outcome.status, "memory" in outcome.detail) == (REFUSED, True)
