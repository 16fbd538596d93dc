"""Does a lent stack tell a container all that it needs: addresses that lead in, the functions' variables, their roles?

No container engine is needed here: a stand-in for its command names a network, and the loopback plays the bridge.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from makegood_cli.app import app
from makegood_cli.exits import ExitCode
from makegood_cli.local import lending
from makegood_cli.local import stack as local_stack
from makegood_cli.local.clients import Clients, Credentials
from makegood_cli.local.crm_client import CrmClient
from makegood_cli.reach import reach
from makegood_cli.stacks import World
from typer.testing import CliRunner

from tests.local import deployed as deployments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from makegood_cli.local.lending import Lent
    from makegood_cli.local.places import Places
    from makegood_cli.local.stack import LocalStack
    from typer.testing import Result

pytestmark = pytest.mark.xdist_group("local lending")  # one stack for all of this file
HERE = {"Subnet": "127.0.0.0/8", "Gateway": "127.0.0.1"}
IN_A_VIRTUAL_MACHINE = {"Subnet": "203.0.113.0/24", "Gateway": "203.0.113.1"}

#: a command for `lend`: it asks who it is, as `sam` does, then as a container would, and ends with 7
LOOK = """
import json, os, sys
from botocore.session import Session
variables = json.load(open(sys.argv[1]))[sys.argv[2]]
here, inside = (
    Session().create_client("sts", endpoint_url=where).get_caller_identity()["Arn"]
    for where in (None, variables["AWS_ENDPOINT_URL"])
)
seen = {"here": here, "inside": inside, "profile": os.environ.get("AWS_PROFILE")}
open(sys.argv[3], "w").write(json.dumps(seen))
sys.exit(7)
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """Bring up the template with stand-ins for its functions."""
    places = deployments.lay_out(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("stack"))
    try:
        local_stack.up(places)
        yield places
    finally:
        local_stack.down(places)


@pytest.fixture
def stack(places: Places) -> LocalStack:
    """Return the stack that is up."""
    return local_stack.current(places)


@pytest.fixture(autouse=True)
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let `docker` name the loopback as the network of containers; return the command's file."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return says(tmp_path / "docker", HERE)


def says(docker: Path, subnet: dict[str, str]) -> Path:
    """Let `docker` name a network."""
    docker.write_text(f"#!/bin/sh\necho '{json.dumps([subnet])}'\n")
    docker.chmod(0o755)
    return docker


def of_role(lent: Lent, function: str) -> Clients:
    """Call the engine as that function's container does."""
    keys = lent.environment_for(["sam", "local", "invoke", function])
    credentials = Credentials(
        access_key=keys["AWS_ACCESS_KEY_ID"],
        secret_key=keys["AWS_SECRET_ACCESS_KEY"],
        session_token=keys["AWS_SESSION_TOKEN"],
    )
    return Clients(endpoint_url=lent.variables[function]["AWS_ENDPOINT_URL"], credentials=credentials)


def test_a_container_gets_the_deployed_variables_with_addresses_that_lead_in(places: Places, stack: LocalStack) -> None:
    with lending.lent(stack, places) as lent:
        assert set(lent.variables) == {"WorkerFunction", "ReconcilerFunction"}
        told = lent.variables["WorkerFunction"]
        assert told["MAKEGOOD_TABLE"] == stack.outputs["TableName"]
        assert told["AWS_ENDPOINT_URL"] not in {stack.endpoint_url, None}
        assert told["MAKEGOOD_QUEUE_HIGH"].startswith(told["AWS_ENDPOINT_URL"] + "/")
        assert told["MAKEGOOD_REMOTE_CRM_URL"] != stack.crm_url
        assert CrmClient(told["MAKEGOOD_REMOTE_CRM_URL"]).is_healthy()
        assert "MAKEGOOD_HALT_CAP" in lent.variables["ReconcilerFunction"]


