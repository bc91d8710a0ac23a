"""Reproducers: a program and the pipeline that fails on it in one file, in mlir-opt's form.

{-# external_resources: { mlir_reproducer: { pipeline: "builtin.module(cse)", ... } } #-}
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shlo_tools.errors import ShloError

_METADATA = re.compile(r"\{-#(.*?)#-\}", re.DOTALL)
_ENTRY = re.compile(r"\bmlir_reproducer\s*:\s*\{")
_PIPELINE = re.compile(r'\bpipeline\s*:\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_VERIFY_EACH = re.compile(r"\bverify_each\s*:\s*(true|false)")

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})

# MLIR says so of every resource whose owner it does not know; this tool is the owner.
IGNORED = "ignoring unknown external resources for 'mlir_reproducer'"


@dataclass(frozen=True)
class Recipe:
    """What to run on the program of a reproducer."""

    pipeline: str
    verify_each: bool = True


def write(program: str, recipe: Recipe, remark: str = "") -> str:
    """The text of a reproducer; ``remark`` becomes a comment."""
    escaped = recipe.pipeline.translate(_ESCAPES)
    comment = "".join(f"// {line}\n" for line in remark.splitlines())
    return f"""{program.rstrip()}

{comment}{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "{escaped}",
      disable_threading: true,
      verify_each: {str(recipe.verify_each).lower()}
    }}
  }}
#-}}
"""


def read(text: str, name: str) -> Recipe:
    """The recipe in a reproducer, the last one where there are several.

    Raises:
        ShloError: there is none.
    """
    for metadata in reversed(_METADATA.findall(text)):
        entry = _ENTRY.search(metadata)
        if not entry:
            continue
        pipeline = _PIPELINE.search(metadata, entry.end())
        if not pipeline:
            raise ShloError(f"{name}: the mlir_reproducer in it names no pipeline")
        verify = _VERIFY_EACH.search(metadata, entry.end())
        return Recipe(_unescaped(pipeline[1]), verify is None or verify[1] == "true")
    raise ShloError(
        f"{name}: there is no mlir_reproducer in it",
        hint="--run-reproducer takes its passes from the file's {-# external_resources #-}",
    )


def _unescaped(text: str) -> str:
    """The inverse of MLIR's escapes: a character behind a backslash, or its two hex digits."""

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return {"n": "\n", "t": "\t"}.get(match[2], match[2])

    return re.sub(r"\\(?:([0-9A-Fa-f]{2})|(.))", character, text)
