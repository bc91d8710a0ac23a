"""Functions that compute elements: one by one, along dimensions, of matrices, at random."""
