"""Is a remote's own word believed only where it is signed, fresh, and says what was promised?"""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from makegood import telemetry
from makegood.domain.acknowledging import Received, sign
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import Status
from makegood.domain.operation_type import OperationType
from makegood.domain.outcome import Accepted
from makegood.domain.policy import Capability, Mode, Policy

from tests.case import case
from tests.cases.outside import outside, placed
from tests.cases.scene import lines, metric, submitted
from tests.doors.world import message

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.cases.outside import Outside
    from tests.doors.world import Doors

SECRET = "whsec_of_the_bank"  # noqa: S105 - nobody's
OTHERS = "whsec_of_somebody"
POLICY = Policy(capability=Capability.ACKNOWLEDGEMENT_ONLY, mode=Mode.CONFIRM, version=5)


class Transfer(OperationType):
    """Money that moves later, and of which the bank tells by itself."""

    name = "transfer"
    destination = "the bank"
    policy: ClassVar[Policy] = POLICY
    acknowledged_with = "bank"

    def perform(self, attempt: Attempt) -> Outcome:
        """Be taken, not proven."""
        return Accepted(remote_id=f"t-{attempt.operation.operation_id}")


@pytest.fixture
def world(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> Outside:
    """Return the doors of a deployment to whose secret the bank signs."""
    keeper: Any = quick_doors.table.clients.of("secretsmanager")
    secret = json.dumps({"bank": SECRET})
    monkeypatch.setenv("MAKEGOOD_REMOTE_SECRET_ARN", keeper.create_secret(Name="remotes", SecretString=secret)["ARN"])
    return outside(quick_doors, monkeypatch, Transfer)


def taken(world: Outside) -> Operation:
    """Promise a transfer that the bank has taken."""
    row = submitted(operation_type="transfer", expected_fields={"amount": 10}).operation
    world.doors.work(message(row))
    assert world.row(row).status is Status.AWAITING_CONFIRMATION
    return row


def body(row: Operation, **facts: Any) -> bytes:
    """Write what the bank says of a transfer."""
    usual = {"operation_id": row.operation_id, "version": 7, "fields": {"amount": "10.00"}, "remote_id": "t-1"}
    return json.dumps({**usual, **facts}).encode()


def heard(
    world: Outside, said: bytes, *, secret: str = SECRET, ago: timedelta = timedelta(), signed: bytes | None = None
) -> Received:
    """Take an acknowledgement that was signed so, and count it as its door will."""
    at = (world.doors.clock.now() - int(ago / timedelta(milliseconds=1))) // 1000
    signature = f"t={at},v1={sign(said if signed is None else signed, secret=secret, at=at)}"
    received = world.parts.acknowledge()("transfer", said, signature).received
    telemetry.emit_acknowledgement(received, stack="doors")
    return received


@case("F143")
def test_a_signed_acknowledgement_of_what_was_promised_confirms_and_its_repetition_changes_nothing(
    world: Outside, capsys: pytest.CaptureFixture[str]
) -> None:
    row = taken(world)
    lines(capsys)
    assert heard(world, body(row)) is Received.ACCEPTED
    ended = world.row(row)
    assert (ended.status, ended.remote_id) == (Status.CONFIRMED, "t-1")
    assert ended.verdict is not None
    assert (ended.verdict.kind.value, ended.verdict.asked) == ("correct", "a signed acknowledgement")
    assert (ended.verdict.policy_version, ended.verdict.compared) == (5, ("version", "amount"))
    before = world.doors.bytes()
    assert [heard(world, body(row)) for _ in range(3)] == [Received.NOT_AWAITED] * 3
    assert world.doors.bytes() == before
    said = lines(capsys)
    assert metric(said, "AcknowledgementsAccepted") == [1, 0, 0, 0]
    assert metric(said, "AcknowledgementsRefused") == [0, 1, 1, 1]


Forged = tuple[str, Received, "Callable[[Outside, Operation], Received]"]
HOUR = timedelta(hours=1)
FORGED: tuple[Forged, ...] = (
    ("another's secret", Received.UNSIGNED, lambda world, row: heard(world, body(row), secret=OTHERS)),
    ("no secret", Received.UNSIGNED, lambda world, row: heard(world, body(row), secret="")),
    ("another body", Received.UNSIGNED, lambda world, row: heard(world, body(row), signed=body(row, version=6))),
    ("one space more", Received.UNSIGNED, lambda world, row: heard(world, body(row) + b" ", signed=body(row))),
    ("an hour old", Received.TOO_OLD, lambda world, row: heard(world, body(row), ago=HOUR)),
    ("an hour ahead", Received.TOO_OLD, lambda world, row: heard(world, body(row), ago=-HOUR)),
    ("another version", Received.OTHER, lambda world, row: heard(world, body(row, version=6))),
    ("a newer version", Received.OTHER, lambda world, row: heard(world, body(row, version=8))),
    ("no version", Received.OTHER, lambda world, row: heard(world, body(row, version=None))),
    ("another amount", Received.OTHER, lambda world, row: heard(world, body(row, fields={"amount": 11}))),
    ("no fields", Received.OTHER, lambda world, row: heard(world, body(row, fields={}))),
    ("a version that is a text", Received.MALFORMED, lambda world, row: heard(world, body(row, version="7"))),
    ("nobody's id", Received.UNKNOWN, lambda world, row: heard(world, body(row, operation_id="nobody"))),
    ("no id", Received.MALFORMED, lambda world, row: heard(world, body(row, operation_id=None))),
    ("no JSON", Received.MALFORMED, lambda world, _: heard(world, b"version=7")),
    ("a key twice", Received.MALFORMED, lambda world, row: heard(world, body(row)[:-1] + b', "version": 7}')),
    ("no UTF-8", Received.MALFORMED, lambda world, _: heard(world, b"{\xff}")),
    ("nothing", Received.MALFORMED, lambda world, _: heard(world, b"")),
)


@case("F143")
@pytest.mark.parametrize(("received", "forge"), [each[1:] for each in FORGED], ids=[each[0] for each in FORGED])
def test_what_is_forged_old_or_says_something_else_changes_nothing_and_is_counted(
    world: Outside,
    capsys: pytest.CaptureFixture[str],
    received: Received,
    forge: Callable[[Outside, Operation], Received],
) -> None:
    row = taken(world)
    before = world.doors.bytes()
    lines(capsys)
    assert forge(world, row) is received
    assert world.doors.bytes() == before
    said = lines(capsys)
    assert (metric(said, "AcknowledgementsAccepted"), metric(said, "AcknowledgementsRefused")) == ([0], [1])


@case("F143")
@pytest.mark.parametrize("signature", ["", "t=,v1=", "v1=abc", "t=1e9,v1=00", "t=١٢٣,v1=0", "t=1,v1=ü" * 40, "=,=,="])
def test_a_signature_that_is_none_is_refused(world: Outside, signature: str) -> None:
    row = taken(world)
    before = world.doors.bytes()
    assert world.parts.acknowledge()("transfer", body(row), signature).received is Received.UNSIGNED
    assert world.doors.bytes() == before


@case("F143")
def test_an_acknowledgement_of_one_transfer_confirms_no_other(world: Outside) -> None:
    first, second = taken(world), taken(world)
    assert heard(world, body(first)) is Received.ACCEPTED
    assert world.row(second).status is Status.AWAITING_CONFIRMATION


@case("F143")
def test_an_acknowledgement_that_never_comes_is_waited_for_and_then_a_persons(world: Outside) -> None:
    row = taken(world)
    step = partial(world.later, timedelta(hours=2))
    for _ in range(20):
        if world.row(row).status is not Status.AWAITING_CONFIRMATION:
            break
        step()
        world.doors.sweep()
    ended = world.row(row)
    assert ended.verdict is not None
    assert (ended.status, ended.verdict.kind.value) == (Status.MANUAL_REVIEW, "ambiguous")
    assert world.doors.messages()[1:] == []
    assert heard(world, body(row)) is Received.ACCEPTED, "and one that comes late is still proof"
    assert world.row(row).status is Status.CONFIRMED


@case("F143")
def test_an_acknowledgement_that_overtakes_the_answer_of_its_own_call_changes_nothing_yet(world: Outside) -> None:
    row = submitted(operation_type="transfer", expected_fields={"amount": 10}).operation
    assert heard(world, body(row)) is Received.NOT_AWAITED
    world.doors.table.place(placed(world, Status.PROCESSING, operation_id=row.operation_id, operation_type="transfer"))
    before = world.doors.bytes()
    assert heard(world, body(row, fields={"plan": "gold"})) is Received.TOO_EARLY
    assert world.doors.bytes() == before


@case("F143")
def test_a_type_that_names_no_secret_takes_no_acknowledgements(world: Outside) -> None:
    row = world.promised()
    for name in ("sync", "nobody_knows"):
        with pytest.raises(InvalidInput):
            world.parts.acknowledge()(name, body(row), "t=1,v1=00")
