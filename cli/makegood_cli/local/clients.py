"""Clients of the engine's services, deaf to the AWS settings of the person at the keyboard."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.session import Session

from makegood_cli.local import engine

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Where botocore would look for a profile and for files: nowhere. (configuration file, variables, default, conversion)
_NO_SETTINGS: Mapping[str, tuple[None, None, str | None, None]] = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """A key that the engine knows."""

    access_key: str
    secret_key: str
    session_token: str | None = None


OPERATOR = Credentials(access_key=engine.ACCESS_KEY, secret_key=engine.SECRET_KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """Botocore clients bound to one engine, each built on first use."""

    endpoint_url: str
    region: str = engine.REGION
    credentials: Credentials = OPERATOR
    _built: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    _session: Session = field(
        default_factory=lambda: Session(session_vars=dict(_NO_SETTINGS)), repr=False, compare=False
    )

    def of(self, service: str) -> Any:  # noqa: ANN401 - botocore builds its classes at run time
        """Return the client of that service, such as `dynamodb`."""
        if service not in self._built:
            self._built[service] = self._build(service)
        return self._built[service]

    def _build(self, service: str) -> Any:  # noqa: ANN401
        return self._session.create_client(
            service,
            region_name=self.region,
            endpoint_url=self.endpoint_url,
            aws_access_key_id=self.credentials.access_key,
            aws_secret_access_key=self.credentials.secret_key,
            aws_session_token=self.credentials.session_token,
            config=Config(
                proxies={},  # a proxy knows nothing of our loopback
                connect_timeout=5,
                read_timeout=90,  # an invocation lasts up to the function's time-out
                retries={"mode": "standard", "max_attempts": 3},
                max_pool_connections=32,
            ),
        )
