"""Do values that differ leave a difference that helps, and no secret?"""

from typing import Any

import pytest
from makegood.domain.history import Role
from makegood.domain.judge import Judged, judge
from makegood.domain.observation import Found
from makegood.domain.operation import Status
from makegood.domain.outcome import Done
from makegood.domain.settle import settle
from makegood.domain.verdict import UNSEEN, compare

from tests.support.rows import NOW, hand, operation, terms

HUSH = "hunter2-Zq81"
SECRETS: dict[str, tuple[str, Any, Any]] = {
    "a token by its name": ("token", "old", HUSH),
    "a password by its name": ("dbPassword", "old", HUSH),
    "a code of a card by its name": ("cvc", 123, HUSH),
    "keys by their name": ("api_keys", ["old"], [HUSH]),
    "a number by its name": ("access_token", 1, [HUSH, 2]),
    "a credential within": ("login", {"user": "bob", "secret": "old"}, {"user": "eve", "secret": HUSH}),
    "a header within": ("call", {"Authorization": "none"}, {"Authorization": f"Bearer {HUSH}"}),
    "a bearer by its shape": ("call", "none", f"Bearer {HUSH}"),
    "an address with a password": ("url", "https://a.example", f"https://bob:{HUSH}@a.example"),
    "a private key": ("pem", "none", f"-----BEGIN RSA PRIVATE KEY-----\n{HUSH}"),
}


def kept(field: str, wanted: Any, found: Any) -> str:  # noqa: ANN401 - any JSON
    """Return all that a verdict, its evidence and a worker's settling keep of one field."""
    row = operation(Status.AWAITING_CONFIRMATION, expected_fields={field: wanted})
    judged = judge(row, Found(version=7, fields={field: found}), now=NOW, terms=terms())
    assert isinstance(judged, Judged)
    assert judged.verdict.kind == "divergent"
    claimed = operation(Status.PROCESSING, expected_fields={field: wanted})
    done = Done(remote_id="crm-9", version=7, fields={field: found})
    settled = settle(claimed, done, hand(Role.WORKER), fraction=0.5)
    assert settled.status is Status.AWAITING_CONFIRMATION
    return f"{judged.verdict} {judged.evidence} {settled.verdict} {settled.evidence}"


@pytest.mark.parametrize("what", SECRETS)
def test_no_secret_stays_of_a_value_that_differs_whichever_side_has_it(what: str) -> None:
    field, other, secret = SECRETS[what]
    assert HUSH not in kept(field, other, secret)
    (difference,) = compare({field: secret}, {field: other})
    assert HUSH not in difference.expected
    (difference,) = compare({field: secret}, {})
    assert HUSH not in difference.expected


@pytest.mark.parametrize(
    "personal", ["jane.doe@example.com", "4111111111111111", 4111111111111111, "4111 1111 1111 1111"]
)
def test_no_address_and_no_card_stays_of_a_value_that_differs(personal: Any) -> None:  # noqa: ANN401 - any JSON
    said = kept("contact", "none", personal)
    assert "jane" not in said
    assert "4111" not in said


def test_values_that_look_the_same_once_masked_or_cut_are_said_to_differ() -> None:
    long = "x" * 200
    for wanted, found in (("a@example.com", "b@example.com"), (f"{long}a", f"{long}b")):
        (difference,) = compare({"contact": wanted}, {"contact": found})
        assert difference.observed is not None
        assert difference.observed.endswith(UNSEEN)
        assert len(difference.observed) <= 120


def test_what_is_no_secret_is_shown_as_it_is() -> None:
    for wanted, found in (("gold", "silver"), (10, 11), ({"a": [1]}, {"a": [2, None]}), ("tokens", "secretary")):
        (difference,) = compare({"plan": wanted}, {"plan": found})
        assert "***" not in f"{difference.expected} {difference.observed}"
        assert UNSEEN not in (difference.observed or "")


def test_what_differs_never_comes_to_look_as_expected_by_being_masked_or_cut() -> None:
    for wanted, found in (
        ('"***@***"', "jane@example.com"),
        ("***", 4111111111111111),
        ('"' + "x" * 254 + "…", "x" * 400),
    ):
        row = operation(Status.AWAITING_CONFIRMATION, expected_fields={"contact": wanted})
        judged = judge(row, Found(version=7, fields={"contact": found}), now=NOW, terms=terms())
        assert isinstance(judged, Judged)
        assert judged.evidence is not None
        assert dict(judged.evidence.fields) == {}
