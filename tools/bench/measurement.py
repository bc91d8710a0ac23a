"""Times one program by several engines, in turns, each in processes of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from shlo_tools.tools.bench.engines import EngineProcess

Start = Callable[[str], EngineProcess]  # the process of an engine


@dataclass
class Measurement:
    """What engines took for one program.

    Attributes:
        compile: by engine, seconds from text to what can be called, one for each process.
        run: by engine, median seconds of a call, one for each round of each process.
        failures: by engine, why it has no times, or not all.
    """

    compile: dict[str, list[float]] = field(default_factory=dict)
    run: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def ask(self, engine: str, process: EngineProcess, do: str, **request: Any) -> Any:
        """What an engine answers; None, and a note, where it fails."""
        answer = process.ask(do=do, **request)
        if "error" in answer:
            self.failures[engine] = answer["error"]
        return answer.get("answer")


Check = Callable[[Measurement, Mapping[str, EngineProcess]], None]


def measure(
    engines: Mapping[str, Start],
    request: Mapping[str, Any],
    *,
    repeats: int,
    rounds: int,
    check: Check,
) -> Measurement:
    """Compile in fresh processes, call in turns.

    Args:
        engines: what starts the process of each; it is stopped while another one answers.
        request: the program's files, as ``worker.serve`` takes them.
        repeats: fresh processes for each engine.
        rounds: rounds of calls in each of them.
        check: called once, with what compiled the program.
    """
    measured = Measurement()
    for repeat in range(repeats):
        with ExitStack() as stack:
            processes = {
                engine: stack.enter_context(start(engine))
                for engine, start in engines.items()
                if engine not in measured.failures
            }
            for process in processes.values():
                process.ask(do="warm")
            for engine, process in list(processes.items()):
                seconds = measured.ask(engine, process, "compile", **request)
                if seconds is None:
                    del processes[engine]
                else:
                    measured.compile.setdefault(engine, []).append(seconds)
            if repeat == 0:
                check(measured, processes)
            for _ in range(rounds):
                for engine, process in processes.items():
                    seconds = measured.ask(engine, process, "run", **{"for": 0.05})
                    if seconds is not None:
                        measured.run.setdefault(engine, []).append(seconds)
    return measured
