"""What MLIR's parser cannot survive, found in a text before it is parsed.

The parser recurses without a limit and believes some numbers; these texts would end the process.
What certainly would is refused. What might is a ``Suspicion``, for a parser in another process
to confirm.

Every text of every program goes through here. So what is asked first is cheap and coarse, at the
speed of memory; what a few texts need after that, such as a place, may take its time.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from math import prod

import numpy as np

from shlo_tools.errors import Diagnostic, ParseError, Place, ShloError, place_in
from shlo_tools.text.tokens import BRACKET, IGNORED
from shlo_tools.text.words import Words

MAX_NESTING = 500
MAX_RESULTS = 10**6  # of one op
MAX_ALIGNMENT = 1 << 16  # of a resource's data
MAX_DIGITS = 1000  # of a number: reading it takes time that grows with their square
MAX_ELEMENTS = 1 << 56  # of a tensor: more than a machine addresses


@dataclass(frozen=True)
class Suspicion:
    """What in a text may end the process of its parser, and where."""

    message: str
    place: Place


def check(text: str, name: str = "-", words: Words | None = None) -> Suspicion | None:
    """Refuse a text that would end the process; tell of what might.

    Args:
        words: of the text, where somebody has them.

    Raises:
        ParseError: with the place.
    """
    checked = _Text(words or Words(text.encode()), name)
    _check_digits(checked)  # first: what comes next may look at each of them again and again
    _check_nesting(checked)
    if _alias_bound(checked) > MAX_NESTING:
        _check_aliases(checked)
    _check_resources(checked)
    return (
        _check_numbers(checked)
        or _empty_groups(checked)
        or _negative_dimensions(checked)
        or _strange_names(checked)
    )


def require_harmless(text: str, what: str) -> None:
    """Refuse a piece of a program, such as a type, that MLIR's parser might not survive.

    Raises:
        ParseError, ShloError: with the reason.
    """
    surrogates = any("\ud800" <= character <= "\udfff" for character in text)
    if not text.strip() or "\0" in text or surrogates:
        raise ShloError(f"{text[:200]!r} is no {what}")
    check(text, what)  # what it suspects harms in ops, not alone


class _Text:
    """A text, and the same without strings and comments.

    Attributes:
        zeros: the latter without letters but ``x``; each digit is 0.
        signs: what else there is, without the most frequent ones.
    """

    def __init__(self, words: Words, name: str) -> None:
        self.words, self.name = words, name
        self.source = source = words.source
        if b"//" in words or b"\\" in source:
            self.plain = _IGNORED.sub(b" ", source)
        else:  # what is between quotes, unless the parser stops at one that is not closed
            self.plain = b" ".join(source.split(b'"')[::2])
        self.zeros = self.plain.translate(_ZEROS, _LETTERS)
        self.signs = self.zeros.translate(None, _NO_SIGNS)
        self.depth_bound = _depth_bound(self)

    def place(self, offset: int) -> Place:
        return place_in(self.source, offset, self.name)

    def place_of(self, words: bytes) -> Place:
        """Where in the source some words of the plain text are, as far as it can be told."""
        for token in re.finditer(IGNORED + b"|(?P<words>" + re.escape(words) + b")", self.source):
            if token["words"]:
                return self.place(token.start())
        return Place(self.name)  # a comment is between them

    def refuse(self, message: str, place: Place) -> None:
        diagnostic = Diagnostic("error", message, place)
        raise ParseError(diagnostic, source=self.source.decode(), source_name=self.name)


_IGNORED = re.compile(IGNORED)
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LETTERS = f"{string.ascii_letters}_".replace("x", "").encode()

# --- nesting --------------------------------------------------------------------------------------
_BRACKET = re.compile(BRACKET)
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[({<")], _STEPS[list(b"])}>")] = 1, -1
_NO_BRACKETS = bytes(set(range(256)) - set(b"[({<])}>"))


def _depth(plain: bytes) -> int:
    """How deep brackets are nested; as everywhere here, one closed too often counts for nothing."""
    plain = plain.replace(b"->", b"").replace(b">=", b"").replace(b"<=", b"")
    steps = _STEPS[np.frombuffer(plain.translate(None, _NO_BRACKETS), np.uint8)]
    levels = np.cumsum(steps, dtype=np.int32)
    lowest = np.minimum.accumulate(np.minimum(levels, 0)) if len(levels) else levels
    return int((levels - lowest).max(initial=0))


_NO_ARROWS = bytes(set(_NO_BRACKETS) - set(b"-"))
_NO_SIGNS = b"0x._%:,"
_LEVELS = bytes(_STEPS.view(np.uint8))


def _depth_bound(text: _Text) -> int:
    """At least how deep brackets are nested, at a fraction of the time of ``_depth``.

    Where ``-1>`` ends a list, what closes it counts for nothing.
    """
    if b">=" in text.signs and b">=" in text.plain:
        return _depth(text.plain)
    brackets = text.signs.translate(None, _NO_ARROWS).replace(b"->", b"")
    steps = np.frombuffer(brackets.translate(_LEVELS, b"-"), np.int8)
    levels = np.cumsum(steps, dtype=np.int32)
    return int(levels.max(initial=0)) if levels.min(initial=0) == 0 else _depth(brackets)


def _check_nesting(text: _Text) -> None:
    if text.depth_bound <= MAX_NESTING or _depth(text.plain) <= MAX_NESTING:
        return
    depth, place = 0, Place(text.name)
    for token in _BRACKET.finditer(text.source):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        if depth > MAX_NESTING:
            place = text.place(token.start())
            break
    text.refuse(f"nested more than {MAX_NESTING} levels deep", place)


_ALIAS = re.compile(rb"([#!][\w$.-]+)\s*=(?!=)")
_ALIAS_USE = re.compile(rb"[#!][\w$.-]+")
_FEW = 4  # brackets in an alias that count as one level: locations in thousands have two
_BESIDE = f"$-{string.whitespace}".encode()  # what may be left between a sign and ``=``
_DEFINES = b"\1"
_NO_VALUES = bytes(set(range(256)) - set(b"[({<" + _DEFINES))


def _alias_bound(text: _Text) -> int:
    """At least how deep aliases are nested, were each made of the one before it.

    Without names, a definition is a sign and ``=``; few other things are.
    """
    if b"#" not in text.signs and b"!" not in text.signs:
        return 0
    signs = text.signs.translate(None, _BESIDE)
    signs = signs.replace(b"!=", _DEFINES).replace(b"#=", _DEFINES).translate(None, _NO_VALUES)
    values = list(map(len, signs.split(_DEFINES)[1:]))
    return len(values) + sum(brackets > _FEW for brackets in values) * text.depth_bound


def _check_aliases(text: _Text) -> None:
    """Aliases of aliases are nested values, whatever the text looks like."""
    definitions = list(_ALIAS.finditer(text.plain))
    starts = [alias.end() for alias in definitions]
    ends = [*(alias.start() for alias in definitions), len(text.plain)][1:]
    opening = np.flatnonzero(_STEPS[np.frombuffer(text.plain, np.uint8)] > 0)
    before, behind = (np.searchsorted(opening, places) for places in (starts, ends))
    brackets = (behind - before).tolist()
    depths: dict[bytes, int] = {}
    for alias, start, end, count in zip(definitions, starts, ends, brackets, strict=True):
        value = text.plain[start:end]  # of some, with ops behind it
        used = max([depths.get(name, 0) for name in _ALIAS_USE.findall(value)], default=0)
        depths[alias[1]] = used + (1 if count <= _FEW else max(_depth(value), 1))
        if depths[alias[1]] > MAX_NESTING:
            message = f"aliases nested more than {MAX_NESTING} levels deep"
            text.refuse(message, text.place_of(alias[0]))


# --- numbers --------------------------------------------------------------------------------------
_HEXADECIMAL = bytes.maketrans(b"123456789abcdefABCDEF", b"0" * 21)
_DIGITS = re.compile(rb"\d{%d,}|(?<!\w)0x[\da-fA-F]{%d,}" % (MAX_DIGITS, MAX_DIGITS))


_STRIDE = 50  # bytes between those of a text that are looked at first


def _check_digits(text: _Text) -> None:
    some = text.plain[::_STRIDE].translate(_HEXADECIMAL)
    if b"0" * (MAX_DIGITS // _STRIDE) not in some:
        return
    if b"0" * MAX_DIGITS in text.plain.translate(_HEXADECIMAL):
        number = _DIGITS.search(text.plain)
        if number is not None:
            place = text.place_of(number[0])
            text.refuse(f"a number of more than {MAX_DIGITS:,} digits", place)


_SPACES = string.whitespace.encode()
_BETWEEN = b"x \t\r\n"  # what may stand between the dimensions of a type
_FRACTION = b"." + b"0" * 7
_RESULT_NUMBER = re.compile(rb"%[\w$.-]+\s*[#:]\s*0*(\d{7,})")
# What stands before the dimension numbers of a convolution, and those.
_CONVOLVED = [
    re.compile(re.escape(name) + rb"\s*=?\s*(\[[^>]*\]\s*->\s*\[[^\]]*\])")
    for name in (b"dim_numbers", b"stablehlo.conv<")
]
_CONVOLUTIONS = (b".convol", b".conv<", b".dynamic_conv")  # ops, and the attribute
_DIMENSIONS = re.compile(rb"\d+\s*x\s*(?:(?:\d+|\?)\s*x\s*)*")
_LARGE = re.compile(rb"(?<![\d.])0*([1-9]\d{8,})\s*x")


def _check_numbers(text: _Text) -> Suspicion | None:
    """Result numbers, dimension numbers and dimensions size what the parser allocates."""
    if any(name in text.words for name in _CONVOLUTIONS):
        _check_convolutions(text)
    if not _has_run(text.zeros, 7) and not _has_run(text.zeros.translate(None, _BETWEEN), 17):
        return None  # without letters, runs of digits are as long, or longer
    digits = _without_fractions(text.plain.translate(_ZEROS))
    words = digits.translate(None, _SPACES)  # where there are no runs, none is looked for
    if b"#0000000" in words or b":0000000" in words:
        for result in _RESULT_NUMBER.finditer(text.plain):
            if int(result[1][:20]) > MAX_RESULTS:
                message = f"no op has {_shortened(result[1])} results"
                text.refuse(message, text.place_of(result[0]))
    if b"0" * 17 in digits.translate(None, _BETWEEN):
        _check_elements(text)
    large = _LARGE.search(text.plain) if b"0" * 9 + b"x" in words else None
    if large is None:
        return None
    # An op may take it for a rank, or for a number of operands.
    message = f"a dimension of {_shortened(large[1])} elements"
    return Suspicion(message, text.place_of(large[0]))


def _has_run(digits: bytes, length: int) -> bool:
    """Whether there are as many zeros in a row that are no fraction."""
    elements = np.frombuffer(digits, np.uint8)
    runs = zeros = elements == ord("0")
    covered = 1
    while covered < length:
        step = min(covered, length - covered)
        runs = runs[:-step] & runs[step:]
        covered += step
    starts = np.flatnonzero(runs)
    if not len(starts):
        return False
    firsts = starts[(starts == 0) | ~zeros[starts - 1]]
    return bool(np.any((firsts == 0) | (elements[firsts - 1] != ord("."))))


def _without_fractions(digits: bytes) -> bytes:
    """A text whose digits are 0, with few of those behind points: most runs are fractions."""
    while _FRACTION in digits:
        digits = digits.replace(_FRACTION, b".")
    return digits


def _check_convolutions(text: _Text) -> None:
    for pattern in _CONVOLVED:
        for numbers in pattern.finditer(text.plain):
            large = re.search(rb"\d{4,}", numbers[1])
            if large:
                message = f"no tensor has a dimension {_shortened(large[0])}"
                text.refuse(message, text.place_of(numbers[0]))


def _check_elements(text: _Text) -> None:
    for dimensions in _DIMENSIONS.finditer(text.plain):
        if len(dimensions[0]) > 16:
            sizes = (size.lstrip(b"0")[:20] for size in re.findall(rb"\d+", dimensions[0]))
            if prod(int(size or b"1") for size in sizes) >= MAX_ELEMENTS:
                shape = _shortened(dimensions[0]).rstrip("x \n")
                message = f"a tensor of {shape} elements fits no machine's memory"
                text.refuse(message, text.place_of(dimensions[0]))


def _shortened(word: bytes) -> str:
    return word.decode() if len(word) <= 60 else f"{word[:60].decode()}..."


# --- ops ------------------------------------------------------------------------------------------
_EMPTY = re.compile(rb"(?:(?<!dense)<|x)\s*0+\s*x")  # not the bits of a number
_NEGATIVE = re.compile(rb"array<\s*i64\s*:[^>]*-")
_ESCAPED = re.compile(rb"\\([\dA-Fa-f]{2})")


def _has_op(text: _Text, name: bytes) -> bool:
    """Whether a text may have an op of this name; a quoted name may be written with escapes."""
    if name in text.words:
        return True
    strings = _IGNORED.finditer(text.source) if b"\\" in text.source else ()
    escaped = (string[0] for string in strings if b"\\" in string[0])
    return any(name in _ESCAPED.sub(_character, string) for string in escaped)


def _character(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode())


def _empty_groups(text: _Text) -> Suspicion | None:
    """The shape of ``all_to_all`` is divided by the size of its groups."""
    if not _has_op(text, b".all_to_all"):
        return None
    empty = _EMPTY.search(text.plain)
    return empty and Suspicion("all_to_all and groups of 0", text.place_of(empty[0]))


def _negative_dimensions(text: _Text) -> Suspicion | None:
    """The shapes of CHLO's broadcasting ops are indexed by dimensions that nothing checked."""
    if not _has_op(text, b"chlo.broadcast"):
        return None
    negative = _NEGATIVE.search(text.plain)
    return negative and Suspicion("a negative broadcast dimension", text.place_of(negative[0]))


