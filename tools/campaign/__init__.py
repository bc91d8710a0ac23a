"""Fuzzing campaigns: random programs, texts, bytes, pipelines and calls, and what becomes of them."""
