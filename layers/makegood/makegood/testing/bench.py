"""What the fixture gives: a Makegood in memory, operations under way, and assertions that tell why they fail."""

from collections.abc import Mapping
from typing import Any

from makegood.domain.document import accept
from makegood.domain.evidence import Difference
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import Intent, OperationId, Status, idempotency_key_for
from makegood.domain.verdict import compare
from makegood.testing.double import RemoteDouble
from makegood.testing.explaining import evidence_words, told, verdict_words
from makegood.testing.given import Given
from makegood.testing.in_memory import InMemoryMakegood, Which, identify, named


class Bench(InMemoryMakegood):
    """A Makegood in memory with assertions. `given` puts operations into it; `remote` is whose effects are counted."""

    def __init__(self, *, limits: Limits | None = None, sweep_limits: SweepLimits | None = None) -> None:
        super().__init__(limits=limits, sweep_limits=sweep_limits)
        self.given = Given(self)
        self.remote: RemoteDouble | None = None

    def connect(self, remote: RemoteDouble) -> None:
        """Reset a double, let the registered types find it, and count its effects from now on."""
        self.remote = remote
        self.register(remotes=remote.reset())

    def assert_status(self, which: Which, status: Status | str) -> None:
        """Fail unless the operation stands there, such as `confirmed` or `manual_review`."""
        __tracebackhide__ = True
        wanted, row = named(Status, status), self.row(which)
        if row.status is not wanted:
            raise self._failure(which, f"{row.operation_id} is {row.status}; {wanted} was expected")

    def assert_dispatched(self, which: Which) -> None:
        """Fail unless exactly one message that names the operation is queued."""
        __tracebackhide__ = True
        if (count := self._messages(which)) != 1:
            words = "no message names it" if not count else f"{count} messages name it: it would be worked on twice"
            raise self._failure(which, f"{identify(which)} was expected to be dispatched once, and {words}")

    def refute_dispatched(self, which: Which) -> None:
        """Fail if any message that names the operation is queued."""
        __tracebackhide__ = True
        if count := self._messages(which):
            raise self._failure(which, f"{identify(which)} was not to be dispatched, and {count} message(s) name it")

    def assert_effects(self, key: Which, count: int) -> None:
        """Fail unless the double counts so many effects under a key: an idempotency key, or an operation's own."""
        __tracebackhide__ = True
        wanted = self._key(key)
        if self.remote is None:
            raise AssertionError("whose effects? Say `makegood.connect(double)` first: the double counts them")
        seen = self.remote.seen()
        if (found := seen.effects.get(wanted, 0)) != count:
            others = {name or "no key": n for name, n in seen.effects.items() if name != wanted}
            more = f"; under other keys it has {others}" if others else ""
            words = f"{found} effect(s) under key {wanted}; {count} expected, out of {seen.calls} call(s){more}"
            raise self._failure(key, words) if self._is_known(key) else AssertionError(words)

    def assert_evidence(
        self,
        which: Which,
        *,
        version: int | None = None,
        fields: Mapping[str, object] | None = None,
        remote_id: str | None = None,
        verdict: str | None = None,
    ) -> None:
        """Fail unless proof is stored that shows this much. Numbers agree by value; what is not given is not compared.

        `verdict` is the kind of the stored verdict: `correct`, `missing`, `divergent`, `ambiguous`, `not_applicable`.
        """
        __tracebackhide__ = True
        row = self.row(which)
        kind = row.verdict.kind.value if row.verdict else None
        if verdict is not None and kind != verdict:
            raise self._failure(which, f"verdict {verdict} was expected; stored is: {verdict_words(row.verdict)}")
        promised = None if fields is None else accept(fields, what="fields")
        wanted: dict[str, Any] = {"version": version, "remote_id": remote_id, "fields": promised}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        if row.evidence is None and (wanted or verdict is None):
            raise self._failure(which, "evidence was expected, and none is stored: nothing proves the effect")
        shown = {name: getattr(row.evidence, name) for name in wanted}
        if differing := compare(wanted, shown):
            words = "; ".join(map(_difference, differing))
            raise self._failure(
                which, f"other evidence was expected: {words}; stored is: {evidence_words(row.evidence)}"
            )

    def explain(self, which: Which) -> str:
        """Tell an operation in words: where it stands, how it came there, what a sweep would do with it now."""
        row = self.row(which)
        terms = self.registry.terms_of(row.operation_type)
        return told(row, now=self.clock.now(), terms=terms, queued=self.queued())

    def _messages(self, which: Which) -> int:
        return list(self.queued()).count(self.row(which).operation_id)

    def _key(self, key: Which) -> str:
        return idempotency_key_for(OperationId(identify(key)), Intent.EFFECT) if self._is_known(key) else identify(key)

    def _is_known(self, which: Which) -> bool:
        return identify(which) in self.memory.store.rows

    def _failure(self, which: Which, words: str) -> AssertionError:
        return AssertionError(f"{words}\n\n{self.explain(which)}")


def _difference(difference: Difference) -> str:
    return f"{difference.field} {difference.expected} expected, {difference.observed} stored"
