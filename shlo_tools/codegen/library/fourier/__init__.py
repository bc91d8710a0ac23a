"""Fourier transforms: what is computed for which length, and the jobs that compute it."""
