"""Empty on purpose: see the package's docstring."""
