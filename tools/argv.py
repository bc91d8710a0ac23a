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

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

Declaration = Callable[[Callable[..., Any]], Callable[..., Any]]  # what click.option gives

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
        if self.hidden:
            return None
        shown = f"[={self.metavar}]" if self.metavar else ""
        return "".join([*self.opts[:1], shown]), self.help or ""


class Unsupported(ValueOptional):
    """An option that others have; it is refused with what to use instead."""

    def __init__(self, *declarations: Any, **settings: Any) -> None:
        settings = {"bare": "", "hidden": True, "expose_value": False, **settings}
        super().__init__(*declarations, **settings)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        if self.name in opts:
            raise click.UsageError(f"{self.opts[0]} is not supported: {self.help}")
        return None, args


def boolean(name: str, *, default: bool = False, help: str = "") -> Declaration:
    """Declare an LLVM boolean: ``--x``, ``--x=true``, ``--x=false``."""
    return click.option(
        name, cls=ValueOptional, bare="true", type=_boolean, default=default, help=help
    )


class InOrder(ValueOptional):
    """A flag whose place among others counts: ``--x`` means ``--into=x``."""

    def __init__(self, *declarations: Any, into: str, **settings: Any) -> None:
        super().__init__(*declarations, bare="", expose_value=False, **settings)
        self.into = into


def in_order(name: str, into: str, help: str) -> Declaration:
    """Declare a flag that adds its name to the option ``into``, which may be given often."""
    return click.option(name, cls=InOrder, into=into, help=help)


def unsupported(name: str, reason: str) -> Declaration:
    """Declare an option that is refused, with the reason and what to use instead."""
    return click.option(name, cls=Unsupported, help=reason)


def help_hidden() -> Declaration:
    """Declare ``--help-hidden``: the help with the options that are refused."""

    def show(context: click.Context, option: click.Parameter, is_set: bool) -> None:
        if is_set:
            for each in context.command.params:
                if isinstance(each, Unsupported):
                    each.hidden = False
            click.echo(context.get_help())
            context.exit()

    return click.option(
        "--help-hidden",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show this message with what is refused, and exit.",
    )


def pass_flags() -> Declaration:
    """Declare that long options which the command does not know are passes, kept in order."""
    return click.option(PASS_FLAG, "pass_flags", multiple=True, hidden=True)


# --- groups ---------------------------------------------------------------------------------------
class Group:
    """Options that stand together in the help, under a title."""

    def __init__(self, title: str, *declarations: Declaration) -> None:
        self.title = title
        self._declarations = declarations

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declare them, as a decorator does."""
        before = len(getattr(function, "__click_params__", ()))
        for declare in reversed(self._declarations):
            function = declare(function)
        for option in vars(function)["__click_params__"][before:]:
            option.group = self.title
        return function


class GroupedCommand(click.Command):
    """A command whose help shows options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record:
                sections.setdefault(getattr(option, "group", "Help"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


# --- spelling -------------------------------------------------------------------------------------
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
            if isinstance(option, InOrder):
                yield f"{option.into}={name}"
                continue
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
    match = _PASS.fullmatch(argument)
    if not match:
        return argument
    name, options = match.groups()
    return f"{PASS_FLAG}={name}" + (f"{{{options}}}" if options else "")


def invoke(command: click.Command, arguments: Sequence[str], name: str) -> int:
    """Run a command on LLVM-style arguments; click's exceptions are left to ``isolation.end``.

    (click's own ``main`` turns Ctrl-C into an empty line and status 1.) Where a shell asks for
    completions, by the variable that click documents, these are printed instead.
    """
    variable = f"_{name}_COMPLETE".replace("-", "_").upper()
    if variable in os.environ:
        return _complete(command, name, variable)
    with command.make_context(name, normalized(arguments, command)) as context:
        status: int = command.invoke(context)
        return status


# --- completion -----------------------------------------------------------------------------------
class PassCommand(GroupedCommand):
    """A command whose options may be passes, which complete like options.

    Args:
        passes: gives the names of passes; called when a shell asks for completions.
    """

    def __init__(self, *arguments: Any, passes: Callable[[], Iterable[str]], **others: Any) -> None:
        super().__init__(*arguments, **others)
        self._passes = passes

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The options that begin as a word does, and then the passes."""
        items = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("--"):
            names = (f"--{name}" for name in self._passes())
            items += [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return items


def _complete(command: click.Command, name: str, variable: str) -> int:
    """Print a shell's script, or the completions of a word, as the variable says."""
    shell, _, instruction = os.environ[variable].partition("_")
    kind = get_completion_class(shell)
    if kind is None or instruction not in ("source", "complete"):
        raise click.UsageError(
            f"{variable}={os.environ[variable]}: there are bash_source, zsh_source and fish_source"
        )

    class Normalized(kind):  # type: ignore[misc, valid-type]
        """Words as click knows them: options with two dashes, and with their values."""

        def get_completion_args(self) -> tuple[list[str], str]:
            words, incomplete = super().get_completion_args()
            if re.fullmatch(r"-[a-z][\w-]+", incomplete):
                incomplete = f"-{incomplete}"
            return normalized(words, command), incomplete

    completion = Normalized(command, {}, name, variable)
    text = completion.source() if instruction == "source" else completion.complete()
    click.echo(text)
    return 0
