"""Benchmarks against peers: each prints a table; none of them is a test."""
