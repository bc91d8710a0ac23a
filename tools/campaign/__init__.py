"""Fuzzing campaigns: random programs, texts, bytes, pipelines, calls, and what becomes of them."""
