"""Targets that every implementation knows."""

from __future__ import annotations

# They say where values live or how they are split, not what they are: on one device, identities.
IDENTITIES = (
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "xla.sdy.PropagationBarrier",
    "LayoutConstraint",
    "annotate_device_placement",
    "MoveToDevice",
    "MoveToHost",
)

# Functions of one operand that are ops of CHLO or StableHLO: what exporters wrote before those
# ops were, and what XLA's tools still write.
RENAMED = {
    "mhlo.acos": "chlo.acos",
    "mhlo.acosh": "chlo.acosh",
    "mhlo.asin": "chlo.asin",
    "mhlo.asinh": "chlo.asinh",
    "mhlo.atanh": "chlo.atanh",
    "mhlo.cosh": "chlo.cosh",
    "mhlo.erf": "chlo.erf",
    "mhlo.sinh": "chlo.sinh",
    "mhlo.tan": "stablehlo.tan",
}

APPROX_TOP_K = ("ApproxTopK", "stablehlo.dynamic_approx_top_k")
TOP_K = ("mhlo.topk", "stablehlo.dynamic_top_k")
REDUCE_WINDOW = "stablehlo.dynamic_reduce_window"
RNG_BIT_GENERATOR = "stablehlo.dynamic_rng_bit_generator"
SPARSE_TIMES_DENSE = "cpu_csr_sparse_dense_ffi"
# Around an operand, beside the shape that a program's user made its type say.
WRAPPER = "stablehlo.shape_refinement_operand_wrapper"
