"""Signals that arrive where nothing may be cut in two."""

from __future__ import annotations

import signal
import threading
from collections import OrderedDict

import pytest
from running import child

import shlo_tools
from shlo_tools import interrupts
from shlo_tools.cpu import posix_threads
from shlo_tools.cpu.machine_code import compilation, requests
from shlo_tools.cpu.stages import kernels
from shlo_tools.passes.stages import lower_stages


def test_signals_are_handled_behind_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):
        with interrupts.deferred():
            with interrupts.deferred():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")
        done.append("behind")
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_errors_come_first() -> None:
    with pytest.raises(ValueError, match="wrong"), interrupts.deferred():
        raise ValueError("wrong")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts.deferred():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.raise_signal(signal.SIGINT)


def test_other_threads_are_not_interrupted() -> None:
    done = []

    def work() -> None:
        with interrupts.deferred():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]


def test_an_interrupted_compilation_is_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who joins a thread that is gone ends the process."""
    joined = []

    def join(thread: posix_threads.Thread) -> None:
        joined.append(thread)
        original(thread)
        signal.raise_signal(signal.SIGINT)

    original = posix_threads.join
    monkeypatch.setattr(requests.posix_threads, "join", join)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(kernels, "_known", OrderedDict())
    cube = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.multiply %a, %a : tensor<f32>
      %1 = stablehlo.multiply %0, %a : tensor<f32>
      return %1 : tensor<f32> }"""
    with pytest.raises(KeyboardInterrupt):
        shlo_tools.compile(cube)(3.0)
    [first] = joined
    monkeypatch.setattr(requests.posix_threads, "join", original)
    assert shlo_tools.compile(cube)(3.0) == 27
    compilation._wait_for_all()
    assert joined == [first]


@pytest.mark.parametrize("module", ["ir", "_mlir_libs._mlir", "_mlir_libs._site_initialize_0"])
def test_loading_the_bindings_is_interrupted_behind_it(module: str) -> None:
    done = child(f"""
        import signal, sys
        import shlo_tools

        class Finder:
            count = 0

            def find_spec(self, name, path=None, target=None):
                if name == "torch_mlir.{module}":
                    self.count += 1
                    signal.raise_signal(signal.SIGINT)

        sys.meta_path.insert(0, Finder())
        try:
            shlo_tools.compile(COUNT)
        except KeyboardInterrupt:
            print("interrupted", end=" ")
        sys.meta_path[0].count and print("meanwhile", end=" ")
        print(int(shlo_tools.compile(COUNT)(3)))
    """)
    assert (done.stdout, done.returncode) == ("interrupted meanwhile 3\n", 0), done.stderr
