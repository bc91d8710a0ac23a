"""Loops whose rows do not depend on each other, which threads run by blocks of rows."""
