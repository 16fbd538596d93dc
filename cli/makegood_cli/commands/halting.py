"""`halt` and `acknowledge`: see that the sweep refuses to act, and allow it to, for a while, under a name."""

from datetime import timedelta
from typing import Annotated

import typer
from makegood.domain.instant import Instant, after
from makegood.domain.run import Acknowledgement, Control
from makegood.domain.scrub import scrubbed

from makegood_cli import console, options
from makegood_cli.commands.output import agreed, print_json, require_person, session_of
from makegood_cli.exits import Ended, ExitCode, Told
from makegood_cli.explain import RUNS_READ, last_run
from makegood_cli.options import AsJson, Reason
from makegood_cli.screens import stack as screen
from makegood_cli.screens.sweeps import ONLY_WATCHING
from makegood_cli.stacks import Rooms
from makegood_cli.words import duration, moment, plain

LONGEST = timedelta(hours=24)
HIGHEST_RATE = 10_000  #: the template's own limit for DrainRate


def halt(context: typer.Context, *, as_json: AsJson = False) -> None:
    """Say whether the sweep is halted: since when, why, and under which acknowledgement.

    The exit code is 3 if it is halted and nobody has acknowledged it, so a script can
    ask. The next sweep looks afresh: at or below the cap it works again without any
    reset. It only reads.
    """
    rooms = session_of(context).stack().rooms
    now, control = rooms.clock.now(), rooms.ledger.control()
    types = _halted_types(rooms)
    if rooms.settings.only_watching:
        console.note(ONLY_WATCHING)
    if as_json:
        given = control.acknowledged(now)
        print_json(
            {
                "halted": control.halted_since is not None,
                "halted_since": control.halted_since,
                "why": control.halted_why,
                "halted_types": types,
                "halt_cap": rooms.settings.sweep.halt_cap,
                "acknowledgement": given,
            }
        )
    else:
        screen.control(console.stdout(), control, now, cap=rooms.settings.sweep.halt_cap, types=types)
    if (control.halted_since is not None or types) and control.acknowledged(now) is None:
        raise Told(
            ExitCode.HALTED, "halted; once you know the cause, `makegood acknowledge` lets sweeps drain the pile"
        )


def acknowledge(
    context: typer.Context,
    *,
    drain: Annotated[int, typer.Option(metavar="N", min=1, max=HIGHEST_RATE, help="Rows that one sweep may act on.")],
    lasting: Annotated[str, typer.Option("--for", metavar="DURATION", help="For how long: 30m, 1h; at most 24h.")],
    reason: Reason,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Allow sweeps to act above the halt cap, at a drain rate, until it expires.

    It writes one row, the sweep's own, with your name (your AWS identity; on the local stack,
    your user). It touches no operation, sends nothing and starts no sweep: the next one
    acts. A new acknowledgement replaces the one before. Asks first; no answer is a no.
    """
    span = options.given("--for", lambda: _span(lasting))
    words = scrubbed(options.words("--reason", reason))
    session = session_of(context)
    if not yes:
        require_person(session)
    stack = session.stack()
    rooms, by = stack.rooms, stack.who()
    now = rooms.clock.now()
    given = Acknowledgement(by=by, at=now, until=after(now, span), drain_rate=drain, reason=words)
    if not yes:
        _ask(given, rooms, stack.name, span)
    rooms.ledger.acknowledge(given)
    if as_json:
        print_json(given)
        return
    console.stdout().print(plain(f"acknowledged by {by}"), soft_wrap=True)
    console.stdout().print(f"until {moment(given.until, now)}, {drain} rows a sweep", soft_wrap=True)


def _ask(given: Acknowledgement, rooms: Rooms, name: str, span: timedelta) -> None:
    control, usual = rooms.ledger.control(), rooms.settings.sweep
    console.note(_situation(control, given.at, usual.halt_cap))
    question = (
        f"Let sweeps of {name} act above the cap for {duration(span)}, on {given.drain_rate} rows each "
        f"(usually {usual.drain_rate}), as {given.by}?"
    )
    if not agreed(question):
        raise Ended(ExitCode.REFUSED, "not acknowledged; nothing was written (--yes does not ask)")


def _situation(control: Control, now: Instant, cap: int) -> str:
    if control.halted_since is None:
        return f"The sweep is not halted now (cap {cap}). It may go above its cap all the same until this expires."
    return f"The sweep is halted since {moment(control.halted_since, now)}: {control.halted_why}"


def _halted_types(rooms: Rooms) -> dict[str, str]:
    run = last_run(rooms.ledger.runs(RUNS_READ))
    return dict(run.halted_types) if run else {}


def _span(text: str) -> timedelta:
    span = options.duration(text)
    if not timedelta() < span <= LONGEST:
        raise ValueError(f"{text!a}: more than nothing and at most {duration(LONGEST)} is wanted; renew it if need be")
    return span
