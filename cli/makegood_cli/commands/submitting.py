"""`submit`: promise one operation, or every line of a file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from makegood.domain.instant import Instant
from makegood.domain.operation import QueueName
from makegood.domain.promise import Promise

from makegood_cli import console, options, promises
from makegood_cli.batch import Report, submit_all
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.exits import Ended, ExitCode, Told
from makegood_cli.json_operation import operation_data
from makegood_cli.options import STDIN, AsJson
from makegood_cli.screens import submitted as screen
from makegood_cli.stacks import Stack
from makegood_cli.words import counted

_JSON = "a JSON object, @FILE, or - for stdin"
_AGAIN = "Submitting the file again is safe: what went in is recognised"
_TIME = "2026-03-29T01:00:00Z, or +15m from now"


def submit(  # noqa: PLR0913 - a promise has that many parts
    context: typer.Context,
    operation_type: Annotated[str | None, typer.Argument(metavar="TYPE", help="The operation type.")] = None,
    *,
    entity: Annotated[
        str | None, typer.Option(metavar="ENTITY", help="What the effect is about, such as customer/452.")
    ] = None,
    version: Annotated[int | None, typer.Option(metavar="N", help="The version that the effect must have.")] = None,
    fields: Annotated[str, typer.Option(metavar="JSON", help=f"What the effect must look like: {_JSON}.")] = "{}",
    payload: Annotated[str, typer.Option(metavar="JSON", help=f"What else perform needs: {_JSON}.")] = "{}",
    queue: Annotated[
        QueueName | None, typer.Option(metavar="NAME", help="Another queue than the type's: high, default or low.")
    ] = None,
    operation_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Its id; derived from the intent if not given.")
    ] = None,
    not_before: Annotated[str | None, typer.Option(metavar="TIME", help=f"No attempt before: {_TIME}.")] = None,
    deadline: Annotated[str | None, typer.Option(metavar="TIME", help=f"Then a person must look: {_TIME}.")] = None,
    file: Annotated[
        str | None, typer.Option(metavar="PATH", help="A file of promises, one JSON object a line; - for stdin.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Promise an operation: write its row, then send its message.

    The same intent twice is one operation, so repeating a submit is safe. If no
    message can be sent the row stands, and a sweep sends it. It never changes an
    operation that is there: an id taken by another intent is a conflict (exit 4).

    With --file, each line is a promise of its own, with the names of a row:
    operation_type, entity, expected_version, and where wanted expected_fields,
    payload, operation_id, queue, not_before, deadline_at. Bad lines are reported by
    their number and the good ones go in (exit 1 if any failed).
    """
    if file is not None:
        _refuse_beside_file(context)
        _submit_file(session_of(context).stack(), file, as_json=as_json)
        return
    if operation_type is None or entity is None or version is None:
        raise typer.BadParameter("TYPE, --entity and --version are needed, or --file", ctx=context)
    if fields == payload == STDIN:
        raise typer.BadParameter("stdin can be read once; give one of the two as @FILE", param_hint="'--payload'")
    stack = session_of(context).stack()
    now = stack.rooms.clock.now()
    promise = Promise(
        operation_type=operation_type,
        entity=entity,
        expected_version=version,
        expected_fields=options.given("--fields", lambda: options.json_object(fields, what="fields")),
        payload=options.given("--payload", lambda: options.json_object(payload, what="payload")),
        operation_id=operation_id,
        queue=queue,
        not_before=_instant("--not-before", not_before, now),
        deadline_at=_instant("--deadline", deadline, now),
    )
    _submit_one(stack, promise, as_json=as_json)


def _submit_one(stack: Stack, promise: Promise, *, as_json: bool) -> None:
    done = stack.rooms.submit(promise)
    if as_json:
        data = operation_data(done.operation)
        print_json({"created": done.created, "dispatched": done.dispatched, "trouble": done.trouble, "operation": data})
        return
    screen.one(console.stdout(), done)


def _submit_file(stack: Stack, path: str, *, as_json: bool) -> None:
    report = Report()
    with _opened(path) as (lines, total):
        now = stack.rooms.clock.now()
        try:
            with console.bar("Submitting", total=total) as done:
                submit_all(promises.read(lines, now), stack.rooms.submit, report, done=done)
        except KeyboardInterrupt:
            went_in = counted(len(report.operation_ids), "line")
            raise Ended(ExitCode.INTERRUPTED, f"interrupted; {went_in} went in. {_AGAIN}") from None
    if as_json:
        print_json(report)
    else:
        screen.many(console.stdout(), report)
    _end(report)


def _end(report: Report) -> None:
    """End as the report demands."""
    if not report.failed:
        return
    more = ""
    if report.stopped_after is not None:
        more = f"; the store takes nothing, so the lines after {report.stopped_after} were not tried"
    raise Told(ExitCode.FAULT, f"{counted(len(report.failed), 'line')} failed{more}. {_AGAIN}")


@contextmanager
def _opened(path: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """Open a file of lines and count them; a stream's number is not known before its end."""
    if path == STDIN:
        yield sys.stdin.buffer, None
        return
    with options.given("--file", lambda: _open(path)) as lines:
        total = sum(1 for line in lines if line.strip())
        lines.seek(0)
        yield lines, total


def _open(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise ValueError(f"{path!a} cannot be read: {error.strerror}") from error


def _refuse_beside_file(context: typer.Context) -> None:
    usual = {"file", "as_json"}
    beside = [name for name in context.params if name not in usual and _was_given(context, name)]
    if beside:
        raise typer.BadParameter("its lines are whole promises; leave out TYPE and the options of one", ctx=context)


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _instant(option: str, text: str | None, now: Instant) -> Instant | None:
    return None if text is None else options.given(option, lambda: options.instant(text, now))
