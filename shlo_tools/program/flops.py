"""How much arithmetic an op of StableHLO asks for, whoever computes it.

Products and convolutions are counted exactly: a multiplication and an addition for each pair of
elements, those with padding left out. An elementwise op counts as one for each element of its
result, be it an addition or a logarithm; moving elements counts as nothing. A region counts as
often as the least number of times that it has to be applied.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from shlo_tools import ir, mlir
from shlo_tools.dtypes import TensorType, from_attribute, tensor_type
from shlo_tools.mlir import Block, Operation
from shlo_tools.ops import Trait, has_trait
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS
from shlo_tools.program.loop_counts import iterations


@dataclass(frozen=True)
class Flops:
    """Additions, multiplications and other steps of arithmetic.

    Attributes:
        narrow: of numbers of at most 32 bits.
        wide: of numbers of 64 bits; a complex number has two.
        uncounted: names of ops whose arithmetic is not in these numbers, or not all of it.
    """

    narrow: int = 0
    wide: int = 0
    uncounted: frozenset[str] = frozenset()

    @property
    def total(self) -> int:
        return self.narrow + self.wide

    def __add__(self, other: Flops) -> Flops:
        names = self.uncounted | other.uncounted
        return Flops(self.narrow + other.narrow, self.wide + other.wide, names)

    def times(self, count: int) -> Flops:
        """The same, again and again."""
        return Flops(self.narrow * count, self.wide * count, self.uncounted)


NOTHING = Flops()


@dataclass(frozen=True)
class Counter:
    """Counts ops of one module; what a function takes is counted once.

    Attributes:
        functions: what calls and composites stand for, by name.
    """

    functions: Mapping[str, Operation]
    _known: dict[str, Flops] = field(default_factory=dict)

    def function(self, name: str) -> Flops:
        """What one call of a function takes."""
        if name not in self._known:
            # What a function finds of itself on its way is a recursion.
            self._known[name] = Flops(uncounted=frozenset({f"recursion of @{name}"}))
            func = self.functions.get(name)
            if func is None or ir.is_declaration(func):
                self._known[name] = Flops(uncounted=frozenset({f"@{name}"}))
            else:
                blocks = list(func.regions[0].blocks)
                self._known[name] = total(self.block(block) for block in blocks)
        return self._known[name]

    def block(self, block: Block) -> Flops:
        """What running the ops of a block once takes."""
        return total(self.op(mlir.inner_operation(op)) for op in block.operations)

    def op(self, op: Operation) -> Flops:
        """What an op takes, its regions and what it calls included.

        Raises:
            ShloError: a size that counts is unknown.
        """
        rule = _RULES.get(op.name)
        if rule is not None:
            return rule(op, self)
        name = ir.called_name(op)
        if name:
            return self.function(name)
        if has_trait(op, Trait.ELEMENTWISE) or op.name.startswith("chlo.broadcast_"):
            return _of_elements(op)
        if op.name in _FREE or (has_trait(op, _MOVES) and not has_trait(op, Trait.EFFECTS)):
            return NOTHING
        return Flops(uncounted=frozenset({_named(op)}))


def total(parts: Iterable[Flops]) -> Flops:
    """The sum of all."""
    return sum(parts, NOTHING)


def _named(op: Operation) -> str:
    if op.name != "stablehlo.custom_call":
        return op.name
    return f"{op.name} @{ir.text_of(op, 'call_target_name')}"


def _of(count: int, type: TensorType) -> Flops:
    """Arithmetic on numbers of a type."""
    element = type.expressed_type.element_type
    bits = element.bits // 2 if element.is_complex else element.bits
    return Flops(wide=count) if bits > 32 else Flops(narrow=count)


def _of_elements(op: Operation) -> Flops:
    """One for each element; a comparison is arithmetic of what it compares."""
    result = tensor_type(op.results[0].type)
    number = op.operands[-1] if op.name == "stablehlo.compare" else op.results[0]
    return _of(result.size, tensor_type(number.type))


def _products(count: int, type: TensorType) -> Flops:
    """Products that are summed: two each, and of complex numbers four products and as many sums."""
    return _of(count * (8 if type.element_type.is_complex else 2), type)


def _pairs(size: int, window: int, results: int, low: int, dilations: tuple[int, int, int]) -> int:
    """How many pairs of an element and a place in a window meet along a dimension.

    Args:
        size: of the operand, whose elements lie ``dilations[0]`` apart behind ``low`` places.
        window: places of a window, ``dilations[1]`` apart.
        results: how many windows there are, ``dilations[2]`` apart.
    """
    base, apart, stride = dilations
    count = 0
    for place in range(window):
        # result * stride + place * apart - low = element * base, with 0 <= element < size
        offset = place * apart - low
        step = base // math.gcd(stride, base)  # results that meet elements are this far apart
        first = next((r for r in range(step) if (r * stride + offset) % base == 0), None)
        if first is None:
            continue
        least = max(-(offset // stride), 0)
        most = min(((size - 1) * base - offset) // stride, results - 1)
        least += (first - least) % step
        count += max((most - least) // step + 1, 0)
    return count


def _window_pairs(
    op: Operation,
    sizes: Iterable[int],
    windows: Iterable[int],
    results: Iterable[int],
    names: tuple[str, str, str],
) -> int:
    """The pairs along all dimensions; ``names`` of attributes: dilations and strides."""
    extents = list(zip(sizes, windows, results, strict=True))
    ones = [1] * len(extents)
    base, apart, strides = (ir.integers_of(op, name, ones) for name in names)
    edges = [(0, 0)] * len(extents)
    if "padding" in op.attributes:
        edges = from_attribute(op.attributes["padding"]).tolist()
    return math.prod(
        _pairs(size, window, count, int(low), dilations)
        for (size, window, count), (low, _), dilations in zip(
            extents, edges, zip(base, apart, strides, strict=True), strict=True
        )
    )


# --- products -------------------------------------------------------------------------------------
def _dot_general(op: Operation, counter: Counter) -> Flops:
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    shape = tensor_type(op.operands[0].type).static_shape
    summed = math.prod(shape[d] for d in numbers.get("lhs_contracting_dimensions", ()))
    result = tensor_type(op.results[0].type)
    return _products(result.size * summed, result)


def _dot(op: Operation, counter: Counter) -> Flops:
    result = tensor_type(op.results[0].type)
    return _products(result.size * tensor_type(op.operands[0].type).static_shape[-1], result)


def _convolution(op: Operation, counter: Counter) -> Flops:
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    lhs, rhs = (tensor_type(value.type).static_shape for value in op.operands)
    result = tensor_type(op.results[0].type)
    shape = result.static_shape
    others = (
        shape[numbers["output_batch_dimension"]],
        shape[numbers["output_feature_dimension"]],
        rhs[numbers["kernel_input_feature_dimension"]],
    )
    pairs = _window_pairs(
        op,
        [lhs[d] for d in numbers["input_spatial_dimensions"]],
        [rhs[d] for d in numbers["kernel_spatial_dimensions"]],
        [shape[d] for d in numbers["output_spatial_dimensions"]],
        ("lhs_dilation", "rhs_dilation", "window_strides"),
    )
    return _products(math.prod(others) * pairs, result)


# --- regions --------------------------------------------------------------------------------------
def _applied(op: Operation, counter: Counter, times: int, region: int = 0) -> Flops:
    return counter.block(op.regions[region].blocks[0]).times(max(times, 0))


def _reduce(op: Operation, counter: Counter) -> Flops:
    """One application less than elements, for each result."""
    elements = tensor_type(op.operands[0].type).size
    return _applied(op, counter, elements - tensor_type(op.results[0].type).size)


def _reduce_window(op: Operation, counter: Counter) -> Flops:
    operand, result = tensor_type(op.operands[0].type), tensor_type(op.results[0].type)
    pairs = _window_pairs(
        op,
        operand.static_shape,
        ir.integers_of(op, "window_dimensions"),
        result.static_shape,
        ("base_dilations", "window_dilations", "window_strides"),
    )
    return _applied(op, counter, pairs - result.size)


def _select_and_scatter(op: Operation, counter: Counter) -> Flops:
    """Each window chooses, and each element of the source is added where it was chosen."""
    operand, source = (tensor_type(value.type) for value in op.operands[:2])
    windows = ir.integers_of(op, "window_dimensions", [1] * operand.rank)
    names = ("base_dilations", "window_dilations", "window_strides")  # it has strides alone
    pairs = _window_pairs(op, operand.static_shape, windows, source.static_shape, names)
    chosen = _applied(op, counter, pairs - source.size)
    return chosen + _applied(op, counter, source.size, region=1)


def _scatter(op: Operation, counter: Counter) -> Flops:
    return _applied(op, counter, tensor_type(op.operands[-1].type).size)


def _map(op: Operation, counter: Counter) -> Flops:
    return _applied(op, counter, tensor_type(op.results[0].type).size)


def _sort(op: Operation, counter: Counter) -> Flops:
    """Comparisons: the logarithm of how many orders there are, rounded up."""
    type = tensor_type(op.operands[0].type)
    dimension = ir.integer_of(op, "dimension", -1)
    length = type.static_shape[dimension] if type.rank else 1
    comparisons = math.ceil(math.lgamma(length + 1) / math.log(2)) if length > 1 else 0
    return _applied(op, counter, comparisons * (type.size // max(length, 1)))


def _while(op: Operation, counter: Counter) -> Flops:
    """Its rounds; one where nobody knows how many, and then it is named."""
    count = iterations(op)
    condition, body = (counter.block(region.blocks[0]) for region in op.regions)
    if count is None:
        return condition + body + Flops(uncounted=frozenset({"rounds of stablehlo.while"}))
    return condition.times(count + 1) + body.times(count)


def _branch(op: Operation, counter: Counter) -> Flops:
    """The branch that takes least."""
    branches = [counter.block(region.blocks[0]) for region in op.regions]
    return min(branches, key=lambda flops: flops.total)


# --- linear algebra -------------------------------------------------------------------------------
def _cholesky(op: Operation, counter: Counter) -> Flops:
    """A third of n^3 for each matrix (Golub and Van Loan, Matrix Computations, 4.2)."""
    type = tensor_type(op.results[0].type)
    size = type.static_shape[-1]
    return _of(type.size * size // 3 * (4 if type.element_type.is_complex else 1), type)


def _triangular_solve(op: Operation, counter: Counter) -> Flops:
    """For each element of the result, products with half a row on average."""
    size, result = (tensor_type(value.type) for value in (op.operands[0], op.results[0]))
    return _products(result.size * size.static_shape[-1] // 2, result)


def _fft(op: Operation, counter: Counter) -> Flops:
    """5 n log2 n, half for real numbers: how FFTW's benchmarks count."""
    lengths = ir.integers_of(op, "fft_length")
    points = math.prod(lengths)
    kind = ir.enum_of(op, "fft_type")
    # The side whose elements are the points: what is real is the whole one.
    type = tensor_type((op.operands if kind == "RFFT" else op.results)[0].type)
    count = 5 * points * math.log2(points) if points > 1 else 0.0
    transforms = type.size // max(points, 1)
    return _of(round(count * (0.5 if "R" in kind else 1)) * transforms, type)


