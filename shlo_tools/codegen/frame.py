"""The call frame: the block of memory through which compiled code and its host talk.

Every compiled function gets a pointer to one as its first argument. The layout is the ABI of
compiled programs, in process and ahead of time; ``VERSION`` counts its changes. Code holds no
absolute address: constants, callbacks and temporaries are all reached through the frame.
"""

from __future__ import annotations

VERSION = 5

# Every field takes eight bytes; a field's offset is eight times its position.
FIELDS = (
    "version",
    "status",  # 0: running or done; n > 0: check n failed; n < 0: see STATUS
    "word0",  # what the failing check saw, or the exception of a signal handler
    "word1",
    "word2",
    "word3",
    "poll",  # nonzero: call the poll callback at the next opportunity
    "arena",  # next free byte for temporaries
    "arena_end",
    "callbacks",  # table of function pointers, see CALLBACKS
    "pool",  # state of the thread pool
    "process",  # process id in its grid
    "transport",  # how processes reach each other
    "profile",  # buffer of time stamps
    "weights",  # table of pointers to constants
    "host",  # whatever the host keeps here
    "argv",  # the entry point's table, where results of unknown size are announced
    "scratch",  # memory that jobs of the calling thread may use
    "helpers",  # how many threads of the pool may work for this call, beside the calling one
)
SIZE = 8 * len(FIELDS)
CALLBACKS = ("poll", "host")


# Why a call ended early, besides failing checks.
STATUS = {"cancelled": -1, "signal": -2, "host": -3, "forked": -4}

# What the host writes to ``poll``.
POLL_SIGNALS, POLL_CANCEL = 1, 2


def offset(field: str) -> int:
    """Byte offset of a field in the frame."""
    return 8 * FIELDS.index(field)
