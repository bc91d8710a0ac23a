"""Jobs of contractions: which functions of the library run on what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library.contractions import gemm_plan, micro_kernels
from shlo_tools.codegen.library.contractions.contexts import CONTEXT
from shlo_tools.codegen.library.contractions.element_copies import GROUPS
from shlo_tools.codegen.stages.contractions import packed_lines, small_matrices, window_matrices
from shlo_tools.codegen.stages.contractions.axes import Axes, Contraction, gemm_words, merged
from shlo_tools.codegen.stages.contractions.packed import Packed, Sums
from shlo_tools.codegen.target import Target

# What is packed takes memory for good where it is kept. That is not worth it where it is multiplied
# so often that packing is a hundredth of the work.
_OFTEN = 1024


@dataclass(frozen=True)
class Blocks:
    """How a kernel finds what a chunk of a product computes: rows, or columns of all rows.

    Attributes:
        job: what computes them.
        words: the words of its context with the rows, blocks and rows of a block of a matrix;
            with the columns, blocks and columns of a block where those are what a chunk has.
        rows: the word with the rows, where chunks are columns.
    """

    job: Job
    words: tuple[int, int, int]
    rows: int | None = None


@dataclass(frozen=True)
class _Matrices:
    """A product of matrices.

    Attributes:
        words: of the context of ``gemm``, but for the place of C.
        source: of B's elements, where sums have another type.
        packs: see ``gemm_plan.plan``.
    """

    words: dict[str, Word]
    source: str
    packs: bool


def turns(axes: Axes) -> bool:
    """Whether C' = B' A' is computed: there is one column, or columns are not adjacent."""
    columns = merged(axes.columns)
    return columns[-1].c != 1 if columns else bool(merged(axes.rows))


