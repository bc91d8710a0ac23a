"""Processes that benchmarks ask: one engine each, under an interpreter that has it."""
