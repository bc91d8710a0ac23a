"""``python -m shlo_tools``: versions, the machine, and a self-test.

The self-test runs in a child process, where alone MLIR is loaded: what is so broken that it crashes
is told like any other problem.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.about import facts

_EPILOG = """\b
Examples:
  python -m shlo_tools
  python -m shlo_tools --json | jq .versions

Exit status: 0 if the self-test passed, 130 after Ctrl-C, else 1."""

_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@click.command("python -m shlo_tools", epilog=_EPILOG, context_settings=_SETTINGS)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
@click.option("--version", is_flag=True, help="Print the package's version and exit.")
def command(as_json: bool, version: bool) -> int:
    """Tell what is installed, and whether it works."""
    known = facts.facts()
    if version:
        print(known["shlo-tools"])
        return 0
    problems = facts.problems(known)
    known |= {"versions": {}, "self-test": []}
    outcome = isolation.run(_work)
    if outcome.output:
        known |= json.loads(outcome.output)
    if outcome.crash or not outcome.output:
        problems.append(outcome.crash or f"ended with status {outcome.status} {outcome.activity}")
    problems += [f"{row['step']}: {row['problem']}" for row in known["self-test"] if row["problem"]]
    problems += [known.pop("error")] if "error" in known else []
    known["problems"] = problems
    text = json.dumps(known, indent=2) if as_json else "\n".join(_lines(known))
    files.write_file("-", f"{text}\n".encode())
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _work(channel: isolation.Channel) -> int:
    answer: dict[str, Any] = {}
    try:
        channel.tell("while loading MLIR")
        from shlo_tools.tools.about import self_test

        answer["versions"] = self_test.versions()
        answer["self-test"] = self_test.run(channel)
    except ShloError as error:
        answer["error"] = error.render()
    channel.output.write(json.dumps(answer).encode())
    return 0


def _lines(known: dict[str, Any]) -> list[str]:
    """What people read."""
    versions = dict(known["versions"])
    cache = versions.pop("cache", None)
    rows = {"python": f"{known['python']}, {known['system']}", **known["packages"], **versions}
    rows["target"] = known["target"]
    if cache is not None:
        size = f"{cache['folder']}: {cache['files']} files, {cache['bytes'] / 1e6:.1f} MB"
        rows["cache"] = size if cache["folder"] else "none: nothing is kept"
    optional = known["optional packages"]
    width = max(map(len, [*rows, *optional]))
    lines = [f"shlo-tools {known['shlo-tools']}  {known['folder']}"]
    lines += [f"  {name:{width}}  {value or 'not installed'}" for name, value in rows.items()]
    lines += ["optional packages:"]
    for name, version in optional.items():
        lines.append(f"  {name:{width}}  {version or f'not there ({facts.OPTIONAL[name]})'}")
    lines += ["self-test:"]
    for row in known["self-test"]:
        word = "FAIL" if row["problem"] else "ok"
        lines.append(f"  {word:4}  {row['step']:{width}}  {row['seconds']:.3f} s")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """What ``python -m shlo_tools`` runs."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-tools"))
