"""Do people's verbs work on the real local stack, and on the same as a deployed one, where the CRM is asked anew?"""

import json
from pathlib import Path

import pytest
from makegood_cli.exits import ExitCode
from makegood_cli.local import stack as local_stack
from makegood_cli.local.crm_client import CrmClient
from makegood_cli.local.crm_faults import Fault

from tests.cli.keyboard import Keyboard
from tests.local.deployed import eventually

pytestmark = [
    pytest.mark.xdist_group("cli local people"),  # one stack for all of this file
    pytest.mark.timeout(300),  # the first `up` of a checkout installs the layers' packages
]
WHY = ("--reason", "INC-1742", "--yes")
DEPLOYED = ("--stack", "makegood-local", "--region", "eu-west-1")


@pytest.fixture
def crm(keyboard: Keyboard) -> CrmClient:
    """Return the other side of the CRM, which now answers a call no more once it has done it."""
    client = CrmClient(local_stack.current(keyboard.places).crm_url)
    client.set_fault(Fault(kind="hang_after", seconds=3, count=1))
    return client


def promised(keyboard: Keyboard, name: str, operation_type: str, entity: str, fields: str) -> None:
    """Promise an operation whose answer is lost, and wait until nobody knows its outcome."""
    keyboard.json("submit", operation_type, "--entity", entity, "--version", "7", "--fields", fields, "--id", name)
    eventually(lambda: keyboard.json("show", name)["status"] == "awaiting_confirmation")


def swept_to(keyboard: Keyboard, name: str, status: str) -> None:
    """Sweep until an operation stands there."""
    eventually(lambda: keyboard.json("sweep") and keyboard.json("show", name)["status"] == status)


@pytest.mark.usefixtures("crm")
def test_a_charge_that_nobody_can_see_waits_and_is_confirmed_by_a_persons_word(keyboard: Keyboard) -> None:
    promised(keyboard, "charge-1", "charge_invoice", "invoice/1", '{"amount": 10, "currency": "EUR"}')
    swept_to(keyboard, "charge-1", "manual_review")
    (waiting,) = keyboard.json("exceptions", "--type", "charge_invoice")["exceptions"]
    assert (waiting["operation_id"], waiting["verdict"]["kind"]) == ("charge-1", "ambiguous")
    assert waiting["risk"].startswith("high: ")
    assert keyboard.run("decide", "charge-1", "retry", *WHY).exit_code == ExitCode.REFUSED
    saw = ("--evidence", "one charge of 10 EUR in the dashboard", "--remote-id", "ch-1")
    decided = keyboard.json("decide", "charge-1", "confirm", *WHY, *saw)
    assert (decided["to"], decided["by"].startswith("local user ")) == ("confirmed", True)


@pytest.mark.usefixtures("callers")
def test_a_decision_on_a_deployed_stack_asks_the_crm_and_names_the_caller(keyboard: Keyboard, crm: CrmClient) -> None:
    promised(keyboard, "sync-1", "sync_customer", "customer/1", '{"tier": "gold"}')
    crm.change_elsewhere("1", version=8, fields={"tier": "silver"})
    swept_to(keyboard, "sync-1", "manual_review")
    assert "sync-1" in keyboard.run("exceptions", *DEPLOYED).stdout
    refused = keyboard.run("decide", "sync-1", "confirm", *WHY, *DEPLOYED)
    assert (refused.exit_code, "asked just now: divergent" in refused.stderr) == (ExitCode.REFUSED, True)
    decided = keyboard.json("decide", "sync-1", "close", *WHY, *DEPLOYED)
    (kept,) = decided["operation"]["decisions"]
    assert (kept["verdict"], kept["by"][:8]) == ("divergent", "arn:aws:")


@pytest.mark.usefixtures("crm")
def test_a_result_file_confirms_what_it_shows(keyboard: Keyboard, tmp_path: Path) -> None:
    promised(keyboard, "sync-2", "sync_customer", "customer/2", '{"tier": "gold"}')
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps({"operation_id": "sync-2", "version": 7, "fields": {"tier": "gold"}}) + "\n")
    (checked,) = keyboard.json("check-file", "sync_customer", str(path))["checked"]
    assert (checked["verdict"], checked["written"]) == ("correct", True)
    assert keyboard.json("show", "sync-2")["status"] == "confirmed"


def test_what_is_not_wanted_any_more_ends_without_a_call(keyboard: Keyboard) -> None:
    promise = ("submit", "sync_customer", "--entity", "customer/3", "--version", "1", "--not-before", "+20m")
    name = keyboard.json(*promise)["operation"]["operation_id"]
    assert keyboard.json("cancel", name, "--reason", "wanted no more")["ended"] is True


def test_the_scorecard_reads_the_tables_own_decisions_and_what_that_cost(keyboard: Keyboard) -> None:
    card = keyboard.json("scorecard")
    assert card["source"]["operations"] == 2
    assert card["source"]["read_units"] > 0
    assert card["types"]["charge_invoice"]["none_recommended"] == {"confirm": 1}
