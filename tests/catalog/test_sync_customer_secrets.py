"""Does a secret, a card number or an e-mail that the CRM repeats stay out of everything that is kept?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood import RejectedError, TransientError
from makegood.domain.operation import Status
from makegood_cli.local.crm_faults import Fault

from tests.case import case
from tests.catalog.calling import claimed, said, settled
from tests.catalog.scripted import scripted

if TYPE_CHECKING:
    from tests.local_crm import LocalCrm

SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"  # noqa: S105 - nobody's
CARD, MAIL = "4111 1111 1111 1111", "jane.doe@example.com"
FORBIDDEN = (SECRET, SECRET[8:], CARD, CARD.replace(" ", ""), "4111", MAIL, "jane.doe", "Bearer sk_")


def assert_clean(*texts: object) -> None:
    """Find nothing of the secrets in what is kept."""
    kept = " ".join(map(repr, texts))
    assert [word for word in FORBIDDEN if word in kept] == []


def test_the_secret_is_sent_as_a_bearer_and_nothing_without_one() -> None:
    with scripted(b"HTTP/1.1 422 No\r\n\r\n") as remote:
        said(remote.url, claimed("452"), credential=SECRET)
        said(remote.url, claimed("452"))
    assert f"Authorization: Bearer {SECRET}\r\n" in remote.request
    assert b"authorization" not in remote.heard[1].lower()


@case("F137")
@pytest.mark.parametrize(
    "message",
    [
        f"card {CARD} of {MAIL} was refused",
        f"Authorization: Bearer {SECRET}; card={CARD.replace(' ', '')}; mail={MAIL}",
        f'{{"authorization": "Bearer {SECRET}", "card": "{CARD}", "mail": "{MAIL}"}}',
        f"{{'Authorization': 'Bearer {SECRET}', 'card': {CARD.replace(' ', '')}}}",
        f"headers: [('Authorization', 'Bearer {SECRET}'), ('To', '{MAIL}')]",
        f"the key {SECRET} is not ours",
        f"authorization=Bearer%20{SECRET}&email={MAIL}",
        f"<{MAIL}> {CARD.replace(' ', '-')} token {SECRET}",
        "x" * 80 + f" {MAIL} {CARD} Bearer {SECRET}",
    ],
)
def test_a_refusal_that_repeats_secrets_leaves_none_of_them(crm: LocalCrm, message: str) -> None:
    crm.client.set_fault(Fault(kind="refuse", message=message, echo=True))
    operation = claimed(crm.stranger())
    what = said(crm.url, operation, credential=SECRET)
    assert isinstance(what, RejectedError)
    landed = settled(operation, what)
    assert landed.status is Status.MANUAL_REVIEW
    assert_clean(landed, landed.last_error, str(what))


@pytest.mark.parametrize("status", [200, 302, 401, 404, 409, 429, 500, 503])
def test_a_page_that_repeats_secrets_leaves_none_of_them_under_any_status(crm: LocalCrm, status: int) -> None:
    page = f"<pre>Authorization: Bearer {SECRET}\n{CARD} {MAIL}</pre>"
    crm.client.set_fault(Fault(kind="garble", status=status, body=page, headers={"X-Echo": f"Bearer {SECRET}"}))
    operation = claimed(crm.stranger())
    what = said(crm.url, operation, credential=SECRET)
    assert_clean(settled(operation, what), str(what))


@pytest.mark.parametrize("credential", [f"{SECRET}\n", f"{SECRET}\r\nX-Evil: 1", f"{SECRET}é"])
def test_a_secret_that_no_header_can_carry_is_not_sent_and_not_repeated(crm: LocalCrm, credential: str) -> None:
    operation = claimed(crm.stranger())
    what = said(crm.url, operation, credential=credential)
    assert isinstance(what, TransientError)
    assert_clean(settled(operation, what), str(what))
    assert crm.client.log(key=operation.idempotency_key) == []


def test_remote_text_cannot_forge_a_line(crm: LocalCrm) -> None:
    crm.client.set_fault(Fault(kind="refuse", message='no\r\n{"level": "INFO"}\u2028\x1b[31m'))
    operation = claimed(crm.stranger())
    landed = settled(operation, said(crm.url, operation))
    assert landed.last_error is not None
    assert landed.last_error.isprintable()
