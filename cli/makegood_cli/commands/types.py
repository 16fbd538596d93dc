"""`types`: the operation types that the stack knows."""

import typer

from makegood_cli import console
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.json_text import as_data
from makegood_cli.options import AsJson
from makegood_cli.screens import stack as screen


def types(context: typer.Context, *, as_json: AsJson = False) -> None:
    """List the registered operation types, with the numbers that each is kept by here.

    A type's policy may set its own numbers; where it sets none, the stack's hold, as the
    reconciler function itself has them. The classes are those of the catalog on this machine.
    It only reads.
    """
    terms = session_of(context).stack().rooms.registry.terms
    if as_json:
        print_json({name: as_data(each) for name, each in sorted(terms.items())})
        return
    screen.types(console.stdout(), terms)
