"""Whether ops may run earlier or oftener than a program says: what StableHLO's ops answer.

A size that types do not tell may differ at run time from what the op demands. An op that could
fail, or do what the spec leaves undefined, must not run where the program would not have run it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops._op import read_arguments


class Speculatability(Enum):
    """The answers of MLIR's ConditionallySpeculatable."""

    YES = "is_speculatable"
    NO = "is_not_speculatable"
    RECURSIVE = "is_recursively_speculatable"


Answer = Callable[[Operation], Speculatability]

_YES, _NO, _RECURSIVE = Speculatability


def answer(op: Operation) -> Speculatability | None:
    """What an op says of itself; None where ops of its name say nothing."""
    rule = _ANSWERS.get(op.name)
    if rule is None and op.name.startswith("chlo.") and len(op.operands) == 1:
        return _YES
    return None if rule is None else rule(op)


# --- sizes ----------------------------------------------------------------------------------------
def _is_static(value: Value) -> bool:
    type = value.type
    if not mlir.is_tensor(type):
        return not mlir.is_dynamic(type)
    return bool(type.has_rank) and not mlir.unknown_dimensions(type)


def _sizes(value: Value) -> list[bool]:
    """Of each dimension whether its size is known; none of what has no rank."""
    unknown = mlir.unknown_dimensions(value.type)
    return [n not in unknown for n in range(value.type.rank)] if _has_rank(value) else []


def _has_rank(value: Value) -> bool:
    return mlir.is_tensor(value.type) and bool(value.type.has_rank)


def _is_constant(value: Value) -> bool:
    source = mlir.defining_op(value)
    return source is not None and source.name in _CONSTANTS


_CONSTANTS = ("stablehlo.constant", "arith.constant", "chlo.constant", "shape.const_shape")


def _yes_if(condition: bool) -> Speculatability:
    return _YES if condition else _NO


def _promises(result: Iterable[bool], operand: Iterable[bool]) -> bool:
    """Whether a result's type tells a size that the operand's does not."""
    return any(known and not source for known, source in zip(result, operand, strict=False))


# --- forms of answers -----------------------------------------------------------------------------
def _always(fixed: Speculatability) -> Answer:
    return lambda op: fixed


def _as_operand(otherwise: Speculatability = _YES, *, besides: str = "") -> Answer:
    """No where the result's type tells a size that the first operand's does not.

    Args:
        besides: attributes with dimensions whose sizes the result's type must not tell.
    """

    def rule(op: Operation) -> Speculatability:
        own = [ir.integer_of(op, name) for name in besides.split()]
        for operand, result in zip(op.operands, op.results, strict=False):
            known, sources = _sizes(result), _sizes(operand)
            if any(known[dimension] for dimension in own):
                return _NO
            others = [n for n in range(min(len(known), len(sources))) if n not in own]
            if _promises([known[n] for n in others], [sources[n] for n in others]):
                return _NO
            if not own:
                break  # the first result speaks for all
        return otherwise

    return rule


def _static(otherwise: Speculatability = _YES) -> Answer:
    """No where the size of an operand is unknown."""
    return lambda op: otherwise if all(map(_is_static, op.operands)) else _NO


def _static_with_constants(count: int) -> Answer:
    """Yes where all sizes are known, and the last operands are constants."""

    def rule(op: Operation) -> Speculatability:
        constants = list(op.operands)[-count:]
        return _yes_if(all(map(_is_static, op.operands)) and all(map(_is_constant, constants)))

    return rule


# --- ops with a story of their own ----------------------------------------------------------------
def _is_fully_dynamic(value: Value) -> bool:
    return not any(_sizes(value))


def _dynamic_iota(op: Operation) -> Speculatability:
    return _yes_if(_is_constant(op.operands[0]) or _is_fully_dynamic(op.results[0]))


def _dynamic_broadcast_in_dim(op: Operation) -> Speculatability:
    operand, shape = op.operands
    if not _is_static(operand):
        return _NO
    single = all(size == 1 for size in operand.type.shape)
    fits = single and _is_fully_dynamic(op.results[0])
    return _yes_if(fits or _is_constant(shape))


def _transpose(op: Operation) -> Speculatability:
    sources = _sizes(op.operands[0])
    permuted = [sources[n] for n in ir.integers_of(op, "permutation")]
    return _yes_if(not _promises(_sizes(op.results[0]), permuted))


def _concatenate(op: Operation) -> Speculatability:
    dimension = ir.integer_of(op, "dimension")
    free = not _sizes(op.results[0])[dimension]
    return _yes_if(
        all(
            known or (free and n == dimension)
            for operand in op.operands
            for n, known in enumerate(_sizes(operand))
        )
    )


def _gather(op: Operation) -> Speculatability:
    return _NO if ir.flag_of(op, "indices_are_sorted") else _static()(op)


def _scatter(op: Operation) -> Speculatability:
    promises = ir.flag_of(op, "unique_indices") or ir.flag_of(op, "indices_are_sorted")
    return _NO if promises else _static(_RECURSIVE)(op)


