"""The bindings behind one module: laziness, contexts, locations, and reading programs."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from mlir_modules import TEXT

from shlo_tools import dtypes, errors, mlir, program
from shlo_tools.errors import ParseError, ShloError, VerifyError

ROOT = Path(__file__).resolve().parents[2]


def child(code: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python code with the library importable in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )


# --- loading --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "statement",
    ["import shlo_tools", "import shlo_tools.errors", "import shlo_tools; dir(shlo_tools)"],
)
def test_importing_the_library_does_not_load_mlir(statement: str) -> None:
    done = child(f"""{statement}
import sys
loaded = sorted(m for m in sys.modules if "mlir" in m or m in ("numpy", "ml_dtypes"))
print(loaded)""")
    assert done.stdout == "[]\n", done.stderr


def test_first_use_loads_mlir() -> None:
    """The other side of the test above: it would notice a loaded MLIR."""
    code = "import shlo_tools, sys; shlo_tools.load; print('shlo_tools.mlir' in sys.modules)"
    assert child(code).stdout == "True\n"


def test_versions() -> None:
    assert mlir.provider_version() == mlir.TESTED_VERSION
    assert mlir.stablehlo_version().count(".") == 2
    assert mlir.mlir_version().startswith("MLIR")


# --- contexts -------------------------------------------------------------------------------------
def test_there_is_one_library_context() -> None:
    with mlir.library_context() as outer, mlir.library_context() as inner:
        assert outer is inner


def test_every_dialect_is_there() -> None:
    """Ops of the builtin and upstream dialects, StableHLO, CHLO and VHLO."""
    names = ["builtin.module", "func.func", "arith.addf", "linalg.generic", "llvm.call"]
    names += ["stablehlo.add", "chlo.erf", "vhlo.add_v1", "scf.while", "shape.shape_of"]
    with mlir.library_context() as context:
        missing = [name for name in names if not context.is_registered_operation(name)]
    assert not missing
    with mlir.at(mlir.new_context()):
        mlir.parse_module("""func.func @f(%a: tensor<2xf32>) {
            chlo.erf %a : tensor<2xf32> -> tensor<2xf32>
            return
        }""")


def test_all_ops_are_found_in_the_wheel() -> None:
    """118 StableHLO and 51 CHLO ops: a new wheel's new op shows up here."""
    names = mlir.registered_op_names()
    assert sum(name.startswith("stablehlo.") for name in names) == 118
    assert sum(name.startswith("chlo.") for name in names) == 51
    assert {"stablehlo.gather", "stablehlo.dynamic_conv", "chlo.top_k"} <= set(names)


def test_threads_take_turns_in_the_context() -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(20):
                module = program.load(TEXT.replace("2x3", f"{number + 1}x3"))
                program.verify(module)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_lock_is_free_after_an_error() -> None:
    with pytest.raises(ParseError):
        program.load("not mlir {")
    calls = []
    thread = threading.Thread(target=lambda: calls.append(str(program.load(TEXT))))
    thread.start()
    thread.join(timeout=60)
    assert calls


def test_dropping_a_scratch_context_frees_memory() -> None:
    """Attributes live as long as their context: 20 x 32 MB fit where each context goes."""
    pytest.importorskip("resource")  # POSIX only
    done = child("""
import gc, resource
import numpy as np
from shlo_tools import dtypes, mlir
def constants(count):
    for number in range(count):
        with mlir.at(mlir.new_context()):
            attribute = dtypes.to_attribute(np.arange(number, number + 4_000_000))
            del attribute
        gc.collect()
constants(2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
constants(20)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
""")
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout) / (2**20 if sys.platform == "darwin" else 2**10)  # MB
    assert grown < 200


def test_modules_move_between_contexts_as_bytecode() -> None:
    with mlir.at(mlir.new_context()):
        foreign = mlir.parse_module(TEXT)
    with mlir.library_context() as context:
        own = program.moved(foreign)
        assert own.context is context
        assert program.moved(own) is own
    del foreign
    gc.collect()
    assert str(own) == str(program.load(TEXT))


def test_a_copy_shares_constants_and_nothing_else() -> None:
    """Attributes are the context's; ops, names and places are the copy's own."""
    text = f"module @named attributes {{a.b = 1 : i64}} {{ {TEXT} }}"
    for context in (mlir.library_context(), mlir.at(mlir.new_context())):
        with context:
            module = program.parse(text)
            copy = program.clone(module)
            assert copy.context is module.context
            options = {"enable_debug_info": True}
            assert copy.operation.get_asm(**options) == module.operation.get_asm(**options)
            before = str(module)
            for op in mlir.walk(copy.operation)[1:]:
                op.attributes["changed.by"] = mlir.unit_attr()
            assert str(module) == before != str(copy)


