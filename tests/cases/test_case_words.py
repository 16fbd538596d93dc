"""Does text from outside stay text: no forged line, no secret in logs, rows, queues or metrics?"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from makegood import Done, NotApplicable, RejectedError, TransientError, UncertainError
from makegood.domain.errors import InvalidInput

from tests.case import case
from tests.cases.scene import lines, promised, submitted
from tests.doors import types
from tests.doors.world import T, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

FORGED = 'x"\r\n{"level":"CRITICAL","service":"forged","operation_id":"another"}\u2028\u0085'
SECRETS = ("abcdef.123456-XYZ", "4111 1111 1111 1111", "ada@example.org", "hunter2-hunter2")
ECHO = (
    "POST /customers failed: Authorization: Bearer abcdef.123456-XYZ; card=4111 1111 1111 1111; "
    'to ada@example.org; {"password": "hunter2-hunter2"}'
)


def raising(error: BaseException) -> Callable[[Attempt], Outcome]:
    """Raise this, from a cause and with a note that say the same."""

    def perform(_: Attempt) -> Outcome:
        error.add_note(ECHO)
        raise error from ValueError(ECHO)

    return perform


@case("F136")
def test_keys_of_a_payload_and_text_of_a_remote_add_no_line_and_overwrite_no_field(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = {"level": "CRITICAL", "service": "forged", "operation_id": "another", "message": "forged", "timestamp": "1"}
    row = submitted(payload=keys, expected_fields=keys).operation
    types.answer(raising(RejectedError(FORGED)))
    forged = json.dumps({"operation_id": FORGED, "level": "CRITICAL", "service": "forged"})
    quick_doors.work(message(row), forged)
    quick_doors.sweep()
    said = [line for line in lines(capsys) if "_aws" not in line]
    assert {line["operation_id"] for line in said if "operation_id" in line} == {row.operation_id}
    assert {line["level"] for line in said} == {"INFO", "ERROR"}
    assert {line["service"] for line in said} == {"makegood-worker", "makegood-reconciler"}
    assert {line["message"] for line in said} == {"transition", "message", "sweep"}
    assert len(said) == 5, "claim, escalate, its words; the forged message; the sweep"


@case("F136")
@pytest.mark.parametrize("name", ["operation_id", "entity", "operation_type"])
def test_a_name_that_could_begin_a_line_is_refused_and_shown_harmless(quick_doors: Doors, name: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        submitted(**{name: FORGED})
    assert str(raised.value).isascii()
    assert len(str(raised.value).splitlines()) == 1
    assert quick_doors.table.count() == 0


def everything(doors: Doors, capsys: pytest.CaptureFixture[str]) -> str:
    """Return all that anybody could read afterwards: logs, metrics, rows, run records, queues."""
    captured = capsys.readouterr()
    rows = doors.table.client.scan(TableName="operations", ConsistentRead=True)["Items"]
    queued = doors.messages()
    return json.dumps([captured.out, captured.err, rows, queued], ensure_ascii=False)


ENDS: dict[str, Callable[[Attempt], Outcome]] = {
    "rejected": raising(RejectedError(ECHO)),
    "transient": raising(TransientError(ECHO)),
    "uncertain": raising(UncertainError(ECHO)),
    "an error of its own": raising(KeyError(ECHO)),
    "a cancelled task": raising(GeneratorExit(ECHO)),
    "ruled out": lambda _: NotApplicable(reason=ECHO),
    "a summary": lambda attempt: Done(remote_id="r-1", version=attempt.operation.expected_version, summary=ECHO),
    "fields nobody asked for": lambda _: Done(remote_id="r-1", version=7, fields={"echo": ECHO}),
    "no fields": lambda _: Done(remote_id="r-1", version=7, fields=ECHO),
}


@case("F137")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_an_echo_of_credentials_cards_and_addresses_is_found_nowhere(
    quick_doors: Doors,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    end: Callable[[Attempt], Outcome],
) -> None:
    caplog.set_level(logging.DEBUG)  # whatever any library says
    [row] = promised(1)
    types.answer(end)
    quick_doors.work(message(row))
    quick_doors.clock.advance(T)
    quick_doors.sweep()
    quick_doors.sweep()
    kept = everything(quick_doors, capfd) + caplog.text
    assert row.operation_id in kept
    assert [secret for secret in SECRETS if secret in kept] == []


@case("F137")
@pytest.mark.parametrize(
    "body", [ECHO, json.dumps({"operation_id": ECHO}), json.dumps({"payload": ECHO}), f'{{"{ECHO}']
)
def test_a_message_is_never_logged_whole_not_even_when_it_cannot_be_read(
    quick_doors: Doors,
    capfd: pytest.CaptureFixture[str],
    body: Any,  # noqa: ANN401
) -> None:
    assert quick_doors.failed(body) == ["m0"]
    kept = everything(quick_doors, capfd)
    assert '"malformed' in kept.replace("\\", "")
    assert [secret for secret in SECRETS if secret in kept] == []
