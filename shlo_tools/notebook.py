"""What notebooks show of programs, signatures and executables: HTML, with all text escaped.

Long constants, and what follows the first lines of a long program, are folded: a click opens them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

_LINES = 100  # of a program that are open
_LETTERS = 60  # of a constant that are open
_CONSTANT = re.compile(rf"dense<([^<>]{{{_LETTERS},}})>")


def program(text: str) -> str:
    """A program's text as HTML."""
    lines = text.rstrip().split("\n")
    first = _folded("\n".join(lines[:_LINES]))
    html = f"<pre>{first}</pre>"
    if len(lines) > _LINES:
        rest = _folded("\n".join(lines[_LINES:]))
        count = len(lines) - _LINES
        html += f"<details><summary>{count} more lines</summary><pre>{rest}</pre></details>"
    return html


def _folded(text: str) -> str:
    """Text as HTML, where only the beginning of a long constant is open."""
    parts, position = [], 0
    for match in _CONSTANT.finditer(text):
        value = match[1]
        parts.append(escape(text[position : match.start(1)]))
        parts.append(
            '<details style="display:inline"><summary style="display:inline">'
            f"{escape(value[:_LETTERS])}…</summary>{escape(value[_LETTERS:])}</details>"
        )
        position = match.end(1)
    return "".join([*parts, escape(text[position:])])


def signature(inputs: Sequence[object], results: Sequence[object], title: str = "") -> str:
    """The arguments and results of a function as a table.

    Args:
        title: stands above it.
    """
    rows = [
        f"<tr><td>{kind}{number}</td><td><code>{escape(str(type))}</code></td></tr>"
        for kind, types in (("arg", inputs), ("result", results))
        for number, type in enumerate(types)
    ]
    caption = f"<caption><code>{escape(title)}</code></caption>" if title else ""
    return f"<table>{caption}{''.join(rows)}</table>"
