"""What is shipped: wheel and sdist hold everything, as files, and work away from the checkout.

``passes/`` and ``tools/`` stand at the top of the checkout and are ``shlo_tools.passes`` and
``shlo_tools.tools`` through symlinks, which an archive must not contain. Built are copies of the
checkout: setuptools leaves files where it builds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import shlo_tools

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = ("shlo_tools", "passes", "tools")
SHIPPED = (".py", ".pyi", ".typed", ".mlir", ".npz", ".json", ".h")
LEFT_OVERS = (".git", ".venv*", "__pycache__", "build", "dist", "*.egg-info", ".*_cache", ".hypo*")


def _run(*command: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _copy_of_checkout(target: Path) -> Path:
    ignored = shutil.ignore_patterns(*LEFT_OVERS)
    target.mkdir()
    for path in ROOT.iterdir():
        if path.name in ignored(str(ROOT), [path.name]):
            continue
        if path.is_dir():
            shutil.copytree(path, target / path.name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(path, target)
    return target


BUILD = "from setuptools import build_meta as b; import sys; b.build_{}(sys.argv[1])"


def _build(kind: str, source: Path, target: Path) -> Path:
    """Build an ``sdist`` or ``wheel`` with this environment's setuptools."""
    target.mkdir()
    _run(sys.executable, "-c", BUILD.format(kind), str(target), cwd=source)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    return _build("sdist", _copy_of_checkout(folder / "source"), folder / "built")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return _build("wheel", _copy_of_checkout(folder / "source"), folder / "built")


