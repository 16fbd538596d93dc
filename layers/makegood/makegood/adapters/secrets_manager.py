"""Credentials of remotes, from Secrets Manager.

One secret holds them all: a JSON object of texts by remote, such as `{"crm": "…"}`. It is asked for through the one
botocore session. Powertools' `parameters` would cache it as well, but importing that imports 72 more modules, boto3's
resource layer among them, at every cold start, and asks through a second session.
"""

import json
from datetime import timedelta
from typing import Any

from makegood.adapters.aws import AwsClients, ask
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant, after
from makegood.domain.outcome import TransientError
from makegood.ports import Clock

KEPT_FOR = timedelta(minutes=5)  #: a rotated secret reaches every worker within this time


class SecretsManagerSecrets:
    """The remotes' credentials, fetched on first use and kept for five minutes."""

    def __init__(self, clients: AwsClients, arn: str | None, clock: Clock) -> None:
        self._clients = clients
        self._arn = arn
        self._clock = clock
        self._kept: dict[str, str] = {}
        self._kept_until: Instant | None = None

    def secret(self, name: str) -> str | None:
        """Return a remote's credential, or `None` where the deployment names no secret. Ask before anything is sent.

        Raises:
            TransientError: it cannot be had now, and why. Nothing was sent, so the attempt certainly had no effect.
        """
        if self._arn is None:
            return None
        now = self._clock.now()
        if self._kept_until is None or now >= self._kept_until:
            self._kept = self._fetch(self._arn)
            self._kept_until = after(now, KEPT_FOR)
        if name not in self._kept:
            raise TransientError(f"secret {self._arn} holds no text for the remote {name!a}; add it to the JSON object")
        return self._kept[name]

    def _fetch(self, arn: str) -> dict[str, str]:
        try:
            answer = ask(self._clients.of("secretsmanager"), "GetSecretValue", SecretId=arn)
        except StoreError as error:
            raise TransientError(f"secret {arn} cannot be read: {error}") from error
        return {name: value for name, value in _object(arn, answer).items() if isinstance(value, str)}


def _object(arn: str, answer: dict[str, Any]) -> dict[str, Any]:
    try:
        read = json.loads(answer.get("SecretString", ""))
    except ValueError:
        read = None  # the text itself must reach no message
    if not isinstance(read, dict):
        raise TransientError(f'secret {arn} is not a JSON object of texts by remote, such as {{"crm": …}}')
    return read
