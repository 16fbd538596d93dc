"""`exceptions`, `decide` and `cancel`: what waits for people, and what they want of it."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Annotated

import typer
from makegood.domain import review
from makegood.domain.answer import kept_id
from makegood.domain.history import Actor, Role
from makegood.domain.operation import operation_id as accepted
from makegood.domain.review import Action, Wish
from makegood.flows.cancel import Refused
from makegood.flows.review import Case
from makegood.ports import Unreadable

from makegood_cli import console, options, refusals
from makegood_cli.commands.operations import Id
from makegood_cli.commands.output import agreed, print_json, require_person, session_of
from makegood_cli.exits import Ended, ExitCode
from makegood_cli.json_case import case_data, taken_data
from makegood_cli.json_operation import operation_data
from makegood_cli.options import AsJson, Reason, Types
from makegood_cli.screens import case as case_screen
from makegood_cli.screens import decided as decided_screen
from makegood_cli.stacks import Rooms

ACTIONS = "retry, confirm, compensate or close."


def exceptions(
    context: typer.Context,
    *,
    types: Types = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=100_000, help="Show at most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person, the longest waiting first, with all that a decision needs.

    Each says what was promised and where, how often it was tried, the verdict with
    what was expected and what was found, what a retry could double, and what is
    advised. It only reads: the index of what waits, and those rows. The verdicts are
    those stored; `makegood decide` asks the outside system anew.
    """
    rooms = session_of(context).stack().rooms
    found = list(islice(_waiting(rooms, types), limit + 1))
    if as_json:
        print_json({"exceptions": [case_data(each) for each in found[:limit]], "more": len(found) > limit})
        return
    if not found:
        console.note(case_screen.nothing(types or (), rooms.registry.terms))
        return
    case_screen.show(console.stdout(), found[:limit], rooms.clock.now())
    console.note(case_screen.summary(min(len(found), limit), more=len(found) > limit, limit=limit))


def decide(  # noqa: PLR0913 - a decision has that many parts
    context: typer.Context,
    operation_id: Id,
    action: Annotated[Action, typer.Argument(metavar="ACTION", show_choices=False, help=ACTIONS)],
    *,
    reason: Reason,
    evidence: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What you saw there yourself, where no program can look.")
    ] = None,
    remote_id: Annotated[str | None, typer.Option(metavar="ID", help="The id there of what you saw.")] = None,
    revision: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The revision you looked at; if it moved, it is refused.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Decide what becomes of one operation that waits, as a person.

    retry: try it again. confirm: its effect is there (of one being undone: is gone).
    compensate: undo its effect. close: end it as it is. It shows what matters and
    asks first; no answer is a no. Then the outside system is asked anew, where it can
    be: what it says counts, your word (--evidence) only where it gives no verdict.
    Reason, name (your AWS identity; on the local stack, your user) and verdict are
    kept in the same write. A row that moved since it was shown is refused, and so is
    what its status or the verdict does not allow: exit code 4, and nothing is written.

    Where the remote wants a credential, you need the right to read the deployment's
    secret (the policy in the output RemoteSecretPolicyArn); without it nobody is asked,
    and it says so.
    """
    session = session_of(context)
    if not yes:
        require_person(session)
    given = Wish(
        operation_id=accepted(operation_id),
        action=action,
        reason=options.words("--reason", reason),
        seen_revision=revision or 0,
        stated=None
        if evidence is None
        else options.given("--evidence", lambda: review.words(evidence, what="evidence")),
        remote_id=kept_id(remote_id),
    )
    stack = session.stack()
    by = stack.who()
    wish = _looked_at(given, stack.rooms)
    if not yes and not agreed(f"{action.value.capitalize()} {operation_id} on {stack.name}, as {by}?"):
        raise Ended(ExitCode.REFUSED, "not decided; nothing was written (--yes does not ask)")
    taken = stack.rooms.review.decide(wish, actor=Actor(role=Role.OPERATOR, name=by))
    if isinstance(taken, Refused):
        raise Ended(ExitCode.REFUSED, refusals.told(wish, taken, stack.rooms))
    if as_json:
        print_json(taken_data(taken, action=action.value, by=by))
        return
    decided_screen.taken(console.stdout(), taken, action, by)


def cancel(context: typer.Context, operation_id: Id, *, reason: Reason, as_json: AsJson = False) -> None:
    """Ask that an operation be given up.

    One that was never uncertainly tried ends at once, as not_applicable. Of any other
    the wish is remembered, since its effect may be there: no further attempt is made
    for it, and a worker's answer, a look or a person settles how it ends. Asking twice
    changes nothing, and what has ended never changes (exit code 4).
    """
    words = options.words("--reason", reason)
    stack = session_of(context).stack()
    actor = Actor(role=Role.OPERATOR, name=stack.who())
    done = stack.rooms.cancel(accepted(operation_id), reason=words, actor=actor)
    if isinstance(done, Refused):
        raise Ended(ExitCode.REFUSED, f"{operation_id} is not cancelled: {done.why}; nothing was written")
    if as_json:
        moved = done.move is not None
        print_json({"ended": done.operation.is_terminal, "moved": moved, "operation": operation_data(done.operation)})
        return
    terms = stack.rooms.registry.terms.get(done.operation.operation_type)
    decided_screen.cancelled(console.stdout(), done, terms.policy if terms else None)


def _waiting(rooms: Rooms, types: list[str] | None) -> Iterator[Case | Unreadable]:
    """Walk what waits; a row that cannot be read may be of any type, so it is always among them."""
    for each in rooms.review.exceptions(sys.maxsize):
        if isinstance(each, Unreadable) or not types or each.operation.operation_type in types:
            yield each


def _looked_at(given: Wish, rooms: Rooms) -> Wish:
    """Show the operation, and take its revision for the one that was looked at, unless another was given."""
    case = rooms.review.case(given.operation_id)
    case_screen.block(console.stderr(), case, rooms.clock.now())
    wish = given if given.seen_revision else replace(given, seen_revision=case.operation.revision)
    if why_not := review.misfit(case.operation, wish):
        refused = Refused(why=why_not, operation=case.operation)
        raise Ended(ExitCode.REFUSED, refusals.told(wish, refused, rooms))
    return wish
