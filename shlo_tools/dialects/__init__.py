"""Importable modules for the dialects without one in the wheel (see ``mlir.py``); all empty.

The bindings look an op's Python class up by importing the module of its dialect. A failing
import is repeated for every op, a succeeding one never: hence these.
"""