def test_a_container_may_do_what_its_function_s_role_allows_and_nothing_else(places: Places, stack: LocalStack) -> None:
    with lending.lent(stack, places) as lent:
        table = of_role(lent, "ReconcilerFunction").of("dynamodb")
        key = {"pk": {"S": "nobody"}, "sk": {"S": "operation"}}
        assert "Item" not in table.get_item(TableName=stack.outputs["TableName"], Key=key)
        with pytest.raises(ClientError, match="not authorized to perform: dynamodb:DeleteItem"):
            table.delete_item(TableName=stack.outputs["TableName"], Key=key)


def test_when_it_is_given_back_nobody_gets_in(places: Places, stack: LocalStack) -> None:
    with lending.lent(stack, places) as lent:
        inside = of_role(lent, "WorkerFunction")
    with pytest.raises(EndpointConnectionError):
        inside.of("sts").get_caller_identity()


@pytest.mark.parametrize("command", [["sam", "local", "start-api"], ["WorkerFunction", "ReconcilerFunction"]])
def test_a_command_that_names_no_single_function_gets_the_operator_s_keys(
    places: Places, stack: LocalStack, command: list[str]
) -> None:
    with lending.lent(stack, places) as lent:
        assert lent.environment_for(command)["AWS_ACCESS_KEY_ID"] == stack.clients.credentials.access_key


def test_an_engine_in_a_virtual_machine_is_told_the_name_it_has_for_this_one(
    places: Places, stack: LocalStack, docker: Path
) -> None:
    says(docker, IN_A_VIRTUAL_MACHINE)
    with lending.lent(stack, places) as lent:
        told = lent.variables["WorkerFunction"]
    assert told["AWS_ENDPOINT_URL"] == stack.endpoint_url.replace("127.0.0.1", "host.docker.internal")
    assert told["MAKEGOOD_REMOTE_CRM_URL"] == stack.crm_url.replace("127.0.0.1", "host.docker.internal")


def lend(places: Places, *words: str) -> Result:
    """Type `makegood lend …`."""
    return CliRunner().invoke(app, ["lend", *words], env={"NO_COLOR": "1"}, obj=World(reach=reach, places=places))


@pytest.mark.parametrize("function", ["WorkerFunction", "ReconcilerFunction"])
def test_lend_runs_the_command_under_the_function_s_role_and_ends_as_it_does(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "of-an-account")
    command = (sys.executable, "-c", LOOK, str(places.state / "env.json"), function, str(tmp_path / "seen"))
    result = lend(places, "--", *command)
    assert result.exit_code == 7, result.output
    seen = json.loads((tmp_path / "seen").read_text())
    assert function.replace("Function", "Role") in seen["inside"]
    assert (seen["here"], seen["profile"]) == (seen["inside"], None)


def test_lend_writes_the_variables_where_it_is_told_to(places: Places, tmp_path: Path) -> None:
    assert lend(places, "--env-file", str(tmp_path / "mine.json"), "--", "true").exit_code == ExitCode.FINE
    assert set(json.loads((tmp_path / "mine.json").read_text())) == {"WorkerFunction", "ReconcilerFunction"}


@pytest.mark.parametrize(
    ("command", "subnet", "says_so"),
    [
        ("no-such-command", HERE, "there is no command 'no-such-command'"),
        ("true", {"Subnet": "fd00::/64"}, "the container engine's default network has no IPv4 subnet"),
    ],
)
def test_lend_says_what_is_missing(
    places: Places, docker: Path, command: str, subnet: dict[str, str], says_so: str
) -> None:
    says(docker, subnet)
    result = lend(places, "--", command)
    assert (result.exit_code, says_so in result.stderr) == (ExitCode.FAULT, True), result.stderr


def test_a_stack_that_is_not_up_cannot_be_lent(tmp_path: Path) -> None:
    result = lend(deployments.lay_out(tmp_path / "project", tmp_path / "state"), "--", "true")
    assert (result.exit_code, "makegood up" in result.stderr) == (ExitCode.FAULT, True)
