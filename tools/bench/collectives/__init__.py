"""Collectives: what they take on this machine, and what they cost in groups of thousands."""