@pytest.fixture(scope="module")
def wheel_of_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return _build("wheel", source, folder / "built")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel in it, and nothing else."""
    target = tmp_path_factory.mktemp("installed")
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check")
    _run(sys.executable, *pip, "--target", str(target), str(wheel), cwd=target)
    return target


def _expected() -> dict[str, bytes]:
    """Every file that belongs into the package, by its name there."""
    results = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            inside = path.relative_to(ROOT)
            linked = inside.parts[:2] in (("shlo_tools", "passes"), ("shlo_tools", "tools"))
            if path.is_file() and path.suffix in SHIPPED and not linked:
                name = inside.as_posix()
                shipped = name if package == "shlo_tools" else f"shlo_tools/{name}"
                results[shipped] = path.read_bytes()
    return results


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    expected, contents = _expected(), _contents(wheel)
    assert len(expected) > 60
    for name in (
        "shlo_tools/passes/legalize_to_linalg/__init__.py",
        "shlo_tools/tools/opt/command.py",
        "shlo_tools/tools/bench/peers.py",
        "shlo_tools/ops/__init__.pyi",
        "shlo_tools/py.typed",
        "shlo_tools/demo/mlp_step.mlir",
        "shlo_tools/demo/mlp_step.npz",
    ):
        assert name in expected
    packaged = {name: data for name, data in contents.items() if name.startswith("shlo_tools/")}
    assert sorted(packaged) == sorted(expected)
    assert packaged == expected


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    """No tests, and no second copy at the top level."""
    top = {name.split("/", maxsplit=1)[0] for name in _contents(wheel)}
    assert top == {"shlo_tools", f"shlo_tools-{shlo_tools.__version__}.dist-info"}


def test_the_sdist_holds_files_and_no_links(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert not [m.name for m in members if m.issym() or m.islnk()]
    top = sdist.name.removesuffix(".tar.gz")
    array = {m.name.removeprefix(f"{top}/") for m in members if m.isfile()}
    assert set(_expected()) <= array
    assert {"pyproject.toml", "README.md", "LICENSE"} <= array


def test_a_wheel_of_the_sdist_is_the_same(wheel: Path, wheel_of_sdist: Path) -> None:
    of_checkout, of_sdist = _contents(wheel), _contents(wheel_of_sdist)
    assert sorted(of_checkout) == sorted(of_sdist)
    for name, data in of_checkout.items():
        if not name.endswith("RECORD"):
            assert of_sdist[name] == data, name


def test_what_is_installed_names_its_needs(wheel: Path) -> None:
    contents = _contents(wheel)
    info = f"shlo_tools-{shlo_tools.__version__}.dist-info"
    metadata = contents[f"{info}/METADATA"].decode()
    required = re.findall(r"^Requires-Dist: ([^\s;]+)$", metadata, re.M)
    assert sorted(required) == sorted(PROJECT["project"]["dependencies"])
    scripts = contents[f"{info}/entry_points.txt"].decode()
    assert "shlo-opt = shlo_tools.tools.opt.command:main" in scripts
    assert "shlo-run = shlo_tools.tools.run.command:main" in scripts
    assert "shlo-reduce = shlo_tools.tools.reduce.command:main" in scripts
    assert "shlo-compile = shlo_tools.tools.compile.command:main" in scripts
    assert "shlo-cache = shlo_tools.tools.cache.command:main" in scripts
    assert "shlo-bench = shlo_tools.tools.bench.command:main" in scripts
    assert "shlo-translate = shlo_tools.tools.translate.command:main" in scripts
    assert f"{info}/licenses/LICENSE" in contents


# --- importing and running ------------------------------------------------------------------------
WHERE = (
    "import shlo_tools.passes as p, shlo_tools.tools as t, shlo_tools.passes.memory.plan_memory;"
    "print(p.__file__, t.__file__, sep='\\n')"
)


@pytest.mark.parametrize("elsewhere", [False, True], ids=["checkout", "elsewhere"])
def test_passes_and_tools_are_in_the_package(elsewhere: bool, tmp_path: Path) -> None:
    """Imported from the root of the checkout, and from any other folder."""
    if elsewhere:
        message = _run(sys.executable, "-c", WHERE, cwd=tmp_path, PYTHONPATH=str(ROOT))
    else:
        message = _run(sys.executable, "-c", WHERE, cwd=ROOT)
    for line, folder in zip(message.split("\n"), ("passes", "tools"), strict=False):
        assert Path(line).is_relative_to(ROOT / "shlo_tools" / folder)


def test_the_installed_package_is_whole(installed: Path, tmp_path: Path) -> None:
    message = _run(sys.executable, "-c", WHERE, cwd=tmp_path, PYTHONPATH=str(installed))
    for line, folder in zip(message.split("\n"), ("passes", "tools"), strict=False):
        assert Path(line).is_relative_to(installed / "shlo_tools" / folder)
        assert not (installed / "shlo_tools" / folder).is_symlink()


def _command(installed: Path, tmp_path: Path, name: str, *arguments: str) -> str:
    """Run an installed console script from elsewhere."""
    script = str(installed / "bin" / name)
    return _run(script, *arguments, cwd=tmp_path, PYTHONPATH=str(installed))


def test_the_demo_runs_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    assert "tensor<" in _command(installed, tmp_path, "shlo-run", "--demo")


def test_shlo_opt_runs_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    assert shlo_tools.__version__ in _command(installed, tmp_path, "shlo-opt", "--version")
    (tmp_path / "f.mlir").write_text(
        "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    )
    lowered = _command(installed, tmp_path, "shlo-opt", "f.mlir", "--to=llvm")
    assert "llvm.func" in lowered


def test_an_installed_package_tells_what_there_is(installed: Path, tmp_path: Path) -> None:
    known = _run(
        *(sys.executable, "-m", "shlo_tools", "--json"), cwd=tmp_path, PYTHONPATH=str(installed)
    )
    packages = json.loads(known)["packages"]
    pinned = [line for line in PROJECT["project"]["dependencies"] if "==" in line]
    assert [f"{name}=={packages[name]}" for name in packages][: len(pinned)] == pinned


def test_pytest_finds_the_plug_in_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "reads.mlir").write_text("// RUN: shlo-opt %s\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "reads.mlir"]
    assert "1 passed" in _run(*command, cwd=tmp_path, PYTHONPATH=str(installed))


def test_an_installed_package_carries_its_types(installed: Path, tmp_path: Path) -> None:
    """mypy reads the stubs of the installed package."""
    (tmp_path / "use.py").write_text(
        "from shlo_tools import ops\nreveal_type(ops.tanh)\nops.tanh('x')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "use.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(installed), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert "TensorLike" in done.stdout or "ndarray" in done.stdout, done.stdout + done.stderr
    assert "use.py:3: error:" in done.stdout


# --- one source of truth --------------------------------------------------------------------------
def test_versions_agree() -> None:
    assert PROJECT["project"]["version"] == shlo_tools.__version__


def test_the_pinned_provider_is_the_tested_one() -> None:
    """Read from the source: the pin is where pip needs it, and where a hint names it."""
    source = (ROOT / "shlo_tools" / "mlir.py").read_text()
    constants = dict(re.findall(r'^(\w+) = "([^"]+)"$', source, re.M))
    pin = f"{constants['DISTRIBUTION']}=={constants['TESTED_VERSION']}"
    assert pin in PROJECT["project"]["dependencies"]


def _commands_of_readme() -> list[str]:
    """Lines of the README's first two ``sh`` blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return [block.strip() for block in blocks[:2]]


