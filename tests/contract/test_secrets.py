"""Are credentials fetched once and kept for five minutes, and is their absence certain to have had no effect?"""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters.memory import ManualClock
from makegood.adapters.secrets_manager import SecretsManagerSecrets
from makegood.domain.outcome import TransientError

from tests.contract.worlds import hooked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

PLACEHOLDER = "not-a-real-key"


@pytest.fixture
def fetched(engine_clients: AwsClients) -> Iterator[Counter[str]]:
    """Count what Secrets Manager is asked."""
    counted: Counter[str] = Counter()
    client = engine_clients.of("secretsmanager")
    with hooked(client, "before-call.secretsmanager", lambda model, **_: counted.update([model.name])):
        yield counted


def keep(clients: AwsClients, text: str) -> str:
    """Create the secret and return its ARN."""
    client: Any = clients.of("secretsmanager")
    arn: str = client.create_secret(Name="remotes", SecretString=text)["ARN"]
    return arn


def test_a_deployment_without_a_secret_has_no_credentials(engine_clients: AwsClients) -> None:
    assert SecretsManagerSecrets(engine_clients, None, ManualClock()).secret("crm") is None


def test_a_credential_is_fetched_on_first_use_and_kept(engine_clients: AwsClients, fetched: Counter[str]) -> None:
    arn = keep(engine_clients, json.dumps({"crm": PLACEHOLDER, "payments": "other"}))
    secrets = SecretsManagerSecrets(engine_clients, arn, ManualClock())
    assert fetched["GetSecretValue"] == 0
    assert [secrets.secret("crm"), secrets.secret("crm"), secrets.secret("payments")] == [PLACEHOLDER] * 2 + ["other"]
    assert fetched["GetSecretValue"] == 1


def test_a_rotated_credential_arrives_within_five_minutes(engine_clients: AwsClients) -> None:
    clock = ManualClock()
    arn = keep(engine_clients, json.dumps({"crm": "old"}))
    secrets = SecretsManagerSecrets(engine_clients, arn, clock)
    secrets.secret("crm")
    client: Any = engine_clients.of("secretsmanager")
    client.put_secret_value(SecretId=arn, SecretString=json.dumps({"crm": "new"}))
    clock.advance(timedelta(minutes=5) - timedelta(milliseconds=1))
    assert secrets.secret("crm") == "old"
    clock.advance(timedelta(milliseconds=1))
    assert secrets.secret("crm") == "new"


NO_OBJECTS = [PLACEHOLDER, f'["{PLACEHOLDER}"]', f'{{"crm":"{PLACEHOLDER}"', f'"{PLACEHOLDER}"']


@pytest.mark.parametrize("text", NO_OBJECTS)
def test_a_secret_that_is_no_json_object_is_named_and_not_shown(engine_clients: AwsClients, text: str) -> None:
    arn = keep(engine_clients, text)
    with pytest.raises(TransientError, match="is not a JSON object") as raised:
        SecretsManagerSecrets(engine_clients, arn, ManualClock()).secret("crm")
    assert PLACEHOLDER not in str(raised.value)
    assert raised.value.__context__ is None


@pytest.mark.parametrize("held", [{}, {"payments": PLACEHOLDER}, {"crm": {"key": PLACEHOLDER}}, {"crm": None}])
def test_a_credential_that_is_not_in_it_is_named_and_no_other_shown(
    engine_clients: AwsClients, held: dict[str, Any]
) -> None:
    arn = keep(engine_clients, json.dumps(held))
    with pytest.raises(TransientError, match="no text for the remote 'crm'") as raised:
        SecretsManagerSecrets(engine_clients, arn, ManualClock()).secret("crm")
    assert PLACEHOLDER not in str(raised.value)


def test_a_secret_that_is_not_there_is_named_with_the_service_s_word(engine_clients: AwsClients) -> None:
    secrets = SecretsManagerSecrets(engine_clients, "arn:aws:secretsmanager:eu-west-1:1:secret:gone", ManualClock())
    with pytest.raises(TransientError, match="GetSecretValue: ResourceNotFoundException"):
        secrets.secret("crm")


def test_a_failure_is_not_kept(engine_clients: AwsClients) -> None:
    secrets = SecretsManagerSecrets(engine_clients, "remotes", ManualClock())
    with pytest.raises(TransientError):
        secrets.secret("crm")
    keep(engine_clients, json.dumps({"crm": PLACEHOLDER}))
    assert secrets.secret("crm") == PLACEHOLDER
