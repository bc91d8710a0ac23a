"""How commands show diagnostics: on standard error, with their line and a caret under it."""

from __future__ import annotations

import sys
from dataclasses import replace

from shlo_tools.errors import Diagnostic, Listener


def printer(name: str = "", source: str | None = None) -> Listener:
    """Prints diagnostics; a place in the program itself is shown with its line and a caret."""

    def named(diagnostic: Diagnostic) -> Diagnostic:
        place = diagnostic.place
        if place and place.file == "-":
            place = replace(place, file=name)
        return replace(diagnostic, place=place, notes=tuple(map(named, diagnostic.notes)))

    def show(diagnostic: Diagnostic) -> None:
        diagnostic = named(diagnostic)
        own = diagnostic.place is not None and diagnostic.place.file == name
        print(diagnostic.render(source if own else None), file=sys.stderr, flush=True)

    return show
