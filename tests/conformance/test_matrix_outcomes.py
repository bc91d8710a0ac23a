"""What makes a conformance case red: another result, a written argument, a death, a hang."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import run
from cases._case import Case, Input, arrays, call
from cases._tolerances import BITS, EXACT, Parts, Steps, Sums, Tolerance, Ulps, Within, difference
from runs import children, outcomes, support
from runs.outcomes import Key, Outcome

import shlo_tools
from shlo_tools import reference

KEY = Key("family", "stablehlo.add", "f32", 0)
ONE = np.ones(3, np.float32)


# --- results --------------------------------------------------------------------------------------
NEXT = np.nextafter(ONE, np.float32(2))


@pytest.mark.parametrize(
    ("tolerance", "actual", "expected", "near"),
    [
        (EXACT, ONE, ONE, True),
        (EXACT, NEXT, ONE, False),
        (EXACT, np.array([0.0]), np.array([-0.0]), False),
        (EXACT, np.array([np.nan]), np.array([-np.nan]), True),
        (EXACT, ONE, ONE.astype(np.float64), False),
        (EXACT, ONE, ONE[:2], False),
        (Ulps(1), NEXT, ONE, True),
        (Ulps(1), NEXT + (NEXT - ONE), ONE, False),
        (Ulps(1), np.array([np.inf]), np.array([1.0]), False),
        (Ulps(1), np.array([np.nan]), np.array([1.0]), False),
        (Ulps(1), np.array([np.inf]), np.array([np.finfo(float).max]), False),
        (Ulps(1, strict=False), np.array([np.inf]), np.array([np.finfo(float).max]), True),
        (Ulps(1), np.array([5e-324]), np.array([0.0]), False),
        (Ulps(1), NEXT, ONE.astype(np.float64), True),  # exact values are not rounded
        (BITS, np.array([np.nan]), np.array([-np.nan]), False),
        (Within(0.1), ONE, ONE * np.float32(1.09), True),
        (Within(relative=0.1), ONE, ONE * np.float32(1.2), False),
        (Within(0.1), np.array([np.nan]), np.array([1.0]), False),
        (Within(0.1 + 0.2j), np.array([1 + 1.15j]), np.array([1 + 1j]), True),
        (Within(0.1 + 0.2j), np.array([1.15 + 1j]), np.array([1 + 1j]), False),
        (Parts(1e-9), np.array([1 + 0j]), np.array([complex(1, -0.0)]), False),
        (Parts(1e-9), np.array([complex(np.nan, 0)]), np.array([complex(np.nan, -0.0)]), True),
        (Sums(2), ONE * np.float32(1e-7), ONE * 0, True),  # beside terms of size 1
        (Sums(2), ONE * np.float32(1e-6), ONE * 0, False),
        (Steps(1), np.array([3], np.int8), np.array([4], np.int8), True),
        (Steps(1), np.array([3], np.int8), np.array([5], np.int8), False),
        (Ulps(9), np.array([3]), np.array([4]), False),  # integers are exact
    ],
)
def test_how_near_is_near(
    tolerance: Tolerance, actual: np.ndarray, expected: np.ndarray, near: bool
) -> None:
    sizes = np.ones_like(expected) if isinstance(tolerance, Sums) else None
    assert (difference(actual, expected, tolerance, sizes) == "") is near


def _add() -> Case:
    return call("stablehlo.add", arrays(ONE, ONE), ["tensor<3xf32>"])


def test_a_wrong_result_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [o.status for o in outcomes.outcomes([(KEY, _add())])] == [outcomes.PASS]
    real = reference.compile
    monkeypatch.setattr(reference, "compile", lambda text: lambda *inputs: real(text)(*inputs) + 1)
    (outcome,) = outcomes.outcomes([(KEY, _add())])
    assert outcome.status == outcomes.MISMATCH and "should be" in outcome.detail


def test_a_written_argument_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    def writes(text: str) -> object:
        def run(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            result = np.asarray(x + y)
            x.flags.writeable = True
            x[0] = 7
            return result

        return run

    monkeypatch.setattr(shlo_tools, "compile", writes)
    (outcome,) = outcomes.outcomes([(KEY, _add())])
    assert outcome.status == outcomes.MISMATCH and "written" in outcome.detail


def test_one_refused_case_does_not_hide_the_others() -> None:
    send = Case(
        "send",
        """%t = stablehlo.create_token : !stablehlo.token
    %u = "stablehlo.send"(%in0, %t) {channel_handle = #stablehlo.channel_handle<handle = 1,
      type = 2>, is_host_transfer = true}
      : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token""",
        (Input("tensor<3xf32>", ONE),),
        (),
    )
    wrong = Case("no op", '"stablehlo.nothing"() : () -> ()', (), ())
    outcome = outcomes.outcomes([(KEY, c) for c in (_add(), send, _add(), wrong)])
    assert [o.status for o in outcome] == ["pass", "refused", "pass", "invalid"]


# --- processes ------------------------------------------------------------------------------------
WORKER = """
import json, os, sys, time
for line in sys.stdin:
    job = json.loads(line)
    done = job["done"] + [[]]
    names = [["family", "op", "f32", n] for n in range(4)]
    left = [name for name in names if name not in done]
    alone = [[name] for name in left if name in job["alone"]]
    for batch in [*alone, [name for name in left if name not in job["alone"]]]:
        print(json.dumps({"begin": batch}), flush=True)
        for name in batch:
            if name[3] == 1:
                DEATH
            key = dict(zip(("family", "op", "element", "number"), name))
            outcome = {"key": key, "label": "", "status": "pass", "detail": ""}
            print(json.dumps({"outcome": outcome}), flush=True)
    print(json.dumps({"done": None}), flush=True)
