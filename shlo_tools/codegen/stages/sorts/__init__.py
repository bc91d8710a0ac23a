"""Sorts: what orders elements, which lines are sorted how, and the kernels that do it."""
