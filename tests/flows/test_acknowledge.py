"""Does a remote's acknowledgement change anything only if every word of it holds?"""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from makegood.domain.acknowledging import BODY_LIMIT, TOLERANCE, Received, sign
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import Intent, Status
from makegood.domain.operation_type import OperationType
from makegood.domain.policy import Capability, Mode, Step
from makegood.domain.reason import Reason
from makegood.flows.acknowledge import Acknowledge, Acknowledged

from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment
from tests.support.faults import InterruptedStore
from tests.support.remote import Nowhere, Remote, calling
from tests.support.rows import MINUTE, NOW, SETTLED, ago, operation

A, M = Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW
SECRET = "hush"  # noqa: S105
ONLY: dict[str, Any] = {"capability": Capability.ACKNOWLEDGEMENT_ONLY, "mode": Mode.CONFIRM}
TOLD: dict[str, Any] = {"operation_id": "op-1", "version": 7, "fields": {"plan": "gold"}, "remote_id": "crm-9"}


def acknowledged_by(type_: type[OperationType]) -> type[OperationType]:
    type_.acknowledged_with = "crm"
    return type_


class Keeping(Nowhere):
    """Remotes that keep one secret."""

    def secret(self, name: str) -> str | None:
        """Tell it."""
        return SECRET if name == "crm" else None


def standing(status: Status = A, *, policy: Mapping[str, Any] = ONLY, **facts: Any) -> Deployment:
    remote = Remote()
    house = Deployment(acknowledged_by(calling(remote, **policy)), calling(remote, "other", **CORRECT))
    house.registry._remotes = Keeping()
    house.store.rows["op-1"] = operation(status, **{"attempt_ended_at": ago(SETTLED), **facts})
    return house


def flow(house: Deployment, **more: Any) -> Acknowledge:
    parts = {"store": house.store, "clock": house.clock, "entropy": house.entropy, "registry": house.registry}
    return Acknowledge(**{**parts, **more})


def body(**said: Any) -> bytes:
    return json.dumps({**TOLD, **said}).encode()


