"""``shlo_tools.custom_call``: what functions see and may do, and how their mistakes are told."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools import errors, extend, plug_ins
from shlo_tools.errors import ExecutionError, ExecutionTimeout, ShloError, UnsupportedError

Array = np.ndarray[Any, Any]


pytestmark = pytest.mark.usefixtures("own_registry")


def calling(target: str, type: str = "4xf32", attributes: str = "") -> Any:
    """An executable that applies a target to one array."""
    return shlo_tools.compile(
        f"""func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{
              %0 = stablehlo.custom_call @{target}(%x) {{{attributes}}}
                : (tensor<{type}>) -> tensor<{type}>
              return %0 : tensor<{type}>
            }}"""
    )


def registering(function: Any) -> Any:
    """Register under the function's name."""
    return shlo_tools.custom_call(function.__name__)(function)


X = np.arange(4, dtype=np.float32)


# --- what a function sees -------------------------------------------------------------------------
def test_operands_are_views_that_cannot_be_written() -> None:
    seen: list[str] = []

    @registering
    def look(x: Array) -> Array:
        assert not x.flags.owndata and not x.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            x.flags.writeable = True
        seen.append(f"{x.dtype}{x.shape}")
        return x + 1

    x = X.copy()
    np.testing.assert_array_equal(calling("look")(x), X + 1)
    np.testing.assert_array_equal(x, X)
    assert seen == ["float32(4,)"]


@pytest.mark.parametrize(
    "type", ["4xf32", "f64", "0x3xi8", "3xi1", "2x2xbf16", "3xi4", "2xcomplex<f32>"]
)
def test_every_element_type_and_shape_passes(type: str) -> None:
    registering_twice = shlo_tools.custom_call("same")
    given: list[Array] = []

    @registering_twice
    def same(x: Array) -> Array:
        given.append(x.copy())
        return x

    executable = calling("same", type)
    wanted = executable.signature.inputs[0]
    x = np.ones(wanted.static_shape, wanted.element_type.dtype)
    result = executable(x)
    assert given[0].dtype == result.dtype == x.dtype
    assert given[0].shape == result.shape == x.shape
    assert given[0].tobytes() == result.tobytes() == x.tobytes()


CONFIG = """{a = 3 : i32, b = 200 : ui8, c = 2.5 : f32, d = true, e = "text", f = [1, "q"],
  g = dense<[1, 2]> : tensor<2xi16>, h, i = array<i64: 4, 5>, j = {k = 6 : i64}, l = i1}"""


@pytest.mark.parametrize("form", ["api_version = 4 : i32, backend_config", "mhlo.backend_config"])
def test_attributes_are_python_values(form: str) -> None:
    seen: dict[str, Any] = {}

    @registering
    def configured(x: Array, *, attributes: dict[str, Any]) -> Array:
        seen.update(attributes)
        return x

    calling("configured", attributes=f"{form} = {CONFIG}")(X)
    numbers = seen.pop("g")
    assert numbers.dtype == np.int16 and numbers.tolist() == [1, 2]
    assert seen == {
        **{"a": 3, "b": 200, "c": 2.5, "d": True, "e": "text", "f": [1, "q"], "h": True},
        **{"i": [4, 5], "j": {"k": 6}, "l": "i1"},
    }


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", {}),
        ('backend_config = "opaque"', {"backend_config": "opaque"}),
        (r'backend_config = "\FF\00"', {"backend_config": b"\xff\0"}),
        ('backend_config = "", mhlo.backend_config = {a = 1 : i32}', {"a": 1}),
    ],
)
def test_attributes_of_other_forms(attributes: str, expected: dict[str, Any]) -> None:
    seen: list[dict[str, Any]] = []

    @registering
    def configured(x: Array, *, attributes: dict[str, Any]) -> Array:
        seen.append(attributes)
        return x

    calling("configured", attributes=attributes)(X)
    assert seen == [expected]


def test_result_types_and_place_are_offered() -> None:
    @registering
    def zeros(*, result_types: Any, place: Any) -> Array:
        assert place.line == 2
        return np.full(result_types[0].static_shape, 7, result_types[0].element_type.dtype)

    executable = shlo_tools.compile("""func.func @main() -> tensor<2x3xi16> {
      %0 = stablehlo.custom_call @zeros() : () -> tensor<2x3xi16>
      return %0 : tensor<2x3xi16>
    }""")
    np.testing.assert_array_equal(executable(), np.full((2, 3), 7, np.int16))


