"""Processes of a grid: how they meet in collectives, and how a grid of them runs.

``meeting`` is where processes meet, ``process`` what one of them can do, ``running`` runs all. What
a process computes, compiled code or the reference, is not known here.
"""

from shlo_tools.processes.meeting import Grid
from shlo_tools.processes.process import ALONE, Process, current, entered
from shlo_tools.processes.running import run_processes
from shlo_tools.processes.values import NamedCombine

__all__ = ["ALONE", "Grid", "NamedCombine", "Process", "current", "entered", "run_processes"]
