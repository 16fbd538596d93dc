"""Where the remotes are: what a deployment does not say keeps an attempt from being made, and leaves no doubt."""

import pytest
from makegood.adapters.aws import AwsClients
from makegood.adapters.secrets_manager import SecretsManagerSecrets
from makegood.adapters.system_clock import SystemClock
from makegood.bootstrap import DeploymentRemotes
from makegood.domain.outcome import TransientError


def remotes(**variables: str) -> DeploymentRemotes:
    return DeploymentRemotes(SecretsManagerSecrets(AwsClients(None), None, SystemClock()), variables)


def test_an_address_that_is_not_deployed_certainly_sent_nothing_and_names_its_variable() -> None:
    with pytest.raises(TransientError, match="MAKEGOOD_REMOTE_PAYMENTS_URL is not set"):
        remotes(MAKEGOOD_REMOTE_PAYMENTS_URL="").url("payments")


def test_an_address_is_the_deployments() -> None:
    assert remotes(MAKEGOOD_REMOTE_CRM_URL="https://crm.example/").url("crm") == "https://crm.example"