def test_a_function_without_signature_is_fine() -> None:
    shlo_tools.custom_call("negative")(np.negative)
    np.testing.assert_array_equal(calling("negative")(X), -X)


def test_layouts_do_not_change_values() -> None:
    """Column-major layouts are where another compiler puts elements, not what they are."""

    @registering
    def first_row(x: Array) -> Array:
        return x[0]

    program = """func.func @main(%x: tensor<2x3xi32>) -> tensor<3xi32> {{
      %0 = stablehlo.custom_call @first_row(%x) {{
        operand_layouts = [dense<{}> : tensor<2xindex>],
        result_layouts = [dense<0> : tensor<1xindex>]}} : (tensor<2x3xi32>) -> tensor<3xi32>
      return %0 : tensor<3xi32>
    }}"""
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    for layout in ([1, 0], [0, 1]):
        assert shlo_tools.compile(program.format(layout))(x).tolist() == [0, 1, 2]


def test_aliases_do_not_write_operands() -> None:
    @registering
    def increment(x: Array) -> Array:
        return x + 1

    executable = shlo_tools.compile("""
      func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
        %0 = stablehlo.custom_call @increment(%x) {output_operand_aliases = [
          #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
                                          operand_tuple_indices = []>]}
          : (tensor<4xf32>) -> tensor<4xf32>
        %1 = stablehlo.add %0, %x : tensor<4xf32>
        return %0, %1 : tensor<4xf32>, tensor<4xf32>
      }""")
    x = X.copy()
    x.flags.writeable = False
    one, both = executable(x)
    np.testing.assert_array_equal(one, X + 1)
    np.testing.assert_array_equal(both, 2 * X + 1)


# --- results and effects --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ((X, X), "returned 2 results, not 1"),
        (None, "returned 0 results, not 1"),
        (np.float32(1), r"returned a float32 array of shape \(\) as result 0, which is ten"),
        (X.astype(np.float64), "returned a float64 array"),
        (X.astype(">f4"), "returned a >f4 array"),
        (X.reshape(2, 2), r"returned a float32 array of shape \(2, 2\)"),
        ([0, 1, 2, 3], "returned a int64 array"),
    ],
)
def test_wrong_results_are_told(returned: Any, message: str) -> None:
    shlo_tools.custom_call("wrong")(lambda x: returned)
    with pytest.raises(ExecutionError, match=f"custom_call 'wrong' {message}") as caught:
        calling("wrong")(X)
    assert "-:2:" in str(caught.value)


def test_several_results_tuples_and_tokens() -> None:
    @registering
    def halves(x: Array) -> tuple[Array, Array]:
        return x[:2], x[2:]

    program = """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {{
      %token = stablehlo.create_token : !stablehlo.token
      {}
      return %r : tensor<2xf32>
    }}"""
    several = """%a, %r, %t = stablehlo.custom_call @halves(%x, %token)
      : (tensor<4xf32>, !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, !stablehlo.token)"""
    packed = """%p = stablehlo.custom_call @halves(%x)
      : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
      %r = stablehlo.get_tuple_element %p[1]
      : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>"""
    for form in (several, packed):
        assert shlo_tools.compile(program.format(form))(X).tolist() == [2, 3]


def test_effects_happen_in_program_order_and_are_kept() -> None:
    said: list[str] = []

    @registering
    def say(*, attributes: dict[str, Any]) -> None:
        said.append(attributes["word"])

    call = (
        "stablehlo.custom_call @say()"
        " {{has_side_effect = true, mhlo.backend_config = {{word = {}}}}} : () -> ()"
    )
    words = ['"one"', '"two"', '"one"', '"three"']
    lines = "\n".join(call.format(word) for word in words)
    shlo_tools.compile(f"func.func @main() {{ {lines} return }}")()
    assert said == ["one", "two", "one", "three"]


LOOP = """func.func @main(%n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %state = %x) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.custom_call @step(%state, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}"""


def test_in_a_loop() -> None:
    @registering
    def step(state: Array, i: Array) -> Array:
        return 3 * state + i

    executable = shlo_tools.compile(LOOP)
    expected = 1
    for i in range(9):
        expected = 3 * expected + i
    assert executable(np.int32(9), np.int32(1)) == expected
    assert executable(np.int32(0), np.int32(5)) == 5


def test_a_timeout_stops_a_loop_of_calls() -> None:
    @registering
    def step(state: Array, i: Array) -> Array:
        return state

    with pytest.raises(ExecutionTimeout):
        shlo_tools.compile(LOOP)(np.int32(2**31 - 1), np.int32(0), timeout=0.1)


