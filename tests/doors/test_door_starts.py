"""Does a door start light: in an empty environment, without what it does not need, and with one session for all?"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from catalog import SyncCustomer
from makegood.adapters.dynamodb_rows import item_of
from makegood.adapters.system_clock import SystemClock
from makegood.domain import promise as promises
from makegood.domain.instant import after
from makegood.domain.limits import Limits
from makegood.domain.promise import Promise

from tests.doors.world import ROOT

if TYPE_CHECKING:
    from tests.local_engine import LocalEngine

DOORS = {"worker": "sqs_good", "reconciler": "schedule"}
NAMED = "sync_customer:452:7"  #: by the batch of `events/`
UNWANTED = {"boto3", "aws_xray_sdk", "pydantic"}

IMPORT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import app
print(json.dumps(sorted(sys.modules)))
"""

#: handles one event, and counts the sessions and clients that are made for it
HANDLE = """
import json, sys
from botocore.session import Session
made = {"sessions": 0, "clients": []}
start, create = Session.__init__, Session.create_client
def started(self, *args, **named):
    made["sessions"] += 1
    start(self, *args, **named)
def created(self, service, *args, **named):
    made["clients"].append(service)
    return create(self, service, *args, **named)
Session.__init__, Session.create_client = started, created
class Context:
    aws_request_id, function_name = "11111111-2222-3333-4444-555555555555", "makegood"
    def get_remaining_time_in_millis(self):
        return 60_000
sys.path.insert(0, sys.argv[1])
import app
at_import = made["sessions"]
app.handler(json.load(open(sys.argv[2])), Context())
print(json.dumps({**made, "at_import": at_import}))
"""


def run(text: str, *arguments: str, environment: dict[str, str]) -> Any:  # noqa: ANN401 - JSON of any shape
    """Run a text in a new process that has this environment and no other; return the last line that it printed."""
    command = [sys.executable, "-I", "-c", text, *arguments]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize("door", DOORS)
def test_a_door_is_imported_in_an_empty_environment_and_loads_nothing_heavy(door: str) -> None:
    loaded = run(IMPORT, str(ROOT / "functions" / door), environment={})
    packages = {module.partition(".")[0] for module in loaded}
    assert {"makegood", "botocore"} <= packages
    assert not packages & UNWANTED


@pytest.mark.xdist_group("engine")
@pytest.mark.parametrize("door", DOORS)
def test_an_event_is_handled_with_one_session_made_when_it_is_needed(engine: LocalEngine, door: str) -> None:
    ids = engine.deploy_data()
    lose(engine, ids["OperationsTable"])
    event = ROOT / "events" / f"{DOORS[door]}.json"
    made = run(HANDLE, str(ROOT / "functions" / door), str(event), environment=environment(engine, ids))
    assert (made["at_import"], made["sessions"]) == (0, 1)
    assert sorted(made["clients"]) == ["dynamodb", "sqs"], "both services were needed, for a retry and for a dispatch"


def lose(engine: LocalEngine, table: str) -> None:
    """Write a promise made an hour ago whose message never came."""
    promise = Promise(operation_type="sync_customer", entity="customer/452", expected_version=7, operation_id=NAMED)
    an_hour_ago = after(SystemClock().now(), -timedelta(hours=1))
    row = promises.submit(promise, now=an_hour_ago, write_id="w", terms=SyncCustomer.policy.under(Limits()))
    engine.clients.of("dynamodb").put_item(TableName=table, Item=item_of(row))


def environment(engine: LocalEngine, ids: dict[str, str]) -> dict[str, str]:
    """Return what Lambda would tell the function; nobody listens where the CRM should be."""
    return {
        "AWS_ENDPOINT_URL": engine.endpoint_url,
        "AWS_DEFAULT_REGION": engine.region,
        "AWS_ACCESS_KEY_ID": engine.credentials.access_key,
        "AWS_SECRET_ACCESS_KEY": engine.credentials.secret_key,
        "MAKEGOOD_STACK": "starts",
        "MAKEGOOD_TABLE": ids["OperationsTable"],
        "MAKEGOOD_REMOTE_CRM_URL": "http://127.0.0.1:9",
        **{f"MAKEGOOD_QUEUE_{name.upper()}": ids[f"Queue{name}"] for name in ("High", "Default", "Low")},
    }
