"""``--mlir-print-ir-tree-dir``: IR between passes as a tree of files, named as mlir-opt does.

    DIR/builtin_module_no-symbol-name/0_symbol-dce.mlir
    DIR/builtin_module_no-symbol-name/func_func_main/0_0_cse.mlir

Folders are ops, from the outermost to the one that the pass ran on. The numbers count, for each of
these ops, what was printed of it: files of one op stand in the order in which they were written.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from shlo_tools import files, ir, mlir
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Operation

_LONGEST = 200  # characters of a folder's name, of which file systems take 255
_NOT_IN_NAMES = re.compile(r"[^\w.$-]|^\.+$")


@dataclass
class IrFiles:
    """The tree below a folder."""

    folder: str
    _counts: dict[str, int] = field(default_factory=dict)

    def write(self, op: Operation, pass_name: str, text: str) -> None:
        """Write what is printed of an op for a pass.

        Raises:
            ShloError: a folder or the file cannot be written.
        """
        folders = self._folders(op)
        self._counts[folders[-1]] = self._counts.get(folders[-1], -1) + 1
        numbers = "_".join(str(self._counts.setdefault(folder, 0)) for folder in folders)
        try:
            os.makedirs(folders[-1], exist_ok=True)
        except OSError as error:
            raise ShloError(f"cannot write {folders[-1]!r}: {error.strerror}") from error
        files.write_file(os.path.join(folders[-1], f"{numbers}_{pass_name}.mlir"), text.encode())

    def _folders(self, op: Operation) -> list[str]:
        """The folders of an op and the ops around it, the outermost first."""
        names = [_name(op)]
        while op.parent is not None:
            op = mlir.inner_operation(op.parent)
            names.append(_name(op))
        paths = [self.folder]
        for name in reversed(names):
            paths.append(os.path.join(paths[-1], name))
        return paths[1:]


def _name(op: Operation) -> str:
    symbol = ir.symbol_name(op) or "no-symbol-name"
    return _NOT_IN_NAMES.sub("_", f"{op.name.replace('.', '_')}_{symbol}")[:_LONGEST]
