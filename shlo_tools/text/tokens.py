"""What all who look at a text before MLIR does have to step over."""

from __future__ import annotations

IGNORED = rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*'  # strings and comments, in front of the rest
BRACKET = IGNORED + rb"|->|[<>]=|(?P<open>[\[({<])|(?P<close>[\])}>])"
