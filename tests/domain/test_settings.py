"""Does a door say at once, by name, everything that is wrong with what it was told?"""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from makegood import settings
from makegood.domain.errors import SettingsError
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import QueueName
from makegood.settings import ReconcilerSettings, WorkerSettings

STACK: Mapping[str, str] = {
    "MAKEGOOD_STACK": "makegood-test",
    "MAKEGOOD_TABLE": "operations",
    "MAKEGOOD_QUEUE_HIGH": "https://sqs.example/1/high",
    "MAKEGOOD_QUEUE_DEFAULT": "https://sqs.example/1/default",
    "MAKEGOOD_QUEUE_LOW": "https://sqs.example/1/low",
}
NUMBERS = {
    "SHARDS": "8",
    "STALE_AFTER_SECONDS": "40",
    "WORKER_TIMEOUT_SECONDS": "4",
    "PERFORM_DEADLINE_SECONDS": "3",
    "LEASE_SECONDS": "10",
    "VISIBILITY_SECONDS": "25",
    "BATCH_WINDOW_SECONDS": "1",
    "MAX_ATTEMPTS": "7",
    "MAX_DISPATCHES": "6",
    "SETTLE_WINDOW_SECONDS": "2",
    "OUTAGE_LIMIT_SECONDS": "120",
    "SKEW_MARGIN_SECONDS": "1",
    "RETENTION_DAYS": "30",
}
EVERY_DOOR = pytest.mark.parametrize("door", [WorkerSettings, ReconcilerSettings])
Door = type[WorkerSettings] | type[ReconcilerSettings]


def told(**changes: str) -> dict[str, str]:
    """Return an environment in which everything needed is set, but for these."""
    return {**STACK, **{f"MAKEGOOD_{name}": value for name, value in changes.items()}}


def refusal(door: Door, environment: Mapping[str, str]) -> str:
    with pytest.raises(SettingsError) as refused:
        door.read(environment)
    return str(refused.value)


def test_what_is_not_said_has_the_designs_numbers() -> None:
    read = ReconcilerSettings.read(STACK)
    assert (read.shared.limits, read.sweep) == (Limits(), SweepLimits())
    assert (read.shared.catalog, read.shared.remote_secret_arn) == ("catalog", None)


def test_every_number_is_read_in_its_unit() -> None:
    limits = WorkerSettings.read(told(**NUMBERS)).limits
    assert limits == Limits(
        shards=8,
        stale_after=timedelta(seconds=40),
        worker_timeout=timedelta(seconds=4),
        perform_deadline=timedelta(seconds=3),
        lease=timedelta(seconds=10),
        visibility=timedelta(seconds=25),
        batch_window=timedelta(seconds=1),
        max_attempts=7,
        max_dispatches=6,
        settle_window=timedelta(seconds=2),
        outage_limit=timedelta(minutes=2),
        skew_margin=timedelta(seconds=1),
        retention=timedelta(days=30),
    )


def test_the_reconcilers_own_numbers_are_read() -> None:
    read = ReconcilerSettings.read(
        told(
            HALT_CAP="9",
            DRAIN_RATE="8",
            SWEEP_TIMEOUT_SECONDS="50",
            SCHEDULE_INTERVAL_SECONDS="60",
            MAX_RECEIVE_COUNT="6",
        )
    )
    assert read.sweep == SweepLimits(
        halt_cap=9,
        drain_rate=8,
        sweep_timeout=timedelta(seconds=50),
        schedule_interval=timedelta(minutes=1),
        max_receive_count=6,
    )


def test_a_number_of_nine_digits_is_taken() -> None:
    assert WorkerSettings.read(told(OUTAGE_LIMIT_SECONDS="9" * 9)).limits.outage_limit.days == 11_574


def test_the_queues_are_found_by_urgency() -> None:
    assert WorkerSettings.read(STACK).queues[QueueName.LOW] == "https://sqs.example/1/low"


