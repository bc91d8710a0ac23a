"""Comparing results with what is expected, and finding the ops that make them differ."""
