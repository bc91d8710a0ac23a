"""``einsum`` and ``unary_einsum``: diagonals, sums, one dot product and a transpose.

``"ij,jk->ik"`` names dimensions by letters. A letter that repeats in an operand takes a diagonal,
one that repeats in the result puts values on a diagonal of zeros, one that the result lacks is
summed. Without ``->`` the result has, in alphabetical order, the letters that occur once. ``...``
stands for dimensions without a letter, aligned at the last one, where size 1 stretches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import ops
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.ops import Tensor

Labels = tuple[str, ...]  # one for each dimension: a letter, or ``...2`` for the last but one

_TERM = re.compile(r"([a-zA-Z]*)(\.\.\.)?([a-zA-Z]*)")


@dataclass(frozen=True)
class _Named:
    """A tensor whose dimensions have names."""

    tensor: Tensor
    labels: Labels

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.type.static_shape

    @property
    def sizes(self) -> dict[str, int]:
        return dict(zip(self.labels, self.shape, strict=True))

    def reshaped(self, shape: Sequence[int], labels: Sequence[str]) -> _Named:
        type = self.tensor.type.with_shape(shape)
        return _Named(ops.reshape(self.tensor, type), tuple(labels))

    def ordered(self, labels: Sequence[str]) -> _Named:
        if tuple(labels) == self.labels:
            return self
        permutation = [self.labels.index(label) for label in labels]
        return _Named(ops.transpose(self.tensor, permutation), tuple(labels))

    def converted(self, element: ElementType) -> _Named:
        if self.tensor.element_type == element:
            return self
        type = self.tensor.type.with_element(element)
        return _Named(ops.convert(self.tensor, type), self.labels)


def summed(config: str, operands: Sequence[Tensor], result: TensorType) -> Tensor:
    """Build what ``config`` says of one or two operands.

    Sums of 16-bit and narrower floats are kept in f32.

    Raises:
        ConstraintError: ``config`` does not fit the types.
    """
    named, wanted = _read(config, operands, result)
    element = result.element_type
    narrow = element.is_float and element.bits < 32
    accumulator = ELEMENT_TYPES["f32"] if narrow else element
    terms = []
    for number, term in enumerate(named):
        others = {*wanted, *(label for other in named[number + 1 :] for label in other.labels)}
        others.update(label for other in named[:number] for label in other.labels)
        terms.append(_without(_diagonal(term), others, accumulator))
    if len(terms) == 2:
        product = _product(terms[0], terms[1], wanted, result, accumulator)
    else:
        product = terms[0]
    return _on_diagonals(product.converted(element), wanted).tensor


# --- reading the text -----------------------------------------------------------------------------
def _read(
    config: str, operands: Sequence[Tensor], result: TensorType
) -> tuple[list[_Named], Labels]:
    """The operands with their labels, and the labels of the result."""
    sides, arrow, after = config.replace(" ", "").partition("->")
    texts = sides.split(",")
    if len(texts) != len(operands):
        raise ConstraintError(f"(C1) {config!r} for {len(operands)} operands")
    ranks = [
        operand.rank - len(text.replace("...", ""))
        for text, operand in zip(texts, operands, strict=True)
    ]
    labels = [_labels(text, hidden, config) for text, hidden in zip(texts, ranks, strict=True)]
    for text, operand, given in zip(texts, operands, labels, strict=True):
        if len(given) != operand.rank:
            raise ConstraintError(f"(C2) {text!r} names the dimensions of {operand.type}")
    hidden = max(
        (rank for rank, text in zip(ranks, texts, strict=True) if "..." in text), default=0
    )
    wanted = _labels(after if arrow else _implied(sides), hidden, config)
    named = [_Named(*pair) for pair in zip(operands, labels, strict=True)]
    sizes = _sizes(named)
    shape = tuple(sizes.get(label, -1) for label in wanted)
    if shape != result.static_shape:
        raise ConstraintError(f"(C4) {result} is not {config!r}")
    return [_unstretched(term, sizes) for term in named], wanted


def _labels(text: str, hidden: int, config: str) -> Labels:
    """One label per dimension; ``hidden`` ones stand behind ``...``."""
    found = _TERM.fullmatch(text)
    if found is None:
        raise ConstraintError(f"(C1) {config!r} is not understood")
    front, dots, back = found.groups()
    middle = [f"...{number}" for number in range(hidden, 0, -1)] if dots else []
    return (*front, *middle, *back)


def _implied(sides: str) -> str:
    counts = Counter(sides)
    single = sorted(x for x, count in counts.items() if count == 1 and x.isalpha())
    return ("..." if "..." in sides else "") + "".join(single)


def _sizes(named: Sequence[_Named]) -> dict[str, int]:
    """What each label's dimensions measure."""
    sizes: dict[str, int] = {}
    for term in named:
        for label, size in zip(term.labels, term.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == 1 and label.startswith("."):
                sizes[label] = size
            elif known != size and not (size == 1 and label.startswith(".")):
                raise ConstraintError(f"(C3) {label!r} has sizes {known} and {size}")
    return sizes


def _unstretched(term: _Named, sizes: dict[str, int]) -> _Named:
    """Without dimensions of size 1 that the other operand stretches."""
    rows = list(zip(term.labels, term.shape, strict=True))
    kept = [(label, size) for label, size in rows if sizes[label] == size]
    if kept == rows:
        return term
    return term.reshaped([size for _, size in kept], [label for label, _ in kept])


# --- one operand ----------------------------------------------------------------------------------
def _diagonal(term: _Named) -> _Named:
    """Of each repeated label one dimension, in which all indices were the same.

    In row-major order the diagonal of an n x n matrix is every (n + 1)th element.
    """
    repeated = [label for label, count in Counter(term.labels).items() if count > 1]
    if not repeated:
        return term
    label = repeated[0]
    at = [d for d, other in enumerate(term.labels) if other == label][:2]
    rest = [d for d in range(len(term.labels)) if d not in at]
    size = term.shape[at[0]]
    outer = [term.shape[d] for d in rest]
    moved = _Named(
        ops.transpose(term.tensor, [*rest, *at]), tuple(term.labels[d] for d in (*rest, *at))
    )
    flat = moved.reshaped([*outer, size * size], moved.labels[:-1])
    strides = [1] * len(outer) + [size + 1]
    taken = ops.slice(flat.tensor, [0] * len(strides), flat.shape, strides)
    return _diagonal(_Named(taken, flat.labels))


def _without(term: _Named, kept: set[str], accumulator: ElementType) -> _Named:
    """Summed over the labels that nothing else has."""
    alone = [d for d, label in enumerate(term.labels) if label not in kept]
    if not alone:
        return term
    wide = term.converted(accumulator)
    zero = np.zeros((), accumulator.dtype)
    total = ops.reduce([wide.tensor], [zero], alone, ops.add)[0]
    return _Named(total, tuple(label for label in term.labels if label in kept))


# --- two operands ---------------------------------------------------------------------------------
def _product(
    lhs: _Named, rhs: _Named, wanted: Labels, result: TensorType, accumulator: ElementType
) -> _Named:
    shared = [label for label in lhs.labels if label in rhs.labels]
    batch = [label for label in shared if label in wanted]
    contracted = [label for label in shared if label not in wanted]
    free = [label for label in (*lhs.labels, *rhs.labels) if label not in shared]
    elements = {lhs.tensor.element_type, rhs.tensor.element_type}
    if len(elements) > 1:
        lhs, rhs = lhs.converted(accumulator), rhs.converted(accumulator)
        elements = {accumulator}
    element = accumulator if accumulator in elements else result.element_type
    sizes = lhs.sizes | rhs.sizes
    labels = (*batch, *free)
    product = ops.dot_general(
        lhs.tensor,
        rhs.tensor,
        [lhs.labels.index(label) for label in batch],
        [rhs.labels.index(label) for label in batch],
        [lhs.labels.index(label) for label in contracted],
        [rhs.labels.index(label) for label in contracted],
        result_type=TensorType(tuple(sizes[label] for label in labels), element),
    )
    return _Named(product, labels)


# --- the result -----------------------------------------------------------------------------------
def _on_diagonals(term: _Named, wanted: Labels) -> _Named:
    """In the order of ``wanted``; a label that repeats there gets its values on the diagonal."""
    names: list[str] = []
    for label in wanted:
        copy = label
        while copy in names:
            copy += "'"
        names.append(copy)
        if copy != label:
            term = _onto_diagonal(term, label, copy)
    return term.ordered(names)


def _onto_diagonal(term: _Named, label: str, copy: str) -> _Named:
    """A new last dimension ``copy``: zeros except where its index is that of ``label``.

    With n zeros after each of n values, row-major rows of length n have them on the diagonal.
    """
    outer = [other for other in term.labels if other != label]
    term = term.ordered([*outer, label])
    shape, size = list(term.shape[:-1]), term.shape[-1]
    column = term.reshaped([*shape, size, 1], [*term.labels, copy])
    none = [0] * (len(shape) + 1)
    zero = np.zeros((), term.tensor.element_type.dtype)
    padded = _Named(
        ops.pad(column.tensor, zero, [*none, 0], [*none, size], [*none, 0]), column.labels
    )
    flat = padded.reshaped([*shape, size * (size + 1)], term.labels)
    start = [0] * (len(shape) + 1)
    limits = [*shape, size * size]
    cut = _Named(ops.slice(flat.tensor, start, limits, [1] * len(start)), flat.labels)
    return cut.reshaped([*shape, size, size], [*term.labels, copy])