"""


@pytest.mark.parametrize(
    ("death", "status"),
    [("os.abort()", "crash"), ("raise KeyError('cause')", "crash"), ("time.sleep(60)", "hang")],
)
def test_a_death_is_the_outcome_of_one_case(
    death: str, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(textwrap.dedent(WORKER.replace("DEATH", death)))
    monkeypatch.setattr(children, "WORKER", (sys.executable, str(worker)))
    monkeypatch.setattr(children, "SILENCE", 2.0)
    outcomes: list[Outcome] = []
    children.run([children.Job("family")], outcomes.append, children=1)
    assert {o.key.number: o.status for o in outcomes} == {
        0: "pass",
        1: status,
        2: "pass",
        3: "pass",
    }
    assert len(outcomes) == 4
    if "KeyError" in death:
        assert "cause" in next(o.detail for o in outcomes if o.key.number == 1)


# --- the page -------------------------------------------------------------------------------------
def test_a_cell_tells_the_worst() -> None:
    def cell(*statuses: str) -> str:
        outcomes = [Outcome(KEY, "", status, "because") for status in statuses]
        return support.judged(outcomes)["stablehlo.add", "f32"].mark

    assert cell("pass", "pass") == "yes"
    assert cell("refused", "refused") == "no"
    assert cell("pass", "refused") == "part"
    for red in outcomes.RED:
        assert cell("pass", "refused", red) == "red"


# --- the whole run --------------------------------------------------------------------------------
@pytest.mark.parametrize("status", [outcomes.PASS, *outcomes.RED])
def test_anything_red_fails_the_run(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = Outcome(KEY, "", status, "because")
    monkeypatch.setattr(run, "collected", lambda *options: [outcome])
    monkeypatch.setattr(sys, "argv", ["run.py", "--family", "elementwise"])
    assert run.main() == (status in outcomes.RED)


def test_a_red_row_that_the_page_keeps_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "support.md"
    page.write_text(support.page({("stablehlo.sort", "f32"): support.Cell("red", "a crash")}))
    monkeypatch.setattr(run, "collected", lambda *options: [Outcome(KEY, "", outcomes.PASS)])
    monkeypatch.setattr(sys, "argv", ["run.py", "--family", "elementwise", "--write", str(page)])
    assert run.main() == 1
    assert support.read(page.read_text())["stablehlo.add", "f32"].mark == support.YES
