"""What no object can have is refused by the name of its op, and names that C has not."""

from __future__ import annotations

import pytest

from shlo_tools.aot import compiling
from shlo_tools.cpu.machine_code import objects
from shlo_tools.errors import ShloError, UnsupportedError

pytestmark = pytest.mark.skipif(not objects.is_supported(), reason="no objects are made here")

ONE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


def _function(arguments: str, results: str, *lines: str) -> str:
    body = "\n  ".join(lines)
    return f"func.func @main({arguments}) -> {results} {{\n  {body}\n}}"


REFUSED = {
    "sizes of run time": (
        _function("%x: tensor<?xf32>", "tensor<?xf32>", "return %x : tensor<?xf32>"),
        r"@main: argument 0 is tensor<\?xf32>, and objects want known sizes",
    ),
    "fft": (
        _function(
            "%x: tensor<2x11xcomplex<f32>>",
            "tensor<2x11xcomplex<f32>>",
            "%0 = stablehlo.fft %x, type = FFT, length = [11]"
            " : (tensor<2x11xcomplex<f32>>) -> tensor<2x11xcomplex<f32>>",
            "return %0 : tensor<2x11xcomplex<f32>>",
        ),
        r"2:\d+: error: not supported: stablehlo.fft .*a function of numpy",
    ),
    "fft by kernels": (
        _function(
            "%x: tensor<2x64xcomplex<f32>>",
            "tensor<2x64xcomplex<f32>>",
            "%0 = stablehlo.fft %x, type = FFT, length = [64]"
            " : (tensor<2x64xcomplex<f32>>) -> tensor<2x64xcomplex<f32>>",
            "return %0 : tensor<2x64xcomplex<f32>>",
        ),
        r"2:\d+: error: not supported: stablehlo.fft .*a table of factors",
    ),
    "what Python computes": (
        _function(
            "%x: tensor<3x3xf32>",
            "tensor<3x3xf32>",
            "%0 = stablehlo.cholesky %x, lower = true : tensor<3x3xf32>",
            "return %0 : tensor<3x3xf32>",
        ),
        "not supported: stablehlo.cholesky .*Python computes it",
    ),
    "LAPACK without --lapack": (
        _function(
            "%x: tensor<3x3xf32>",
            "tensor<i32>",
            "%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {",
            "mhlo.backend_config = {uplo = 76 : ui8},",
            "operand_layouts = [dense<[0, 1]> : tensor<2xindex>],",
            "result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]",
            "} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)",
            "return %0#1 : tensor<i32>",
        ),
        "stablehlo.custom_call .*it calls LAPACKE_spotrf; --lapack leaves that to the linker",
    ),
    "a layout that arrays have not": (
        _function(
            "%x: tensor<2x3xf32>",
            "tensor<2x3xf32>",
            "%0 = stablehlo.custom_call @f(%x) {",
            "operand_layouts = [dense<[0, 1]> : tensor<2xindex>],",
            "result_layouts = [dense<[1, 0]> : tensor<2xindex>]",
            "} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
            "return %0 : tensor<2x3xf32>",
        ),
        r"stablehlo.custom_call .*tensor<2x3xf32> in the layout \[0, 1\]",
    ),
    "a result that begins as an operand": (
        _function(
            "%x: tensor<3xf32>",
            "tensor<3xf32>",
            "%0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [",
            "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,",
            "operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>",
            "return %0 : tensor<3xf32>",
        ),
        "stablehlo.custom_call .*results of it begin as operands",
    ),
    "targets of one name in C": (
        _function(
            "%x: tensor<3xf32>",
            "tensor<3xf32>",
            "%0 = stablehlo.custom_call @a.b(%x) : (tensor<3xf32>) -> tensor<3xf32>",
            "%1 = stablehlo.custom_call @a_b(%0) : (tensor<3xf32>) -> tensor<3xf32>",
            "return %1 : tensor<3xf32>",
        ),
        "'a.b' and 'a_b' would both be the C function shlo_call_a_b",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals_name_the_op(what: str) -> None:
    source, message = REFUSED[what]
    with pytest.raises(ShloError, match=message):
        compiling.compile_object(source, name="model")


@pytest.mark.parametrize("name", ["", "3d", "a-b", "ä", "_x"])
def test_names_that_c_has_not(name: str) -> None:
    with pytest.raises(ShloError, match="names in C cannot begin with"):
        compiling.compile_object(ONE, name=name)


def test_functions_of_one_name_in_c() -> None:
    source = f"module {{ {ONE.replace('@main', '@f.1')} {ONE.replace('@main', '@f_1')} }}"
    with pytest.raises(ShloError, match=r"@f\.1 and @f_1 would both be m_f_1 in C"):
        compiling.compile_object(source, name="m")


def test_a_function_of_the_runtimes_name() -> None:
    with pytest.raises(ShloError, match="@open would be m_open in C, which is the runtime's"):
        compiling.compile_object(ONE.replace("@main", "@open"), name="m")


def test_functions_that_are_not_there() -> None:
    with pytest.raises(ShloError, match="there is no function @mian"):
        compiling.compile_object(ONE, name="m", functions=["mian"])
    with pytest.raises(ShloError, match="no public function"):
        compiling.compile_object(ONE.replace("func.func", "func.func private"), name="m")


def test_control_flow_that_cannot_be_cut() -> None:
    """Functions that call themselves are refused as everywhere."""
    source = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    with pytest.raises(UnsupportedError, match=r"func\.call .*it cannot be inlined"):
        compiling.compile_object(source, name="m")


# --- runtimes -------------------------------------------------------------------------------------
def test_runtimes_are_for_objects_of_ours() -> None:
    with pytest.raises(ShloError, match=r"'a\.txt' is no object of shlo-compile"):
        compiling.runtime_for({"a.txt": b"no object"})
    compiled = compiling.compile_object(ONE, name="m", standalone=True)
    with pytest.raises(ShloError, match=r"'m\.o' needs no runtime"):
        compiling.runtime_for({"m.o": b"".join(compiled.pieces)})


def test_runtimes_are_for_one_target(monkeypatch: pytest.MonkeyPatch) -> None:
    image = b"".join(compiling.compile_object(ONE, name="m").pieces)
    other = "shlo_rt_frame_0_sparc"
    monkeypatch.setattr(compiling, "runtime_mark", lambda: other)
    with pytest.raises(ShloError, match=r"'m\.o' is of frame and target \d+_.*would be of 0_sparc"):
        compiling.runtime_for({"m.o": image})
