"""Programs that benchmarks time, written in JAX. Only an interpreter that has JAX imports these."""
