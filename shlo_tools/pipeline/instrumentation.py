"""What is watched while passes run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from shlo_tools.pipeline.ir_files import IrFiles


@dataclass
class Instrumentation:
    """What is watched while passes run.

    Attributes:
        verify_each: verify the IR after every pass.
        verify_native: after C++ passes as well.
        before, after: tell by name whether the IR is printed then.
        after_change, after_failure: print after passes that changed the IR, or failed.
        module_scope: print the whole module, not only the op that the pass ran on.
        asm: how IR is printed, as options of ``get_asm``.
        ir_files: where it is printed; without, ``stream``.
        timing: collect times per pass.
        single_passes: give each C++ pass a run of its own, so that ``on_pass`` names it.
        on_pass: called with the name of the pass that starts now; with several, joined by
            commas, where C++ passes share a run.
    """

    verify_each: bool = True
    verify_native: bool = True
    before: Callable[[str], bool] = lambda name: False
    after: Callable[[str], bool] = lambda name: False
    after_change: bool = False
    after_failure: bool = False
    module_scope: bool = False
    asm: Mapping[str, Any] = field(default_factory=dict)
    ir_files: IrFiles | None = None
    timing: bool = False
    single_passes: bool = False
    on_pass: Callable[[str], None] | None = None
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def splits(self) -> bool:
        """Whether every C++ pass has to run alone."""
        prints = self.after_change or self.after_failure or self.single_passes or self.timing
        defaults = Instrumentation.__dataclass_fields__
        same = (self.before, self.after) == (defaults["before"].default, defaults["after"].default)
        return prints or not same
