"""Executables in files: what one process compiled, and others run."""

MARK = b"\x89SHLOX\r\n"  # what such files begin with
