"""Passes of plug-in files and plug-in packages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pass_processes import ROOT, run_python

from shlo_tools import program
from shlo_tools.errors import ShloError
from shlo_tools.pipeline import registry, runner

PLUGIN = ROOT / "tests" / "plugin"
pytestmark = pytest.mark.usefixtures("own_passes")


# --- plug-in files --------------------------------------------------------------------------------
PLUGIN_FILE = '''
from dataclasses import dataclass
from shlo_tools import Pass, mlir, register_pass

@register_pass
@dataclass(frozen=True)
class Mark(Pass):
    """Marks the module."""
    name = "test-mark"
    text: str = "seen"

    def run(self, op):
        op.attributes["test.mark"] = mlir.string_attr(self.text)
'''


EMPTY = "module {}"


def test_a_plugin_file_registers_its_passes(tmp_path: Path) -> None:
    path = tmp_path / "mark.py"
    path.write_text(PLUGIN_FILE)
    registry.load_plugin(str(path))
    registry.load_plugin(str(path))  # naming it twice loads it once
    module = program.load(EMPTY)
    runner.run("builtin.module(test-mark{text=yes},cse)", module)
    assert 'test.mark = "yes"' in str(module)


def test_two_plugin_files_of_one_name_are_two(tmp_path: Path) -> None:
    for folder, name in (("a", "test-mark"), ("b", "test-other-mark")):
        path = tmp_path / folder / "plugin.py"
        path.parent.mkdir()
        path.write_text(PLUGIN_FILE.replace("test-mark", name).replace("Mark", folder.upper()))
        registry.load_plugin(str(path))
        assert registry.find_pass(name) is not None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.py", None, "no plug-in file"),
        ("plugin.so", "", "no Python file"),
        ("wrong.py", "def", "SyntaxError"),
        ("raises.py", "raise RuntimeError('broken')", "RuntimeError: broken"),
        ("exits.py", "import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_a_bad_plugin_file_is_explained(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(ShloError, match=message) as caught:
        registry.load_plugin(str(path))
    assert name in str(caught.value)


def test_a_plugin_file_cannot_take_a_name(tmp_path: Path) -> None:
    path = tmp_path / "clash.py"
    path.write_text(PLUGIN_FILE.replace("test-mark", "shlo-plan-memory"))
    with pytest.raises(ShloError, match="registered"):
        registry.load_plugin(str(path))


# --- plug-in packages -----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the demo plug-in is installed in, from a copy: building leaves files."""
    source = tmp_path_factory.mktemp("plugin") / "source"
    shutil.copytree(PLUGIN, source, ignore=shutil.ignore_patterns("__pycache__"))
    target = tmp_path_factory.mktemp("installed")
    flags = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *flags, "--target", str(target), str(source)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return target


RUN_PLUGIN = """
import shlo_tools
module = shlo_tools.load("func.func @f() { return } func.func private @g() { return }")
shlo_tools.Pipeline("builtin.module(cse,rename-functions%s)").run(module)
print(module)
"""


def test_a_plugin_package_is_found(installed: Path) -> None:
    done = run_python(RUN_PLUGIN % "", installed)
    assert "func.func @my_f()" in done.stdout, done.stderr
    assert "func.func private @g()" in done.stdout
    done = run_python(RUN_PLUGIN % "{prefix=your_}", installed)
    assert "func.func @your_f()" in done.stdout, done.stderr


def test_without_the_package_the_pass_is_unknown() -> None:
    done = run_python(RUN_PLUGIN % "")
    assert done.returncode == 1
    assert "there is no pass 'rename-functions'" in done.stderr


def test_a_plugin_package_is_listed(installed: Path) -> None:
    done = run_python(
        "from shlo_tools.pipeline import registry\nprint(registry.summaries()['rename-functions'])",
        installed,
    )
    assert done.stdout == "Puts a prefix before the name of every public function.\n", done.stderr


def _distribution(folder: Path, name: str, entry: str) -> None:
    """An installed package by hand: its metadata, and a module beside it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[shlo_tools.passes]\n{entry}\n")


def test_a_package_cannot_take_a_name_of_ours(tmp_path: Path) -> None:
    _distribution(tmp_path, "thief", "shlo-plan-memory = shlo_rename:RenameFunctions")
    done = run_python("from shlo_tools.pipeline import registry; registry.names()", tmp_path)
    assert done.returncode == 1
    assert "ShloError" in done.stderr
    assert "'shlo-plan-memory' of plug-in 'shlo_rename:RenameFunctions' clashes" in done.stderr


def test_two_packages_cannot_share_a_name(installed: Path, tmp_path: Path) -> None:
    _distribution(tmp_path, "second", "rename-functions = other:Pass")
    done = run_python(
        "from shlo_tools.pipeline import registry; registry.names()", installed, tmp_path
    )
    assert done.returncode == 1
    assert "pass 'rename-functions' is offered by" in done.stderr


def test_a_broken_package_does_not_break_the_others(installed: Path, tmp_path: Path) -> None:
    """Its pass cannot be used, and that is said; everything else works."""
    _distribution(tmp_path, "broken", "broken-pass = no_such_module:Pass")
    done = run_python(RUN_PLUGIN % "", installed, tmp_path)
    assert "func.func @my_f()" in done.stdout, done.stderr
    code = "import shlo_tools; shlo_tools.Pipeline('builtin.module(broken-pass)')"
    done = run_python(code, installed, tmp_path)
    assert done.returncode == 1
    assert "no_such_module" in done.stderr


def test_an_entry_point_must_be_a_pass(installed: Path, tmp_path: Path) -> None:
    _distribution(tmp_path, "confused", "confused-pass = json:dumps")
    code = "import shlo_tools; shlo_tools.Pipeline('builtin.module(confused-pass)')"
    done = run_python(code, installed, tmp_path)
    assert done.returncode == 1
    assert "ShloError" in done.stderr or "PipelineError" in done.stderr
    assert "confused-pass" in done.stderr


def test_anything_that_is_no_pass_class_is_refused() -> None:
    nothing: Any = object
    with pytest.raises(ShloError, match="Pass"):
        registry.register_pass(nothing)
