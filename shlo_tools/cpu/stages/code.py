"""Machine code of a program's stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shlo_tools.cpu.machine_code.compilation import MachineCode
from shlo_tools.cpu.native import Linked
from shlo_tools.pipeline import progress


@dataclass(frozen=True)
class Code:
    """Machine code of stages.

    Attributes:
        kernels: what has or will have them, by their names.
        others: addresses of what else jobs call or read.
        plain: the stages that no kernel computes, and what the host is called for.
    """

    kernels: Mapping[str, MachineCode]
    others: Mapping[str, int]
    plain: Linked

    @cached_property
    def addresses(self) -> dict[str, int]:
        """All addresses, as soon as there is code."""
        counted = progress.counted(self.kernels.items(), "kernels")
        kernels = {name: code.addresses[name] for name, code in counted}
        return {**self.others, **kernels}

    @property
    def owners(self) -> list[Any]:
        """What has to stay while the code may run."""
        return [*{*self.kernels.values()}, self.plain.engine]

    def joined(self, other: Code) -> Code:
        """What there is of both; the other one knows all calls of the host."""
        kernels = {**self.kernels, **other.kernels}
        return Code(kernels, {**self.others, **other.others}, other.plain)
