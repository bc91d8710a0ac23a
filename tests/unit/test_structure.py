"""The shape of the code base: who may import whom, who knows the bindings, how long files get.

Everything is read from the sources with ``ast``; imports inside functions and under
``TYPE_CHECKING`` count as well.
"""

from __future__ import annotations

import ast
import functools
import gc
import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from shlo_tools.garbage import uncollected

ROOT = Path(__file__).resolve().parents[2]

# From the ground floor up. Modules of one floor may import each other, but not in a circle;
# ``cpu`` names passes by pipeline text only, hence the list of what a floor must not even reach.
FLOORS = (
    (
        *("dims", "elf", "errors", "files", "foreign", "garbage", "interrupts", "notebook"),
        *("operators", "plug_ins", "process_groups", "processors", "workers"),
    ),
    ("mlir", "dialects", "time_limit"),
    ("element_types", "dtypes", "narrow_floats"),
    ("ir", "structural_key", "text"),
    ("types", "quantized_types", "constraints"),
    ("grid", "sharding", "ops", "pipeline", "extend", "program", "builder", "calling"),
    ("processes",),
    ("reference",),
    ("shapes",),
    ("codegen",),
    ("passes",),
    ("probes", "cpu", "xla"),
    ("parallel",),
    ("interop", "check", "aot"),
    ("tools", "testing", "__main__"),
)
FLOOR = {package: level for level, floor in enumerate(FLOORS) for package in floor}
FORBIDDEN_BELOW = {"cpu": {"passes"}}

# The package itself offers everything lazily and demo is data: neither has a floor.
WITHOUT_FLOOR = {"__init__", "demo"}

# Names of upper modules in strings, imported lazily by them: what finds passes by name must.
NAMED_LAZILY = {("pipeline", "shlo_tools.passes"), ("extend", "shlo_tools.cpu.custom_calls")}

# Files longer than LINES, and what holds each together. Remove a row when its file shrinks.
LINES = 400
LONG_FILES = {
    "shlo_tools/codegen/function.py": "one builder: values and the function that emits them",
    "shlo_tools/dims.py": "one normal form: its arithmetic and its comparisons need each other",
    "shlo_tools/ir.py": "the two drivers, and what they share",
    "shlo_tools/mlir.py": "the one module that touches the untyped bindings",
    "shlo_tools/ops/_op.py": "the decorator: builder, inference and verifier share its tables",
    "tests/conformance/derive_chlo_tables.py": "a script that runs alone",
    "tests/conformance/redundant_programs.py": "a generator and its oracle, step by step",
    "tests/conformance/symbolic_programs.py": "a generator and its oracle, step by step",
}

# What only another program imports, which brings these, or a child that asks for them.
IMPORTED_BY = {
    "shlo_tools/testing/pytest_plugin.py": {"pytest"},
    "shlo_tools/xla/client.py": {"jax", "jaxlib"},
}

# What benchmarks run under a peer's interpreter, not with what the library depends on.
PEERS_WORKERS = (
    "tools/bench/workers/*_worker.py",
    "tools/bench/workers/torch_programs/*.py",
    "tools/bench/collectives/xla_worker.py",
    "tools/bench/jax_programs/*.py",
    "tools/bench/library_programs/*.py",
)

# Handlers of every exception that pass the error on to another process, or to the thread that waits
# for this one, instead of raising it.
PASSED_ON = {
    "shlo_tools/processes/running.py",
    "shlo_tools/workers.py",
    "tools/bench/workers/serving.py",
    "tools/campaign/outcome.py",
}


@dataclass(frozen=True)
class Source:
    """One library file, known by its dotted module name (``shlo_tools.ops._op``)."""

    path: Path
    module: str
    tree: ast.Module
    text: str

    @property
    def package(self) -> str:
        """The part of the library it belongs to: ``ops`` for ``shlo_tools.ops._op``."""
        return [*self.module.split("."), "__init__"][1]

    @property
    def relative(self) -> str:
        return self.path.relative_to(ROOT).as_posix()


@functools.cache
def sources() -> list[Source]:
    """All modules, read at the first question; their trees are no garbage to be searched for."""
    with uncollected():
        results = list(_read_sources())
        gc.freeze()
    return results


