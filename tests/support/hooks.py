"""What AWS does and neither moto nor the engine would: refusals, throttles, lost replies, as hooks of botocore."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse

from tests.contract.worlds import hooked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from botocore.client import BaseClient


class Body:
    """The raw part of an answer."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: object) -> Iterator[bytes]:
        """Yield it whole."""
        yield self._content


def refusing(
    client: BaseClient, operation: str, code: str, *, where: Callable[[str], bool] = lambda _: True
) -> AbstractContextManager[None]:
    """Answer no, after all of the SDK's tries, to each request whose body is wanted; nothing of it was done."""

    def handler(params: dict[str, Any], **_: object) -> tuple[AWSResponse, dict[str, Any]] | None:
        if not where(_text(params["body"])):
            return None
        said = {"Error": {"Code": code, "Message": "said no"}, "ResponseMetadata": {"HTTPStatusCode": 400}}
        return AWSResponse(params["url"], 400, {}, None), said  # type: ignore[arg-type]  # any mapping will do

    return hooked(client, f"before-call.{_service(client)}.{operation}", handler)


def throttling(
    client: BaseClient, operation: str, *, where: Callable[[str], bool] = lambda _: True
) -> AbstractContextManager[None]:
    """Turn each wanted request away, and let the SDK try again. Not over moto: it would do what is turned away."""

    def handler(request: Any, **_: object) -> AWSResponse | None:  # noqa: ANN401 - botocore's event
        if not where(_text(request.body)):
            return None
        said = json.dumps({"__type": "com.amazonaws#ThrottlingException", "message": "said no"}).encode()
        headers = {"content-type": "application/x-amz-json-1.0"}
        return AWSResponse(request.url, 400, headers, Body(said))  # type: ignore[arg-type]  # any mapping will do

    return hooked(client, f"before-send.{_service(client)}.{operation}", handler)


def losing_reply(client: BaseClient, operation: str, *, number: int = 1) -> AbstractContextManager[None]:
    """Lose the reply to the n-th request of this operation: it had landed, and the SDK sends it again."""
    seen: list[str] = []

    def handler(**_: Any) -> int | None:
        seen.append(operation)
        return 0 if len(seen) == number else None

    return hooked(client, f"needs-retry.{_service(client)}.{operation}", handler)


def every(number: int) -> Callable[[str], bool]:
    """Want the n-th body, the 2n-th and so on, each as often as it comes."""
    seen: dict[str, int] = {}
    return lambda body: seen.setdefault(body, len(seen) + 1) % number == 0


def _text(body: bytes | str) -> str:
    return body.decode() if isinstance(body, bytes) else body


def _service(client: BaseClient) -> str:
    return str(client.meta.service_model.service_name)
