"""Complex numbers, by their parts."""
