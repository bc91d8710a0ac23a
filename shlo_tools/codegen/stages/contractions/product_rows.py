"""Kernels of what is made of a product's rows."""

from __future__ import annotations

from shlo_tools.codegen.function import I64, Function
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.row_blocks import RowBlockKernel
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.stages.short_rows import ShortRowKernel


class ContractionKernel(RowKernel):
    """Rows of a matrix product, and then what is made of them while they are near.

    The context goes on with the address where the product lies, and that of the product's own
    context; a chunk is one of the product's blocks of rows.
    """

    own_words = 2

    def write_behind(self, product: Node) -> Function:
        """The passes alone, over chunks of rows of a product that is done."""
        self.buffers[product] = Buffer(self.word(self.words))
        return self.write()

    def strip_of(self, product: Node) -> int:
        """What numbers of columns are a multiple of that may be passed over alone; 0 where what is
        made of a product's columns needs more of it."""
        return self.lanes if self.is_cut and product in self._pointwise else 0

    def write_columns_of(
        self, product: Node, part: str, places: tuple[int, int, int], rows: int
    ) -> Function:
        """The kernel: the product's columns of a chunk, by all rows, then the pass over them.

        Args:
            part: the function that computes the columns.
            places: of the product's context's words: columns, blocks and columns of a block of a
                matrix.
            rows: that of the word with the rows.
        """
        f, chunk = self.function, self.function.arguments[1]
        self.buffers[product] = Buffer(self.word(self.words))
        context = self.word(self.words + 1)
        f.run(part, [context, chunk, self.scratch])
        columns, blocks, block, count = (
            f.load(context.at(8 * place), I64) for place in (*places, rows)
        )
        matrix, number = chunk // blocks, chunk % blocks
        first = number * block
        self.strip = first, f.minimum(first + block, columns)
        self.each_row(matrix * count, (matrix + 1) * count)
        return f

    def write_rows_of(
        self, product: Node, part: str, places: tuple[int, int, int], *, is_whole: bool
    ) -> Function:
        """The kernel: the product's rows of a chunk, then the passes over them.

        Args:
            part: the function that computes the rows.
            places: of the product's context's words: rows, blocks and rows of a block of a matrix.
            is_whole: whether a chunk has all rows of the only matrix.
        """
        f, chunk = self.function, self.function.arguments[1]
        self.buffers[product] = Buffer(self.word(self.words))
        context = self.word(self.words + 1)
        f.run(part, [context, chunk, self.scratch])
        if is_whole:
            self.each_row(f.constant(0), f.load(context.at(8 * places[0]), I64))
            return f
        rows, blocks, block = (f.load(context.at(8 * place), I64) for place in places)
        matrix, number = chunk // blocks, chunk % blocks
        first = number * block
        last = f.select(number == blocks - 1, rows, first + block)
        self.each_row(matrix * rows + first, matrix * rows + last)
        return f


class ShortContractionKernel(ContractionKernel, ShortRowKernel):
    """What is made of short rows of a product, behind it."""

    _reaches_back = False  # the product may lie where results do, and ends chunks where it likes


class BlockContractionKernel(ContractionKernel, RowBlockKernel):
    """What is made of what a product's rows are reduced to, by blocks of them."""

    _are_whole = False  # where chunks end is the product's affair
