"""Stages become kernels: ops are read into nodes, of which loops over vectors are written."""
