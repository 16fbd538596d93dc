"""Answers to a read that prove nothing, by name: faults of the kind `misread` that are ready to be switched on."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from makegood_cli.local.crm_faults import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAGE = {"Content-Type": "text/html; charset=utf-8"}
_JSON = {"Content-Type": "application/json"}

MISREADINGS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "error": {"status": 500, "headers": _JSON, "body": '{"code": "internal", "message": "it broke down"}'},
        "throttled": {"status": 429, "headers": {**_JSON, "Retry-After": "5"}, "body": '{"code": "throttled"}'},
        "forbidden": {"status": 403, "headers": _JSON, "body": '{"code": "forbidden"}'},
        "no collection": {"status": 404, "headers": _PAGE, "body": "<html><h1>404</h1>No such page</html>"},
        "gateway": {"status": 404, "headers": _JSON, "body": '{"message": "no Route matched with those values"}'},
        "empty": {"status": 200, "headers": _JSON},
        "page": {"status": 200, "headers": _PAGE, "body": "<html>Please log in</html>"},
        "redirect": {"status": 302, "headers": {"Location": "/login"}},
        "truncated": {"status": 200, "headers": _JSON, "body": '{"id": "452", "version": 7, "fie'},
        "cut off": {"status": 200, "headers": {**_JSON, "Content-Length": "900"}, "body": '{"id": "452"'},
        "list": {"status": 200, "headers": _JSON, "body": "[]"},
        "old copy": {"status": 404, "headers": {**_JSON, "Age": "60"}, "body": '{"code": "unknown_customer"}'},
    }
)


def misreading(name: str, **whom: Any) -> Fault:
    """Return the fault of that name; `whom` takes entity, key, count, probability and seed."""
    return Fault(kind="misread", **MISREADINGS[name], **whom)