class Multiplication:
    """Adds contractions to a stage's code.

    Args:
        element: of sums.
        columns: of the rows that a kernel goes on with; None where there is none.
        name: what kernels of products are called; empty where none is written.
    """

    def __init__(
        self,
        out: StageCode,
        target: Target,
        element: Type,
        columns: int | None = None,
        name: str = "",
    ) -> None:
        self.out, self.target, self.element, self.columns = out, target, element, columns
        self.name = name

    def temporary(self, size: int) -> Place:
        """Room of the stage."""
        self.out.temporaries.append(size)
        return Place("temporary", len(self.out.temporaries) - 1)

    def packed(self, size: int, source: Place, reads: int, *, is_optional: bool = False) -> Place:
        """Room for what is packed of ``source`` and multiplied ``reads`` times."""
        room = self.temporary(size)
        behind = self._kept_behind(source, reads)
        if behind is not None:
            self.out.sources[room.number] = behind
        if is_optional:
            self.out.optional.append(room.number)
        return room

    def _kept_behind(self, source: Place, reads: int) -> list[int] | None:
        """The arguments behind what may be kept when it is packed; None for what may not."""
        return self.out.arguments_behind(source) if reads <= _OFTEN else None

    def pack(
        self, function: str, chunks: int, room: Place, words: Sequence[Word], source: int
    ) -> None:
        """The job that packs, by the context that becomes the last one: that of the product.

        Args:
            source: the word that says what is packed.
        """
        makes = room.number if room.number in self.out.sources else None
        place = words[source]
        self.out.contexts.append(Context(tuple(words)))
        self.out.jobs.append(Job(function, len(self.out.contexts) - 1, chunks, makes=makes))
        is_there = makes is not None and makes not in self.out.optional
        if is_there and isinstance(place, Place) and place.what == "temporary":
            # The product reads what is packed alone: the rest need not be kept beside that.
            self.out.contexts.append(Context((*words[:source], 0, *words[source + 1 :])))

    def multiply(
        self,
        contraction: Contraction,
        where: Place,
        *,
        by_columns: bool = False,
        keeps_last: bool = False,
        strip: int = 0,
    ) -> Blocks | None:
        """Jobs of a contraction.

        Args:
            keeps_last: whether somebody goes on with blocks of rows.
            strip: or with some columns of all rows, that are a multiple of ``strip``; 0 if not.

        Returns:
            how its blocks are computed, whose job is left out, where ``keeps_last`` asks for that
            and rows follow each other in memory.
        """
        size = self.element.bytes
        where = Place(where.what, where.number, where.offset + contraction.c_offset * size)
        matrices = self._matrices(contraction)
        if matrices is None and not by_columns:
            matrices = self._of_windows(contraction)
        if matrices is not None:
            return self._plainly(matrices, where, keeps_last, strip)
        plan = packed_lines.plan(contraction, self.target, by_columns=by_columns)
        if plan.sums:
            self._sum(plan, plan.sums, where)
            return None
        if plan.rest:
            resting = contraction.a if by_columns else contraction.b
            room = self.packed(plan.room, resting.place, plan.reads)
            self.pack(*plan.rest, room, plan.rest_context(where, room), CONTEXT["resting"])
            if plan.complex_rest:
                plan = replace(plan, words={**plan.words, "resting": 0})
                self.out.contexts.append(Context(plan.context(where, room)))
        number = len(self.out.contexts) - 1
        job = Job(plan.run[0], number, plan.run[1])
        if keeps_last and plan.is_dense and self._are_rows(plan.words["N"]):
            at = [CONTEXT[name] for name in ("M", "blocks", "block")]
            return Blocks(job, (at[0], at[1], at[2]))
        self.out.jobs.append(job)
        return None

    def _matrices(self, contraction: Contraction, *, packs: bool = False) -> _Matrices | None:
        """A contraction that ``gemm`` computes; None where operands have to be packed."""
        words, source = gemm_words(contraction), contraction.b.element
        if words is None:
            return None
        source = "" if source.removeprefix("u") == self.element.element else source
        matrices = _Matrices(words, source, packs)
        is_read = source in ("", *GROUPS)
        return matrices if is_read or self._plan(matrices).may_convert else None

    def _of_windows(self, contraction: Contraction) -> _Matrices | None:
        """The same of windows that become a matrix, by a job; None where that does not pay."""
        windows = window_matrices.plan(contraction, self.target)
        if windows is None:
            return None
        matrices = self._matrices(windows.product, packs=True)
        if matrices is None or not window_matrices.pays(windows, self._plan(matrices)):
            return None
        place = self.temporary(windows.room)
        self.out.contexts.append(Context(windows.context(place)))
        self.out.jobs.append(Job(windows.function, len(self.out.contexts) - 1, windows.chunks))
        return replace(matrices, words={**matrices.words, "A": place})

    def _plan(self, matrices: _Matrices) -> gemm_plan.Plan:
        words, source, packs = matrices.words, matrices.source, matrices.packs
        return gemm_plan.plan(self.target, self.element, words, source, packs=packs)

    def _sum(self, plan: Packed, sums: Sums, where: Place) -> None:
        """The jobs of a contraction of parts, and of their sums."""
        matrices = self.temporary(sums.room)
        self.out.contexts.append(Context(plan.context(matrices, 0)))
        self.out.jobs.append(Job(plan.run[0], len(self.out.contexts) - 1, plan.run[1]))
        self._add({**sums.words, "Q": matrices, "C": where}, sums.count)

    def _add(self, words: Mapping[str, Word], rows: int) -> None:
        """The job that adds matrices of parts of sums: ``rows`` rows of them."""
        self.out.contexts.append(Context(tuple(words[name] for name in gemm_plan.ADDED)))
        function = micro_kernels.name(self.element, "add")
        self.out.jobs.append(Job(function, len(self.out.contexts) - 1, rows))

    def _plainly(
        self, matrices: _Matrices, where: Place, keeps_last: bool, strip: int
    ) -> Blocks | None:
        words, source = {**matrices.words, "C": where}, matrices.source
        small = None if source else small_matrices.plan(matrices.words, self.element, self.target)
        if self.name and small is not None:
            self._by_lanes(small, (words["A"], words["B"], where, small.batch))
            return None
        sizes = {name: word for name, word in words.items() if isinstance(word, int)}
        parts, _ = gemm_plan.parts_of(sizes, packs=matrices.packs)
        if parts > 1:
            row = sizes["N"] * self.element.bytes
            words |= {"C": self.temporary(parts * sizes["M"] * row), "c_row": row}
        plan = self._plan(replace(matrices, words=words))
        room = self._room(plan)
        context = plan.context(0 if room is None else room)
        if room is None:
            self.out.contexts.append(Context(context))
        else:
            pack = micro_kernels.name(self.element, "pack", source)
            self.pack(pack, plan.packs, room, context, gemm_plan.CONTEXT["B"])
        number = len(self.out.contexts) - 1
        job = Job(micro_kernels.name(self.element, plan.way, source), number, plan.chunks)
        # Few rows are multiplied by columns: the product first, and then its rows.
        is_dense = _is_dense(sizes, self.element.bytes) and self._are_rows(sizes["N"])
        if keeps_last and plan.is_plain and is_dense:
            rows, columns, blocks, block = (
                gemm_plan.CONTEXT[name] for name in ("M", "N", "blocks", "rows")
            )
            if plan.way == "rows" or plan.words["blocks"] == 1:
                return Blocks(job, (rows, blocks, block))
            width = plan.words["rows"]
            if strip and isinstance(width, int) and width % strip == 0:
                return Blocks(job, (columns, blocks, block), rows)
        self.out.jobs.append(job)
        if parts > 1:
            added = {**words, "Q": words["C"], "C": where, "c_row": sizes["c_row"]}
            self._add({**added, "c_column": self.element.bytes, "parts": parts}, sizes["M"])
        return None

    def _by_lanes(self, small: small_matrices.Products, words: tuple[Word, ...]) -> None:
        """The kernel and the job of products of small matrices."""
        number = len(self.out.contexts)
        name = f"{self.name}.{number}"
        self.out.functions.append(small.write(name, self.element, self.target))
        self.out.contexts.append(Context(words))
        self.out.jobs.append(Job(name, number, small.chunks))

    def _room(self, plan: gemm_plan.Plan) -> Place | None:
        """Room for B in panels, where it is packed for all chunks, or may be kept."""
        source, rows = plan.words["B"], plan.words["M"]
        if not plan.room or not isinstance(source, Place) or not isinstance(rows, int):
            return None
        if plan.is_own and self._kept_behind(source, rows) is None:
            return None
        return self.packed(plan.room, source, rows, is_optional=plan.is_own)

    def _are_rows(self, columns: Word) -> bool:
        """Whether rows of the product are those of the stage."""
        return columns == self.columns


def _is_dense(words: dict[str, int], size: int) -> bool:
    """Whether rows of C follow each other in row-major order, matrix after matrix."""
    row = words["N"] * size
    matrix = words["M"] * row
    steps = (
        (words["M"], words["c_row"], row),
        (words["inner"], words["C1"], matrix),
        (words["outer"], words["C0"], matrix * words["inner"]),
    )
    return all(count == 1 or step == dense for count, step, dense in steps)