# --- exceptions -----------------------------------------------------------------------------------
def test_exceptions_arrive_unchanged_with_their_traceback() -> None:
    class Own(Exception):
        pass

    raised = Own("deep inside")

    def inner() -> None:
        raise raised

    @registering
    def failing(x: Array) -> Array:
        if x[0] < 0:
            inner()
        return x

    executable = calling("failing")
    with pytest.raises(Own) as caught:
        executable(X - 1)
    assert caught.value is raised and raised.__cause__ is None
    names = [frame.name for frame in traceback.extract_tb(raised.__traceback__)]
    assert names[-2:] == ["failing", "inner"]
    assert names[0] == "test_exceptions_arrive_unchanged_with_their_traceback"
    np.testing.assert_array_equal(executable(X), X)  # it is as good as new


def test_nothing_runs_after_an_exception() -> None:
    ran: list[int] = []

    @registering
    def step(state: Array, i: Array) -> Array:
        ran.append(int(i))
        if i == 2:
            raise KeyError("stop")
        return state

    with pytest.raises(KeyError):
        shlo_tools.compile(LOOP)(np.int32(10), np.int32(0))
    assert ran == [0, 1, 2]


def test_exceptions_are_let_go_of() -> None:
    class Own(Exception):
        pass

    @registering
    def failing(x: Array) -> Array:
        raise Own

    executable = calling("failing")
    kept = []
    for _ in range(3):
        with pytest.raises(Own) as caught:
            executable(X)
        kept.append(weakref.ref(caught.value))
    del caught
    gc.collect()
    assert [ref() for ref in kept] == [None] * 3


def test_an_interrupt_in_a_function() -> None:
    @registering
    def interrupted(x: Array) -> Array:
        signal.raise_signal(signal.SIGINT)
        return x

    executable = calling("interrupted")
    with pytest.raises(KeyboardInterrupt):
        executable(X)
    with pytest.raises(KeyboardInterrupt):
        executable(X)


class Alarm(Exception):
    pass


@pytest.fixture
def alarm() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_signal_that_waits_for_the_function_is_not_lost(alarm: None) -> None:
    """It comes up before the function's first line, where a ctypes callback would swallow it."""

    @registering
    def same(x: Array) -> Array:
        return x

    product = (
        "%{} = stablehlo.dot_general %{}, %{}, contracting_dims = [1] x [0]"
        " : (tensor<500x500xf32>, tensor<500x500xf32>) -> tensor<500x500xf32>"
    )
    lines = "\n".join(product.format(i + 1, i, i) for i in range(20))
    executable = shlo_tools.compile(f"""
      func.func @main(%0: tensor<500x500xf32>) -> tensor<500x500xf32> {{
        {lines}
        %y = stablehlo.custom_call @same(%20) : (tensor<500x500xf32>) -> tensor<500x500xf32>
        return %y : tensor<500x500xf32>
      }}""")
    x = np.zeros((500, 500), np.float32)
    executable(x)
    with pytest.raises(Alarm):
        signal.setitimer(signal.ITIMER_REAL, 0.005)  # rings while products are computed
        executable(x)
        time.sleep(5)


# --- what a function may do -----------------------------------------------------------------------
def test_functions_may_call_and_compile_programs() -> None:
    @registering
    def factorial(n: Array) -> Array:
        if n <= 1:
            return np.ones((), np.int64)
        again = shlo_tools.compile(text)
        return n * (executable(n - 1) if n % 2 else again(n - 1))

    text = """func.func @main(%n: tensor<i64>) -> tensor<i64> {
      %0 = stablehlo.custom_call @factorial(%n) : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    }"""
    executable = shlo_tools.compile(text)
    assert executable(np.int64(10)) == 3628800
    with pytest.raises(RecursionError):
        shlo_tools.custom_call("endless")(lambda x: endless(x))
        endless = calling("endless")
        endless(X)
    assert executable(np.int64(3)) == 6


