"""Programs run by XLA's own compiler for CPUs, as another opinion on what they compute.

    executable = shlo_tools.compile(program, backend="xla")

jaxlib brings XLA, and an MLIR of its own: it lives in a child process (``worker``), which is sent
programs as text and arrays as bytes. The processes of a grid are devices there (``client``).
"""