def test_the_readme_sets_up_in_two_lines() -> None:
    try_it, test_it = _commands_of_readme()
    assert "\n" not in try_it + test_it
    assert "pip install . " in try_it
    assert try_it.endswith("shlo-run --demo")
    for part in ("python3 -m venv", "pip install -e '.[dev]'", "/pytest", "/lit"):
        assert part in test_it


def test_ci_runs_the_readme_word_for_word() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert _commands_of_readme()[1] in script.split("\n")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "set -euo pipefail" in script


# In place of python3: makes "environments" whose tools note that they ran, and fail on demand.
PYTHON3 = """#!/bin/sh
mkdir -p "$3/bin"
for tool in pip pytest lit; do
  printf '#!/bin/sh\ncat\necho "%s $*" >> "$LOG"\n[ "%s" != "$FAIL" ]\n' \
    "$3/$tool" "$3/$tool" > "$3/bin/$tool"
  chmod +x "$3/bin/$tool"
done
"""
PARTS = (
    ".venv-test/pip install -e .[dev]",
    ".venv-test/pytest -n auto",
    ".venv-test/lit -s tests/lit",
    ".venv-peer/pip install --quiet .venv-peer/source[dev,xla,mpi]",
    ".venv-peer/pip install --quiet --no-deps -e .",
    ".venv-peer/pytest tests/unit/parallel -k mpi",
    ".venv-peer/pytest -m peer tests/a/test_first.py",
    ".venv-peer/pytest -m peer tests/test_second.py",
)


def _ci(folder: Path, fails: str) -> tuple[bool, list[str]]:
    """Whether ``.ci/run`` succeeds with one tool failing, and what it ran."""
    tools, tests, log = folder / "tools", folder / "tests", folder / "log"
    for path in (tools, tests / "a", folder / ".ci"):
        path.mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    (tools / "python3").write_text(PYTHON3)
    (tools / "python3").chmod(0o755)
    for file in (tests / "a" / "test_first.py", tests / "test_second.py"):
        file.write_text("pytestmark = pytest.mark.peer")
    (tests / "test_third.py").touch()
    (folder / "shlo_tools").mkdir()
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        (folder / name).touch()
    environment = {"LOG": str(log), "FAIL": fails, "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", str(folder / ".ci" / "run")], env={**os.environ, **environment}, timeout=60
    )
    return done.returncode == 0, log.read_text().splitlines()


def test_ci_runs_every_part(tmp_path: Path) -> None:
    """A process for each of the peers' files, because it has one MLIR, JAX's or ours."""
    succeeds, ran = _ci(tmp_path, fails="")
    assert succeeds
    assert [line for line in ran if line.startswith(".venv-test")] == list(PARTS[:3])
    assert [line for line in ran if line.startswith(".venv-peer/pip")] == list(PARTS[3:5])
    assert sorted(ran[5:]) == sorted(PARTS[5:])


@pytest.mark.parametrize("part", dict.fromkeys(part.split()[0] for part in PARTS))
def test_ci_fails_with_any_part(part: str, tmp_path: Path) -> None:
    """Before anything else runs of its environment, and before all that comes later."""
    succeeds, ran = _ci(tmp_path, fails=part)
    assert not succeeds
    environment = part.split("/", maxsplit=1)[0]
    *_, last = (line for line in ran if line.startswith(environment))
    assert last.startswith(part)
    assert part == ".venv-peer/pytest" or ".venv-peer/pytest" not in " ".join(ran)
