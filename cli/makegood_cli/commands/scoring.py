"""`scorecard`: how often people decide as was recommended, which is what promotes a type."""

import typer

from makegood_cli import console
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.options import AsJson, Types
from makegood_cli.scorecard import Card, Score, card, meaning
from makegood_cli.screens import scorecard as screen
from makegood_cli.stacks import Rooms
from makegood_cli.words import unknown


def scorecard(context: typer.Context, *, types: Types = None, as_json: AsJson = False) -> None:
    """Compare what was recommended with what people then decided, for each type.

    A type that only observes puts every verdict in front of a person, with what its
    policy would have done. Where people keep deciding so, the type may do it by
    itself: observe, then confirm, then correct. Decisions under another version of its
    policy are said and not counted. The decisions are read from the rows
    that carry them, by reading the whole table once: half a read unit for each 4 KB,
    which is some 4 rows, so a million rows cost some 125,000 units. It says what it
    cost. It only reads.
    """
    rooms = session_of(context).stack().rooms
    with console.waiting("Reading the table"):
        policies = {name: terms.policy for name, terms in rooms.registry.terms.items()}
        counted = card(rooms.store.decided(), {name: policy.version for name, policy in policies.items()})
    known = {name: policy.mode for name, policy in policies.items()}
    modes = {name: known.get(name) for name in sorted({*known, *counted.scores}) if not types or name in types}
    if as_json:
        scores = {name: _data(counted.scores.get(name, Score())) for name in modes}
        said = {name: {"mode": mode, "means": meaning(counted.scores[name], mode)} for name, mode in modes.items()}
        print_json({"types": {name: said[name] | scores[name] for name in modes}, "source": _source(counted, rooms)})
        return
    if types and not modes:
        console.note(f"nothing of type {' or '.join(types)}: {unknown(types, known)}")
    screen.show(console.stdout(), counted, modes, rooms.settings.shared.table)


def _data(score: Score) -> dict[str, object]:
    return {
        "recommended": dict(score.steps),
        "none_recommended": dict(score.unrecommended),
        "of_other_versions": score.of_other_versions,
    }


def _source(counted: Card, rooms: Rooms) -> dict[str, object]:
    return {
        "table": rooms.settings.shared.table,
        "operations": counted.operations,
        "pages": counted.pages,
        "read_units": counted.units,
        "unreadable": counted.unreadable,
    }
