"""The last steps down to LLVM."""