def _dot_general(op: Operation) -> Speculatability:
    dot = read_arguments(op)
    result = _sizes(op.results[0])
    at = len(dot["lhs_batching_dimensions"])
    for side, operand in zip(("lhs", "rhs"), op.operands, strict=True):
        used = {*dot[f"{side}_batching_dimensions"], *dot[f"{side}_contracting_dimensions"]}
        for n, known in enumerate(_sizes(operand)):
            if n in used and not known:
                return _NO
            if n not in used:
                if result[at] and not known:
                    return _NO
                at += 1
    return _YES


def _convolution(op: Operation) -> Speculatability:
    numbers = read_arguments(op)
    lhs, rhs = (_sizes(operand) for operand in list(op.operands)[:2])
    result = _sizes(op.results[0])
    batches, features = numbers["batch_group_count"], numbers["feature_group_count"]
    if not lhs[numbers["input_feature_dimension"]]:
        return _NO
    if not rhs[numbers["kernel_input_feature_dimension"]]:
        return _NO
    if not lhs[numbers["input_batch_dimension"]]:
        if batches > 1 or result[numbers["output_batch_dimension"]]:
            return _NO
    if not rhs[numbers["kernel_output_feature_dimension"]]:
        if max(batches, features) > 1 or result[numbers["output_feature_dimension"]]:
            return _NO
    spatial = (numbers[f"{part}_spatial_dimensions"] for part in ("input", "kernel", "output"))
    triples = zip(*spatial, strict=True)
    return _yes_if(not any(result[o] and not (lhs[i] and rhs[k]) for i, k, o in triples))


def _fft(op: Operation) -> Speculatability:
    sources = _sizes(op.operands[0])
    if ir.enum_of(op, "fft_type") in ("RFFT", "IRFFT"):
        count = len(ir.integers_of(op, "fft_length"))
        if not all(sources[len(sources) - count :]):
            return _NO
    return _as_operand()(op)


def _set_dimension_size(op: Operation) -> Speculatability:
    dimension = ir.integer_of(op, "dimension")
    result, sources = _sizes(op.results[0]), _sizes(op.operands[0])
    if result[dimension] and not _is_constant(op.operands[1]):
        return _NO
    pairs = [pair for n, pair in enumerate(zip(result, sources, strict=True)) if n != dimension]
    return _yes_if(not any(known and not source for known, source in pairs))


def _triangular_solve(op: Operation) -> Speculatability:
    return _NO if ir.flag_of(op, "unit_diagonal") else _static()(op)


def _named(names: str, rule: Answer) -> dict[str, Answer]:
    return {f"stablehlo.{name}": rule for name in names.split()}


_SPECIAL: dict[str, Answer] = {
    "concatenate": _concatenate,
    "convolution": _convolution,
    "dot_general": _dot_general,
    "dynamic_broadcast_in_dim": _dynamic_broadcast_in_dim,
    "dynamic_iota": _dynamic_iota,
    "fft": _fft,
    "gather": _gather,
    "scatter": _scatter,
    "set_dimension_size": _set_dimension_size,
    "transpose": _transpose,
    "triangular_solve": _triangular_solve,
}

_ANSWERS: dict[str, Answer] = {
    **_named(
        "constant iota create_token replica_id partition_id after_all get_tuple_element tuple "
        "dynamic_slice dynamic_update_slice broadcast cross-replica-sum dot einsum unary_einsum "
        "get_dimension_size torch_index_select optimization_barrier",
        _always(_YES),
    ),
    **_named("if case while", _always(_RECURSIVE)),
    **_named(
        "abs cbrt ceil cosine count_leading_zeros exponential exponential_minus_one floor imag "
        "is_finite log log_plus_one logistic negate not popcnt real round_nearest_afz "
        "round_nearest_even rsqrt sign sine sqrt tan tanh convert slice reverse pad "
        "rng_bit_generator uniform_quantize uniform_dequantize reduce_precision all_reduce "
        "collective_broadcast collective_reduce collective_permute bitcast_convert",
        _as_operand(),
    ),
    **_named("select_and_scatter", _as_operand(_RECURSIVE)),
    **_named(
        "add and atan2 divide maximum minimum multiply or power remainder shift_left "
        "shift_right_arithmetic shift_right_logical subtract xor compare complex "
        "batch_norm_grad batch_norm_inference batch_norm_training broadcast_in_dim clamp select "
        "reshape",
        _static(),
    ),
    **_named("reduce map sort reduce_window async_start", _static(_RECURSIVE)),
    **_named("dynamic_reshape dynamic_gather dynamic_conv", _static_with_constants(1)),
    **_named("real_dynamic_slice dynamic_pad", _static_with_constants(3)),
    **_named("all_gather", _as_operand(besides="all_gather_dim")),
    **_named("all_to_all", _as_operand(besides="split_dimension concat_dimension")),
    **_named("reduce_scatter", _as_operand(besides="scatter_dimension")),
    **{f"stablehlo.{name}": rule for name, rule in _SPECIAL.items()},
}