def _normalization(steps: int) -> _Rule:
    def rule(op: Operation, counter: Counter) -> Flops:
        type = tensor_type(op.operands[0].type)
        return _of(steps * type.size, type)

    return rule


_Rule = Callable[[Operation, Counter], Flops]

_MOVES = Trait.DATA_MOVEMENT | Trait.CONSTANT_LIKE | Trait.CARRIES
_FREE = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("return", "bitcast_convert", "dynamic_iota", "get_dimension_size", "iota"),
        *("partition_id", "replica_id"),
    )
) | {"arith.constant", "func.return"}

_RULES: Mapping[str, _Rule] = {
    "stablehlo.case": _branch,
    "stablehlo.cholesky": _cholesky,
    "stablehlo.convolution": _convolution,
    "stablehlo.dot": _dot,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.fft": _fft,
    "stablehlo.if": _branch,
    "stablehlo.map": _map,
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.scatter": _scatter,
    "stablehlo.select_and_scatter": _select_and_scatter,
    "stablehlo.sort": _sort,
    "stablehlo.triangular_solve": _triangular_solve,
    "stablehlo.uniform_dequantize": lambda op, counter: _of_elements(op),
    "stablehlo.uniform_quantize": lambda op, counter: _of_elements(op),
    "stablehlo.while": _while,
    # For each element: (x - mean) * factor + offset; sums of x and of x^2 before that; sums of
    # gradients, and x's own, after.
    "stablehlo.batch_norm_inference": _normalization(3),
    "stablehlo.batch_norm_training": _normalization(6),
    "stablehlo.batch_norm_grad": _normalization(9),
}
