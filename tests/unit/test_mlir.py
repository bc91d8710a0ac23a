"""The bindings behind one module: laziness, contexts, locations, and reading programs."""

from __future__ import annotations

import base64
import gc
import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools import dtypes, errors, mlir, program
from shlo_tools.errors import ParseError, ShloError, VerifyError

ROOT = Path(__file__).resolve().parents[2]

TEXT = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""

# jax.export of lambda x: maximum(x * 2 + 1, 0) on f32[2,3], by JAX 0.10.2 (StableHLO 1.15.0):
# mlir_module_serialized, compressed.
ARTIFACT = zlib.decompress(
    base64.b64decode("""
eNpdkd1q1EAUx2f27NkxDGEIISzLMoRlCTWUbl1KkdJ1aytWiy21FhHxImQ3KU3NF/koW7zQF/HWe5/BR/BBfAUnWVTswMyc
358zZ/5n5uz01xv9svIXcfjy9Ny7nU6mu5NHhI6QokGBgxBmf2iPN+DzB4MeCsEZF2qMueC8nUPFfycMVQYXptK5bdsUuQC9
L1jfZJ1vHTkG6WygZWPfAJTuppzuyL19YFZ/oOrgwKAEhyjRliOGIxyjs4WMaT9xw9oCqW035H9E19pV9LilEjetJ4oOGjr5
ZOsU4LlOxxzglQ5n53JLbsup3LGZRtRoty8Ha3pKNdrpuKjpmks1TXkCdIEK2f2B9IKZlHW/A0X2mgHrfgVrE7hN4IgiMLWy
dtWA4bHO1VGm9XRApBoei4aR94RiruOx0TDoPXUDCkN0KZg9VZiSI9wVXIwcxzElDhx3zzSsvhgY7kBwY1FHcRWl5PY6zkiS
BXUckmWWlpWfVuqnyKLI/GDpl5UXpV4QJY12VafLZk9qdTSP75rYD4JW8ldRUrdZRVjVRdpEs7IKonROZrGfLAJ/Tm781aQu
w9Irr/089PIsvkuyIr+OyoQkysgkVSVyv6iiKlJe/mlFmMeRckNuosrz1uXIqqGHf4q7ZLZuY/6/vK3c3lOU5/s5/qo1V4Sl
6k21fJWRdaw6U6+U1wt1P3ng6LhP+bMXJxeX8BbewXs4/A2pEZno
""")
)


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
    seen = []
    thread = threading.Thread(target=lambda: seen.append(str(program.load(TEXT))))
    thread.start()
    thread.join(timeout=60)
    assert seen


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


# --- reading programs -----------------------------------------------------------------------------
def test_text_bytes_paths_and_bytecode_are_told_apart(tmp_path: Path) -> None:
    wanted = str(program.load(TEXT))
    bytecode = program.to_bytecode(program.load(TEXT))
    text_file, binary_file = tmp_path / "a.mlir", tmp_path / "b.bin"
    text_file.write_text(TEXT)
    binary_file.write_bytes(bytecode)
    for source in (TEXT.encode(), bytecode, text_file, str(text_file), binary_file):
        assert str(program.load(source)) == wanted
    assert str(program.load(bytecode, isolated=True)) == wanted


@pytest.mark.parametrize("isolated", [False, True])
def test_portable_artifacts_become_stablehlo(isolated: bool) -> None:
    module = program.load(ARTIFACT, isolated=isolated)
    with mlir.library_context():
        names = [op.name for op in mlir.walk(module.operation)]
    wanted = ["constant"] * 3 + ["broadcast_in_dim", "multiply"] + ["broadcast_in_dim", "add"]
    wanted += ["broadcast_in_dim", "maximum"]
    assert [n.removeprefix("stablehlo.") for n in names if n.startswith("stablehlo.")] == wanted
    assert not [name for name in names if name.startswith("vhlo.")]


def test_artifacts_of_another_version_are_explained() -> None:
    future = ARTIFACT.replace(b"StableHLO_v1.15.0", b"StableHLO_v9.99.9")
    with pytest.raises(ParseError):
        program.load(future[:200], isolated=True)


