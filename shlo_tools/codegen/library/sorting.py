"""Sorting entries: a key above the number of an element, so that no two are equal.

Entries of 8 bytes hold keys of up to 32 bits, those of 16 bytes keys of 64. Few are merged, many
go by digits of their keys, the lowest first; a long line does that in jobs, in parts that keep
their order. Either way the order among equal keys is that of the elements.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.pool import JOB

ENTRIES = (64, 128)  # bits of an entry
DIGIT = 11  # bits of a digit, at most
COUNTS_BYTES = 8 << DIGIT  # what counting the digits of one part needs
# Words of the context of a pass over a digit.
CONTEXT = {
    name: place
    for place, name in enumerate(
        ("source", "target", "counts", "count", "shift", "mask", "part", "parts")
    )
}
_RUN = 16  # entries that are inserted one by one
FEW = 200  # entries that are merged
_MANY = 1 << 14  # entries for which digits are long

Less = Callable[[Value, Value], Value]
Loop = Callable[..., list[Value]]


def sort_name(bits: int) -> str:
    """``(entries, room, counts, count, key_bits) -> pointer``: where the sorted entries are.

    ``room`` is as long as the entries.
    """
    return f"shlo_rt_sort_i{bits}"


def job_name(bits: int, part: str) -> str:
    """The jobs of a pass: ``count``, ``offsets`` (one chunk), ``move``."""
    return f"shlo_rt_sort_{part}_i{bits}"


def key_shift(bits: int) -> int:
    """Where keys begin in the upper word of an entry."""
    return 32 if bits == 64 else 0


def digits(count: int, key_bits: int) -> list[tuple[int, int]]:
    """Shift and width of the digits of keys."""
    passes = -(-key_bits // DIGIT)
    width = -(-key_bits // passes)
    return [(first, min(width, key_bits - first)) for first in range(0, key_bits, width)]


def functions(bits: int) -> list[Function]:
    """The functions for entries of a size."""
    entry = Type(f"i{bits}")
    jobs = [_count_job(entry), _offsets_job(entry), _move_job(entry)]
    return [
        *(_count(entry), _offsets(entry), _move(entry), _insert(entry), _sort(entry)),
        *jobs,
    ]


def _inner(name: str, entry: Type) -> str:
    return f"{name}_{entry}"


def _digit(f: Function, entry: Type, address: Value, shift: Value, mask: Value) -> Value:
    return (f.load(address.at(entry.bytes - 8), I64) >> shift) & mask


# --- one pass over a digit ------------------------------------------------------------------------
def _count(entry: Type) -> Function:
    """``(source, count, shift, mask, counts)``: how often each digit occurs."""
    name = _inner("count_digits", entry)
    f = Function(name, [POINTER, I64, I64, I64, POINTER], exported=False)
    source, count, shift, mask, counts = f.arguments
    f.loop(0, mask + 1, 1, lambda d: f.store(f.constant(0), counts.at(d, I64)))

    def one(k: Value) -> None:
        place = counts.at(_digit(f, entry, source.at(k, entry), shift, mask), I64)
        f.store(f.load(place, I64) + 1, place)

    f.loop(0, count, 1, one)
    return f


def _offsets(entry: Type) -> Function:
    """``(counts, mask, parts)``: where the first entry of each digit of each part goes."""
    name = _inner("digit_offsets", entry)
    f = Function(name, [POINTER, I64, I64], exported=False)
    counts, mask, parts = f.arguments

    def digit(d: Value, total: Value) -> list[Value]:
        def part(number: Value, total: Value) -> Value:
            place = counts.at(number * COUNTS_BYTES).at(d, I64)
            count = f.load(place, I64)
            f.store(total, place)
            return total + count

        return f.loop(0, parts, 1, part, [total])

    f.loop(0, mask + 1, 1, digit, [f.constant(0)])
    return f


def _move(entry: Type) -> Function:
    """``(source, target, count, shift, mask, offsets)``: entries to where their digits go."""
    name = _inner("move_by_digit", entry)
    f = Function(name, [POINTER, POINTER, I64, I64, I64, POINTER], exported=False)
    source, target, count, shift, mask, offsets = f.arguments

    def one(k: Value) -> None:
        address = source.at(k, entry)
        place = offsets.at(_digit(f, entry, address, shift, mask), I64)
        to = f.load(place, I64)
        f.store(to + 1, place)
        f.store(f.load(address, entry, 8), target.at(to, entry), 8)

    f.loop(0, count, 1, one)
    return f


def _pass_job(entry: Type, part: str) -> tuple[Function, dict[str, Value]]:
    f = Function(job_name(entry.bits, part), JOB)
    context = f.arguments[0]
    words = {
        name: f.load(context.at(8 * place), POINTER if place < 3 else I64)
        for name, place in CONTEXT.items()
    }
    return f, words


def _count_job(entry: Type) -> Function:
    f, words = _pass_job(entry, "count")
    chunk = f.arguments[1]
    start = chunk * words["part"]
    count = f.minimum(words["count"] - start, words["part"])
    source, counts = words["source"].at(start, entry), words["counts"].at(chunk * COUNTS_BYTES)
    f.run(_inner("count_digits", entry), [source, count, words["shift"], words["mask"], counts])
    return f


def _offsets_job(entry: Type) -> Function:
    f, words = _pass_job(entry, "offsets")
    f.run(_inner("digit_offsets", entry), [words["counts"], words["mask"], words["parts"]])
    return f


def _move_job(entry: Type) -> Function:
    f, words = _pass_job(entry, "move")
    chunk = f.arguments[1]
    start = chunk * words["part"]
    count = f.minimum(words["count"] - start, words["part"])
    source, counts = words["source"].at(start, entry), words["counts"].at(chunk * COUNTS_BYTES)
    operands = [source, words["target"], count, words["shift"], words["mask"], counts]
    f.run(_inner("move_by_digit", entry), operands)
    return f


# --- all entries ----------------------------------------------------------------------------------
def _insert(entry: Type) -> Function:
    """``(entries, first, last)``: sort a few by insertion."""
    f = Function(_inner("insert_entries", entry), [POINTER, I64, I64], exported=False)
    entries, first, last = f.arguments

    def load(k: Value) -> Value:
        return f.load(entries.at(k, entry), entry, 8)

    def one(k: Value) -> None:
        new = load(k)

        def is_above(at: Value) -> Value:
            before = f.maximum(at - 1, first)
            return (at > first) & new.compare("ult", load(before))

        def shift(at: Value) -> Value:
            f.store(load(at - 1), entries.at(at, entry), 8)
            return at - 1

        (at,) = f.while_(is_above, shift, [k])
        f.store(new, entries.at(at, entry), 8)

    f.loop(first + 1, last, 1, one)
    return f


def _sort(entry: Type) -> Function:
    f = Function(sort_name(entry.bits), [POINTER, POINTER, POINTER, I64, I64], POINTER)
    entries, room, counts, count, key_bits = f.arguments

    def few() -> Value:
        insert = _inner("insert_entries", entry)

        def run(first: Value) -> None:
            f.run(insert, [entries, first, f.minimum(first + _RUN, count)])

        f.loop(0, count, _RUN, run)
        return merge_runs(
            f, f.loop, (entries, room), count, entry, lambda a, b: a.compare("ult", b), _RUN
        )

    def many() -> Value:
        width = f.select(count < _MANY, f.constant(8), f.constant(DIGIT))
        mask = (f.constant(1) << width) - 1
        first = key_shift(entry.bits)

        def one(source: Value, target: Value, shift: Value) -> list[Value]:
            f.run(_inner("count_digits", entry), [source, count, shift, mask, counts])
            any_digit = counts.at(_digit(f, entry, source, shift, mask), I64)

            def move() -> list[Value]:
                f.run(_inner("digit_offsets", entry), [counts, mask, f.constant(1)])
                operands = [source, target, count, shift, mask, counts]
                f.run(_inner("move_by_digit", entry), operands)
                return [target, source]

            are_equal = f.load(any_digit, I64) == count
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
    count = f.constant(count)
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
                a = f.load(source.at(f.minimum(left, last), element), element, 8)
                b = f.load(source.at(f.minimum(right, last), element), element, 8)
                takes_right = ((left >= middle) | less(b, a)) & (right < high)
                f.store(f.select(takes_right, b, a), target.at(k, element), element.bytes // 2)
                one = takes_right.to("zext", "i64")
                return [left + (one ^ 1), right + one]

            loop(low, high, 1, step, [low, middle])

        loop(0, (last // pair) + 1, 1, merge)
        return [target, source]

    return loop(0, f.constant(64) - zeros, 1, doubling, places)[0]
