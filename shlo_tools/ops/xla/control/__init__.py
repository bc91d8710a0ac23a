"""Functions that call others: calls, branches, loops; and the tuples that these go by."""
