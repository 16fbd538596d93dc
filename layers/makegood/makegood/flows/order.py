"""What one sweep is asked to do: an ordinary run, or a person's overrides for this run, in plain JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from makegood.domain import document
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant
from makegood.domain.scrub import one_line

_OVERRIDES = frozenset({"limit", "minutes", "operation_types", "dry_run"})
_OF_A_SCHEDULE = frozenset({"source", "run_id", "scheduled_at"})
_OF_EVENTBRIDGE = frozenset(
    {"version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail", "replay-name"}
)  #: Amazon EventBridge user guide, "Events"
_NAMES = ("run_id", "id", "scheduled_at")  #: what names a tick; the first that is there
_MINUTES_LIMIT = 60 * 24 * 365
NAME_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOrder:
    """What this run is asked to do. The defaults are an ordinary scheduled run."""

    run_id: str
    until: Instant  #: when the run must have ended
    limit: int | None = None  #: lowers the drain rate; never touches the cap
    untouched_for: timedelta | None = None  #: judges staleness by this instead of by `due_at`
    operation_types: frozenset[str] | None = None
    dry_run: bool = False

    @property
    def is_partial(self) -> bool:
        """Say whether this run looks at a part of what is due, or at another part than a scheduled one."""
        return self.operation_types is not None or self.untouched_for is not None


def asked(event: Mapping[str, Any], *, run_id: str, until: Instant) -> SweepOrder:
    """Read an event such as `{"limit": 50, "minutes": 30, "operation_types": ["sync_customer"], "dry_run": true}`.

    EventBridge puts what it was given into an event's `detail`. A run that is started twice by one tick keeps the
    tick's run id.

    Raises:
        InvalidInput: naming the key and what is wanted. A key that is not known is refused, so that a slip such as
        `dryrun` never acts.
    """
    if not isinstance(event, Mapping):
        raise InvalidInput("the event must be a JSON object")
    wanted = _overrides(event)
    minutes = _number(wanted, "minutes", most=_MINUTES_LIMIT)
    return SweepOrder(
        run_id=_name_of_tick(event) or run_id,
        until=until,
        limit=_number(wanted, "limit", most=10**6),
        untouched_for=None if minutes is None else timedelta(minutes=minutes),
        operation_types=_types(wanted),
        dry_run=_flag(wanted, "dry_run"),
    )


def _overrides(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is asked for, wherever it stands."""
    if "detail-type" not in event:
        _check_keys(event, known=_OVERRIDES | _OF_A_SCHEDULE)
        return event
    _check_keys(event, known=_OVERRIDES | _OF_A_SCHEDULE | _OF_EVENTBRIDGE)
    detail = _detail(event)
    _check_keys(detail, known=_OVERRIDES | _OF_A_SCHEDULE)
    if twice := sorted(set(detail) & set(event) & _OVERRIDES):
        raise InvalidInput(f"the event says {', '.join(twice)} twice, in its detail and beside it")
    return {**event, **detail}


def _detail(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event's detail; EventBridge Scheduler writes it as text, `"{}"` where nothing was given."""
    detail = event.get("detail", {})
    if isinstance(detail, str):
        return document.parse(detail or "{}", what="detail")
    if not isinstance(detail, Mapping):
        raise InvalidInput(f"detail is {str(detail)[:40]!a}; a JSON object is wanted")
    return detail


def _check_keys(given: Mapping[str, Any], *, known: frozenset[str]) -> None:
    if unknown := sorted(one_line(str(key), limit=40) for key in set(given) - known):
        raise InvalidInput(
            f"the event has unknown keys: {', '.join(unknown)}; known are: {', '.join(sorted(_OVERRIDES))}"
        )


def _name_of_tick(event: Mapping[str, Any]) -> str | None:
    """Return what names the tick, so that each run it starts bears one name; `None` if nothing does.

    EventBridge Scheduler writes the time of the tick in the place of a keyword; an engine that does not leaves that.
    """
    given = (event[key] for key in _NAMES if isinstance(event.get(key), str))
    names = (one_line(name, limit=NAME_LIMIT) for name in given if not name.startswith("<aws.scheduler."))
    return next(filter(None, names), None)


def _number(event: Mapping[str, Any], key: str, *, most: int) -> int | None:
    value = event.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidInput(f"{key} is {str(value)[:40]!a}; a whole number from 1 to {most} is wanted")
    return value


def _types(event: Mapping[str, Any]) -> frozenset[str] | None:
    value = event.get("operation_types")
    if value is None:
        return None
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise InvalidInput(f"operation_types is {str(value)[:40]!a}; a list of names is wanted")
    return frozenset(value)


def _flag(event: Mapping[str, Any], key: str) -> bool:
    value = event.get(key, False)
    if not isinstance(value, bool):
        raise InvalidInput(f"{key} is {str(value)[:40]!a}; true or false is wanted")
    return value
