"""Sorting entries: a key above the number of an element, so that no two are equal; or a key alone.

Entries of 8 bytes hold keys of up to 32 bits, those of 16 bytes keys of 64; keys alone take half of
that. Few are merged, many go by digits of their keys, the lowest first; a long line does that in
jobs, in parts that keep their order. Either way the order among equal keys is that of the elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from shlo_tools.codegen.function import I32, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.pool import JOB

DIGIT = 11  # bits of a digit of a line that one thread sorts, at most
_JOB_DIGIT = 8  # of one that is sorted by jobs and that caches do not hold
_NEAR = 6 << 20  # bytes of entries that they do
COUNTS_BYTES = 4 << DIGIT  # what counting the digits of one part needs
# Words of the context of a pass over a digit.
CONTEXT = {
    name: place
    for place, name in enumerate(
        ("source", "target", "counts", "count", "shift", "mask", "part", "parts")
    )
}
_TOGETHER = 4  # entries of a step of a pass
_RUN = 16  # entries that are inserted one by one
MOST = (1 << 32) - 1  # entries of a line: their numbers, and counts, are of 32 bits
FEW = 200  # entries that are merged
_MANY = 1 << 14  # entries for which digits are long

Less = Callable[[Value, Value], Value]
Loop = Callable[..., list[Value]]


@dataclass(frozen=True)
class Entry:
    """What is sorted.

    Attributes:
        has_place: whether it is a key above the number of an element, or a key alone.
    """

    bits: int
    has_place: bool = True

    @property
    def type(self) -> Type:
        return Type(f"i{self.bits}")

    @property
    def name(self) -> str:
        """What names of functions end with."""
        return f"{'i' if self.has_place else 'k'}{self.bits}"

    @property
    def shift(self) -> int:
        """Where keys begin in the word that digits are taken from."""
        return 32 if self.has_place and self.bits == 64 else 0

    def word(self, f: Function, address: Value) -> Value:
        """The word of an entry that has the key."""
        if self.bits < 64:
            return f.load(address, I32).to("zext", "i64")
        return f.load(address.at(self.type.bytes - 8), I64)


ENTRIES = (Entry(64), Entry(128), Entry(32, has_place=False), Entry(64, has_place=False))


def sort_name(entry: Entry) -> str:
    """``(entries, room, counts, count, key_bits) -> pointer``: where the sorted entries are.

    ``room`` is as long as the entries.
    """
    return f"shlo_rt_sort_{entry.name}"


def job_name(entry: Entry, part: str) -> str:
    """The jobs of a pass: ``count``, ``offsets`` (one chunk), ``move``."""
    return f"shlo_rt_sort_{part}_{entry.name}"


def digits(key_bits: int, list_bytes: int) -> list[tuple[int, int]]:
    """Shift and width of the digits of keys that are sorted by jobs.

    Long digits are fewer passes, each of which writes to as many places at once. The last ones are
    the longest: keys that are alike there write to few of these.
    """
    longest = DIGIT if list_bytes <= _NEAR else _JOB_DIGIT
    count = -(-key_bits // longest)
    starts = [key_bits * number // count for number in range(count + 1)]
    return [(first, end - first) for first, end in itertools.pairwise(starts)]


def most_parts(list_bytes: int) -> int:
    """Parts of a line that is sorted by jobs: the counts of all of them are looked through."""
    return 8 if list_bytes <= _NEAR else 16


def functions(entry: Entry) -> list[Function]:
    """The functions for entries of a kind."""
    passes = [_count(entry), _offsets(entry), _move(entry), _insert(entry), _sort(entry)]
    return [*passes, _count_job(entry), _offsets_job(entry), _move_job(entry)]


def _inner(name: str, entry: Entry) -> str:
    return f"{name}_{entry.name}"


def _digit(f: Function, entry: Entry, address: Value, shift: Value, mask: Value) -> Value:
    return (entry.word(f, address) >> shift) & mask


# --- one pass over a digit ------------------------------------------------------------------------
@dataclass(frozen=True)
class Digits:
    """A part of the entries that a pass counts and moves.

    Attributes:
        source: where the entries are.
        shift, mask: what makes a digit of the word of an entry.
        offsets: how many there are of each digit, then where the next one of it goes.
    """

    source: Value
    count: Value
    shift: Value
    mask: Value
    offsets: Value


def _count(entry: Entry) -> Function:
    """``(source, count, shift, mask, counts)``: how often each digit occurs."""
    name = _inner("count_digits", entry)
    f = Function(name, [POINTER, I64, I64, I64, POINTER], exported=False)
    source, count, shift, mask, counts = f.arguments
    clear_counts(f, f.loop, counts, mask)
    count_digits(f, f.loop, entry, Digits(source, count, shift, mask, counts))
    return f


def clear_counts(f: Function, loop: Loop, counts: Value, mask: Value) -> None:
    """No digit has been seen."""
    loop(0, mask + 1, 1, lambda d: f.store(f.constant(0, I32), counts.at(d, I32)))


def count_digits(f: Function, loop: Loop, entry: Entry, part: Digits) -> None:
    """Add how often each digit occurs."""

    def one(k: Value) -> None:
        digit = _digit(f, entry, part.source.at(k, entry.type), part.shift, part.mask)
        place = part.offsets.at(digit, I32)
        f.store(f.load(place, I32) + 1, place)

    _each(loop, part.count, one)


def _each(loop: Loop, count: Value, body: Callable[[Value], None]) -> None:
    """Some entries at a time."""
    whole = count & -_TOGETHER

    def some(first: Value) -> None:
        for number in range(_TOGETHER):
            body(first + number)

    loop(0, whole, _TOGETHER, some)
    loop(whole, count, 1, body)


def _offsets(entry: Entry) -> Function:
    """``(counts, mask, parts)``: where the first entry of each digit of each part goes."""
    name = _inner("digit_offsets", entry)
    f = Function(name, [POINTER, I64, I64], exported=False)
    counts, mask, parts = f.arguments

    def digit(d: Value, total: Value) -> list[Value]:
        def part(number: Value, total: Value) -> Value:
            place = counts.at(number * COUNTS_BYTES).at(d, I32)
            count = f.load(place, I32)
            f.store(total, place)
            return total + count

        return f.loop(0, parts, 1, part, [total])

    f.loop(0, mask + 1, 1, digit, [f.constant(0, I32)])
    return f


def _move(entry: Entry) -> Function:
    """``(source, target, count, shift, mask, offsets)``: entries to where their digits go."""
    name = _inner("move_by_digit", entry)
    f = Function(name, [POINTER, POINTER, I64, I64, I64, POINTER], exported=False)
    source, target, count, shift, mask, offsets = f.arguments
    move_by_digit(f, f.loop, entry, Digits(source, count, shift, mask, offsets), target)
    return f


def move_by_digit(f: Function, loop: Loop, entry: Entry, part: Digits, target: Value) -> None:
    """Move entries to where their digits go."""
    align = min(8, entry.type.bytes)

    def put(address: Value, place: Value) -> None:
        f.store(f.load(address, entry.type, align), target.at(place, entry.type), align)

    each_by_digit(f, loop, entry, part, put)


def each_by_digit(
    f: Function, loop: Loop, entry: Entry, part: Digits, put: Callable[[Value, Value], None]
) -> None:
    """Move entries to where their digits go: ``put(address, place)`` does it with one."""

    def one(k: Value) -> None:
        address = part.source.at(k, entry.type)
        next_place = part.offsets.at(_digit(f, entry, address, part.shift, part.mask), I32)
        place = f.load(next_place, I32)
        f.store(place + 1, next_place)
        put(address, place.to("zext", "i64"))

    _each(loop, part.count, one)


def _pass_job(entry: Entry, part: str) -> tuple[Function, dict[str, Value]]:
    f = Function(job_name(entry, part), JOB)
    context = f.arguments[0]
    words = {
        name: f.load(context.at(8 * place), POINTER if place < 3 else I64)
        for name, place in CONTEXT.items()
    }
    return f, words


def _count_job(entry: Entry) -> Function:
    f, words = _pass_job(entry, "count")
    chunk = f.arguments[1]
    start = chunk * words["part"]
    count = f.minimum(words["count"] - start, words["part"])
    source, counts = words["source"].at(start, entry.type), words["counts"].at(chunk * COUNTS_BYTES)
    f.run(_inner("count_digits", entry), [source, count, words["shift"], words["mask"], counts])
    return f


def _offsets_job(entry: Entry) -> Function:
    f, words = _pass_job(entry, "offsets")
    f.run(_inner("digit_offsets", entry), [words["counts"], words["mask"], words["parts"]])
    return f


def _move_job(entry: Entry) -> Function:
    f, words = _pass_job(entry, "move")
    chunk = f.arguments[1]
    start = chunk * words["part"]
    count = f.minimum(words["count"] - start, words["part"])
    source, counts = words["source"].at(start, entry.type), words["counts"].at(chunk * COUNTS_BYTES)
    operands = [source, words["target"], count, words["shift"], words["mask"], counts]
    f.run(_inner("move_by_digit", entry), operands)
    return f


# --- all entries ----------------------------------------------------------------------------------
def _insert(entry: Entry) -> Function:
    """``(entries, first, last)``: sort a few by insertion."""
    f = Function(_inner("insert_entries", entry), [POINTER, I64, I64], exported=False)
    entries, first, last = f.arguments
    align = min(8, entry.type.bytes)

    def load(k: Value) -> Value:
        return f.load(entries.at(k, entry.type), entry.type, align)

    def one(k: Value) -> None:
        new = load(k)

        def is_above(at: Value) -> Value:
            before = f.maximum(at - 1, first)
            return (at > first) & new.compare("ult", load(before))

        def shift(at: Value) -> Value:
            f.store(load(at - 1), entries.at(at, entry.type), align)
            return at - 1

        (at,) = f.while_(is_above, shift, [k])
        f.store(new, entries.at(at, entry.type), align)

    f.loop(first + 1, last, 1, one)
    return f


def _sort(entry: Entry) -> Function:
    f = Function(sort_name(entry), [POINTER, POINTER, POINTER, I64, I64], POINTER)
    entries, room, counts, count, key_bits = f.arguments

    def few() -> Value:
        insert = _inner("insert_entries", entry)

        def run(first: Value) -> None:
            f.run(insert, [entries, first, f.minimum(first + _RUN, count)])

        f.loop(0, count, _RUN, run)
        return merge_runs(
            f, f.loop, (entries, room), count, entry.type, lambda a, b: a.compare("ult", b), _RUN
        )

    def many() -> Value:
        width = f.select(count < _MANY, f.constant(8), f.constant(DIGIT))
        mask = (f.constant(1) << width) - 1
        first = entry.shift

        def one(source: Value, target: Value, shift: Value) -> list[Value]:
            f.run(_inner("count_digits", entry), [source, count, shift, mask, counts])
            any_digit = counts.at(_digit(f, entry, source, shift, mask), I32)

            def move() -> list[Value]:
                f.run(_inner("digit_offsets", entry), [counts, mask, f.constant(1)])
                operands = [source, target, count, shift, mask, counts]
                f.run(_inner("move_by_digit", entry), operands)
                return [target, source]

            are_equal = f.load(any_digit, I32).to("zext", "i64") == count
            places = f.if_(are_equal, lambda: [source, target], move)
            return [*places, shift + width]

        end = key_bits + first
        carry = [entries, room, f.constant(first)]
        return f.while_(lambda _a, _b, shift: shift < end, one, carry)[0]

    (f.result,) = f.if_(count < FEW, few, many)
    return f


def merge_runs(
    f: Function,
    loop: Loop,
    places: tuple[Value, Value],
    count: Value | int,
    element: Type,
    less: Less,
    width: int = 1,
) -> Value:
    """Merge neighbouring sorted runs of ``width``, twice that, ...; where the sorted ones are.

    Stable and finite whatever ``less`` answers. Both heads are compared even where one run is
    used up: the answer is not looked at, and the loop has no branch.

    Args:
        places: where they are, and room for as many.
    """
    count, align = f.constant(count), min(8, element.bytes)
    last = count - 1
    shift = width.bit_length() - 1
    zeros = f.leading_zeros(last >> shift)

    def doubling(number: Value, source: Value, target: Value) -> list[Value]:
        run = f.constant(width) << number
        pair = run + run

        def merge(number: Value) -> None:
            low = number * pair
            middle, high = f.minimum(low + run, count), f.minimum(low + pair, count)

            def step(k: Value, left: Value, right: Value) -> list[Value]:
                a = f.load(source.at(f.minimum(left, last), element), element, align)
                b = f.load(source.at(f.minimum(right, last), element), element, align)
                takes_right = ((left >= middle) | less(b, a)) & (right < high)
                f.store(f.select(takes_right, b, a), target.at(k, element), align)
                one = takes_right.to("zext", "i64")
                return [left + (one ^ 1), right + one]

            loop(low, high, 1, step, [low, middle])

        loop(0, (last // pair) + 1, 1, merge)
        return [target, source]

    return loop(0, f.constant(64) - zeros, 1, doubling, places)[0]
