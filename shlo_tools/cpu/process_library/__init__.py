"""Native code that every program shares: compiled once per process, when it is first needed."""
