"""The `makegood` command: its verbs, and the options that hold for all of them."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import rich_utils
from typer.core import TyperGroup

from makegood_cli import exits
from makegood_cli import help as teaching
from makegood_cli.commands import (
    checking,
    deciding,
    demo,
    halting,
    lending,
    local,
    operations,
    scoring,
    submitting,
    sweeping,
    types,
)
from makegood_cli.exits import ExitCode
from makegood_cli.local.places import Places
from makegood_cli.stacks import Choice, Session, Stack, World
from makegood_cli.words import plain

_VALUED, _FLAGS = ("--stack", "--profile", "--region"), ("--debug",)
_VERBS: Mapping[str, Mapping[str, Callable[..., None]]] = {
    "Local stack": {
        "up": local.up,
        "down": local.down,
        "status": local.status,
        "demo": demo.demo,
        "lend": lending.lend,
    },
    "Operations": {
        "submit": submitting.submit,
        "show": operations.show,
        "why": operations.why,
        "list": operations.list_operations,
        "types": types.types,
    },
    "People": {
        "exceptions": deciding.exceptions,
        "decide": deciding.decide,
        "cancel": deciding.cancel,
        "check-file": checking.check_file,
        "scorecard": scoring.scorecard,
    },
    "Sweep": {
        "sweep": sweeping.sweep,
        "sweeps": sweeping.sweeps,
        "halt": halting.halt,
        "acknowledge": halting.acknowledge,
    },
}


class Verbs(TyperGroup):
    """The verbs. Options that hold for all may stand before or behind them; every error ends in `exits`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer keeps the type to itself
        """Put the options that hold for all in front."""
        return super().parse_args(ctx, in_front(args))

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run a verb, and turn what it raises into an exit code, and into a document where one is promised."""
        as_json = "--json" in before_dashes(ctx.args)
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort):
            raise
        except typer.TyperException as error:
            error.message = plain(error.message).replace("Value error, ", "", 1)  # the parser's own words for itself
            if as_json:
                exits.write(exits.document_of(ExitCode.USAGE, plain(error.format_message())))
            raise
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the one place where every error ends
            if as_json:
                exits.write(exits.document(error))
            exits.leave(error, debug=bool(ctx.params.get("debug")))
        return answer


app = typer.Typer(
    name="makegood",
    cls=Verbs,
    help=teaching.about(),
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _panel, _verbs in _VERBS.items():
    for _name, _verb in _verbs.items():
        app.command(_name, help=teaching.taught(_name, _verb), rich_help_panel=_panel)(_verb)


def main() -> None:
    """Run the command."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - somebody closed it, and holds it till the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a poor locale must not stop an answer
    if os.environ.get("NO_COLOR"):
        rich_utils.COLOR_SYSTEM = None
    app(prog_name="makegood")


def in_front(args: list[str]) -> list[str]:
    """Move the options that hold for all to the front, and `--json` behind the verb; what follows a `--` stays."""
    before = before_dashes(args)
    moved: list[str] = []
    rest: list[str] = []
    behind: list[str] = []
    words = iter(before)
    for word in words:
        if word in _VALUED:
            moved.extend((word, *(value for value in (next(words, None),) if value is not None)))
        elif word in _FLAGS or word.partition("=")[0] in _VALUED:
            moved.append(word)
        elif word == "--json":
            behind.append(word)
        else:
            rest.append(word)
    return [*moved, *rest, *behind, *args[len(before) :]]


def before_dashes(args: list[str]) -> list[str]:
    """Return what stands before a `--`: behind it is another command's."""
    return args[: args.index("--")] if "--" in args else args


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"makegood {version('makegood')}")
        raise typer.Exit


def _reach(choice: Choice, places: Places) -> Stack:
    from makegood_cli.reach import reach  # noqa: PLC0415 - the SDK's weight is no part of `--help`

    return reach(choice, places)


@app.callback()
def whole(
    context: typer.Context,
    *,
    stack: Annotated[
        str | None, typer.Option(metavar="NAME", help="A deployed stack; without it, the local stack.")
    ] = None,
    profile: Annotated[str | None, typer.Option(metavar="NAME", help="The AWS profile for --stack.")] = None,
    region: Annotated[str | None, typer.Option(metavar="NAME", help="The AWS region for --stack.")] = None,
    debug: Annotated[  # noqa: ARG001 - read where errors end
        bool, typer.Option("--debug", envvar="MAKEGOOD_DEBUG", help="Show where an error happened.")
    ] = False,
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--version", callback=lambda wanted: _print_version(wanted=wanted), is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Hold what is common to all verbs."""
    if stack is None and (profile or region):
        raise typer.BadParameter(
            "they go with --stack; the local stack has neither", param_hint="'--profile' / '--region'"
        )
    world = context.obj or World(reach=_reach)
    context.obj = Session(world=world, choice=Choice(stack=stack, profile=profile, region=region))
