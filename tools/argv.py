"""LLVM's command-line spellings, rewritten for click.

| LLVM                                 | click                                      |
|--------------------------------------|--------------------------------------------|
| ``-verify-each``                     | ``--verify-each=true``                     |
| ``-o=out.mlir``                      | ``-o out.mlir``                            |
| ``--split-input-file in.mlir``       | ``--split-input-file=// ----- in.mlir``    |
| ``--canonicalize=max-iterations=3``  | ``--pass-flag=canonicalize{max-iterations=3}`` |

Click alone would let an option whose value may be left out eat the positional argument behind
it, and would forget the order of different flags. What an option is comes from the command's own
declarations; a long option that it does not declare is taken for a pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

PASS_FLAG = "--pass-flag"
_PASS = re.compile(r"--?([a-z][\w.-]*)(?:=(.*))?", re.DOTALL)


_BOOLEANS = dict.fromkeys(("true", "TRUE", "True", "1"), True)
_BOOLEANS |= dict.fromkeys(("false", "FALSE", "False", "0"), False)


def _boolean(value: str | bool) -> bool:
    if isinstance(value, bool):  # the default
        return value
    if value not in _BOOLEANS:
        raise click.BadParameter(f"{value!r} is invalid value for boolean argument; try 0 or 1")
    return _BOOLEANS[value]


class ValueOptional(click.Option):
    """An option whose value may be left out: ``--x`` means ``--x=<bare>``."""

    def __init__(self, *declarations: Any, bare: str, **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.bare = bare

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        shown = f"[={self.metavar}]" if self.metavar else ""
        return "".join([*self.opts[:1], shown]), self.help or ""


def boolean(name: str, *, default: bool = False, help: str = "") -> Callable[[F], F]:
    """Declare an LLVM boolean: ``--x``, ``--x=true``, ``--x=false``."""
    return click.option(
        name, cls=ValueOptional, bare="true", type=_boolean, default=default, help=help
    )


def pass_flags() -> Callable[[F], F]:
    """Declare that long options which the command does not know are passes, kept in order."""
    return click.option(PASS_FLAG, "pass_flags", multiple=True, hidden=True)


def normalized(arguments: Sequence[str], command: click.Command) -> list[str]:
    """``arguments`` as click understands them."""
    context = click.Context(command, **command.context_settings)
    options = {
        name.lstrip("-"): (name, option)
        for option in command.get_params(context)
        if isinstance(option, click.Option)
        for name in option.opts
    }
    return list(_rewritten(iter(arguments), options))


def _rewritten(
    arguments: Iterator[str], options: dict[str, tuple[str, click.Option]]
) -> Iterator[str]:
    for argument in arguments:
        if argument == "--":
            yield argument
            yield from arguments
            return
        dashes, name, equals, value = _split(argument)
        if not dashes or not name:
            yield argument
        elif name not in options:
            yield _pass_flag(argument) if PASS_FLAG[2:] in options else f"--{name}{equals}{value}"
        else:
            spelled, option = options[name]
            if option.is_flag:
                yield spelled
                continue
            if not equals:
                bare = getattr(option, "bare", None)
                # A value that is missing is click's error to report.
                following = next(arguments, None) if bare is None else bare
                if following is None:
                    yield spelled
                    continue
                value = following
            yield from [f"{spelled}={value}"] if spelled.startswith("--") else [spelled, value]


def _split(argument: str) -> tuple[str, str, str, str]:
    bare = argument.lstrip("-")
    dashes = argument[: len(argument) - len(bare)]
    name, equals, value = bare.partition("=")
    return (dashes if len(dashes) <= 2 else "", name, equals, value)


def _pass_flag(argument: str) -> str:
    found = _PASS.fullmatch(argument)
    if not found:
        return argument
    name, options = found.groups()
    return f"{PASS_FLAG}={name}" + (f"{{{options}}}" if options else "")


def invoke(command: click.Command, arguments: Sequence[str], name: str) -> int:
    """Run a command on LLVM-style arguments; click's exceptions are left to ``isolation.end``.

    (click's own ``main`` turns Ctrl-C into an empty line and status 1.)
    """
    with command.make_context(name, normalized(arguments, command)) as context:
        status: int = command.invoke(context)
        return status
