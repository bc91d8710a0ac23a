"""Products of matrices and convolutions: their axes, and jobs of the process library."""
