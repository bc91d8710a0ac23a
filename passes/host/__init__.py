"""What host and program agree on: arguments, results, the frame, checks, entry points."""
