"""``--mlir-timing``: where the time went, in the manner of mlir-opt."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Times:
    """Seconds by what they were spent on, in order, since this was made."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Measure the block under ``name``."""
        start = time.perf_counter()
        yield
        self.add({name: time.perf_counter() - start})

    def add(self, seconds: Mapping[str, float]) -> None:
        for name, more in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + more

    def report(self, display: str = "tree") -> str:
        """The table; as a ``list`` it begins with what took longest."""
        total = time.perf_counter() - self._start
        order = sorted(self.seconds, key=lambda name: -self.seconds[name])
        seconds = (
            {name: self.seconds[name] for name in order} if display == "list" else self.seconds
        )
        rows = {**seconds, "Rest": total - sum(seconds.values()), "Total": total}
        rule = f"===-{'-' * 73}-==="
        table = [f"  {s:8.4f} ({100 * s / total:5.1f}%)  {name}" for name, s in rows.items()]
        return "\n".join(
            (
                rule,
                f"{'... Execution time report ...':^{len(rule)}}".rstrip(),
                rule,
                f"  Total Execution Time: {total:.4f} seconds",
                "",
                "  ----Wall Time----  ----Name----",
                *table,
            )
        )