def signed(what: bytes, *, at: int = NOW // 1000, secret: str = SECRET) -> str:
    return f"t={at},v1={sign(what, secret=secret, at=at)}"


def told(house: Deployment, what: bytes, signature: str | None = None, name: str = "sync") -> Acknowledged:
    return flow(house)(name, what, signed(what) if signature is None else signature)


def test_an_acknowledgement_that_holds_confirms_with_its_evidence() -> None:
    house = standing()
    done = told(house, body())
    row = house.row()
    assert (done.received, row.status, row.remote_id) == (Received.ACCEPTED, Status.CONFIRMED, "crm-9")
    assert row.verdict is not None
    assert (row.verdict.asked, row.verdict.at) == ("a signed acknowledgement", NOW)
    assert done.move is not None
    assert done.move.reason == Reason.ACKNOWLEDGED


FORGED = signed(body(), secret="guess")  # noqa: S106
OLD = NOW // 1000 - TOLERANCE.seconds - 1
SIGNATURES: Mapping[str, tuple[str, Received]] = {
    "none": ("", Received.UNSIGNED),
    "another secret's": (FORGED, Received.UNSIGNED),
    "of another body": (signed(body(version=8)), Received.UNSIGNED),
    "without a time": (f"v1={sign(body(), secret=SECRET, at=NOW // 1000)}", Received.UNSIGNED),
    "with a time that was not signed": (signed(body()).replace("t=1", "t=2"), Received.UNSIGNED),
    "with a time in other digits": (signed(body()).replace("t=1", "t=\u0661"), Received.UNSIGNED),
    "not ASCII": (f"t={NOW // 1000},v1=\u00e9", Received.UNSIGNED),
    "no text at all": (f"t={NOW // 1000},v1=\ud800", Received.UNSIGNED),
    "very long": (f"t={NOW // 1000},v1=" + "0" * 10**6, Received.UNSIGNED),
    "from before": (signed(body(), at=OLD), Received.TOO_OLD),
    "from the future": (signed(body(), at=NOW // 1000 + TOLERANCE.seconds + 1), Received.TOO_OLD),
    "from the far future": (signed(body(), at=10**12 - 1), Received.TOO_OLD),
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_signature_that_does_not_hold_changes_nothing(signature: str) -> None:
    given, received = SIGNATURES[signature]
    house = standing()
    before = house.picture()
    assert (told(house, body(), given).received, house.picture()) == (received, before)


@pytest.mark.parametrize("at", [OLD + 1, NOW // 1000 + TOLERANCE.seconds])
def test_clocks_may_differ_by_a_little(at: int) -> None:
    assert told(standing(), body(), signed(body(), at=at)).received is Received.ACCEPTED


BODIES: Mapping[str, tuple[bytes, Received]] = {
    "nothing": (b"", Received.MALFORMED),
    "no JSON": (b"plan=gold", Received.MALFORMED),
    "no object": (b"[1]", Received.MALFORMED),
    "no UTF-8": (b"\xff", Received.MALFORMED),
    "very deep": (b'{"a":' * 5000 + b"1" + b"}" * 5000, Received.MALFORMED),
    "a key twice": (b'{"operation_id": "op-1", "operation_id": "op-2"}', Received.MALFORMED),
    "no id": (body(operation_id=None), Received.MALFORMED),
    "an id that is none": (body(operation_id="op 1"), Received.MALFORMED),
    "a version that is none": (body(version="7"), Received.MALFORMED),
    "fields that are none": (body(fields=[1]), Received.MALFORMED),
    "no fields": (body(fields=None), Received.MALFORMED),
    "more than is read": (b" " * BODY_LIMIT + body(), Received.UNSIGNED),
    "an operation nobody knows": (body(operation_id="op-9"), Received.UNKNOWN),
    "another version": (body(version=8), Received.OTHER),
    "no version": (body(version=None), Received.OTHER),
    "other fields": (body(fields={"plan": "free"}), Received.OTHER),
    "fewer fields": (body(fields={}), Received.OTHER),
}


@pytest.mark.parametrize("what", BODIES)
def test_a_body_that_does_not_hold_changes_nothing_though_it_is_signed(what: str) -> None:
    said, received = BODIES[what]
    house = standing()
    before = house.picture()
    assert (told(house, said).received, house.picture()) == (received, before)


def test_another_types_operation_is_not_known_under_this_one() -> None:
    house = standing(operation_type="other")
    assert told(house, body()).received is Received.UNKNOWN
    with pytest.raises(InvalidInput, match="takes no acknowledgements"):
        told(house, body(), name="other")
    with pytest.raises(InvalidInput, match="is not known here"):
        told(house, body(), name="gone")


STANDS: Mapping[str, tuple[Status, Mapping[str, Any], Mapping[str, Any], Received, Status]] = {
    "pending": (Status.PENDING, {}, ONLY, Received.NOT_AWAITED, Status.PENDING),
    "claimed": (Status.PROCESSING, {}, ONLY, Received.TOO_EARLY, Status.PROCESSING),
    "to be tried again": (Status.RETRY_SCHEDULED, {}, ONLY, Received.NOT_AWAITED, Status.RETRY_SCHEDULED),
    "confirmed": (Status.CONFIRMED, {}, ONLY, Received.NOT_AWAITED, Status.CONFIRMED),
    "undone": (Status.COMPENSATED, {}, ONLY, Received.NOT_AWAITED, Status.COMPENSATED),
    "closed": (Status.NOT_APPLICABLE, {}, ONLY, Received.NOT_AWAITED, Status.NOT_APPLICABLE),
    "in review": (M, {}, ONLY, Received.ACCEPTED, Status.CONFIRMED),
    "in review, its type only observing": (M, {}, {**ONLY, "mode": Mode.OBSERVE}, Received.WITHHELD, M),
    "its type only observing": (A, {}, {**ONLY, "mode": Mode.OBSERVE}, Received.WITHHELD, M),
    "its proof left to a person": (A, {}, {**ONLY, "on_correct": Step.REVIEW}, Received.WITHHELD, M),
    "being undone": (A, {"intent": Intent.COMPENSATION}, ONLY, Received.NOT_AWAITED, A),
    "cancelled": (A, {"cancel_reason": "no more"}, ONLY, Received.WITHHELD, M),
    "cancelled, in review": (M, {"cancel_reason": "no more"}, ONLY, Received.WITHHELD, M),
    "cancelled, to be undone": (
        A,
        {"cancel_reason": "no more"},
        {**CORRECT, "on_cancelled": Step.COMPENSATE},
        Received.WITHHELD,
        A,
    ),
}


@pytest.mark.parametrize("stand", STANDS)
def test_only_what_is_awaited_is_confirmed_and_only_by_its_mode_and_policy(stand: str) -> None:
    status, facts, policy, received, after = STANDS[stand]
    house = standing(status, policy=policy, **facts)
    before = house.picture()
    done = told(house, body())
    assert (done.received, house.row().status) == (received, after)
    if status is after:
        assert (house.picture(), done.move) == (before, None)


def test_a_replay_meets_an_operation_that_has_moved_on() -> None:
    house = standing()
    signature = signed(body())
    assert told(house, body(), signature).received is Received.ACCEPTED
    before = house.picture()
    house.clock.advance(MINUTE)
    assert (told(house, body(), signature).received, house.picture()) == (Received.NOT_AWAITED, before)


def test_a_row_that_moves_meanwhile_is_left_as_it_is() -> None:
    house = standing()
    store = InterruptedStore(house.store, lambda: house.change("op-1", cancel_reason="no more"))
    done = flow(house, store=store)("sync", body(), signed(body()))
    assert (done.received, house.row().status) == (Received.NOT_AWAITED, A)
