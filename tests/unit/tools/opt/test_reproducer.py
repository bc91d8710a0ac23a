"""Reproducers: what is written is read, by this library and by MLIR's parser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shlo_tools import mlir
from shlo_tools.errors import ShloError
from shlo_tools.tools.opt import reproducer
from shlo_tools.tools.opt.reproducer import Recipe

PIPELINES = st.text('ab(){}=," \\\n-', max_size=30)


@given(PIPELINES, st.booleans())
def test_what_is_written_is_read(pipeline: str, verify_each: bool) -> None:
    recipe = Recipe(pipeline, verify_each)
    text = reproducer.write("module {}", recipe, "why\nand how")
    assert reproducer.read(text, "f.mlir") == recipe
    with mlir.library_context():
        mlir.parse_module(text)


def test_the_last_one_counts() -> None:
    first = reproducer.write("module {}", Recipe("builtin.module(cse)"))
    both = reproducer.write(first, Recipe("builtin.module(inline)", verify_each=False))
    assert reproducer.read(both, "f.mlir") == Recipe("builtin.module(inline)", verify_each=False)


def test_as_mlir_opt_writes_it() -> None:
    text = """module {}
{-#
  dialect_resources: { builtin: { w: "0x040000000000803F" } },
  external_resources: {
    mlir_reproducer: {
      verify_each: false,
      disable_threading: false,
      pipeline: "builtin.module(func.func(cse))"
    }
  }
#-}"""
    assert reproducer.read(text, "f.mlir") == Recipe("builtin.module(func.func(cse))", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {}", "f.mlir: there is no mlir_reproducer in it"),
        ("// mlir_reproducer: { pipeline: 1 }", "there is no mlir_reproducer"),
        ("{-# external_resources: { mlir_reproducer: { } } #-}", "names no pipeline"),
    ],
)
def test_where_there_is_none(text: str, message: str) -> None:
    with pytest.raises(ShloError, match=message):
        reproducer.read(text, "f.mlir")
