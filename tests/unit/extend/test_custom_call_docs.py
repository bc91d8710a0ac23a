"""The examples of ``docs/custom_calls.md`` run and print what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from shlo_tools import extend

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "custom_calls.md").read_text()
PYTHON, C = (
    re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL) for language in ("python", "c")
)


pytestmark = pytest.mark.usefixtures("own_registry")


def check(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(example, {"__name__": "example"})
    assert capsys.readouterr().out.split() == re.findall(r"# (\[.*\])$", example)[0].split()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_python_examples(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    check(PYTHON[number].rstrip(), capsys)


def test_the_c_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    monkeypatch.chdir(tmp_path)
    Path("scaled.c").write_text(C[0])
    subprocess.run(["cc", "-shared", "-fPIC", "scaled.c", "-o", "scaled.so"], check=True)
    check(PYTHON[3].rstrip(), capsys)


def test_every_keyword_is_in_the_table() -> None:
    """The table of keywords says what the docstring of the package says."""
    listed = extend.__doc__ or ""
    offered = re.findall(r"``(\w+)``", listed[listed.index("by keyword") : listed.index("What it")])
    for keyword in set(offered) - {"backend_config", "TensorType"}:
        assert f"`{keyword}`" in TEXT
