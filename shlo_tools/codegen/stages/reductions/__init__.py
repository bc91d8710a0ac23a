"""Sums and what is like them: reductions, scans, windows, and what windows select."""
