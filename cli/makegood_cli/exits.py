"""How the command ends: the one place that turns an error into an exit code and one line on stderr.

0    fine
1    fault: it could not be done; also when some lines of a file failed
2    usage: the command line cannot be understood
3    halted: the sweep refuses to act above its cap
4    refused or conflict: it was understood, and Makegood or a person said no; also an id or a type that is not there
130  interrupted; 141 if the reader of a pipe went away
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import traceback
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's, not the language's
    NoCredentialsError,
    NoRegionError,
    ProfileNotFound,
    TokenRetrievalError,
)
from makegood.domain.errors import ConflictError, ImpossibleTransition, InvalidInput, MakegoodError, NotFoundError
from makegood.domain.scrub import error_line, scrubbed

from makegood_cli.json_text import rendered
from makegood_cli.words import plain

if TYPE_CHECKING:
    from typing import NoReturn

MESSAGE_LIMIT = 1000  #: characters
NOT_RUNNING = "the local stack is not running; start it with `makegood up`"
_LOG_IN = "log in to AWS (such as `aws sso login`), or choose other credentials with --profile"


class ExitCode(IntEnum):
    """What a script may rely on."""

    FINE = 0
    FAULT = 1
    USAGE = 2
    HALTED = 3
    REFUSED = 4
    INTERRUPTED = 130  #: 128 + SIGINT
    NO_READER = 141  #: 128 + SIGPIPE


class Ended(Exception):
    """A command ends with a code of its own; the message says what was and what to do. Its output stands."""

    def __init__(self, code: ExitCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Told(Ended):
    """It ends so, and what was asked for has been printed: the message is a last word beside it."""


def judged(error: BaseException) -> tuple[ExitCode, str]:
    """Return the exit code of an error, and what to tell the person."""
    match error:
        case Ended():
            return error.code, str(error)
        case KeyboardInterrupt():
            return ExitCode.INTERRUPTED, "interrupted"
        case BrokenPipeError():
            return ExitCode.NO_READER, ""
        case MakegoodError():
            return _of_makegood(error)
        case BotoCoreError() | ClientError():
            return ExitCode.FAULT, _of_aws(error)
        case OSError(strerror=str(why), filename=where):
            return ExitCode.FAULT, f"{why}: {where}" if where else why
        case _:
            return ExitCode.FAULT, _unforeseen(error)


def told(message: str, *, width: int | None) -> str:
    """Word what a person is told: one line where `width` is None; otherwise broken between words only."""
    line = f"makegood: {plain(message)[:MESSAGE_LIMIT]}"
    if width is None:
        return line
    return textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def document(error: BaseException) -> str:
    """Return an error as the document that `--json` promises; empty where one has been printed, or nobody reads."""
    code, message = judged(error)
    if isinstance(error, Told) or code is ExitCode.NO_READER:
        return ""
    return document_of(code, message)


def document_of(code: int, message: str) -> str:
    """Return an exit code and what was said as one JSON document."""
    return rendered({"error": {"exit_code": int(code), "message": message}}) + "\n"


def write(text: str) -> None:
    """Write a document to stdout, if anything can be written there at all."""
    with suppress(OSError, ValueError):
        sys.stdout.write(text)
        sys.stdout.flush()


def leave(error: BaseException, *, debug: bool) -> NoReturn:
    """End the process as this error demands: one line on stderr, the traceback only where it was asked for.

    Raises:
        SystemExit: always.
    """
    code, message = judged(error)
    if code is ExitCode.NO_READER or not _is_written():
        _silence()
    if debug and code not in {ExitCode.INTERRUPTED, ExitCode.NO_READER}:
        traceback.print_exception(error, file=sys.stderr)
    if message:
        print(told(message, width=_width()), file=sys.stderr)  # noqa: T201 - the command's last word
    raise SystemExit(int(code))


def _width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stderr.isatty() else None


def _of_makegood(error: MakegoodError) -> tuple[ExitCode, str]:
    match error:
        case NotFoundError():
            return ExitCode.REFUSED, f"{error}; `makegood list` shows those that are open"
        case InvalidInput() | ConflictError() | ImpossibleTransition():
            return ExitCode.REFUSED, str(error)
        case _:
            return ExitCode.FAULT, str(error)


def _of_aws(error: BotoCoreError | ClientError) -> str:
    match error:
        case NoCredentialsError() | TokenRetrievalError():
            return f"no AWS credentials: {_LOG_IN}"
        case ProfileNotFound():
            return f"{error}; `aws configure list-profiles` names those there are"
        case NoRegionError():
            return "no AWS region: give --region, or set one in your AWS profile"
        case ConnectionError():
            return f"AWS does not answer: {scrubbed(str(error))}; is the network there, and --region right?"
        case ClientError():
            said = error.response.get("Error", {})
            return f"{error.operation_name}: {said.get('Code', '?')}: {scrubbed(said.get('Message', ''))}"
        case _:
            return f"{type(error).__name__}: {scrubbed(str(error))}; {_LOG_IN}"


def _unforeseen(error: BaseException) -> str:
    if type(error).__module__.startswith("makegood_cli."):
        return str(error)  # the local stack's own errors say what to do
    return f"{error_line(error)}. That was not foreseen; --debug shows where it happened"


def _is_written() -> bool:
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True


def _silence() -> None:
    """Let nothing more be written: the reader is gone, and Python would complain when it flushes at exit."""
    with suppress(OSError, ValueError):  # a stdout that is no file has nobody to complain to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