@pytest.mark.parametrize("kind", ["bytecode", "artifact"])
def test_corrupted_bytes_cannot_end_the_process(kind: str) -> None:
    """Cut short, and with random bytes changed: an error, or a module that verifies."""
    whole = ARTIFACT if kind == "artifact" else program.to_bytecode(program.load(TEXT))
    random = np.random.default_rng(7)
    damaged = [whole[:length] for length in (5, len(whole) // 2, len(whole) - 1)]
    for _ in range(5):
        changed = bytearray(whole)
        for at in random.integers(4, len(whole), 4):
            changed[at] = random.integers(256)
        damaged.append(bytes(changed))
    refused = 0
    for source in damaged:
        try:
            module = program.load(source, isolated=True)
        except ShloError as error:
            refused += 1
            assert str(error).strip()
        else:
            program.verify(module)
    assert refused >= 3


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "neither MLIR text nor bytecode"),
        (b"\x7fELF\x02\x01\x01\0", "neither MLIR text nor bytecode"),
        (b"ML\xefR", "error"),
        ("module {", "-:1:"),
        ("module { stablehlo.ad }", "stablehlo.ad"),
    ],
)
def test_what_is_no_module_is_refused(source: str | bytes, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        program.load(source)


def test_errors_point_into_the_source(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(TEXT.replace("%a, %b : tensor<2x3xf32>", "%a, %b : tensor<2x3xf64>"))
    with pytest.raises(ShloError) as caught:
        program.load(path)
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert (place.file, place.line) == (str(path), 3)
    assert "stablehlo.add %a, %b : tensor<2x3xf64>\n" in str(caught.value)


def test_verification_errors_are_a_kind_of_their_own() -> None:
    wrong = TEXT.replace(
        "stablehlo.add %a, %b : tensor<2x3xf32>",
        "stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    )
    with pytest.raises(VerifyError, match="permutation"):
        program.load(wrong)


def test_misspelled_ops_get_a_suggestion() -> None:
    with pytest.raises(ShloError, match=r"did you mean 'stablehlo\.transpose'"):
        program.load(TEXT.replace("stablehlo.add %a, %b", "stablehlo.transpos %a"))


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


# --- writing --------------------------------------------------------------------------------------
def test_save_and_load(tmp_path: Path) -> None:
    module = program.load(TEXT)
    for name in ("a.mlir", "a.mlirbc", "a.bc"):
        program.save(module, tmp_path / name)
        assert str(program.load(tmp_path / name)) == str(module)
    assert (tmp_path / "a.bc").read_bytes().startswith(program.BYTECODE_MAGIC)
    assert (tmp_path / "a.mlir").read_text() == str(module)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bc", "a.mlir", "a.mlirbc"]


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    module = program.load(TEXT)
    with pytest.raises(ShloError, match="cannot write"):
        program.save(module, tmp_path / "missing" / "a.mlir")
    with pytest.raises(ShloError, match="cannot write"):
        program.save(module, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_saving_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.mlir", tmp_path / "link.mlir"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("real.mlir")
    program.save(program.load(TEXT), link)
    assert link.is_symlink()
    assert str(program.load(real)) == str(program.load(TEXT))
    assert os.stat(real).st_mode & 0o777 == 0o640


def test_standard_input_is_read() -> None:
    script = "from shlo_tools import program; print(program.load('-'))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, input=TEXT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(program.load(TEXT)).strip()


# --- diagnostics ----------------------------------------------------------------------------------
def test_messages_that_are_no_text_are_errors() -> None:
    """MLIR quotes names, which are any bytes; the bindings fail on its message."""
    twice = r'func.func private @"\FF"()' + "\n"
    with pytest.raises(ParseError, match="quotes bytes that are no text"):
        program.load(twice * 2)
    module = program.load(twice + "func.func private @other()")
    first, second = module.body.operations
    second.attributes["sym_name"] = first.attributes["sym_name"]
    with pytest.raises(ShloError, match="quotes bytes that are no text"):
        program.verify(module)


def test_a_printed_op_is_one_line_of_a_note() -> None:
    text = "func.func private @f()\nfunc.func @f() { return }"
    with mlir.library_context(), pytest.raises(mlir.MLIRError) as caught:
        mlir.parse_module(text)
    (said,) = mlir.diagnostics_of(caught.value)
    current, _ = [note.message for note in said.notes]
    assert current.startswith('see current operation: "func.func"()')
    assert current.endswith("({ ...")
