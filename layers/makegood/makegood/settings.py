"""What each door is told by its environment: one frozen class per door, and the only reader of the environment.

A missing or impossible value fails at start-up, by the variable's name, with what to do. Units become `timedelta`
here and nowhere else.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar
from urllib.parse import urlsplit

from makegood.domain.errors import SettingsError
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import QueueName

T = TypeVar("T")

PREFIX = "MAKEGOOD_"
_DIGITS = 9  #: some 31 years in seconds


class _Reader:
    """Reads variables by name and gathers every complaint, so that a person mends them all at once."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.problems: list[str] = []
        self.asked: dict[str, bool] = {}  #: by name: whether it is required

    def text(self, name: str) -> str:
        """Read a required text."""
        self.asked[PREFIX + name] = True
        value = self._environment.get(PREFIX + name, "").strip()
        if not value:
            self.problems.append(f"{PREFIX}{name} is not set")
        return value

    def optional(self, name: str, default: str) -> str:
        """Read a text that may be missing."""
        self.asked[PREFIX + name] = False
        return self._environment.get(PREFIX + name, "").strip() or default

    def one_of(self, name: str, words: Sequence[str]) -> str:
        """Read one of a few words; the first is the default."""
        value = self.optional(name, words[0])
        if value not in words:
            self.problems.append(f"{PREFIX}{name} is {value[:40]!a}; one of {', '.join(words)} is wanted")
        return value

    def url(self, name: str) -> str:
        """Read a required address."""
        value = self.text(name)
        if value and not _is_address(value):
            self.problems.append(f"{PREFIX}{name} is {value!a}; an http(s) address is wanted")
        return value

    def number(self, name: str, default: int) -> int:
        """Read a whole number that is not negative, of at most nine digits."""
        value = self.optional(name, str(default))
        if not (value.isascii() and value.isdigit()) or len(value) > _DIGITS:
            self.problems.append(
                f"{PREFIX}{name} is {value[:40]!a}; a whole number is wanted, of at most {_DIGITS} digits"
            )
            return default
        return int(value)

    def seconds(self, name: str, default: timedelta) -> timedelta:
        """Read a duration given in whole seconds."""
        return timedelta(seconds=self.number(f"{name}_SECONDS", int(default.total_seconds())))

    def finish(self) -> None:
        """Raise what was found wrong, all of it."""
        if self.problems:
            raise SettingsError(
                "; ".join(self.problems)
                + ". Set it in template.yaml, or for `sam local invoke` in the file given with --env-vars"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSettings:
    """Where the stack's parts are, and the numbers that both doors share."""

    stack: str  #: the stack's name; every metric carries it
    table: str
    queues: Mapping[QueueName, str]  #: URLs
    limits: Limits
    catalog: str  #: the module that lists the operation types
    remote_secret_arn: str | None

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> "StackSettings":
        """Read and check the worker's settings.

        Raises:
            SettingsError: naming every variable that is missing or impossible, and every pair of clocks that disagree.
        """
        return _read(_stack_settings, environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSettings:
    """What the reconciler is told."""

    shared: StackSettings
    sweep: SweepLimits
    only_watching: bool = False  #: sweeps write nothing to operations and send nothing

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> "SweepSettings":
        """Read and check the reconciler's settings; raises as `StackSettings.read`."""
        return _read(_sweep_settings, environment)


WorkerSettings = StackSettings
ReconcilerSettings = SweepSettings


def remote_url(name: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the address of a remote, such as "crm" (MAKEGOOD_REMOTE_CRM_URL).

    Raises:
        SettingsError: naming the variable.
    """
    reader = _Reader(os.environ if environment is None else environment)
    url = reader.url(f"REMOTE_{name.upper()}_URL")
    reader.finish()
    return url.rstrip("/")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def variables(cls: type[StackSettings] | type[SweepSettings]) -> Mapping[str, bool]:
    """Name every variable that a door's settings read, and say for each whether it is required."""
    reader = _Reader({})
    (_sweep_settings if cls is SweepSettings else _stack_settings)(reader)
    return dict(reader.asked)


def _read(build: Callable[[_Reader], T], environment: Mapping[str, str] | None) -> T:
    reader = _Reader(os.environ if environment is None else environment)
    settings = build(reader)
    reader.finish()
    broken = [words for limits in _limits_of(settings) for words in _complaints(limits)]
    if broken:
        raise SettingsError("; ".join(broken))
    return settings


def _complaints(limits: Limits | SweepLimits) -> Iterator[str]:
    try:
        limits.check()
    except SettingsError as error:
        yield str(error)


def _limits_of(settings: object) -> Iterator[Limits | SweepLimits]:
    if isinstance(settings, SweepSettings):
        yield settings.sweep
        yield settings.shared.limits
    if isinstance(settings, StackSettings):
        yield settings.limits


def _stack_settings(reader: _Reader) -> StackSettings:
    return StackSettings(
        stack=reader.text("STACK"),
        table=reader.text("TABLE"),
        queues=_queues(reader),
        limits=_limits(reader),
        catalog=reader.optional("CATALOG", "catalog"),
        remote_secret_arn=reader.optional("REMOTE_SECRET_ARN", "") or None,
    )


def _queues(reader: _Reader) -> Mapping[QueueName, str]:
    queues = {name: reader.url(f"QUEUE_{name.upper()}") for name in QueueName}
    if all(queues.values()) and len(set(queues.values())) < len(queues):
        reader.problems.append("two queues have one address, so what is urgent would wait behind what is not")
    return queues


def _sweep_settings(reader: _Reader) -> SweepSettings:
    usual = SweepLimits()
    return SweepSettings(
        shared=_stack_settings(reader),
        sweep=SweepLimits(
            halt_cap=reader.number("HALT_CAP", usual.halt_cap),
            drain_rate=reader.number("DRAIN_RATE", usual.drain_rate),
            sweep_timeout=reader.seconds("SWEEP_TIMEOUT", usual.sweep_timeout),
            schedule_interval=reader.seconds("SCHEDULE_INTERVAL", usual.schedule_interval),
            max_receive_count=reader.number("MAX_RECEIVE_COUNT", usual.max_receive_count),
        ),
        only_watching=reader.one_of("SWEEPS", ("act", "observe")) == "observe",
    )


def _limits(reader: _Reader) -> Limits:
    usual = Limits()
    return Limits(
        shards=reader.number("SHARDS", usual.shards),
        stale_after=reader.seconds("STALE_AFTER", usual.stale_after),
        worker_timeout=reader.seconds("WORKER_TIMEOUT", usual.worker_timeout),
        perform_deadline=reader.seconds("PERFORM_DEADLINE", usual.perform_deadline),
        lease=reader.seconds("LEASE", usual.lease),
        visibility=reader.seconds("VISIBILITY", usual.visibility),
        batch_window=reader.seconds("BATCH_WINDOW", usual.batch_window),
        skew_margin=reader.seconds("SKEW_MARGIN", usual.skew_margin),
        settle_window=reader.seconds("SETTLE_WINDOW", usual.settle_window),
        outage_limit=reader.seconds("OUTAGE_LIMIT", usual.outage_limit),
        retention=timedelta(days=reader.number("RETENTION_DAYS", usual.retention.days)),
        max_attempts=reader.number("MAX_ATTEMPTS", usual.max_attempts),
        max_dispatches=reader.number("MAX_DISPATCHES", usual.max_dispatches),
    )
