"""shlo-run."""
