"""``einsum`` and ``unary_einsum``: diagonals, sums, one dot product and a transpose.

A label that repeats in an operand takes a diagonal, one that repeats in the result puts values on
a diagonal of zeros, one that the result lacks is summed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import ops
from shlo_tools.constraints import meet_dims
from shlo_tools.dims import Dim, equal
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType
from shlo_tools.ops import Tensor, _einsum
from shlo_tools.ops._einsum import Labels
from shlo_tools.passes.normalize.legalize_deprecated.unknown_sizes import (
    diagonal,
    onto_diagonal,
    stretched,
)
from shlo_tools.passes.normalize.shape_operands import not_one, size_of, without_dimensions


@dataclass(frozen=True)
class _Named:
    """A tensor whose dimensions have names."""

    tensor: Tensor
    labels: Labels

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.tensor.shape

    @property
    def sizes(self) -> dict[str, Dim]:
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
    named, labels = _read(config, operands, result)
    element = result.element_type
    narrow = element.is_float and element.bits < 32
    accumulator = ELEMENT_TYPES["f32"] if narrow else element
    terms: list[_Named] = []
    for number, term in enumerate(named):
        others = {*labels, *(label for other in named[number + 1 :] for label in other.labels)}
        others.update(label for other in named[:number] for label in other.labels)
        terms.append(_without(_diagonal(term), others, accumulator))
    if len(terms) == 2:
        product = _product(terms[0], terms[1], labels, result, accumulator)
    else:
        product = terms[0]
    return _on_diagonals(product.converted(element), labels).tensor


# --- reading the text -----------------------------------------------------------------------------
def _read(
    config: str, operands: Sequence[Tensor], result: TensorType
) -> tuple[list[_Named], Labels]:
    """The operands with their labels, and the labels of the result."""
    equation = _einsum.read(config, [operand.shape for operand in operands], result)
    named = [_Named(*pair) for pair in zip(operands, equation.operands, strict=True)]
    named = _stretched([_unstretched(term, equation.sizes) for term in named])
    return named, equation.result


def _unstretched(term: _Named, sizes: Mapping[str, Dim]) -> _Named:
    """Without dimensions of size 1 that the other operand stretches."""
    stretched = [
        d for d, label in enumerate(term.labels) if term.shape[d] == 1 and sizes[label] != 1
    ]
    if not stretched:
        return term
    tensor = without_dimensions(term.tensor, stretched)
    return _Named(tensor, tuple(x for d, x in enumerate(term.labels) if d not in stretched))


def _stretched(terms: list[_Named]) -> list[_Named]:
    """Dimensions without a letter of which only run time knows whether they are 1, stretched."""
    if len(terms) < 2:
        return terms
    lhs, rhs = (term.sizes for term in terms)
    shared = [x for x in lhs if x.startswith("...") and x in rhs and not equal(lhs[x], rhs[x])]
    if not shared:
        return terms
    pairs = {x: [size_of(term.tensor, term.labels.index(x)) for term in terms] for x in shared}
    sizes = {label: not_one(pair) for label, pair in pairs.items()}
    known = {label: meet_dims(lhs[label], rhs[label]) for label in shared}
    return [
        _Named(
            stretched(
                term.tensor,
                {term.labels.index(label): (sizes[label], known[label]) for label in shared},
            ),
            term.labels,
        )
        for term in terms
    ]


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
    if not term.tensor.type.is_static:
        return _diagonal(
            _Named(diagonal(term.tensor, at[0], at[1]), (*(term.labels[d] for d in rest), label))
        )
    static = term.tensor.type.static_shape
    size, outer = static[at[0]], [static[d] for d in rest]
    moved = _Named(
        ops.transpose(term.tensor, [*rest, *at]), tuple(term.labels[d] for d in (*rest, *at))
    )
    flat = moved.reshaped([*outer, size * size], moved.labels[:-1])
    strides = [1] * len(outer) + [size + 1]
    elements = ops.slice(flat.tensor, [0] * len(strides), [*outer, size * size], strides)
    return _diagonal(_Named(elements, flat.labels))


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
    lhs: _Named, rhs: _Named, target: Labels, result: TensorType, accumulator: ElementType
) -> _Named:
    shared = [label for label in lhs.labels if label in rhs.labels]
    batch = [label for label in shared if label in target]
    contracted = [label for label in shared if label not in target]
    free = [label for label in (*lhs.labels, *rhs.labels) if label not in shared]
    elements = {lhs.tensor.element_type, rhs.tensor.element_type}
    if len(elements) > 1:
        lhs, rhs = lhs.converted(accumulator), rhs.converted(accumulator)
        elements = {accumulator}
    element = accumulator if accumulator in elements else result.element_type
    sizes = {x: meet_dims(n, rhs.sizes.get(x, n)) for x, n in lhs.sizes.items()}
    sizes = {**rhs.sizes, **sizes}
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
def _on_diagonals(term: _Named, labels: Labels) -> _Named:
    """In the order of ``labels``; a label that repeats there gets its values on the diagonal."""
    names: list[str] = []
    for label in labels:
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
    if not term.tensor.type.is_static:
        return _Named(onto_diagonal(term.tensor), (*term.labels, copy))
    *shape, size = term.tensor.type.static_shape
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
