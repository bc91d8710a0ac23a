"""Sizes: refined, checked, printed, in one canonical form."""
