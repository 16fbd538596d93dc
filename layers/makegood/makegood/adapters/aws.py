"""How AWS is reached: one botocore session for every service, short time-outs, and errors that name what was asked.

botocore alone, without boto3's resource layer: the doors start faster, and PynamoDB, which only serialises here, needs
no second session (a second one costs some 45 ms of a cold start, a second client on the same one 4 ms).
"""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from botocore import xform_name
from botocore.client import BaseClient
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

from makegood.domain.errors import StoreError
from makegood.domain.scrub import scrubbed

#: Where botocore would look for a profile and for files: nowhere. (configuration file, variables, default, conversion)
_NO_SETTINGS: Mapping[str, tuple[None, None, str | None, None]] = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}
_DENIED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsAccess:
    """Where AWS is and how patiently it is asked. What is `None` is left to botocore (role, environment, profile).

    The default patience bounds one request, with all its tries, to some 12 s; an answer usually takes 5 to 20 ms.
    """

    region: str | None = None
    endpoint_url: str | None = None  #: of an embedded engine, which no profile and no proxy concerns; AWS has its own
    access_key: str | None = None
    secret_key: str | None = None
    session_token: str | None = None
    connect_timeout: timedelta = timedelta(seconds=1)
    read_timeout: timedelta = timedelta(seconds=2)
    tries: int = 3
    connections: int = 10  #: kept open for each service


class AwsClients:
    """Botocore clients, built on first use on one session. They may be shared by threads."""

    def __init__(self, access: AwsAccess | None = None) -> None:
        self._access = access or AwsAccess()
        self._session: Session | None = None
        self._built: dict[str, BaseClient] = {}
        self._lock = threading.Lock()  # a session's loaders are not made for threads

    def of(self, service: str) -> BaseClient:
        """Return the client of a service, such as `dynamodb`."""
        with self._lock:
            if service not in self._built:
                self._built[service] = self._build(service)
            return self._built[service]

    def _build(self, service: str) -> BaseClient:
        access = self._access
        is_engine = access.endpoint_url is not None
        self._session = self._session or Session(session_vars=dict(_NO_SETTINGS) if is_engine else None)
        return self._session.create_client(
            service,
            region_name=access.region,
            endpoint_url=access.endpoint_url,
            aws_access_key_id=access.access_key,
            aws_secret_access_key=access.secret_key,
            aws_session_token=access.session_token,
            config=Config(
                proxies={} if is_engine else None,
                connect_timeout=access.connect_timeout.total_seconds(),
                read_timeout=access.read_timeout.total_seconds(),
                retries={"mode": "standard", "total_max_attempts": access.tries},
                max_pool_connections=access.connections,
            ),
        )


class AwsRefusal(StoreError):
    """A service answered no. `code` is its word for why, `response` all that it said."""

    def __init__(self, message: str, *, code: str, response: Any) -> None:  # noqa: ANN401 - differs by operation
        super().__init__(message)
        self.code = code
        self.response = response


def ask(client: BaseClient, operation: str, **request: Any) -> dict[str, Any]:
    """Send one request, such as `UpdateItem`, and return the answer.

    Raises:
        AwsRefusal: the service answered no; after all tries, if the no may pass.
        StoreError: the service did not answer at all, so that a write may have landed or not.
    """
    try:
        answer: dict[str, Any] = getattr(client, xform_name(operation))(**request)
    except ClientError as error:
        raise _refusal(operation, error) from error
    except BotoCoreError as error:
        raise StoreError(f"{operation}: no answer ({type(error).__name__}: {scrubbed(str(error))})") from error
    return answer


def _refusal(operation: str, error: ClientError) -> AwsRefusal:
    said = error.response.get("Error", {})
    code = said.get("Code", "an error without a code")
    hint = "; grant the caller's role this action" if code in _DENIED else ""
    message = f"{operation}: {code}: {scrubbed(said.get('Message', ''))}{hint}"
    return AwsRefusal(message, code=code, response=error.response)
