"""`types`: the operation types that the stack knows, each with its written policy."""

from typing import Annotated, Any

import typer
from makegood.domain.registry import Registry, can_compensate

from makegood_cli import console
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.json_text import as_data
from makegood_cli.options import AsJson
from makegood_cli.policies import written
from makegood_cli.screens import policies as screen

Name = Annotated[str | None, typer.Argument(metavar="TYPE", help="One operation type; every one without it.")]


def types(context: typer.Context, name: Name = None, *, as_json: AsJson = False) -> None:
    """Print the written policy of operation types: what they do, where, and by which numbers.

    The effect that is expected, who is asked what really happened, what counts as
    evidence, what each verdict leads to and what the mode leaves to people, windows,
    attempts, caps. Where a policy sets no number the stack's holds, as the reconciler
    function itself has it. The classes are those of the catalog on this machine. It
    only reads. The same stands in docs/policies.md.
    """
    registry = session_of(context).stack().rooms.registry
    if name is not None:
        registry.terms_of(name)  # raises for one that is not known
    names = sorted(registry.terms) if name is None else [name]
    if as_json:
        print_json({each: _data(registry, each) for each in names})
        return
    screen.show(console.stdout(), registry, names)


def _data(registry: Registry, name: str) -> dict[str, Any]:
    cls, terms = registry.class_of(name), registry.terms[name]
    said = {
        "destination": cls.destination,
        "effect": cls.effect,
        "source_of_truth": cls.source_of_truth,
        "proof": cls.proof,
        "compensates": can_compensate(cls),
    }
    return {**said, **as_data(terms), "written": dict(written(cls, terms))}
