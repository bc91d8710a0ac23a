"""Kernels of stages: what a stage computes as nodes, and loops over vectors that compute it."""
