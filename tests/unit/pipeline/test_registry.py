"""The registry of passes: options, names, plug-in files and plug-in packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from shlo_tools import mlir, program
from shlo_tools.errors import PipelineError, ShloError
from shlo_tools.pipeline import grammar, registry, runner
from shlo_tools.pipeline.registry import Pass
from shlo_tools.pipeline.runner import Pipeline

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "tests" / "plugin"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone after it."""
    registry.names()  # load what is built in and installed, once
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    monkeypatch.setattr(registry, "_pipelines", dict(registry._pipelines))
    yield


@dataclass(frozen=True)
class Every(Pass):
    """A pass with an option of every type."""

    name = "test-every"
    flag: bool = False
    count: int = 3
    factor: float = 0.5
    only_op: str = ""
    mode: Literal["fast", "exact"] = "fast"
    sizes: tuple[int, ...] = ()
    names: tuple[str, ...] = ("a", "b")
    limit: int | None = None

    def run(self, op: mlir.Operation) -> None: ...


def made(options: str) -> Pass:
    return registry.instantiate(Every, grammar.split_options(options))


# --- options --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("flag", "flag", True),
        ("flag=true", "flag", True),
        ("flag=1", "flag", True),
        ("flag=false", "flag", False),
        ("flag=0", "flag", False),
        ("count=-7", "count", -7),
        ("factor=2", "factor", 2.0),
        ("factor=1e-3", "factor", 1e-3),
        ("only-op=stablehlo.add", "only_op", "stablehlo.add"),
        ("only_op=stablehlo.add", "only_op", "stablehlo.add"),
        ("only-op='a b'", "only_op", "a b"),
        ('only-op="a, b"', "only_op", "a, b"),
        ("only-op={a b=c}", "only_op", "a b=c"),
        ("mode=exact", "mode", "exact"),
        ("sizes=4", "sizes", (4,)),
        ("sizes=1,2,3", "sizes", (1, 2, 3)),
        ("sizes=", "sizes", ()),
        ("names=x,y", "names", ("x", "y")),
        ("limit=8", "limit", 8),
    ],
)
def test_options_are_read(text: str, field: str, value: object) -> None:
    read = getattr(made(text), field)
    assert read == value
    assert type(read) is type(value)


def test_several_options() -> None:
    assert made("flag count=1 sizes=1,2 mode=exact") == Every(
        flag=True, count=1, sizes=(1, 2), mode="exact"
    )
    assert made("") == Every()


@pytest.mark.parametrize(
    "value",
    [
        Every(),
        Every(flag=True, count=-1, factor=1e30, only_op="a b", mode="exact", sizes=(1,), limit=0),
        Every(names=(), sizes=(5, 6, 7)),
        Every(only_op="{}"),
    ],
)
def test_passes_print_as_they_parse(value: Every) -> None:
    """What a pass prints as, in a pipeline, makes the same pass."""
    (node,) = grammar.parse(str(value))
    assert node.name == "test-every"
    assert registry.instantiate(Every, grammar.split_options(node.options)) == value


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("flag=yes", "'yes' is neither true nor false"),
        ("count=many", "'many' is no integer"),
        ("count=1.5", "'1.5' is no integer"),
        ("count", "a value is needed"),
        ("factor=half", "'half' is no number"),
        ("mode=slow", "'slow' is none of fast, exact"),
        ("sizes=1,x", "'x' is no integer"),
        ("cuont=1", "no option 'cuont'"),
    ],
)
def test_wrong_options_are_errors_with_a_caret(options: str, said: str) -> None:
    registry.register_pass(Every)
    text = f"builtin.module(canonicalize,test-every{{{options}}})"
    with pytest.raises(PipelineError, match=said) as caught:
        Pipeline(text)
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.column == text.index("test-every") + 1
    line, caret = str(caught.value).split("\n")[1:3]
    assert line[caret.index("^") :].startswith("test-every")


def test_an_unknown_option_gets_a_suggestion() -> None:
    registry.register_pass(Every)
    with pytest.raises(PipelineError, match="did you mean 'count'"):
        Pipeline("builtin.module(test-every{cuont=1})")


def test_an_option_without_a_default_is_needed() -> None:
    @registry.register_pass
    @dataclass(frozen=True)
    class Needy(Pass):
        """Needs an option."""

        name = "test-needy"
        depth: int

    with pytest.raises(PipelineError, match="needs option 'depth'"):
        Pipeline("builtin.module(test-needy)")
    assert str(Pipeline("builtin.module(test-needy{depth=2})"))


def test_a_default_factory_is_a_default() -> None:
    @dataclass(frozen=True)
    class Made(Pass):
        """Has a default that is made."""

        name = "test-made"
        sizes: tuple[int, ...] = field(default_factory=lambda: (1, 2))

    assert registry.instantiate(Made, {}) == Made()


# --- names ----------------------------------------------------------------------------------------
def test_a_name_is_taken_once() -> None:
    registry.register_pass(Every)
    registry.register_pass(Every)  # the same class again is nothing new

    @dataclass(frozen=True)
    class Other(Pass):
        """Wants a name that is taken."""

        name = "test-every"

    with pytest.raises(ShloError, match="'test-every' is registered"):
        registry.register_pass(Other)


def test_a_built_in_name_is_taken() -> None:
    @dataclass(frozen=True)
    class Mine(Pass):
        """Wants the name of a pass that comes with the library."""

        name = "shlo-plan-memory"

    with pytest.raises(ShloError, match="registered"):
        registry.register_pass(Mine)


