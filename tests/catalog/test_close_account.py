"""Does the operation type of the README's guide, as it stands there, run and get swept?"""

from __future__ import annotations

import inspect
import textwrap
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from makegood import (
    Absent,
    Capability,
    Found,
    Look,
    RejectedError,
    Remotes,
    TransientError,
    UncertainError,
    Unknown,
)
from makegood.domain.limits import Limits
from makegood.domain.operation import QueueName, Status
from makegood_cli.local.crm_misreadings import misreading

from tests.catalog.asked_account import AskedAccount
from tests.catalog.calling import Remote, attempt_of, claimed
from tests.catalog.close_account import CloseAccount
from tests.catalog.scripted import scripted
from tests.house.docs_reading import ROOT, fenced
from tests.support.deployment import Deployment
from tests.support.rows import T

if TYPE_CHECKING:
    from makegood import Observed, Operation

    from tests.local_crm import LocalCrm

FILE = Path(__file__).with_name("close_account.py")


def house_at(crm: LocalCrm) -> Deployment:
    """Return a Makegood in memory whose one type calls this CRM."""

    class Here(CloseAccount):
        """The same, at the address that a deployment would give."""

        def __init__(self, _: Remotes) -> None:
            super().__init__(Remote(address=crm.url))

    return Deployment(Here)


def test_it_is_what_the_readme_shows_in_under_forty_lines() -> None:
    code = FILE.read_text().split("\n", 1)[1]
    assert code in fenced((ROOT / "README.md").read_text())
    assert len(code.splitlines()) < 40


def test_it_is_safe_in_production_and_on_the_local_stack() -> None:
    assert CloseAccount.policy.client_timeout * CloseAccount.policy.client_tries < timedelta(seconds=3)
    assert CloseAccount.policy.under(Limits()).policy.queue is QueueName.LOW


def promised(house: Deployment, crm: LocalCrm) -> str:
    """Promise to close an account that nobody has used yet; return the operation's id."""
    account = crm.stranger()  # the CRM outlives a test, so the id and with it the key must be new as well
    return house.submitted(f"close-{account}", "close_account", entity=f"account/{account}").operation_id


def test_a_promise_is_performed_and_confirmed(crm: LocalCrm) -> None:
    house = house_at(crm)
    name = promised(house, crm)
    house.delivered()
    assert house.row(name).status is Status.CONFIRMED
    assert crm.client.applications()[house.row(name).idempotency_key] == 1


def test_a_lost_one_is_found_by_the_sweep_and_done_once(crm: LocalCrm) -> None:
    house = house_at(crm)
    name = promised(house, crm)
    house.queue.take()
    house.clock.advance(T)
    assert house.swept().record.anomalies == {"lost_dispatch": 1}
    house.delivered()
    assert house.row(name).status is Status.CONFIRMED
    assert crm.client.applications()[house.row(name).idempotency_key] == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("429 Too Many Requests", TransientError),
        ("422 Unprocessable Content", RejectedError),
        ("409 Conflict", UncertainError),
        ("500 Internal Server Error", UncertainError),
    ],
)
def test_it_says_only_what_is_certain(status: str, error: type[Exception]) -> None:
    answer = f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    with scripted(answer) as remote, pytest.raises(error):
        CloseAccount(Remote(address=remote.url)).perform(attempt_of(claimed("7")))


def looked(crm: LocalCrm, operation: Operation) -> Observed:
    """Look for an account's effect once."""
    look = Look(operation=operation, effect_key=operation.idempotency_key, time_limit=timedelta(seconds=1))
    return AskedAccount(Remote(address=crm.url)).observe(look)


def test_its_observe_is_what_the_readme_shows_and_safe() -> None:
    shown = textwrap.dedent(inspect.getsource(AskedAccount.observe))
    assert shown in fenced((ROOT / "README.md").read_text())
    assert AskedAccount.policy.under(Limits()).policy.capability is Capability.BY_KEY


def test_asked_it_says_found_absent_or_unknown(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger(), entity=f"account/{crm.stranger()}")
    assert isinstance(looked(crm, operation), Absent)
    CloseAccount(Remote(address=crm.url)).perform(attempt_of(operation))
    there = looked(crm, operation)
    assert isinstance(there, Found)
    assert (there.version, there.fields) == (7, {"plan": "gold"})
    crm.client.set_fault(misreading("no collection"))
    assert isinstance(looked(crm, operation), Unknown)
