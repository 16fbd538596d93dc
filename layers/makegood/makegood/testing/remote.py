"""A remote in memory that can be told every fault: a ready double, or the memory behind a fake of your own protocol.

    put     write an entity's fields at a version, under an idempotency key
    get     what stands, and how often a key was applied to it
    delete  take a version away again, under a key of its own

It answers as an HTTP API would: a status and JSON. A time-out is `TimeoutError`, no connection
`ConnectionRefusedError`.

    200  {"id", "version", "fields"}; from `get` with "applied": how often the key was applied and not taken back
    404  {"code": "not_found"}
    409  {"code": "stale_version" or "not_current", "version": what stands}
    422  {"code": "refused"}
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from makegood.domain import document
from makegood.domain.document import Document
from makegood.domain.operation_type import Remotes
from makegood.domain.promise import Promise
from makegood.testing.double import NO_KEY, Addresses, Fault, Seen

_ONCE = frozenset({Fault.TIME_OUT_AFTER, Fault.TIME_OUT_BEFORE, Fault.APPLY_LATE, Fault.ERROR_AFTER})
_JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the remote answered; its parts are what `makegood.observed` takes."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: _JSON)

    def json(self) -> Document:
        """Read the body as a JSON object.

        Raises:
            InvalidInput: it is none.
        """
        return document.parse(self.body.decode(), what="the body")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stands:
    version: int
    fields: Document


class RemoteInMemory:
    """Applies one key once, and an older version never over a newer one."""

    def __init__(self) -> None:
        self.can = frozenset(Fault)
        self.reset()

    def reset(self) -> Remotes:
        """Forget everything. An operation type in the same process needs no address."""
        self._standing: dict[str, _Stands] = {}
        self._before: dict[str, list[_Stands]] = {}
        self._answers: dict[str, Answer] = {}
        self._effects: Counter[str] = Counter()
        self._applied: Counter[tuple[str, str]] = Counter()  #: by key and entity
        self._calls = 0
        self._faults: list[Fault] = []
        self._late: list[Callable[[], object]] = []
        return Addresses()

    def tell(self, fault: Fault, promise: Promise) -> None:
        """Let one more thing go wrong."""
        if fault is Fault.CHANGED_ELSEWHERE:
            self._stand(promise.entity, promise.expected_version + 1, {"changed": "elsewhere"})
        else:
            self._faults.append(fault)

    def lift(self) -> None:
        """End every fault; what was to be applied late is applied now."""
        self._faults.clear()
        late, self._late = self._late, []
        for call in late:
            call()

    def seen(self) -> Seen:
        """Say what was applied."""
        versions = {entity: stands.version for entity, stands in self._standing.items()}
        return Seen(effects=dict(self._effects), calls=self._calls, versions=versions)

    def put(self, entity: str, *, key: str | None, version: int, fields: Document) -> Answer:
        """Write fields at a version."""
        return self._change(lambda: self._written(entity, key, version, fields))

    def delete(self, entity: str, *, key: str | None, version: int) -> Answer:
        """Take a version away; what stood before it stands again."""
        return self._change(lambda: self._withdrawn(entity, key, version))

    def get(self, entity: str, *, key: str | None = None) -> Answer:
        """Say what stands."""
        self._refuse_connections()
        if Fault.ERRORS_TO_LOOKS in self._faults:
            return _answer(500, code="internal")
        if Fault.PAGES_TO_LOOKS in self._faults:
            return Answer(status=404, body=b"<html><h1>Not found</h1></html>", headers={"content-type": "text/html"})
        stands = self._standing.get(entity)
        if stands is None or Fault.LAG in self._faults:
            return _answer(404, code="not_found")
        applied = self._applied[key or NO_KEY, entity]
        return _answer(200, id=entity, version=stands.version, fields=stands.fields, applied=applied)

    def recognised(self, key: str | None) -> Answer | None:
        """Return the answer that a key got before; `None` if it is new. A remote without keys always says `None`."""
        return self._answers.get(key or NO_KEY)

    def is_stale(self, stands: int, version: int) -> bool:
        """Say whether a version may not be written over the one that stands."""
        return version < stands

    def _change(self, call: Callable[[], Answer]) -> Answer:
        self._refuse_connections()
        self._calls += 1
        fault = next((fault for fault in self._faults if fault in _ONCE), None)
        if fault is not None:
            self._faults.remove(fault)
        if fault is Fault.APPLY_LATE:
            self._late.append(call)
        if fault in (Fault.APPLY_LATE, Fault.TIME_OUT_BEFORE):
            raise TimeoutError("no answer in time")
        if Fault.REFUSE in self._faults:
            return _answer(422, code="refused")
        answer = call()
        if fault is Fault.TIME_OUT_AFTER:
            raise TimeoutError("no answer in time")
        return _answer(502, code="bad_gateway") if fault is Fault.ERROR_AFTER else answer

    def _written(self, entity: str, key: str | None, version: int, fields: Document) -> Answer:
        if (before := self.recognised(key)) is not None:
            return before
        stands = self._standing.get(entity)
        if stands is not None and self.is_stale(stands.version, version):
            return _answer(409, code="stale_version", version=stands.version)
        self._stand(entity, version, fields)
        self._applied[key or NO_KEY, entity] += 1
        return self._remember(key, _answer(200, id=entity, version=version, fields=fields))

    def _withdrawn(self, entity: str, key: str | None, version: int) -> Answer:
        if (before := self.recognised(key)) is not None:
            return before
        stands = self._standing.pop(entity, None)
        if stands is None:
            return _answer(404, code="not_found")
        if stands.version != version:
            self._standing[entity] = stands
            return _answer(409, code="not_current", version=stands.version)
        for applied in [each for each in self._applied if each[1] == entity]:
            del self._applied[applied]
        if self._before.get(entity):
            self._standing[entity] = self._before[entity].pop()
        now = self._standing.get(entity)
        return self._remember(key, _answer(200, id=entity, version=now.version if now else None, withdrawn=version))

    def _stand(self, entity: str, version: int, fields: Document) -> None:
        if entity in self._standing:
            self._before.setdefault(entity, []).append(self._standing[entity])
        self._standing[entity] = _Stands(version=version, fields=fields)

    def _remember(self, key: str | None, answer: Answer) -> Answer:
        self._effects[key or NO_KEY] += 1
        if key:
            self._answers[key] = answer
        return answer

    def _refuse_connections(self) -> None:
        if Fault.DOWN in self._faults:
            raise ConnectionRefusedError("nobody listens")


class ForgetfulRemote(RemoteInMemory):
    """Makes nothing of keys and versions: each call is a new effect, whatever stands. Many real systems are like it."""

    def recognised(self, key: str | None) -> Answer | None:  # noqa: ARG002 - it makes nothing of it
        """Know no key again."""
        return None

    def is_stale(self, stands: int, version: int) -> bool:  # noqa: ARG002 - as above
        """Take any version."""
        return False


def _answer(status: int, **body: object) -> Answer:
    return Answer(status=status, body=document.render(document.accept(body, what="the answer")).encode())
