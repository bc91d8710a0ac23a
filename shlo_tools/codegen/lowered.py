"""What modules say on their way down, in attributes and symbols: every name, once.

Passes write these names for later passes, and for the host (``codegen.manifest``).
"""

from __future__ import annotations

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation

# --- functions and entry points -------------------------------------------------------------------
SIGNATURE = "shlo.signature"  # on a public function: its type as the host sees it
DONATED = "shlo.donated"  # on an argument: the program may write it
ANNOUNCED = "shlo.announced"  # on a function: how many results it had, and which are announced
SLOTS = "shlo.slots"  # on a declaration: where in the table the address and the sizes go
ENTRY = "shlo.entry"  # on an entry point: what the host has to know of it
ENTRY_PREFIX = "shlo.entry."  # what the names of entry points begin with


def note_signature(func: Operation) -> None:
    """Keep the types that the host sees; lowering changes them (the first note stays)."""
    if SIGNATURE not in func.attributes:
        func.attributes[SIGNATURE] = mlir.type_attr(ir.type_of(func))


def is_public(func: Operation) -> bool:
    """Whether the host may call a function."""
    return ir.text_of(func, "sym_visibility") in ("", "public")


def calls_stages(func: Operation) -> bool:
    """Whether a function of a module that has been cut is a list of calls of stages."""
    return ir.text_of(func, "sym_visibility") != "private" or BLOCK in func.attributes


# --- kernels --------------------------------------------------------------------------------------
KERNEL = "shlo.kernel"  # on a function: what it computes
CALL_HOST = "shlo.call_host"  # the function that host kernels call until the frame is attached
HOST_CALLS = "shlo.host_calls"  # on the module: what the host is called for, by number

# --- checks ---------------------------------------------------------------------------------------
CHECK = "shlo.check"  # the function that stands for a check of sizes until the frame is attached
MESSAGE = "shlo.message"  # on a call of it: what to say, with places for two sizes
SIZES = "shlo.sizes"  # on a cf.assert: its message has places for two sizes
PROPAGATE = "shlo.propagate"  # on a cf.assert: leave without writing a status of its own
CHECKS = "shlo.checks"  # on the module: what a status says, by number

# --- named sizes (``codegen.named_sizes``) --------------------------------------------------------
SYMBOLS = "shlo.symbols"  # on a function: argument and dimension that each name is the size of
SHAPES = "shlo.shapes"  # on a function: those of its arguments; on an op: those of its results
ELEMENTS = "shlo.elements"  # on a tensor.empty: the sizes that it stands for
SIZE_CHECKS = "shlo.size_checks"  # on a function: what must hold of the names
NUMBERS = "shlo.numbers"  # on a module: what the names stand for, in order

# --- memory ---------------------------------------------------------------------------------------
WEIGHT = "shlo.weight"  # on a memref.global: its number in the table of weights
STEADY = "shlo.steady"  # on a loop: the carried tensors of unknown sizes that keep them
CARRY = "shlo.carry"  # on a function: it stands for a value's way to the next iteration
ARENA = "shlo.arena"  # on a function: how many bytes of temporaries a call needs
GROWS = "shlo.grows"  # on a function: a call may need any number of them

# --- stages ---------------------------------------------------------------------------------------
STAGE = "shlo.stage"  # on a function: how a kernel walks it
ROWS = "shlo.rows"  # on a stage: how its full values split, rows and columns
ROUNDS = "shlo.rounds"  # on a loop: how often it runs; its condition does not say it
BLOCK = "shlo.block"  # on a function: it is called for each block of rows, and calls stages
JOBS = "shlo.jobs"  # on a stage: what runs it, as JSON (``codegen.jobs``)
PLAIN = "shlo.plain"  # on a stage: why no kernel computes it