def test_a_native_name_is_taken() -> None:
    """A C++ pass wins over a Python pass of its name, so registering that is an error."""

    @dataclass(frozen=True)
    class Cse(Pass):
        """Wants the name of a C++ pass."""

        name = "cse"

    with pytest.raises(ShloError, match="cse"):
        registry.register_pass(Cse)


def test_a_pipeline_name_is_taken_once() -> None:
    registry.register_pipeline("test-line", "cse")
    registry.register_pipeline("test-line", "cse")
    with pytest.raises(ShloError, match="'test-line' is registered"):
        registry.register_pipeline("test-line", "canonicalize")


def test_passes_and_pipelines_share_their_names() -> None:
    registry.register_pass(Every)
    with pytest.raises(ShloError, match="test-every"):
        registry.register_pipeline("test-every", "cse")


def test_every_built_in_pass_loads_under_its_name() -> None:
    from shlo_tools import passes

    for name in passes.PASSES:
        cls = registry.find_pass(name)
        assert cls is not None
        assert cls.name == name
        assert name.startswith("shlo-") or not mlir.is_native_pass(name)
        assert registry.summaries()[name], f"{name} has no documentation"
    for name, (text, _) in passes.PIPELINES.items():
        assert str(Pipeline(f"builtin.module({name})")) == str(
            Pipeline(f"builtin.module({text})")
        ), name


def test_passes_are_found_without_importing_them() -> None:
    """Listing names is cheap; a pass's module is imported when the pass is used."""
    code = """
        from shlo_tools.pipeline import registry
        import sys

        def imported():
            return [m for m in sys.modules if m.startswith("shlo_tools.passes.")]

        print("shlo-plan-memory" in registry.names(), imported())
        registry.find_pass("shlo-plan-memory")
        print("shlo_tools.passes.memory.plan_memory" in imported())
    """
    done = _child(code)
    assert done.stdout == "True []\nTrue\n", done.stderr


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
    ("name", "content", "said"),
    [
        ("missing.py", None, "no plug-in file"),
        ("plugin.so", "", "no Python file"),
        ("wrong.py", "def", "SyntaxError"),
        ("raises.py", "raise RuntimeError('broken')", "RuntimeError: broken"),
        ("exits.py", "import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_a_bad_plugin_file_is_explained(
    tmp_path: Path, name: str, content: str | None, said: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(ShloError, match=said) as caught:
        registry.load_plugin(str(path))
    assert name in str(caught.value)


def test_a_plugin_file_cannot_take_a_name(tmp_path: Path) -> None:
    path = tmp_path / "clash.py"
    path.write_text(PLUGIN_FILE.replace("test-mark", "shlo-plan-memory"))
    with pytest.raises(ShloError, match="registered"):
        registry.load_plugin(str(path))


# --- plug-in packages -----------------------------------------------------------------------------
def _child(code: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [*paths, ROOT]))}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=paths[0] if paths else ROOT,
        timeout=300,
    )


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
    done = _child(RUN_PLUGIN % "", installed)
    assert "func.func @my_f()" in done.stdout, done.stderr
    assert "func.func private @g()" in done.stdout
    done = _child(RUN_PLUGIN % "{prefix=your_}", installed)
    assert "func.func @your_f()" in done.stdout, done.stderr


def test_without_the_package_the_pass_is_unknown() -> None:
    done = _child(RUN_PLUGIN % "")
    assert done.returncode == 1
    assert "there is no pass 'rename-functions'" in done.stderr


def test_a_plugin_package_is_listed(installed: Path) -> None:
    done = _child(
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
    done = _child("from shlo_tools.pipeline import registry; registry.names()", tmp_path)
    assert done.returncode == 1
    assert "ShloError" in done.stderr
    assert "'shlo-plan-memory' of plug-in 'shlo_rename:RenameFunctions' clashes" in done.stderr


def test_two_packages_cannot_share_a_name(installed: Path, tmp_path: Path) -> None:
    _distribution(tmp_path, "second", "rename-functions = other:Pass")
    done = _child("from shlo_tools.pipeline import registry; registry.names()", installed, tmp_path)
    assert done.returncode == 1
    assert "pass 'rename-functions' is offered by" in done.stderr


def test_a_broken_package_does_not_break_the_others(installed: Path, tmp_path: Path) -> None:
    """Its pass cannot be used, and that is said; everything else works."""
    _distribution(tmp_path, "broken", "broken-pass = no_such_module:Pass")
    done = _child(RUN_PLUGIN % "", installed, tmp_path)
    assert "func.func @my_f()" in done.stdout, done.stderr
    code = "import shlo_tools; shlo_tools.Pipeline('builtin.module(broken-pass)')"
    done = _child(code, installed, tmp_path)
    assert done.returncode == 1
    assert "no_such_module" in done.stderr


def test_an_entry_point_must_be_a_pass(installed: Path, tmp_path: Path) -> None:
    _distribution(tmp_path, "confused", "confused-pass = json:dumps")
    code = "import shlo_tools; shlo_tools.Pipeline('builtin.module(confused-pass)')"
    done = _child(code, installed, tmp_path)
    assert done.returncode == 1
    assert "ShloError" in done.stderr or "PipelineError" in done.stderr
    assert "confused-pass" in done.stderr


def test_anything_that_is_no_pass_class_is_refused() -> None:
    nothing: Any = object
    with pytest.raises(ShloError, match="Pass"):
        registry.register_pass(nothing)
