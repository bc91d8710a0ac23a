"""Programs of StableHLO run by torch, op by op: what ``listing`` wrote, as calls of torch.

Runs in a process of its own, under an interpreter that has torch and numpy, and no MLIR. Each op is
one call of torch, or a few where torch has none of its meaning; nothing is fused, and nothing is
compiled. Ops that torch does not have are refused by name.
"""
