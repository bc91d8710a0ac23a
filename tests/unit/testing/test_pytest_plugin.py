"""``pytest my_tests/`` runs .mlir files by their RUN lines or by their checks.

What a test file means is lit's and LLVM's documented behaviour: ``not`` wants a plain failure,
XFAIL turns results round, ``%t`` is a path of the test's own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

ADD = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""

CHECKS = """func.func @sum() {{
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.add %a, %a : tensor<2xi32>
  check.expect_eq_const %b, dense<[2, {second}]> : tensor<2xi32>
  func.return
}}
"""

ENDLESS = """func.func @main() {
  %a = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %a) : tensor<i1>
    cond { stablehlo.return %i : tensor<i1> }
    do { stablehlo.return %i : tensor<i1> }
  check.expect_eq %0, %a : tensor<i1>
  return
}
"""
KILLED = '%python -c "import os; os.kill(os.getpid(), 11)"'

# File: what stands in it, and how its test ends.
FILES = {
    "passes.mlir": ("// RUN: stablehlo-opt %s | FileCheck %s\n// CHECK: stablehlo.add\n", "PASSED"),
    "fails.mlir": (
        "// a line\n// RUN: stablehlo-opt %s | FileCheck %s\n// CHECK: stablehlo.tanh\n",
        "FAILED",
    ),
    "first_fails.mlir": ("// RUN: false\n// RUN: true\n", "FAILED"),
    "pipe_fails.mlir": ("// RUN: stablehlo-opt missing.mlir | cat\n", "FAILED"),
    "crashes.mlir": (f"// RUN: {KILLED}\n", "FAILED"),
    "not_fails.mlir": ("// RUN: not stablehlo-opt %s.missing 2>&1 | grep 'cannot'\n", "PASSED"),
    "not_passes.mlir": ("// RUN: not stablehlo-opt %s\n", "FAILED"),
    "not_crashes.mlir": (f"// RUN: not {KILLED}\n", "FAILED"),
    "not_crash.mlir": (f"// RUN: not --crash {KILLED}\n", "PASSED"),
    "not_there.mlir": ("// RUN: not no-such-program\n", "FAILED"),
    "xfail.mlir": ("// XFAIL: *\n// RUN: false\n", "XFAIL"),
    "xfail_passes.mlir": ("// XFAIL: *\n// RUN: true\n", "FAILED"),
    "xfail_elsewhere.mlir": ("// XFAIL: system-none\n// RUN: true\n", "PASSED"),
    "unsupported.mlir": ("// UNSUPPORTED: ours\n// RUN: false\n", "SKIPPED"),
    "supported.mlir": ("// UNSUPPORTED: system-none\n// RUN: true\n", "PASSED"),
    "requires.mlir": ("// REQUIRES: ours && (no-such || !ours)\n// RUN: false\n", "SKIPPED"),
    "required.mlir": ("// REQUIRES: ours, !no-such\n// RUN: true\n", "PASSED"),
    "malformed.mlir": ("// REQUIRES: ours &&\n// RUN: true\n", "ERROR"),
    "temporary.mlir": (
        "// RUN: stablehlo-opt %s > %t.0\n// RUN: stablehlo-opt %t.0 \\\n"
        "// RUN:   > %t.1 && diff %t.0 %t.1\n// RUN: test %basename_t = temporary.mlir.tmp\n",
        "PASSED",
    ),
    "condition.mlir": (
        "// RUN: %if asserts %{ false %} true %if ours %{ && true %} %else %{ && false %}\n",
        "PASSED",
    ),
    "percent.mlir": ("// RUN: test a%%b = $(printf 'a%%%%b')\n", "PASSED"),
    "tool.mlir": ("// RUN: greet | grep 'hello you'\n", "PASSED"),
    "arguments.mlir": (
        "// RUN: echo %s | xargs -I{F} stablehlo-opt {F} -split-input-file -verify-diagnostics\n",
        "PASSED",
    ),
    "redefine.mlir": ("// DEFINE: %{x} = true\n// RUN: true\n", "ERROR"),
    "open.mlir": ("// RUN: true \\\n", "ERROR"),
    "disabled.mlir": ("// RUN-DISABLED: false\n", None),
    "program.mlir": ("", None),
    "other.txt": ("// RUN: false\n", None),
    "Inputs/read.mlir": ("// RUN: false\n", None),
}
CHECKING = {
    "checks.mlir": (CHECKS.format(second=4), "PASSED"),
    "checks_fail.mlir": (CHECKS.format(second=5), "FAILED"),
    "checks_xfail.mlir": ("// XFAIL: *\n" + CHECKS.format(second=5), "XFAIL"),
    "checks_by_parts.mlir": (
        f"{CHECKS.format(second=4)}// -----\n{CHECKS.format(second=4)}",
        "PASSED",
    ),
    "checks_with_arguments.mlir": (
        "func.func @main(%a: tensor<f32>) {\n  check.expect_eq %a, %a : tensor<f32>\n  return\n}\n",
        "FAILED",
    ),
    "checks_targets.mlir": (
        """func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.custom_call @check.eq(%a, %a) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
