"""The process library: code that all compiled programs of a process share.

Each module makes functions of the llvm dialect, none of which knows a program's sizes. A part is
compiled when the first program needs it (``cpu.process_library.parts``).
``contractions``, ``fourier`` and ``maths`` are rooms of their own; the modules here move, sort,
share out and call.
"""
