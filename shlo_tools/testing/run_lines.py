"""What a test file says in its comments: RUN lines, and where it is to be run.

The words are lit's: RUN, REQUIRES, UNSUPPORTED, XFAIL, ``%if feature %{ ... %}``, ``%s``, ``%t``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from shlo_tools.errors import Place, ShloError

_DIRECTIVE = re.compile(
    r"(?<![\w-])(RUN|REQUIRES|UNSUPPORTED|XFAIL|DEFINE|REDEFINE):[ \t]*(.*?)[ \t\r]*$"
)
_CHECKS = re.compile(r"\bcheck\.(?:expect_\w+|eq\b)")


class RunLine(NamedTuple):
    """A command as the file has it, and the line that it begins in."""

    line: int
    command: str


@dataclass
class Directives:
    """What a file says.

    Attributes:
        runs: its commands.
        requires, unsupported, xfail: expressions over features.
        has_checks: whether its program has ops, or custom calls, that check values.
    """

    runs: list[RunLine] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    xfail: list[str] = field(default_factory=list)
    has_checks: bool = False

    def missing(self, features: Collection[str]) -> list[str]:
        """The requirements that are not met."""
        return [text for text in self.requires if not holds(text, features)]

    def excluding(self, features: Collection[str]) -> list[str]:
        """The reasons why the file is not to be run."""
        return [text for text in self.unsupported if holds(text, features)]

    def expected_failure(self, features: Collection[str]) -> str:
        """Why the file has to fail; empty where it has to pass."""
        return next((text for text in self.xfail if text == "*" or holds(text, features)), "")


def read(text: str, name: str) -> Directives:
    """Read a file's directives.

    Raises:
        ShloError: a RUN line goes on after the last one, or is what only lit knows.
    """
    directives = Directives()
    is_continued = False
    for number, line in enumerate(text.splitlines(), 1):
        match = _DIRECTIVE.search(line)
        if match is None:
            if not line.lstrip().startswith("//") and _CHECKS.search(line):
                directives.has_checks = True
            continue
        word, value = match.groups()
        if word == "RUN":
            goes_on = value.endswith("\\")
            value = value[:-1] if goes_on else value
            if is_continued:
                first = directives.runs.pop()
                value, number = first.command + value, first.line
            directives.runs.append(RunLine(number, value))
            is_continued = goes_on
        elif word.endswith("DEFINE"):
            raise ShloError(f"{word} is known to lit alone", place=Place(name, number, 1))
        else:
            listed = {
                "REQUIRES": directives.requires,
                "UNSUPPORTED": directives.unsupported,
                "XFAIL": directives.xfail,
            }[word]
            listed += [part.strip() for part in value.split(",") if part.strip()]
    if is_continued:
        place = Place(name, directives.runs[-1].line, 1)
        raise ShloError("this RUN line ends in a backslash, and no other follows", place=place)
    return directives


# --- expressions over features --------------------------------------------------------------------
_TOKEN = re.compile(r"\s*(&&|\|\||[!()]|[\w+=.-]+)")


def holds(expression: str, features: Collection[str]) -> bool:
    """Whether an expression holds: names of features, ``!``, ``&&``, ``||`` and parentheses.

    Raises:
        ShloError: it is no such expression.
    """
    tokens: list[str] = []
    position = 0
    while position < len(expression.rstrip()):
        match = _TOKEN.match(expression, position)
        if match is None:
            raise ShloError(f"{expression!r} is no expression over features")
        tokens.append(match[1])
        position = match.end()
    value = _either(tokens, features, expression)
    if tokens:
        raise ShloError(f"{expression!r} is no expression over features: {tokens[0]!r} is too much")
    return value


def _either(tokens: list[str], features: Collection[str], whole: str) -> bool:
    value = _both(tokens, features, whole)
    while tokens[:1] == ["||"]:
        del tokens[0]
        value = _both(tokens, features, whole) or value
    return value


def _both(tokens: list[str], features: Collection[str], whole: str) -> bool:
    value = _single(tokens, features, whole)
    while tokens[:1] == ["&&"]:
        del tokens[0]
        value = _single(tokens, features, whole) and value
    return value


def _single(tokens: list[str], features: Collection[str], whole: str) -> bool:
    token = tokens.pop(0) if tokens else ""
    if token == "!":
        return not _single(tokens, features, whole)
    if token == "(":
        value = _either(tokens, features, whole)
        if tokens[:1] != [")"]:
            raise ShloError(f"{whole!r} is no expression over features: a parenthesis is open")
        del tokens[0]
        return value
    if not re.fullmatch(r"[\w+=.-]+", token):
        raise ShloError(f"{whole!r} is no expression over features")
    return token == "true" or token in features


# --- words of a command ---------------------------------------------------------------------------
_PERCENT = "\0"  # in place of %%, while words are replaced
_IF = re.compile(r"%if\s+(.*?)\s*%\{", re.DOTALL)
_ELSE = re.compile(r"\s*%else\s*%\{")


def expanded(
    command: str,
    tools: Iterable[tuple[str, str]],
    words: Mapping[str, str],
    features: Collection[str],
) -> str:
    """A command as the shell gets it.

    Args:
        tools: patterns and what they stand for, see ``substitutions``.
        words: values of ``%s`` and the like, longer ones first where one begins as another.

    Raises:
        ShloError: an ``%if`` is not as lit wants it.
    """
    text = _conditional(command.replace("%%", _PERCENT), features)
    for pattern, replacement in tools:
        text = re.sub(pattern, replacement.replace("\\", r"\\"), text)
    for word, value in words.items():
        text = text.replace(word, value)
    return text.replace(_PERCENT, "%")


def _conditional(text: str, features: Collection[str]) -> str:
    """A command with one part of each ``%if condition %{ ... %} %else %{ ... %}``."""
    match = _IF.search(text)
    if match is None:
        return text
    end = _closing(text, match.end())
    chosen, rest = text[match.end() : end], text[end + 2 :]
    other = ""
    alternative = _ELSE.match(rest)
    if alternative is not None:
        end = _closing(rest, alternative.end())
        other, rest = rest[alternative.end() : end], rest[end + 2 :]
    part = chosen if holds(match[1], features) else other
    before = text[: match.start()]
    return f"{before}{_conditional(part.strip(), features)}{_conditional(rest, features)}"


def _closing(text: str, start: int) -> int:
    """Where the ``%}`` stands that closes what was opened before ``start``."""
    depth = 1
    for match in re.finditer(r"%[{}]", text[start:]):
        depth += 1 if match[0] == "%{" else -1
        if depth == 0:
            return start + match.start()
    raise ShloError(f"%{{ is not closed in {text!r}")
