"""Shardy's annotations in text: what is removed becomes spaces, so that lines and columns stay."""

from __future__ import annotations

import re
from math import prod

from shlo_tools.errors import Diagnostic, UnsupportedError, place_in
from shlo_tools.text.sharding import HINT, IDENTITIES, NOTES
from shlo_tools.text.tokens import BRACKET, IGNORED

_NAME = rb"%[\w$.-]+(?:#\d+)?"
_WORD = re.compile(
    IGNORED + rb"|(?P<alias>^#[\w.$]+\s*=\s*#sdy\.\w+)(?=<)|(?<![\w.#@!%])(?P<word>sdy\.[\w.]+)",
    re.M,
)
_BRACKET = re.compile(BRACKET + rb"|(?P<comma>,)")
_ATTRIBUTE = re.compile(rb"\s*[=,}]")
MESH = re.compile(rb"\s*@[^=]*=\s*(?=<)")
_DEVICES = re.compile(rb"(?:mesh\s*|^)<\s*\[([^\]]*)\]")
_RESULT = re.compile(rb"(" + _NAME + rb")\s*=\s*$")
OPERAND = re.compile(rb"\s*(" + _NAME + rb")[^:<{(\n]*")
TYPE = re.compile(rb"\s*:\s*[!\w.]+")
OPENING = re.compile(rb"[ \t]*(?:loc)?(?=[\[({<])")
_SCOPE = re.compile(IGNORED + rb"|[{}]|" + _NAME)


def strip(text: str, name: str = "-") -> str:
    """The text of a program without Shardy's annotations.

    Args:
        name: what messages call the text.

    Raises:
        UnsupportedError: it is for several devices, or has other ops of the dialect.
    """
    cleaning = Cleaning(text.encode(), name)
    cleaning.run()
    return _renamed(bytes(cleaning.buffer), cleaning.renamed).decode()


class Cleaning:
    """One pass over ``source``; what is removed becomes spaces in ``buffer``.

    ``renamed`` has, by offset in the source, the result of each removed op and its operand.
    """

    def __init__(self, source: bytes, name: str) -> None:
        self.source, self.name = source, name
        self.buffer = bytearray(source)
        self.renamed: dict[int, tuple[bytes, bytes]] = {}

    def run(self) -> None:
        at = 0
        while match := _WORD.search(self.source, at):
            at = match.end()
            if match["alias"]:  # #sharding = #sdy.sharding<...>
                at = self._remove_alias(match.start(), at)
            elif match["word"] and _ATTRIBUTE.match(self.source, at):
                at = self._remove_attribute(match.start(), at)
            elif match["word"]:
                at = self._remove_op(match.start(), at, match["word"].decode())

    def _remove_alias(self, start: int, at: int) -> int:
        return self._blank(start, self._skip_groups(at))

    def _remove_attribute(self, start: int, at: int) -> int:
        """Remove an entry of a dictionary, and one comma beside it."""
        end = self._end_of_value(at)
        self._check_devices(start, self.source[start:end])
        if self.source[end : end + 1] == b",":
            return self._blank(start, end + 1)
        before = start - 1
        while self.buffer[before : before + 1].isspace():
            before -= 1
        if self.buffer[before : before + 1] == b",":
            self._blank(before, before + 1)
        return self._blank(start, end)

    def _remove_op(self, start: int, at: int, word: str) -> int:
        if word == "sdy.mesh" and (mesh := MESH.match(self.source, at)):
            end = self._skip_groups(mesh.end())
            self._check_devices(start, self.source[mesh.end() : end])
            return self._blank(start, end)
        operand = OPERAND.match(self.source, at)
        type = operand and TYPE.match(self.source, self._skip_groups(operand.end()))
        if operand and type:
            end = self._skip_groups(type.end())
            if word in NOTES:
                return self._blank(start, end)
            line = self.source.rfind(b"\n", 0, start) + 1
            result = _RESULT.search(self.source, line, start)
            if result and word in IDENTITIES:
                self.renamed[result.start()] = result[1], operand[1]
                return self._blank(result.start(), end)
        return self._refuse(start, word)

    def _check_devices(self, start: int, text: bytes) -> None:
        for axes in _DEVICES.findall(text):
            count = prod(int(size) for size in re.findall(rb"=\s*(\d+)", axes))
            if count > 1:
                self._refuse(start, f"the program is for a mesh of {count} devices")

    def _refuse(self, start: int, what: str) -> int:
        place = place_in(self.source, start, self.name)
        error = Diagnostic("error", f"not supported: {what}", place, hint=HINT)
        raise UnsupportedError(error, source=self.source.decode())

    def _blank(self, start: int, end: int) -> int:
        self.buffer[start:end] = re.sub(rb"[^\n]", b" ", self.buffer[start:end])
        return end

    # --- where things end -------------------------------------------------------------------------
    def _skip_groups(self, at: int) -> int:
        """Behind brackets, dictionaries and a location that follow on the same line."""
        while opening := OPENING.match(self.source, at):
            at = self._end(opening.end(), of_group=True)
        return at

    def _end_of_value(self, at: int) -> int:
        """At the comma or bracket behind an entry of a dictionary."""
        return self._end(at, of_group=False)

    def _end(self, at: int, *, of_group: bool) -> int:
        depth = 0
        for token in _BRACKET.finditer(self.source, at):
            depth += bool(token["open"]) - bool(token["close"])
            if of_group and depth == 0:
                return token.end()
            if depth < 0 or (depth == 0 and token["comma"]):
                return token.start()
        return self._refuse(at, "a Shardy annotation that is not closed")


def _renamed(source: bytes, renamed: dict[int, tuple[bytes, bytes]]) -> bytes:
    """Use the operands of removed ops for their results, to the end of the region each is in."""
    if not renamed:
        return source
    pieces: list[bytes] = []
    scopes: list[dict[bytes, bytes]] = [{}]
    waiting = sorted(renamed.items(), reverse=True)
    done = 0
    for token in _SCOPE.finditer(source):
        while waiting and waiting[-1][0] < token.start():
            result, operand = waiting.pop()[1]
            scopes[-1][result] = _meaning(operand, scopes)
        if token[0] == b"{":
            scopes.append({})
        elif token[0] == b"}" and len(scopes) > 1:
            scopes.pop()
        elif token[0].startswith(b"%"):
            pieces += source[done : token.start()], _meaning(token[0], scopes)
            done = token.end()
    return b"".join([*pieces, source[done:]])


def _meaning(name: bytes, scopes: list[dict[bytes, bytes]]) -> bytes:
    for scope in reversed(scopes):
        for spelled in (name, name.removesuffix(b"#0")):
            if spelled in scope:
                return scope[spelled]
    return name
