"""Passes that test what ops tell of themselves, under the names of StableHLO's own."""
