"""Probes at run time: what an instrumented program tells, and who listens."""
