"""A program from another framework, and what that calls its arguments and results. No MLIR here."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Literal

from shlo_tools import files
from shlo_tools.foreign import second_mlir


@dataclass(frozen=True)
class Leaf:
    """One array of a function's arguments or results.

    Attributes:
        path: where it is in them: ``args[0]['weight']``, ``result[1]``.
        type: as the framework spells it: ``float32[batch,784]``.
    """

    path: str
    type: str

    def __str__(self) -> str:
        return f"{self.path}: {self.type}"


@dataclass(frozen=True)
class ImportedProgram:
    """What ``from_jax`` returns: ``compile``, ``run`` and ``interpret`` take it.

    Attributes:
        name: the function's.
        artifact: the program as a portable artifact; one for several devices as text, in which
            alone others can read how arrays are split.
        arguments: those of a call, in order.
        results: those of a call, in order.
        devices: how many it is for.
    """

    name: str
    artifact: bytes = field(repr=False)
    arguments: tuple[Leaf, ...]
    results: tuple[Leaf, ...]
    devices: int = 1

    @property
    def module(self) -> Any:
        """A new module of the official bindings, in the library's context.

        One for several devices says in attributes how arrays are split: see ``load``.

        Raises:
            ProviderError: another MLIR is loaded in this process, such as JAX's.
        """
        from shlo_tools import program  # loads MLIR

        shardings: Literal["drop", "keep"] = "keep" if self.devices > 1 else "drop"
        return program.load(self.artifact, name=self.name, shardings=shardings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the program: as text where the name ends in ``.mlir``, else as an artifact.

        Raises:
            ShloError: the file cannot be written.
        """
        path = os.fspath(path)
        if not path.endswith(".mlir"):
            files.write_file(path, self.artifact)
        elif second_mlir():
            from shlo_tools.interop import remote

            remote.save(self.artifact, os.path.abspath(path))
        else:
            from shlo_tools import program

            program.save(self.module, path)

    def __str__(self) -> str:
        lines = [f"@{self.name}, for {self.devices} device{'s' if self.devices > 1 else ''}"]
        lines += [f"  {leaf}" for leaf in self.arguments]
        lines += [f"  -> {leaf}" for leaf in self.results]
        return "\n".join(lines)
