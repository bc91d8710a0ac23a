"""Every .mlir file below this folder is a test."""

# ruff: noqa: F821
config.suffixes = [".mlir"]
