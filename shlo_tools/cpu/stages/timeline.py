"""What a call's memory is used for from step to step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from shlo_tools.calling.memory_timeline import TEMPORARIES, Buffer, MemoryStep, Timeline
from shlo_tools.cpu.profiling.rows import Origins
from shlo_tools.cpu.stages.places import Places, Spot, inside_results, own_temporaries
from shlo_tools.cpu.stages.program import Call, Program, numbered_calls


def timeline(program: Program, places: Places, origins: Origins | None) -> Timeline:
    """The timeline of a program whose values have places.

    Args:
        origins: of the program's stages, where they are known.
    """
    numbered = list(numbered_calls(program.body))
    calls = [call for _, call in numbered]
    buffers = sorted(
        (*_values(places, _names(calls, places)), *_own(program, places, calls)),
        key=lambda buffer: (buffer.first, buffer.last),
    )
    in_use: list[list[int]] = [[] for _ in range(places.last + 1)]
    for number, buffer in enumerate(buffers):
        for position in range(buffer.first, buffer.last + 1):
            in_use[position].append(number)
    stages = dict(zip(places.positions, calls, strict=True))
    named = origins.calls if origins is not None else [(call.stage, None) for call in calls]
    where = {
        position: named[number][1]
        for position, (number, _) in zip(places.positions, numbered, strict=True)
    }
    steps = [
        MemoryStep(
            stages[position].stage if position in stages else "",
            where.get(position),
            sum(buffers[n].bytes for n in numbers if buffers[n].block == TEMPORARIES),
            tuple(numbers),
        )
        for position, numbers in enumerate(in_use)
    ]
    return Timeline(tuple(buffers), tuple(steps))


def _names(calls: Sequence[Call], places: Places) -> Mapping[int, str]:
    """What lies in places, by their first values: the first result of a step that does."""
    names: dict[int, str] = {}
    for call, position in zip(calls, places.positions, strict=True):
        for number, value in enumerate(call.results):
            names.setdefault(places.shared[value], f"{position}#{number}")
    return names


def _values(places: Places, names: Mapping[int, str]) -> Iterator[Buffer]:
    for first, lifetime in places.lifetimes.items():
        spot = places.spots[first]
        name = names.get(first, f"carried {first}")
        yield _buffer(name, lifetime.size, spot, lifetime.start, lifetime.end)


def _own(program: Program, places: Places, calls: Sequence[Call]) -> Iterator[Buffer]:
    """What stages need for themselves, but for what lies in their own results."""
    for call, position, spots in zip(calls, places.positions, places.temporaries, strict=True):
        code = program.codes[call.stage]
        inside = inside_results(code, call, places.shared)
        for number, size in own_temporaries(code, call):
            spot = spots[number]
            if spot is not None and number not in inside:
                yield _buffer(f"{position}:{number}", size, spot, position, position)


def _buffer(name: str, size: int, spot: Spot, first: int, last: int) -> Buffer:
    block = TEMPORARIES
    if spot.number is not None:
        is_result = spot.number < 0
        block = f"result {-1 - spot.number}" if is_result else f"argument {spot.number}"
    return Buffer(name, size, spot.offset, first, last, block)