_HIGH = rb"\\[89A-Fa-f][0-9A-Fa-f]"
_RUN_OF_HIGH = re.compile(rb"(?:" + _HIGH + rb")+")


def _strange_names(text: _Text) -> Suspicion | None:
    """A message that quotes such bytes fails in the bindings, and MLIR's lock on messages stays."""
    if b"\\" not in text.source:
        return None
    for escapes in _RUN_OF_HIGH.finditer(text.source):
        try:
            bytes.fromhex(escapes[0].replace(b"\\", b"").decode()).decode()
        except UnicodeDecodeError:
            place = text.place(escapes.start())
            return Suspicion(f"{escapes[0].decode()} in a string is no text", place)
    return None


# --- resources ------------------------------------------------------------------------------------
_BLOB = re.compile(rb':\s*"0x([0-9A-Fa-f]{8})')


def _check_resources(text: _Text) -> None:
    """The section at the end: its strings are closed, and alignments are powers of two."""
    if b"{-#" not in text.words:
        return
    start = text.source.rfind(b"{-#")
    section = text.source[start:]
    if len(re.findall(rb'(?<!\\)"', section)) % 2:
        text.refuse("a string in the resources is not closed", text.place(start))
    for blob in _BLOB.finditer(section):
        alignment = int.from_bytes(bytes.fromhex(blob[1].decode()), "little")
        if alignment.bit_count() != 1 or alignment > MAX_ALIGNMENT:
            text.refuse(f"a resource has alignment {alignment}", text.place(start + blob.start()))
