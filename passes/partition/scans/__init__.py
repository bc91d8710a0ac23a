"""Associative scans, which programs hold as trees of slices: recognised, and done by blocks."""
