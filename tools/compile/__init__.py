"""shlo-compile: programs as object files that C programs link."""
