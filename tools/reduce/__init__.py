"""shlo-reduce: the smallest program that still shows something."""
