"""What notebooks show: all text is escaped, long constants and long programs are folded."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import shlo_tools
from shlo_tools import notebook, ops
from shlo_tools.calling.executable import Signature
from shlo_tools.tools import status_line


class _Reader(HTMLParser):
    """Collects what a browser shows, and fails where tags do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(text: str) -> _Reader:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def test_a_program_is_shown_as_it_is() -> None:
    text = 'func.func @f(%a: tensor<2xf32>) { // <script>alert("&amp;")</script>'
    reader = _read(notebook.program(text))
    assert reader.text == text
    assert reader.tags == {"pre"}


def test_long_constants_are_folded() -> None:
    """What is open is short; a click shows the rest, and nothing is lost."""
    numbers = ", ".join(map(str, range(500)))
    text = f"%0 = stablehlo.constant dense<[{numbers}]> : tensor<500xi32>\n%1 = dense<1>"
    shown = notebook.program(text)
    reader = _read(shown)
    assert reader.text.replace("…", "") == text
    open_text = re.sub(r"</summary>.*?</details>", "", shown, flags=re.DOTALL)
    assert len(open_text) < 400
    assert "tensor&lt;500xi32&gt;" in open_text


def test_long_programs_are_folded() -> None:
    text = "\n".join(f"line {n}" for n in range(1000))
    reader = _read(notebook.program(text))
    assert "900 more lines" in reader.text
    assert "line 999" in reader.text


def test_a_module_is_shown() -> None:
    module = shlo_tools.Module()
    assert repr(module) == "<Module without functions>"

    @module.func("4xf32")
    def main(x: ops.Value) -> ops.Value:
        large = shlo_tools.ops.constant(np.arange(5000, dtype=np.float32))
        return ops.slice(large, [0], [4], [1]) + x

    assert repr(module) == "<Module @main(tensor<4xf32>) -> (tensor<4xf32>)>"
    reader = _read(module._repr_html_())
    assert "func.func @main" in reader.text
    assert len(reader.text) < 1000


def test_signatures_and_executables_are_shown() -> None:
    program = "func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> { return %a : tensor<2xi8> }"
    for backend in ("native", "reference"):
        executable = shlo_tools.compile(program, function="f", backend=backend)  # type: ignore[arg-type]
        for shown in (executable._repr_html_(), executable.signature._repr_html_()):
            assert "arg0tensor<2xi8>result0tensor<2xi8>" in _read(shown).text
        assert "@f" in _read(executable._repr_html_()).text
    assert _read(Signature((), ())._repr_html_()).text == ""


def test_names_are_escaped() -> None:
    shown = notebook.signature(["<b>"], [], title="<i>")
    assert html.escape("<i>") in shown
    assert _read(shown).text == "<i>arg0<b>"


@pytest.mark.parametrize("variable", ["NO_COLOR", "SHLO_OTHER"])
def test_no_color_is_respected(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one thing that has colours is the line that says what goes on."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, "1")
    status = status_line._started()
    assert status is not None
    status.stop()
    assert status.console.no_color == (variable == "NO_COLOR")
