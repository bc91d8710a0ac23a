"""Numbers that a function reads from memory of its own, one address for all of them.

LLVM's own constants are as far from machine code as memory may be: wherever one is needed, an
instruction loads its address, and where operands in memory are no broadcasts, another one the
number. In functions of some dozen numbers that is a third of all instructions.
"""

from __future__ import annotations

LINE = 64  # bytes of a line of the caches


class NumberTable:
    """The numbers of one function.

    Attributes:
        name: of the table in its module; beside it lies its address.
    """

    def __init__(self, function: str) -> None:
        self.name = f"numbers_of_{function}"
        self._places: dict[bytes, int] = {}
        self._data = bytearray()

    @property
    def address(self) -> str:
        """What holds the table's address."""
        return f"place_of_{self.name}"

    def place(self, number: bytes) -> int:
        """Where a number lies, in bytes behind the table's begin: in one line, or in whole ones."""
        if number not in self._places:
            self._data += bytes(-len(self._data) % min(len(number), LINE))
            self._places[number] = len(self._data)
            self._data += number
        return self._places[number]

    def text(self) -> str:
        """The table and its address for a module, if there are any numbers.

        An address that was not read from memory would be one for each number.
        """
        if not self._data:
            return ""
        size = len(self._data)
        value = f'dense<"0x{self._data.hex().upper()}"> : tensor<{size}xi8>'
        kind = f"{{alignment = {LINE} : i64}} : !llvm.array<{size} x i8>"
        body = f"%0 = llvm.mlir.addressof @{self.name} : !llvm.ptr\n  llvm.return %0 : !llvm.ptr"
        head = "llvm.mlir.global internal constant"
        table, address = f"@{self.name}({value}) {kind}", f"@{self.address}() : !llvm.ptr"
        return f"{head} {table}\n{head} {address} {{\n  {body}\n}}\n"
