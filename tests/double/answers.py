"""An HTTP answer as botocore takes it from the network, in the JSON protocol that DynamoDB and SQS speak."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TYPE = {"content-type": "application/x-amz-json-1.0"}


def answered(request: Any, body: Mapping[str, Any], status: int = 200) -> AWSResponse:  # noqa: ANN401 - botocore's own
    """Answer a request."""
    return AWSResponse(request.url, status, HTTPHeaders.from_dict(TYPE), _Body(json.dumps(body).encode()))


class _Body(BytesIO):
    def stream(self, **_: object) -> Iterator[bytes]:
        """Hand the bytes to botocore as urllib3 would."""
        yield self.read()