""",
        "PASSED",
    ),
    "in_comments.mlir": ("// check.expect_eq is no op here\n" + ADD, None),
}
SETTINGS = """[pytest]
shlo_features = ours
shlo_tools =
    greet = echo hello you
    %python = {python}
"""


def _pytest(folder: Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "shlo_tools.testing.pytest_plugin"]
    command += ["-v", "-rA", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of all files; a run of its own would be slow for each."""
    folder = tmp_path_factory.mktemp("my_tests")
    (folder / "Inputs").mkdir()
    (folder / "pytest.ini").write_text(SETTINGS.format(python=sys.executable))
    for name, (text, _) in FILES.items():
        (folder / name).write_text(text + ADD)
    for name, (text, _) in CHECKING.items():
        (folder / name).write_text(text)
    return _pytest(folder, "--continue-on-collection-errors")


@pytest.mark.parametrize(
    ("name", "result"), [(name, result) for name, (_, result) in {**FILES, **CHECKING}.items()]
)
def test_a_file_is_a_test(name: str, result: str | None, report: str) -> None:
    ends = re.findall(rf"^(\w+) {re.escape(name)}(?:::\w+)?(?: - .*)?$", report, re.MULTILINE)
    skipped = re.search(rf"^{re.escape(name)}::RUN SKIPPED", report, re.MULTILINE)
    assert set(ends) | ({"SKIPPED"} if skipped else set()) == ({result} - {None}), report


def test_a_failure_is_told_in_the_files_terms(report: str) -> None:
    """Line, command and what the tools wrote; no frame of Python's."""
    assert "fails.mlir:2: RUN line failed with status 1" in report
    assert "stablehlo-opt %s | FileCheck %s" in report
    assert "stablehlo.tanh" in report
    assert "crashes.mlir:1: RUN line died of SIGSEGV" in report
    assert "xfail_passes.mlir: passes, and XFAIL: * says that it must not" in report
    assert "'ours &&' is no expression over features" in report
    assert "DEFINE is known to lit alone" in report
    assert "Traceback" not in report
    assert "pytest_plugin.py" not in report


def test_a_check_that_fails_is_told(report: str) -> None:
    assert (
        "checks_fail.mlir:4:3: error: check.expect_eq_const: element [1] is 4, expected 5" in report
    )
    assert "takes arguments, and a part has none" in report


def test_the_reference_runs_checks(tmp_path: Path) -> None:
    (tmp_path / "fails.mlir").write_text(CHECKS.format(second=5))
    report = _pytest(tmp_path, "--shlo-backend=reference")
    assert "fails.mlir: failed on the reference backend" in report
    assert "element [1] is 4, expected 5" in report


def test_what_does_not_end_is_stopped(tmp_path: Path) -> None:
    """With all that it has started; XFAIL does not excuse it."""
    (tmp_path / "endless.mlir").write_text("// XFAIL: *\n// RUN: sleep 1000 | sleep 1001\n")
    (tmp_path / "checks.mlir").write_text("// XFAIL: *\n" + ENDLESS)
    report = _pytest(tmp_path, "--shlo-timeout=2")
    assert "endless.mlir:2: RUN line took more than 2 seconds" in report
    assert "checks.mlir: took more than 2 seconds on the native backend" in report
    assert "2 failed" in report


def test_settings_are_checked(tmp_path: Path) -> None:
    (tmp_path / "passes.mlir").write_text("// RUN: true\n")
    assert "a number of seconds above 0 is wanted" in _pytest(tmp_path, "-o", "shlo_timeout=soon")
    assert "'greet' is not name = command" in _pytest(tmp_path, "-o", "shlo_tools=greet")


def test_filecheck_is_needed_where_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILECHECK", "no-such-program")
    (tmp_path / "plain.mlir").write_text("// RUN: true\n")
    (tmp_path / "checked.mlir").write_text("// RUN: true | FileCheck %s\n")
    report = _pytest(tmp_path)
    assert "1 failed, 1 passed" in report
    assert "checked.mlir: error: FILECHECK=no-such-program is no program" in report


def test_files_may_be_left_to_lit(tmp_path: Path) -> None:
    (tmp_path / "fails.mlir").write_text("// RUN: false\n")
    assert "no tests ran" in _pytest(tmp_path, "-o", "shlo_files=")
    assert "1 failed" in _pytest(tmp_path)


def test_nothing_is_loaded_for_those_who_have_no_such_tests(tmp_path: Path) -> None:
    """Neither MLIR nor numpy, whose import takes longer than many tests."""
    (tmp_path / "test_plain.py").write_text(
        "import sys\n"
        "def test_plain():\n"
        "    assert 'shlo_tools.testing.pytest_plugin' in sys.modules\n"
        "    assert not {'shlo_tools.mlir', 'numpy', 'click'} & set(sys.modules)\n"
    )
    assert "1 passed" in _pytest(tmp_path, "-p", "no:hypothesispytest")
