"""What MLIR's parser cannot survive, found in a text before it is parsed.

The parser recurses without a limit and believes some numbers; these texts would end the process.
"""

from __future__ import annotations

import re

from shlo_tools.errors import Diagnostic, ParseError, place_in

MAX_NESTING = 500
MAX_RESULTS = 10**6  # of one op
MAX_ALIGNMENT = 1 << 16  # of a resource's data


def check(text: str, name: str = "-") -> None:
    """Refuse a text that could crash the parser.

    Raises:
        ParseError: with the place.
    """
    _check_brackets(text, name)
    _check_aliases(text, name)
    _check_numbers(text, name)
    _check_resources(text, name)


def _refuse(message: str, text: str, offset: int, name: str) -> None:
    diagnostic = Diagnostic("error", message, place_in(text, offset, name))
    raise ParseError(diagnostic, source=text, source_name=name)


_NESTING = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|->|[<>]=|[\[({<]|[\])}>]')


def _check_brackets(text: str, name: str) -> None:
    if max(text.count(opening) for opening in "[({<") < MAX_NESTING // 4:
        return
    depth = 0
    for found in _NESTING.finditer(text):
        token = found[0]
        if token in "[({<":
            depth += 1
            if depth > MAX_NESTING:
                message = f"nested more than {MAX_NESTING} levels deep"
                _refuse(message, text, found.start(), name)
        elif token in "])}>":
            depth = max(0, depth - 1)


_ALIAS = re.compile(r"^([#!][\w$.-]+) *= *([^\n]*)", re.MULTILINE)
_ALIAS_USE = re.compile(r"[#!][\w$.-]+")


def _check_aliases(text: str, name: str) -> None:
    """Aliases of aliases are nested values, whatever the text looks like."""
    depths: dict[str, int] = {}
    for found in _ALIAS.finditer(text):
        used = _ALIAS_USE.findall(found[2])
        depths[found[1]] = 1 + max((depths.get(alias, 0) for alias in used), default=0)
        if depths[found[1]] > MAX_NESTING:
            message = f"aliases nested more than {MAX_NESTING} levels deep"
            _refuse(message, text, found.start(), name)


_RESULT_NUMBER = re.compile(r"%[\w$.-]+[#:](\d{7,})")
_CONVOLUTION = re.compile(r"(?:dim_numbers\s*=\s*|stablehlo\.conv<)\s*(\[[^\n>]*\]->\[[^\]\n]*\])")


def _check_numbers(text: str, name: str) -> None:
    """Result numbers and dimension numbers size what the parser allocates."""
    for found in _RESULT_NUMBER.finditer(text):
        if int(found[1]) > MAX_RESULTS:
            _refuse(f"no op has {found[1]} results", text, found.start(), name)
    for found in _CONVOLUTION.finditer(text):
        large = re.search(r"\d{4,}", found[1])
        if large:
            _refuse(f"no tensor has a dimension {large[0]}", text, found.start(), name)


_BLOB = re.compile(r':\s*"0x([0-9A-Fa-f]{8})')


def _check_resources(text: str, name: str) -> None:
    """The section at the end: its strings are closed, and alignments are powers of two."""
    start = text.rfind("{-#")
    if start < 0:
        return
    section = text[start:]
    if len(re.findall(r'(?<!\\)"', section)) % 2:
        _refuse("a string in the resources is not closed", text, start, name)
    for found in _BLOB.finditer(section):
        alignment = int.from_bytes(bytes.fromhex(found[1]), "little")
        if alignment.bit_count() != 1 or alignment > MAX_ALIGNMENT:
            _refuse(f"a resource has alignment {alignment}", text, start + found.start(), name)
