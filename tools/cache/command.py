"""shlo-cache: the command line. MLIR is not loaded."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.machine_code.store import Entry
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation

_EPILOG = """\b
What is done:
  list      what is kept: kind, size, when it was used last, name
  clear     forget it: all, or what --kind and --older-than say
  verify    read all files; damaged ones are told, and forgotten
  where     the folder, what may lie there, and the limit

\b
Kinds:
  library   the process library's parts, which every program needs; kept by default
  kernel    the code of stages of programs; kept where --cache or SHLO_CACHE_DIR asks for it
  program   whole programs; kept like kernels

\b
Examples:
  shlo-cache list
  shlo-cache list --json | jq 'map(.bytes) | add'
  shlo-cache clear --kind=program --kind=kernel
  shlo-cache clear --older-than=7d
  shlo-cache verify --folder=build/cache

\b
Exit status: 0, or 1 where files are damaged or something cannot be done.
Completion in bash (or zsh, fish): eval "$(_SHLO_CACHE_COMPLETE=bash_source shlo-cache)"
"""

_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def _seconds(age: str) -> float:
    """What ``90s``, ``10m``, ``12h``, ``7d`` or ``2w`` says."""
    number = re.fullmatch(r"(\d{1,9})([smhdw])", age)
    if number is None:
        raise click.BadParameter(f"{age!r} is no age: write 90s, 10m, 12h, 7d or 2w")
    return float(int(number[1]) * _SECONDS[number[2]])


@click.command("shlo-cache", epilog=_EPILOG, context_settings=_SETTINGS)
@click.argument("action", type=click.Choice(["list", "clear", "verify", "where"]))
@click.option("--folder", type=click.Path(), metavar="DIR", help="Look here, not where it is kept.")
@click.option(
    "--kind", multiple=True, type=click.Choice(store.KINDS), help="Only entries of this kind."
)
@click.option("--older-than", type=_seconds, metavar="AGE", help="Only those not used for so long.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    action: str, folder: str | None, kind: Sequence[str], older_than: float | None, as_json: bool
) -> int:
    """See and clear what is kept on disk of what was compiled.

    The folder is that of SHLO_CACHE_DIR, or shlo-tools in the user's folder of caches.
    """
    if older_than is not None and action not in ("list", "clear"):
        raise click.UsageError(f"--older-than is for list and clear, not for {action}")
    place = store.folder_in(folder) if folder else store.default_folder()
    if action == "where":
        return _where(place, as_json)
    if problem := store.problem(place) if place else "":
        raise ShloError(problem, hint="nothing is read or kept there")
    known = store.entries(place) if place else []
    before = time.time() - (older_than or 0)
    listed = [
        entry
        for entry in known
        if (not kind or entry.kind in kind) and (older_than is None or entry.used <= before)
    ]
    if action == "list":
        return _list(listed, as_json)
    return _clear(listed, as_json) if action == "clear" else _verify(listed, as_json)


def _where(place: str, as_json: bool) -> int:
    problem = store.problem(place) if place else ""
    known = store.entries(place) if place and not problem else []
    facts = {
        "folder": place,
        "exists": bool(place) and Path(place).is_dir(),
        "problem": problem,
        "programs": store.keeps_programs(),
        "files": len(known),
        "bytes": store.size_of(known),
        "limit": store.limit(),
    }
    if as_json:
        print(json.dumps(facts))
        return 0
    print(place or "nowhere: SHLO_CACHE_DIR is empty")
    if problem:
        print(f"  not used: {problem}")
    elif place:
        by_default = "programs, too" if facts["programs"] else "programs where cache= asks for it"
        print(f"  {_files(len(known), store.size_of(known))}, of {_bytes(store.limit())} at most")
        print(f"  the process library is kept, {by_default}")
    return 0


def _list(listed: Sequence[Entry], as_json: bool) -> int:
    now = time.time()
    if as_json:
        rows = [
            {"kind": e.kind, "bytes": e.size, "age": round(max(0, now - e.used)), "name": e.name}
            for e in listed
        ]
        print(json.dumps(rows))
        return 0
    for entry in listed:
        age = _age(max(0, now - entry.used))
        print(f"{entry.kind:8} {_bytes(entry.size):>9} {age:>5}  {entry.name}")
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(Counter(e.kind for e in listed).items()))
    total = _files(len(listed), store.size_of(listed))
    print(total + (f" ({counts})" if counts else ""))
    return 0


def _clear(listed: Sequence[Entry], as_json: bool) -> int:
    for entry in listed:
        try:
            store.drop(entry)
        except OSError as error:
            raise ShloError(f"cannot remove {entry.path!r}: {error.strerror}") from error
    size = store.size_of(listed)
    report = {"files": len(listed), "bytes": size}
    print(json.dumps(report) if as_json else f"forgotten: {_files(len(listed), size)}")
    return 0


def _verify(listed: Sequence[Entry], as_json: bool) -> int:
    damaged = []
    for entry in listed:
        try:
            if store.is_whole(entry):
                continue
            store.drop(entry)
        except FileNotFoundError:
            continue  # another process has dropped it
        except OSError as error:
            raise ShloError(f"cannot read {entry.path!r}: {error.strerror}") from error
        damaged.append(entry)
    if as_json:
        print(json.dumps({"files": len(listed), "damaged": [entry.name for entry in damaged]}))
    else:
        for entry in damaged:
            print(f"damaged, and forgotten: {entry.name}")
        print(f"{_files(len(listed), store.size_of(listed))}: {len(damaged)} damaged")
    return 1 if damaged else 0


# --- in words -------------------------------------------------------------------------------------
def _files(count: int, size: int) -> str:
    return f"{count} entr{'y' if count == 1 else 'ies'}, {_bytes(size)}"


def _bytes(size: int) -> str:
    for unit, least in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size} B"


def _age(seconds: float) -> str:
    """The largest unit that fits, without fractions."""
    unit = next((u for u in reversed(_SECONDS) if seconds >= _SECONDS[u]), "s")
    return f"{int(seconds / _SECONDS[unit])}{unit}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-cache"))
