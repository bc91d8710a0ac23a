"""Python names for functions and values."""

from __future__ import annotations

import builtins
import keyword
import re

# What the source of a module uses itself.
_OWN = ("Module", "OtherType", "attribute", "attributes", "base64", "ml_dtypes", "module", "np")
_RESERVED = {*_OWN, "operation", "ops", *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}


class Names:
    """Names that are used once each.

    Args:
        outer: names that are taken already.
    """

    def __init__(self, outer: Names | None = None) -> None:
        self.used: set[str] = set(_RESERVED if outer is None else outer.used)
        self._next: dict[str, int] = {}

    def fresh(self, wish: str, *, numbered: bool = False) -> str:
        """``wish`` as an identifier, with a number where another thing is called so.

        Args:
            numbered: count from 0, as one does with arguments.
        """
        base = re.sub(r"\W", "_", wish, flags=re.ASCII)
        if not base or base[0].isdigit():
            base = f"_{base}"
        name = base
        if numbered or name in self.used:
            number = self._next.get(base, 0 if numbered else 1)
            while (name := f"{base}{'' if numbered else '_'}{number}") in self.used:
                number += 1
            self._next[base] = number + 1
        self.used.add(name)
        return name