def test_two_threads() -> None:
    @registering
    def slow(x: Array) -> Array:
        before = x.copy()
        time.sleep(0.02)
        np.testing.assert_array_equal(x, before)
        if x[0] == 3:
            raise ValueError("three")
        return x * 2

    executable = calling("slow")
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        try:
            found[number] = executable(np.full(4, number, np.float32))
        except ValueError as error:
            found[number] = str(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.pop(3) == "three"
    assert {n: r.tolist() for n, r in found.items()} == {n: [2.0 * n] * 4 for n in (0, 1, 2, 4, 5)}


def test_an_operand_cannot_be_kept() -> None:
    """Its memory is used again after the call: later it would hold anything."""
    kept: list[Array] = []

    @registering
    def keep(x: Array) -> Array:
        kept.append(x[1:] if kept else x.copy())
        return x + 1

    executable = calling("keep")
    np.testing.assert_array_equal(executable(X), X + 1)  # a copy may be kept
    with pytest.raises(ExecutionError, match="custom_call 'keep' kept an operand"):
        executable(X)


def test_an_operand_in_garbage_is_fine() -> None:
    @registering
    def litter(x: Array) -> Array:
        ring: list[Any] = [x]
        ring.append(ring)
        return x

    np.testing.assert_array_equal(calling("litter")(X), X)


# --- registering ----------------------------------------------------------------------------------
def test_executables_keep_their_functions() -> None:
    class Function:
        def __call__(self, x: Array) -> Array:
            return x + 5

    function = Function()
    shlo_tools.custom_call("held")(function)
    executable = calling("held")
    alive = weakref.ref(function)
    extend._registered.clear()
    del function
    gc.collect()
    np.testing.assert_array_equal(executable(X), X + 5)
    del executable
    gc.collect()
    assert alive() is None


def test_a_target_has_one_function() -> None:
    @shlo_tools.custom_call("taken", "other")
    def first(x: Array) -> Array:
        return x

    with pytest.raises(ShloError, match=r"'taken' is registered already, by .*first"):

        @shlo_tools.custom_call("free", "taken")
        def second(x: Array) -> Array:
            return x

    assert extend.registered("free") is None
    again = type(first)(first.__code__, first.__globals__)
    again.__qualname__ = first.__qualname__
    assert shlo_tools.custom_call("taken")(again) is extend.registered("taken")


def test_a_registered_function_comes_before_a_built_in_one() -> None:
    shlo_tools.custom_call("AllocateBuffer")(lambda x: x + 2)
    np.testing.assert_array_equal(calling("AllocateBuffer")(X), X + 2)


def test_an_unregistered_target_fails_only_where_it_runs() -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.custom_call @nobody(%x) : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }, {
        stablehlo.return %x : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    warned: list[errors.Diagnostic] = []
    with errors.listening(warned.append):
        executable = shlo_tools.compile(text)
    assert len(warned) == 1 and "'nobody' is not registered" in warned[0].message
    assert warned[0].place is not None and warned[0].place.line == 3
    np.testing.assert_array_equal(executable(np.False_, X), X)
    with pytest.raises(UnsupportedError, match="'nobody' is not registered") as caught:
        executable(np.True_, X)
    assert "@shlo_tools.custom_call('nobody')" in caught.value.render()
    shlo_tools.custom_call("nobody")(lambda x: x + 1)  # found when it is there by then
    np.testing.assert_array_equal(executable(np.True_, X), X + 1)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where installed packages may be put; what is known of them is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    plug_ins.offered.cache_clear()
    yield tmp_path
    plug_ins.offered.cache_clear()
    sys.modules.pop("offering", None)


def _install(packages: Path, name: str, entry: str) -> None:
    info = packages / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[shlo_tools.custom_calls]\n{entry}\n")


def test_packages_offer_targets(packages: Path) -> None:
    (packages / "offering.py").write_text("def tenfold(x):\n    return x * 10\n")
    _install(packages, "offering", "offered.tenfold = offering:tenfold")
    np.testing.assert_array_equal(calling("offered.tenfold")(X), X * 10)


def test_packages_that_offer_the_same_are_refused(packages: Path) -> None:
    _install(packages, "one", "offered = one:f")
    _install(packages, "two", "offered = two:f")
    with pytest.raises(ShloError, match=r"'offered' is offered by (one|two):f and"):
        calling("offered")


# --- built-in targets -----------------------------------------------------------------------------
ASSERTION = """func.func @main(%ok: tensor<i1>, %a: tensor<i32>) {
  stablehlo.custom_call @shape_assertion(%ok, %a, %a) {api_version = 2 : i32,
    has_side_effect = true, error_message = "got {0}, want {1} {2}"}
    : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  return
}"""


def test_shape_assertions() -> None:
    executable = shlo_tools.compile(ASSERTION)
    assert executable(np.True_, np.int32(7)) == ()
    with pytest.raises(ExecutionError, match=r"-:2:\d+: error: got 7, want 7 \{2\}"):
        executable(np.False_, np.int32(7))


def test_callbacks_of_another_process_say_so() -> None:
    executable = calling(
        "xla_ffi_python_cpu_callback", attributes="mhlo.backend_config = {index = 3 : ui64}"
    )
    with pytest.raises(UnsupportedError, match="Python function 3 of the JAX process"):
        executable(X)


@pytest.mark.parametrize(
    "target", ["Sharding", "SPMDFullToShardShape", "annotate_device_placement", "LayoutConstraint"]
)
def test_annotations_are_identities(target: str) -> None:
    executable = calling(target, attributes='mhlo.sharding = "{devices=[2]<=[2]}"')
    np.testing.assert_array_equal(executable(X), X)


def test_a_shard_of_several_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="'SPMDFullToShardShape' for several devices"):
        shlo_tools.compile("""func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
          %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<4xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""")