def test_what_is_no_valid_program_is_refused(tmp_path: Path) -> None:
    for source in (3, None, [TEXT], {}):
        with pytest.raises(ShloError, match="is no program"):
            program.module_of(source)
    with mlir.library_context():
        module = program.parse(TEXT)
        func = mlir.walk(module.operation)[1]
        type = mlir.function_type([mlir.index_type()], [])
        func.attributes["function_type"] = mlir.type_attr(type)
        with pytest.raises(VerifyError):
            program.module_of(module)


# --- small things that crash or lie in the bindings -----------------------------------------------
def test_integer_attributes_need_an_integer_type() -> None:
    """The bindings hang on any other type."""
    with mlir.library_context(), pytest.raises(TypeError, match="integer type"):
        mlir.integer_attr(1, mlir.parse_type("f32"))


def test_walk_is_in_program_order_with_parents_first() -> None:
    module = program.load(TEXT)
    with mlir.library_context():
        names = [op.name for op in mlir.walk(module.operation)]
    assert names == ["builtin.module", "func.func", "stablehlo.add", "func.return"]


def test_places_of_locations() -> None:
    with mlir.library_context():
        location = mlir.file_location("a dir/x.mlir", 3, 7)
        assert mlir.place_of(location) == errors.Place("a dir/x.mlir", 3, 7)

        assert mlir.place_of(mlir.unknown_location()) is None
        assert mlir.place_of(None) is None


def test_numbers_beyond_64_bits_are_one_clear_error() -> None:
    """The bindings' own say nothing of the number."""
    with mlir.library_context():
        f32 = mlir.parse_type("f32")
        for make in (
            lambda n: mlir.i64_attr(n),
            lambda n: mlir.i64_array_attr([1, n]),
            lambda n: mlir.memref_type([n], f32),
            lambda n: mlir.tensor_type([2, n], f32),
        ):
            with pytest.raises(errors.UnsupportedError, match=str(1 << 64)):
                make(1 << 64)


@pytest.mark.parametrize("place", [("a:b.mlir", 3, 7), ("model.py", 0, 43), ("-", 0, 0)])
def test_places_are_read_back(place: tuple[str, int, int]) -> None:
    """Of a place without a line only its file is written."""
    file, line, column = place
    expected = errors.Place(file, line, column if line else 0)
    assert errors.Place.read(str(errors.Place(*place))) == expected


def test_pass_names_are_found_in_the_library() -> None:
    names = mlir.native_pass_names()
    assert {"cse", "canonicalize", "stablehlo-legalize-to-vhlo", "one-shot-bufferize"} <= set(names)
    assert len(names) > 100


def test_complex_constants_can_be_read_back_from_ops() -> None:
    module = program.load("""
        func.func @main() -> tensor<2xcomplex<f32>> {
          %0 = stablehlo.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>
          return %0 : tensor<2xcomplex<f32>>
        }""")
    with mlir.library_context():
        (op,) = [op for op in mlir.walk(module.operation) if op.name == "stablehlo.constant"]
        assert dtypes.from_attribute(op.attributes["value"]).tolist() == [1 + 2j, 3 - 4j]


def test_complex_constants_can_be_read_in_a_scratch_context() -> None:
    with mlir.at(mlir.new_context()):
        attribute = mlir.parse_attribute("dense<[(1.0, 2.0)]> : tensor<1xcomplex<f64>>")
        assert dtypes.from_attribute(attribute).tolist() == [1 + 2j]


def test_spellings_keep_no_context_alive() -> None:
    """They are kept while the library's context is entered, and not outside of it."""
    context = mlir.new_context()
    with mlir.library_context(), mlir.at(context):
        type = mlir.parse_type("tensor<4x?xf32>")
        assert [mlir.spelling(type), mlir.spelling(type)] == ["tensor<4x?xf32>"] * 2
        references = sys.getrefcount(type)
    assert sys.getrefcount(type) < references
    references = sys.getrefcount(type)
    assert mlir.spelling(type) == "tensor<4x?xf32>"
    assert sys.getrefcount(type) == references


def test_the_bindings_may_be_loaded_again() -> None:
    """LLVM ends the process where an option is told twice."""
    code = """
import sys
import shlo_tools
text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {return %x : tensor<3xf32>}"
shlo_tools.compile(text)
del sys.modules["shlo_tools.mlir"]
import shlo_tools.mlir as again
print(again.PROVIDER)
"""
    again = child(code)
    assert (again.returncode, again.stdout) == (0, f"{mlir.PROVIDER}\n"), again.stderr
