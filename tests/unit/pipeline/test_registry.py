"""The registry of passes: options and names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pytest
from pass_processes import run_python

from shlo_tools import mlir
from shlo_tools.errors import PipelineError, ShloError
from shlo_tools.pipeline import grammar, registry
from shlo_tools.pipeline.registry import Pass
from shlo_tools.pipeline.runner import Pipeline

pytestmark = pytest.mark.usefixtures("own_passes")


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
    attribute = getattr(made(text), field)
    assert attribute == value
    assert type(attribute) is type(value)


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
    ("options", "message"),
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
def test_wrong_options_are_errors_with_a_caret(options: str, message: str) -> None:
    registry.register_pass(Every)
    text = f"builtin.module(canonicalize,test-every{{{options}}})"
    with pytest.raises(PipelineError, match=message) as caught:
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
    done = run_python(code)
    assert done.stdout == "True []\nTrue\n", done.stderr
