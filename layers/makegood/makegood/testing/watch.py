"""A team's type with somebody beside it who writes down what it says, and what the double knows to be true."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from makegood.domain.choices import Mode
from makegood.domain.observation import Look
from makegood.domain.operation import Operation
from makegood.domain.operation_type import Attempt, OperationType
from makegood.domain.registry import can_compensate
from makegood.testing.double import Fault, RemoteDouble
from makegood.testing.fuse import Fuse
from makegood.testing.hearing import Heard

ONCE = frozenset(  #: spent by the call they strike
    {Fault.TIME_OUT_AFTER, Fault.TIME_OUT_BEFORE, Fault.APPLY_LATE, Fault.ERROR_AFTER}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a call is about."""

    method: str  #: perform, compensate or observe
    operation: Operation
    key: str


@dataclass(slots=True, kw_only=True)
class Watch:
    """What was said in one trial."""

    remote: RemoteDouble
    fuse: Fuse
    faults: set[Fault] = field(default_factory=set)  #: that are on
    heard: list[Heard] = field(default_factory=list)
    during: Callable[[], object] | None = None  #: happens once, before the next call
    after: Callable[[], object] | None = None  #: happens once, when the next call has come back
    is_baiting: bool = False  #: the type is asked for other fields than those that were promised

    def listen(self, kind: type[OperationType], about: About, call: Callable[[], Any]) -> Any:  # noqa: ANN401 - as it says
        """Make a call of the type's code, and write down what came of it."""
        during, self.during = self.during, None
        if during is not None:
            during()
        before, faults = self.remote.seen(), frozenset(self.faults)
        said = _said_by(call)
        seen = self.remote.seen()
        if seen.calls > before.calls:
            self.faults -= ONCE
        heard = Heard(
            method=about.method,
            operation=about.operation,
            policy=kind.policy,
            key=about.key,
            said=said,
            before=before,
            after=seen,
            faults=faults,
            is_bait=self.is_baiting,
        )
        self.heard.append(heard)
        after, self.after = self.after, None
        if after is not None:
            after()
        if isinstance(said, BaseException):
            raise said
        return said


def watched(kind: type[OperationType], watch: Watch) -> type[OperationType]:
    """Return the type as it is, in mode `correct` (a mode would hide what it does), with a watch beside it."""

    def performing(self: OperationType, attempt: Attempt) -> Any:  # noqa: ANN401 - as it says
        return attempted("perform", self, attempt, kind.perform)

    def compensating(self: OperationType, attempt: Attempt) -> Any:  # noqa: ANN401 - as it says
        return attempted("compensate", self, attempt, kind.compensate)

    def observing(self: OperationType, look: Look) -> Any:  # noqa: ANN401 - as it says
        about = About(method="observe", operation=look.operation, key=look.effect_key)
        return asked(about, lambda: kind.observe(self, look))

    def attempted(method: str, self: OperationType, attempt: Attempt, call: Callable[..., Any]) -> Any:  # noqa: ANN401 - as it says
        about = About(method=method, operation=attempt.operation, key=attempt.idempotency_key)
        return asked(about, lambda: call(self, attempt))

    def asked(about: About, call: Callable[[], Any]) -> Any:  # noqa: ANN401 - as it says
        name = f"the type's {about.method}"
        return watch.fuse.request(name, lambda: watch.listen(kind, about, call), lost=_unheard)

    methods: dict[str, Any] = {"perform": performing, "policy": replace(kind.policy, mode=Mode.CORRECT)}
    if kind.observe is not OperationType.observe:
        methods["observe"] = observing
    if can_compensate(kind):
        methods["compensate"] = compensating
    return type(kind.__name__, (kind,), methods)


def _unheard(_: object) -> Any:  # noqa: ANN401 - it never returns
    raise ConnectionResetError("the connection was lost before the answer came")


def _said_by(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the type says
    """Return what a call returned or raised."""
    try:
        return call()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as the worker and the sweep do
        return error