@EVERY_DOOR
@pytest.mark.parametrize("name", STACK)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_what_is_missing_or_blank_is_named_with_what_to_do(door: Door, name: str, value: str | None) -> None:
    environment = {**STACK, name: value} if value is not None else {k: v for k, v in STACK.items() if k != name}
    words = refusal(door, environment)
    assert f"{name} is not set" in words
    assert "--env-vars" in words


@EVERY_DOOR
def test_everything_that_is_missing_is_said_at_once(door: Door) -> None:
    words = refusal(door, {})
    assert [name for name in STACK if f"{name} is not set" not in words] == []


@EVERY_DOOR
@pytest.mark.parametrize("value", ["soon", "-1", "1.5", "1e3", "٣", "15m", "0x10", "9" * 10, "9" * 5_000])
def test_a_number_that_is_none_is_named_with_what_it_was(door: Door, value: str) -> None:
    for name in ("LEASE_SECONDS", "RETENTION_DAYS", "SHARDS"):
        words = refusal(door, told(**{name: value}))
        assert f"MAKEGOOD_{name} is {value[:20]!a}"[:40] in words
        assert "a whole number" in words
        assert len(words) < 500


@pytest.mark.parametrize(
    "value", ["queue", "ftp://x", "QueueHigh", "${QueueHigh}", "http://", "https:///q", "http://["]
)
def test_an_address_that_is_none_is_named(value: str) -> None:
    assert f"MAKEGOOD_QUEUE_HIGH is {value!a}" in refusal(WorkerSettings, told(QUEUE_HIGH=value))


def test_two_queues_of_one_address_are_refused() -> None:
    words = refusal(WorkerSettings, told(QUEUE_LOW=STACK["MAKEGOOD_QUEUE_HIGH"]))
    assert "two queues have one address" in words


def test_what_is_missing_malformed_and_no_address_is_said_at_once() -> None:
    words = refusal(ReconcilerSettings, told(TABLE="", LEASE_SECONDS="soon", QUEUE_LOW="low", HALT_CAP="many"))
    assert [name for name in ("TABLE", "LEASE_SECONDS", "QUEUE_LOW", "HALT_CAP") if name not in words] == []


def test_every_pair_of_clocks_that_disagree_is_said_at_once_those_of_the_sweep_too() -> None:
    words = refusal(
        ReconcilerSettings,
        told(LEASE_SECONDS="50", VISIBILITY_SECONDS="60", SCHEDULE_INTERVAL_SECONDS="10", MAX_RECEIVE_COUNT="1"),
    )
    expected = ("lease (50 s)", "queue visibility (60 s)", "schedule interval (10 s)", "maxReceiveCount (1)")
    assert [part for part in expected if part not in words] == []


def test_a_remotes_address_is_the_deployments_and_missing_it_is_named() -> None:
    assert settings.remote_url("crm", {"MAKEGOOD_REMOTE_CRM_URL": "http://127.0.0.1:1/"}) == "http://127.0.0.1:1"
    with pytest.raises(SettingsError, match="MAKEGOOD_REMOTE_CRM_URL is not set"):
        settings.remote_url("crm", {})


def test_the_doors_can_name_every_variable_that_they_read() -> None:
    worker, reconciler = settings.variables(WorkerSettings), settings.variables(ReconcilerSettings)
    assert {name for name, required in worker.items() if required} == set(STACK)
    assert {f"MAKEGOOD_{name}" for name in NUMBERS} <= set(worker)
    assert set(reconciler) - set(worker) == {
        "MAKEGOOD_HALT_CAP",
        "MAKEGOOD_DRAIN_RATE",
        "MAKEGOOD_SWEEP_TIMEOUT_SECONDS",
        "MAKEGOOD_SCHEDULE_INTERVAL_SECONDS",
        "MAKEGOOD_MAX_RECEIVE_COUNT",
        "MAKEGOOD_SWEEPS",
    }