def test_buffers_and_sinks() -> None:
    executable = shlo_tools.compile("""func.func @main() -> tensor<3xbf16> {
      %0 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3xbf16>
      stablehlo.custom_call @dce_sink(%0) {has_side_effect = true} : (tensor<3xbf16>) -> ()
      return %0 : tensor<3xbf16>
    }""")
    assert executable().dtype == ml_dtypes.bfloat16


TOP_K = """
func.func @better(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>)
    -> tensor<i1> {{
  %0 = stablehlo.compare {direction}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}}
func.func public @main(%x: tensor<9x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {{
  %0 = stablehlo.iota dim = 0 : tensor<9x4xi32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %worst = stablehlo.constant dense<0.0> : tensor<f32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %worst, %none) {{
    called_computations = [@better], mhlo.backend_config = {{aggregate_to_topk = true,
    recall_target = 0.95 : f32, reduction_dim = 0 : i64, top_k = 3 : i64}}}}
    : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<f32>, tensor<i32>)
    -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %1#0, %1#1 : tensor<3x4xf32>, tensor<3x4xi32>
}}"""


@pytest.mark.parametrize(("direction", "sign"), [("GT", -1), ("LT", 1)])
def test_approximate_top_k(direction: str, sign: int) -> None:
    x = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    values, indices = shlo_tools.compile(TOP_K.format(direction=direction))(x)
    order = np.argsort(sign * x, axis=0)[:3]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 0))


def test_approximate_top_k_without_its_comparator_is_refused() -> None:
    text = TOP_K.format(direction="GT").replace("called_computations = [@better],", "")
    with pytest.raises(UnsupportedError, match="needs a called computation"):
        shlo_tools.compile(text)


def _sparse(dense: str, result: str) -> Any:
    return shlo_tools.compile(f"""
      func.func @main(%v: tensor<5xf32>, %p: tensor<5xi32>, %c: tensor<5xi32>, %d: {dense})
          -> {result} {{
        %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%v, %p, %c, %d)
          {{mhlo.backend_config = {{}}}}
          : (tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, {dense}) -> {result}
        return %0 : {result}
      }}""")


VALUES = np.array([1, 2, 3, 4, 99], np.float32)
ENDS = np.array([0, 2, 2, 3, 4], np.int32)  # the second row is empty, the last value is padding
COLUMNS = np.array([0, 2, 1, 2, 0], np.int32)
MATRIX = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0], [0, 0, 4]], np.float32)


def test_sparse_times_dense() -> None:
    vector = np.array([1, 10, 100], np.float32)
    executable = _sparse("tensor<3xf32>", "tensor<4xf32>")
    np.testing.assert_array_equal(executable(VALUES, ENDS, COLUMNS, vector), MATRIX @ vector)
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    executable = _sparse("tensor<3x2xf32>", "tensor<4x2xf32>")
    np.testing.assert_array_equal(executable(VALUES, ENDS, COLUMNS, matrix), MATRIX @ matrix)


@pytest.mark.parametrize(
    ("ends", "columns"),
    [
        (np.array([0, 2, 2, 3, 6], np.int32), COLUMNS),
        (np.array([0, 3, 2, 3, 4], np.int32), COLUMNS),
        (np.array([-1, 2, 2, 3, 4], np.int32), COLUMNS),
        (ENDS, np.array([0, 3, 1, 2, 0], np.int32)),
        (ENDS, np.array([0, -1, 1, 2, 0], np.int32)),
    ],
)
def test_sparse_indices_are_checked(ends: Array, columns: Array) -> None:
    executable = _sparse("tensor<3xf32>", "tensor<4xf32>")
    with pytest.raises(ExecutionError, match="an index leaves the matrix"):
        executable(VALUES, ends, columns, np.zeros(3, np.float32))
