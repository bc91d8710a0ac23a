"""Sorting along a dimension: jobs for short lines, for long ones, and for a very long one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shlo_tools.codegen.function import Function
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library import sorting
from shlo_tools.codegen.stages.copies import numbers_of
from shlo_tools.codegen.stages.nodes import Stage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.sorts.kernel import SortKernel
from shlo_tools.codegen.stages.sorts.lines import Sort, Way, sort_of
from shlo_tools.codegen.stages.sorts.plain import plain
from shlo_tools.codegen.stages.sorts.values import ValueKernel, are_tied
from shlo_tools.codegen.target import Target

Write = Callable[[Any], Function]  # of a kernel


def lower(stage: Stage, target: Target) -> StageCode:
    """Lines in scratch memory where they fit there, else in temporaries."""
    own = sort_of(stage)
    writing = _Writing(stage.name, target, plain(own) or own)
    if own.lines.way is Way.PARTS:
        return _long_line(writing, own)
    code, lines = writing.code, own.lines
    if lines.way is Way.SCRATCH:
        sizes = writing.add("", lambda kernel: kernel.write_short(), 0)
        writing.run("", sizes, -(-lines.count // lines.together))
        return code
    code.temporaries.append(lines.together * lines.room)
    sizes = writing.add("", lambda kernel: kernel.write_apart(), 2)
    for line in range(0, lines.count, lines.together):
        chunks = min(lines.together, lines.count - line)
        writing.run("", sizes, chunks, Place("temporary", 0), line)
    return code


def _long_line(writing: _Writing, sort: Sort) -> StageCode:
    """One line by jobs: a pass over each digit, then results.

    The first pass makes keys of elements, and where elements alone are wanted, and all of them, the
    last one elements of keys. Until then the room of the result holds every other list: how much of
    memory caches hold decides how long passes take, which write in no order.
    """
    code, lines, key, entry = writing.code, sort.lines, sort.key, sort.lines.entry
    if key is None or entry is None:
        raise TypeError("a line without keys")
    parts = -(-lines.length // lines.part)
    digits = sorting.digits(key.bits, lines.list_bytes)
    code.temporaries += [lines.list_bytes, lines.list_bytes, parts * sorting.COUNTS_BYTES]
    has_ties = not entry.has_place and are_tied(sort)
    flags = [Place("temporary", 3)] if has_ties else []
    code.temporaries += [8 * parts for _ in flags]
    makes_elements = not entry.has_place and lines.most == lines.length
    lists = [Place("temporary", number) for number in range(2)]
    element = sort.node.operands[sort.numbers[0]].element
    if makes_elements and place_type(element).bytes == entry.type.bytes:
        code.temporaries[0], code.inside[0] = lines.length * entry.type.bytes, [0]
        lists = lists[:: -1 if len(digits) % 2 else 1]  # the last pass reads the other one
    counts, only = Place("temporary", 2), makes_elements and len(digits) == 1
    for number, (shift, width) in enumerate(digits):
        mask, is_last = (1 << width) - 1, number == len(digits) - 1
        source, target = lists[number % 2], lists[(number + 1) % 2]
        words: dict[str, Word] = {
            "source": source,
            "target": target,
            "counts": counts,
            "count": lines.length,
            "shift": shift + entry.shift,
            "mask": mask,
            "part": lines.part,
            "parts": parts,
        }
        code.contexts.append(Context(tuple(words[name] for name in sorting.CONTEXT)))
        context = len(code.contexts) - 1

        def job(part: str, chunks: int, context: int = context) -> None:
            code.jobs.append(Job(sorting.job_name(entry, part), context, chunks))

        if number:
            job("count", parts)
        else:
            writing.job(".count", lambda kernel: kernel.write_count(), parts, counts, mask, *flags)
        job("offsets", 1)
        if only:
            writing.job(".only", lambda kernel: kernel.write_only(), parts, counts, mask)
        elif not number:
            writing.job(".move", lambda kernel: kernel.write_move(), parts, counts, mask, target)
        elif makes_elements and is_last:
            own = counts, mask, source, shift + entry.shift
            writing.job(".last", lambda kernel: kernel.write_last(), parts, *own)
        else:
            job("move", parts)
    if not makes_elements:
        ordered, chunks = lists[len(digits) % 2], -(-lines.most // lines.part)
        writing.job(".results", lambda kernel: kernel.write_results(), chunks, ordered)
    if has_ties:
        writing.job(".ties", lambda kernel: kernel.write_ties(), 1, *flags)
    return code


class _Writing:
    """Kernels of a sort, and their jobs.

    Attributes:
        code: what was written.
    """

    def __init__(self, name: str, target: Target, sort: Sort) -> None:
        self._name, self._target, self._sort = name, target, sort
        self.code = StageCode()

    def add(self, part: str, write: Write, own_words: int) -> tuple[Word, ...]:
        """Write a kernel; the sizes that it finds behind the words of its own."""
        entry = self._sort.lines.entry
        kind = SortKernel if entry is None or entry.has_place else ValueKernel
        kernel = kind(self._name + part, self._target, self._sort, own_words)
        self.code.functions.append(write(kernel))
        return numbers_of(kernel.function.words, self._sort.sizes)

    def job(self, part: str, write: Write, chunks: int, *own: Word) -> None:
        """A kernel that is run once."""
        self.run(part, self.add(part, write, len(own)), chunks, *own)

    def run(self, part: str, sizes: tuple[Word, ...], chunks: int, *own: Word) -> None:
        """A job of a kernel."""
        self.code.contexts.append(Context((*self._sort.places, *own, *sizes)))
        self.code.jobs.append(Job(self._name + part, len(self.code.contexts) - 1, chunks))