def _read_sources() -> Iterator[Source]:
    for folder in ("shlo_tools", "passes", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if parts[:2] in (("shlo_tools", "passes"), ("shlo_tools", "tools")):
                continue  # a symlink that rglob followed; the real folder is read
            names = parts if parts[0] == "shlo_tools" else ("shlo_tools", *parts)
            module = ".".join(names).removesuffix(".__init__")
            text = path.read_text()
            yield Source(path, module, ast.parse(text), text)


def imported(module: str, is_package: bool, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every (line, dotted name) of the library that a module imports, at whatever depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = node.level - 1 if is_package else node.level
                parents = module.split(".")[: len(module.split(".")) - up]
                base = ".".join([*parents, base] if base else parents)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def _imports(source: Source) -> list[tuple[int, str]]:
    """(line, package of the library) for everything that ``source`` imports from it."""
    is_package = source.path.name == "__init__.py"
    names = imported(source.module, is_package, source.tree)
    own = [(line, name.split(".")) for line, name in names if name.split(".")[0] == "shlo_tools"]
    return [(line, (*parts, "")[1]) for line, parts in own]


def _where(source: Source, line: int) -> str:
    return f"{source.relative}:{line}"


def test_every_module_has_a_floor() -> None:
    packages = {source.package for source in sources()}
    assert packages - WITHOUT_FLOOR <= set(FLOOR), "add the new package to FLOORS"
    assert len(sources()) > 40, "the sources were not found"


def test_imports_of_every_form_are_seen() -> None:
    text = """
import shlo_tools.cpu.executable
from shlo_tools import aot
from ..tools.opt import command
def later():
    from .values import x
"""
    results = {name for _, name in imported("shlo_tools.ops._op", False, ast.parse(text))}
    assert results == {
        "shlo_tools.cpu.executable",
        "shlo_tools.aot",
        "shlo_tools.tools.opt.command",
        "shlo_tools.ops.values.x",
    }
    package = {name for _, name in imported("shlo_tools.ops", True, ast.parse("from . import a"))}
    assert package == {"shlo_tools.ops.a"}


def test_no_upward_imports() -> None:
    upward = [
        f"{_where(source, line)}: {source.package} imports {target}"
        for source in sources()
        if source.package in FLOOR
        for line, target in _imports(source)
        if FLOOR.get(target, -1) > FLOOR[source.package]
        or target in FORBIDDEN_BELOW.get(source.package, ())
    ]
    assert not upward, "\n".join(upward)


def _modules_imported() -> dict[str, dict[str, int]]:
    """The library's modules that each of them imports, and in which line."""
    modules = {source.module for source in sources()}
    graph: dict[str, dict[str, int]] = {}
    for source in sources():
        edges = graph.setdefault(source.module, {})
        is_package = source.path.name == "__init__.py"
        for line, name in imported(source.module, is_package, source.tree):
            while name and name not in modules:  # a name in a module: the module
                name = name.rpartition(".")[0]
            if name:
                edges.setdefault(name, line)
    return graph


def _circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """A shortest way from a module back to itself; none where there is no such module."""
    circles = []
    for start in graph:
        ways = {name: [start, name] for name in graph[start]}
        ahead = list(ways)
        for name in ahead:
            for target in graph[name]:
                if target not in ways:
                    ways[target] = [*ways[name], target]
                    ahead.append(target)
        if start in ways:
            circles.append(ways[start])
    return min(circles, key=len, default=[])


def test_circles_are_found() -> None:
    assert _circle({"a": ["b", "c"], "b": ["c"], "c": []}) == []
    assert _circle({"a": ["b"], "b": ["c"], "c": ["d"], "d": ["b"]}) == ["b", "c", "d", "b"]
    assert _circle({"a": ["a"]}) == ["a", "a"]


def test_no_circle_of_imports() -> None:
    """Between any two modules, wherever they are and however the import is written.

    A package's ``__init__`` is a module like others: it may import its submodules, or they may
    import names from it, not both.
    """
    graph = _modules_imported()
    behind_symlinks = {"shlo_tools.passes.fold.sweep", "shlo_tools.tools.opt.request"}
    assert behind_symlinks <= set(graph)
    circle = _circle(graph)
    lines = [f"{a}:{graph[a][b]} imports {b}" for a, b in itertools.pairwise(circle)]
    assert not circle, "\n".join(["a circle of imports:", *lines])


def test_no_circle_on_a_floor() -> None:
    """Nor between packages, by whichever of their modules."""
    graph: dict[str, set[str]] = {package: set() for package in FLOOR}
    for source in sources():
        if source.package in FLOOR:
            graph[source.package] |= {target for _, target in _imports(source) if target in FLOOR}
            graph[source.package].discard(source.package)
    circle = _circle(graph)
    assert not circle, " -> ".join(circle)


def _strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """String literals that the program uses: all but docstrings."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


def test_upper_modules_are_not_named_in_strings_either() -> None:
    hidden = [
        f"{_where(source, node.lineno)}: {source.package} names {node.value!r}"
        for source in sources()
        if source.package in FLOOR
        for node in _strings(source.tree)
        for target in re.findall(r"\bshlo_tools\.(\w+)", str(node.value))
        if FLOOR.get(target, -1) > FLOOR[source.package]
        and (source.package, node.value) not in NAMED_LAZILY
    ]
    assert not hidden, "\n".join(hidden)


def test_the_library_imports_names_from_where_they_are() -> None:
    """``from shlo_tools import compile`` would hide an import of ``cpu`` from the tests above."""
    known = {*FLOOR, "__version__"}
    fronted = [
        f"{_where(source, line)}: shlo_tools.{target}"
        for source in sources()
        if FLOOR.get(source.package, len(FLOORS)) <= FLOOR["cpu"]
        for line, target in _imports(source)
        if target not in known
    ]
    assert not fronted, "\n".join(fronted)


def test_only_mlir_knows_the_provider() -> None:
    """The bindings are imported, and their package is named, in one module."""
    naming = [
        source.relative
        for source in sources()
        if re.search(r"torch[-_]mlir|torchMlir|TorchMLIR", source.text)
    ]
    assert naming == ["shlo_tools/mlir.py"]


def test_third_party_imports_are_declared() -> None:
    """The library imports nothing that ``pip install`` does not bring (extras only lazily)."""
    allowed = {"shlo_tools", "numpy", "ml_dtypes", "click", "rich"}
    for source in sources():
        if any(source.path.match(pattern) for pattern in PEERS_WORKERS):
            continue
        for node in source.tree.body:  # what a plain import of the module needs
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                top = name.split(".")[0]
                others = IMPORTED_BY.get(source.relative, set())
                assert top in allowed | others or top in sys.stdlib_module_names, (
                    f"{_where(source, node.lineno)} imports {name}"
                )


def test_no_assert_in_the_library() -> None:
    """``python -O`` drops assert statements; what a user can get wrong needs an error."""
    results = [
        _where(source, node.lineno)
        for source in sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assert)
    ]
    assert not results, "\n".join(results)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(n, ast.Name) and n.id in ("Exception", "BaseException") for n in named)


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def test_nothing_is_swallowed() -> None:
    """A handler of everything must raise again: to clean up, or as an error that says what."""
    results = [
        _where(source, node.lineno)
        for source in sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (_catches_all(node) and not _raises(node)))
        and source.relative not in PASSED_ON
    ]
    assert not results, "\n".join(results)


def _test_sources() -> list[Path]:
    return sorted((ROOT / "tests").rglob("*.py"))


def test_files_stay_short() -> None:
    lengths = {source.relative: source.text.count("\n") for source in sources()}
    for path in _test_sources():
        lengths[path.relative_to(ROOT).as_posix()] = path.read_text().count("\n")
    long = {name: length for name, length in lengths.items() if length > LINES}
    assert set(long) - set(LONG_FILES) == set(), f"split them, or say why not: {long}"
    assert set(LONG_FILES) - set(long) == set(), "these are short again: drop their rows"


@pytest.mark.parametrize("name", ["passes", "tools"])
def test_symlinks_are_relative(name: str) -> None:
    """A clone anywhere finds ``shlo_tools.passes`` and ``shlo_tools.tools``."""
    link = ROOT / "shlo_tools" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name


def test_nothing_is_called_helper() -> None:
    vague = [s.relative for s in sources() if re.search(r"helper|util|manager", s.path.stem)]
    assert not vague


def test_unit_tests_mirror_the_packages() -> None:
    """A folder with tests is named as the package that they test."""
    unit = ROOT / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")}
    assert len(folders) > 10, "the tests were not found"
    assert not [str(f) for f in folders if not (ROOT / "shlo_tools" / f).is_dir()]


def test_names_of_test_files_are_unique() -> None:
    """Tests, and what they share, are imported by these names alone."""
    paths = [path for path in _test_sources() if not (path.parent / "__init__.py").exists()]
    names = Counter(path.name for path in paths if path.name != "conftest.py")
    assert not [name for name, count in names.items() if count > 1]
