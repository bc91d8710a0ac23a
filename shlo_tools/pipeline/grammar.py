"""MLIR's textual pass pipelines, parsed here because MLIR's parser knows no Python pass.

pipeline ::= element ("," element)*
element  ::= name ("{" options "}")? ("(" pipeline? ")")?
options  ::= (key ("=" value)?)*        separated by spaces; values may nest in braces or quotes
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shlo_tools.errors import PipelineError, Place

FILE = "<pipeline>"


@dataclass(frozen=True)
class Node:
    """One element: a pass, or an op name with the pipeline nested under it.

    Attributes:
        children: None for a pass; the nested elements of an anchor.
        position: offset of the name in the pipeline's text, for messages.
    """

    name: str
    options: str = ""
    children: tuple[Node, ...] | None = None
    position: int = 0

    def __str__(self) -> str:
        text = self.name + (f"{{{self.options}}}" if self.options else "")
        if self.children is not None:
            text += f"({','.join(str(child) for child in self.children)})"
        return text

    def passes(self) -> Iterator[Node]:
        """The passes in it, in order."""
        if self.children is None:
            yield self
        for child in self.children or ():
            yield from child.passes()


def error(text: str, position: int, message: str, hint: str = "") -> PipelineError:
    """A PipelineError with a caret under ``position``."""
    return PipelineError(message, place=Place(FILE, 1, position + 1), hint=hint, source=text)


def parse(text: str) -> tuple[Node, ...]:
    """Parse a pipeline; raises PipelineError with a caret."""
    parser = _Parser(text)
    nodes = parser.elements()
    if parser.at < len(text):
        raise parser.error(f"unexpected {text[parser.at]!r}")
    return nodes


def parse_anchored(text: str, anchor: str = "builtin.module") -> Node:
    """Parse a pipeline that must be wrapped in ``anchor(...)``, as mlir-opt wants it."""
    nodes = parse(text)
    if len(nodes) != 1 or nodes[0].children is None:
        raise error(
            text,
            0,
            f"expected pass pipeline to be wrapped with the anchor operation type, "
            f"e.g. '{anchor}(...)'",
            hint=f"{anchor}({text.strip()})" if nodes else "",
        )
    if nodes[0].name not in (anchor, "any"):
        hint = f"{anchor}({text.strip()})" if anchor == "builtin.module" else ""
        raise error(text, nodes[0].position, f"expected the anchor {anchor!r}", hint=hint)
    return replace(nodes[0], name=anchor)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def error(self, message: str, at: int | None = None) -> PipelineError:
        return error(self.text, self.at if at is None else at, message)

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _next_is(self, char: str) -> bool:
        return self.at < len(self.text) and self.text[self.at] == char

    def elements(self, depth: int = 0) -> tuple[Node, ...]:
        if depth > 100:
            raise self.error("nested too deeply")
        self._skip_space()
        if self.at == len(self.text) or self._next_is(")"):
            return ()
        nodes = [self._element(depth)]
        while self._next_is(","):
            self.at += 1
            self._skip_space()
            nodes.append(self._element(depth))
        return tuple(nodes)

    def _element(self, depth: int) -> Node:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in "(){},":
            self.at += 1
        name = self.text[start : self.at].strip()
        if not name:
            raise self.error("expected a pass or op name", start)
        if " " in name:
            raise self.error("expected ',' between passes", start + name.index(" "))
        options = self._options() if self._next_is("{") else ""
        children = None
        if self._next_is("("):
            opened = self.at
            self.at += 1
            children = self.elements(depth + 1)
            if not self._next_is(")"):
                raise self.error("missing ')' for this '('", opened)
            self.at += 1
        self._skip_space()
        return Node(name, options, children, start)

    def _options(self) -> str:
        opened = self.at
        end = _closing(self.text, opened)
        if end < 0:
            raise self.error("missing '}' for this '{'", opened)
        self.at = end + 1
        return self.text[opened + 1 : end].strip()


def _closing(text: str, opened: int) -> int:
    """Offset of the brace that closes the one at ``opened``; -1 where there is none."""
    depth, quote = 0, ""
    for at in range(opened, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at
    return -1


def split_options(text: str) -> dict[str, str | None]:
    """``a=1 flag b={x y}`` -> ``{"a": "1", "flag": None, "b": "x y"}``."""
    options: dict[str, str | None] = {}
    for word in _words(text):
        key, equals, value = word.partition("=")
        if value[:1] in ("{", "'", '"') and len(value) > 1:
            value = value[1:-1]
        options[key] = value if equals else None
    return options


def _words(text: str) -> Iterator[str]:
    word, depth, quote = "", 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        else:
            depth += (char in "{<[(") - (char in "}>])")
        if char.isspace() and not depth and not quote:
            if word:
                yield word
            word = ""
        else:
            word += char
    if word:
        yield word
