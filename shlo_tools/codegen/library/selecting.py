"""The first ones of all entries, sorted, where few are wanted; entries are those of ``sorting``.

A few are picked one by one: a pass over all entries finds the first one behind the last that was
picked, by vectors. Of more, the best so far are kept in one pass, and sorted when those are many.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library import sorting
from shlo_tools.codegen.library.sorting import Entry
from shlo_tools.codegen.target import Target

PICK = "shlo_rt_pick_entries"  # (entries, target, count, most): pick, to the target
_PICKED = 64  # entries that are picked one by one, at most
_FEW, _PASS = 8, 256  # where that is so of any line, and else of elements for each one wanted
_INSERTED = 32  # entries that are sorted as fast where most of them are wanted
_TOGETHER = 4  # vectors that a step of a pass looks at
_SPARE = 4  # times as many entries as are wanted are kept, before they are sorted


def select_name(entry: Entry) -> str:
    """As ``sorting.sort_name``, and how many entries are wanted: where these are, sorted."""
    return f"shlo_rt_select_{entry.name}"


def is_picked(most: int, count: int, bits: int) -> bool:
    """Whether so many of all entries of some bits are picked one by one."""
    if bits != 64 or most > _PICKED or (count <= _INSERTED and 2 * most > count):
        return False
    return most <= _FEW or count <= _PASS * most


def is_selected(most: int, count: int) -> bool:
    """Whether so many of all entries are worth being selected before they are sorted."""
    return most * 2 * _SPARE <= count and count >= sorting.FEW


def functions(entry: Entry) -> list[Function]:
    """The function that selects entries of a kind, if there is one."""
    return [_select(entry)] if entry.has_place else []


def picking(target: Target) -> list[Function]:
    """The function that picks entries of 64 bits."""
    f = Function(PICK, [POINTER, POINTER, I64, I64])
    entries, to, count, most = f.arguments
    lanes = target.lanes(64)
    vector, step = I64.vector(lanes), _TOGETHER * lanes
    last = f.constant(-1, vector)
    for number in range(_TOGETHER):  # a step may go beyond the last entry, but not beyond these
        f.store(last, entries.at(count + number * lanes, I64), 8)

    def one(place: Value, least: Value) -> Value:
        bound = f.broadcast(least, lanes)

        def some(k: Value, *best: Value) -> list[Value]:
            better = []
            for number, old in enumerate(best):
                new = f.load(entries.at(k + number * lanes, I64), vector, 8)
                new = f.select(new.compare("ult", bound), last, new)
                better.append(f.intrinsic("umin", old, new))
            return better

        best = f.loop(0, count, step, some, [last] * _TOGETHER)
        while len(best) > 1:
            best = [f.intrinsic("umin", *best[k : k + 2]) for k in range(0, len(best), 2)]
        first = f.reduce("umin", best[0])
        f.store(first, to.at(place, I64), 8)
        return first + 1

    f.loop(0, most, 1, one, [f.constant(0)])
    return [f]


def _select(entry: Entry) -> Function:
    """Entries below the last one wanted so far are kept in front; too many of them are sorted."""
    types = [POINTER, POINTER, POINTER, I64, I64, I64]
    f = Function(select_name(entry), types, POINTER)
    entries, room, counts, count, key_bits, most = f.arguments
    type = entry.type
    spare = most * _SPARE

    def ordered(kept: Value) -> Value:
        return f.call(sorting.sort_name(entry), [entries, room, counts, kept, key_bits], POINTER)

    def shrink() -> list[Value]:
        place = ordered(spare)
        last = f.load(place.at(most - 1, type), type, 8)

        def bring(k: Value) -> None:
            f.store(f.load(place.at(k, type), type, 8), entries.at(k, type), 8)

        f.loop(0, most, 1, bring)
        return [most, last]

    def one(k: Value, kept: Value, last: Value) -> list[Value]:
        new = f.load(entries.at(k, type), type, 8)

        def keep() -> list[Value]:
            f.store(new, entries.at(kept, type), 8)
            return f.if_(kept + 1 == spare, shrink, lambda: [kept + 1, last])

        return f.if_(new.compare("ult", last), keep, lambda: [kept, last])

    kept, _ = f.loop(0, count, 1, one, [f.constant(0), f.constant(-1, type)])
    f.result = ordered(kept)
    return f
