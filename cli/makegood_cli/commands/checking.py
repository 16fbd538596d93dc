"""`check-file`: what an outside system says of many operations at once, judged as a look of the sweep is."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from makegood.domain import result_file
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant
from makegood.domain.result_file import Line

from makegood_cli import console, options
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.exits import Ended, ExitCode
from makegood_cli.json_check import report_data
from makegood_cli.options import STDIN, AsJson
from makegood_cli.promises import JSON_PLACE
from makegood_cli.screens import checked as screen

LARGEST = 64 * 1024 * 1024  #: bytes of a file; it is held in memory whole, so that nothing is applied of a bad one
MOST_LINES = 250_000
_WANTED = "one JSON object in each line is wanted"


def check_file(
    context: typer.Context,
    operation_type: Annotated[str, typer.Argument(metavar="TYPE", help="The operation type that the file is about.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The result file, one JSON object a line; - for stdin.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would follow; write nothing, send nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Judge operations that await confirmation by a result file of the outside system.

    Each line is a JSON object: operation_id or remote_id, and version, fields, or
    "absent": true. It is judged and followed as a look of the sweep is, by the type's
    policy and mode; two lines about one operation are two matches. What the file does
    not mention is never touched, so a file may be a part. A line is true of the time
    it names ("at"), or of when its file was written; from stdin, of now. A file with a
    line that cannot be read is refused whole (exit code 2), and so is one of more than
    64 MiB or 250,000 lines: split it.
    """
    name = "stdin" if path == STDIN else Path(path).name
    lines = options.given("PATH", lambda: _lines(path, name))
    if not lines:
        console.note(f"{name} is empty: it has no line to judge anything by")
    stack = session_of(context).stack()
    if stack.rooms.settings.only_watching and not dry_run:
        raise Ended(ExitCode.REFUSED, "sweeps only watch here, and so does a file: --dry-run shows what would follow")
    with console.waiting("Judging"):
        report = stack.rooms.check(operation_type, lines, dry_run=dry_run, by=stack.who())
    if as_json:
        print_json(report_data(report, dry_run=dry_run))
        return
    screen.show(console.stdout(), report, dry_run=dry_run)


def _lines(path: str, name: str) -> list[Line]:
    content, written_at = _content(path, name)
    texts = _texts(content, name)
    _require_objects(texts, name)
    try:
        return result_file.read(texts, name=name, written_at=written_at)
    except InvalidInput as error:
        raise ValueError(JSON_PLACE.sub(r" at \1", str(error)).replace(": it: ", ": ")) from error


def _require_objects(texts: Sequence[str], name: str) -> None:
    """Refuse what is another kind of file by its first line, rather than line by line."""
    number, first = next(((n, text.strip()) for n, text in enumerate(texts, 1) if text.strip()), (0, "{"))
    if first.startswith("["):
        raise ValueError(f"{name} is one JSON array; {_WANTED} (such as `jq -c '.[]'` writes)")
    if not first.startswith("{"):
        raise ValueError(f"{name}: line {number} is no JSON object: {first[:40]!a}; {_WANTED}, without a header")


def _content(path: str, name: str) -> tuple[bytes, Instant | None]:
    """Read what is to be judged, and when it was written; of stdin nobody knows."""
    try:
        content, written_at = (_read(sys.stdin.buffer), None) if path == STDIN else _read_file(Path(path))
    except OSError as error:
        raise ValueError(f"{path!a} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST:
        raise ValueError(f"{name}: more than {LARGEST // 1024**2} MiB; split it, a file may be a part")
    return content, written_at


def _read_file(path: Path) -> tuple[bytes, Instant]:
    with path.open("rb") as file:
        return _read(file), Instant(os.fstat(file.fileno()).st_mtime_ns // 1_000_000)


def _read(file: BinaryIO) -> bytes:
    return file.read(LARGEST + 1)


def _texts(content: bytes, name: str) -> list[str]:
    """Part a file into its lines, at line feeds alone: other separators may stand inside a JSON text."""
    try:
        texts = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}: line {line} is not UTF-8 text") from error
    if len(texts) - (texts[-1] == "") > MOST_LINES:
        raise ValueError(f"{name}: more than {MOST_LINES:,} lines; split it, a file may be a part")
    return texts
