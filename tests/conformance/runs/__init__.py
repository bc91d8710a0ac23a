"""The run of all conformance cases, in child processes, and its page; ``run.py`` starts it."""
