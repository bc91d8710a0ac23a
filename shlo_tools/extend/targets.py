"""Targets that every implementation knows: a row for each, read by whoever meets a call of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

# Targets that are named elsewhere, too: by passes that write calls of them, and in messages.
REDUCE_WINDOW = "stablehlo.dynamic_reduce_window"
SHAPE_ASSERTION = "shape_assertion"
SPARSE_TIMES_DENSE = "cpu_csr_sparse_dense_ffi"
WRAPPER = "stablehlo.shape_refinement_operand_wrapper"

# What processes of a grid do together: the op's name follows. The size of the grid, replicas and
# partitions, is an attribute of the module.
PROCESS = "shlo.process."
GRID = "shlo.grid"
# On a collective of integers: what stands for 0, one for each result, where it is not 0.
ZEROS = "shlo.zeros"

# Operands of REDUCE_WINDOW behind inputs and init values: what reduce_window has as attributes.
WINDOW_OPERANDS = 5


class Meaning(Enum):
    """What a call of a target computes."""

    APPROX_TOP_K = auto()
    ASSERTION = auto()  # that its first operand is true
    IDENTITY = auto()  # on one device: it says where values live or how they are split
    OP = auto()  # an op of one operand, under another name
    REDUCE_WINDOW = auto()
    RNG_BIT_GENERATOR = auto()
    SPARSE_TIMES_DENSE = auto()
    TOP_K = auto()
    WRAPPER = auto()  # its first operand, whose type was made more exact


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes:
        meaning: what its calls compute.
        op: of an ``OP``, its name.
        keeps_shape: whether an ``IDENTITY`` is of one shape on any number of devices.
    """

    meaning: Meaning
    op: str = ""
    keeps_shape: bool = False


_ANYWHERE = Target(Meaning.IDENTITY, keeps_shape=True)
_ON_ONE_DEVICE = Target(Meaning.IDENTITY)

# Ops under other names are what exporters wrote before those ops were, and XLA's tools still write.
TARGETS: Mapping[str, Target] = {
    "Sharding": _ANYWHERE,
    "LayoutConstraint": _ANYWHERE,
    "annotate_device_placement": _ANYWHERE,
    "MoveToDevice": _ANYWHERE,
    "MoveToHost": _ANYWHERE,
    "SPMDFullToShardShape": _ON_ONE_DEVICE,
    "SPMDShardToFullShape": _ON_ONE_DEVICE,
    "xla.sdy.FuncResultSharding": _ON_ONE_DEVICE,
    "xla.sdy.GlobalToLocalShape": _ON_ONE_DEVICE,
    "xla.sdy.LocalToGlobalShape": _ON_ONE_DEVICE,
    "xla.sdy.PropagationBarrier": _ON_ONE_DEVICE,
    "mhlo.acos": Target(Meaning.OP, "chlo.acos"),
    "mhlo.acosh": Target(Meaning.OP, "chlo.acosh"),
    "mhlo.asin": Target(Meaning.OP, "chlo.asin"),
    "mhlo.asinh": Target(Meaning.OP, "chlo.asinh"),
    "mhlo.atanh": Target(Meaning.OP, "chlo.atanh"),
    "mhlo.cosh": Target(Meaning.OP, "chlo.cosh"),
    "mhlo.erf": Target(Meaning.OP, "chlo.erf"),
    "mhlo.sinh": Target(Meaning.OP, "chlo.sinh"),
    "mhlo.tan": Target(Meaning.OP, "stablehlo.tan"),
    "mhlo.topk": Target(Meaning.TOP_K),
    "stablehlo.dynamic_top_k": Target(Meaning.TOP_K),
    "ApproxTopK": Target(Meaning.APPROX_TOP_K),
    "stablehlo.dynamic_approx_top_k": Target(Meaning.APPROX_TOP_K),
    REDUCE_WINDOW: Target(Meaning.REDUCE_WINDOW),
    "stablehlo.dynamic_rng_bit_generator": Target(Meaning.RNG_BIT_GENERATOR),
    SPARSE_TIMES_DENSE: Target(Meaning.SPARSE_TIMES_DENSE),
    SHAPE_ASSERTION: Target(Meaning.ASSERTION),
    WRAPPER: Target(Meaning.WRAPPER),
}


def meaning_of(target: str) -> Meaning | None:
    """What a call of a target computes; None where only its implementation knows."""
    known = TARGETS.get(target)
    return None if known is None else known.meaning


def hands_on(target: str) -> bool:
    """Whether a call returns its operand."""
    return meaning_of(target) in (Meaning.IDENTITY, Meaning.WRAPPER)
