"""Who watches work in parts is told of each part; nobody else is."""

from __future__ import annotations

import threading

import pytest

import shlo_tools
from shlo_tools.pipeline import progress


def test_each_part_is_told_before_it_is_worked_on() -> None:
    heard: list[tuple[int, int, str]] = []
    with progress.watched_by(lambda *parts: heard.append(parts)):
        for number, part in enumerate(progress.counted("abc", "letters")):
            assert part == "abc"[number]
            assert heard[-1] == (number, 3, "letters")
    assert heard == [(n, 3, "letters") for n in range(4)]


def test_listeners_hear_their_own_block_and_thread() -> None:
    heard: list[int] = []

    def work() -> None:
        list(progress.counted(range(5), "parts"))

    with pytest.raises(ValueError, match="part"), progress.watched_by(lambda *_: heard.append(1)):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert not heard
        for part in progress.counted([1, 2], "parts"):
            raise ValueError(f"part {part}")
    work()
    assert heard == [1]


def test_compiling_tells_of_its_stages() -> None:
    text = """func.func @main(%x: tensor<50x30xf32>) -> (tensor<50xf32>, tensor<30xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<50x30xf32>, tensor<f32>) -> tensor<50xf32>
      %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<50x30xf32>, tensor<f32>) -> tensor<30xf32>
      return %0, %1 : tensor<50xf32>, tensor<30xf32>
    }"""
    heard: list[tuple[int, int, str]] = []
    with progress.watched_by(lambda *parts: heard.append(parts)):
        executable = shlo_tools.compile(text)
    count = executable.ir("stages").count("func.func private")
    assert [parts for parts in heard if parts[2] == "stages"] == [
        (n, count, "stages") for n in range(count + 1)
    ]
    assert count == 2
