"""The worker's side of ``runs/oracles.py``: programs come in as pickles, results go out."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import Any


def serve(answer: Callable[[str, list[Any]], tuple[str, Any]]) -> None:
    """Answer one program after the other, until there are no more."""
    talk = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what native code prints goes elsewhere
    while True:
        try:
            text, inputs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(answer(text, inputs), talk)
        talk.flush()
