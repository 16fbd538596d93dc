"""The clocks of the deployment agree, in every environment (DESIGN, section 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from catalog import OPERATION_TYPES

from tests.case import case
from tests.house.template_reading import (
    ENVIRONMENTS,
    SOURCES,
    TEMPLATE,
    interval_seconds,
    parameters_of,
    properties,
)

if TYPE_CHECKING:
    from makegood import OperationType

DAY = 86400


@dataclass(frozen=True, slots=True)
class Number:
    """A figure and where it comes from."""

    name: str
    value: int

    def __str__(self) -> str:
        """Return both, for the message of a failed comparison."""
        return f"{self.name} ({self.value})"


def _number(name: str, value: object) -> Number:
    assert isinstance(value, int), f"{name} is not a number: {value!r}"
    return Number(name, value)


def _parameter(name: str, environment: str) -> Number:
    return _number(name, parameters_of(environment)[name])


def _below(smaller: Number, larger: Number) -> None:
    assert smaller.value < larger.value, f"{smaller} must be less than {larger}"


def _at_most(smaller: Number, larger: Number) -> None:
    assert smaller.value <= larger.value, f"{smaller} must be at most {larger}"


def _worker_time_out(environment: str) -> Number:
    return _number("WorkerFunction.Timeout", properties("WorkerFunction", environment)["Timeout"])


def _sweep_time_out(environment: str) -> Number:
    return _number("ReconcilerFunction.Timeout", properties("ReconcilerFunction", environment)["Timeout"])


def _visibility(queue: str, environment: str) -> Number:
    return _number(f"{queue}.VisibilityTimeout", properties(queue, environment)["VisibilityTimeout"])


def _interval(environment: str) -> Number:
    expression = properties("SweepSchedule", environment)["ScheduleExpression"]
    return _number(f"SweepSchedule {expression}", interval_seconds(expression))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_run_can_settle_before_lambda_ends_it(environment: str) -> None:
    _below(_parameter("PerformDeadlineSeconds", environment), _worker_time_out(environment))


@pytest.mark.parametrize("kind", OPERATION_TYPES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_client_gives_up_before_perform_must(environment: str, kind: type[OperationType]) -> None:
    tries, each = kind.policy.client_tries, int(kind.policy.client_timeout.total_seconds())
    spent = Number(f"{kind.name}: {tries} x client time-out ({each})", tries * each)
    _below(spent, _parameter("PerformDeadlineSeconds", environment))


@pytest.mark.parametrize("kind", OPERATION_TYPES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_row_outlives_the_key_that_the_remote_remembers(environment: str, kind: type[OperationType]) -> None:
    key = Number(f"{kind.name}: key lifetime", int(kind.policy.key_lifetime.total_seconds()))
    days = _parameter("RetentionDays", environment)
    _below(key, Number(f"{days} days in seconds", days.value * DAY))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_lease_outlives_the_run_that_holds_it(environment: str) -> None:
    _below(_worker_time_out(environment), _parameter("LeaseSeconds", environment))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_lease_ends_before_its_operation_counts_as_stale(environment: str) -> None:
    _at_most(_parameter("LeaseSeconds", environment), _parameter("StaleAfterSeconds", environment))


@pytest.mark.parametrize("queue", SOURCES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_message_stays_hidden_for_six_runs_and_the_batch_window(environment: str, queue: str) -> None:
    run = _worker_time_out(environment)
    events = properties("WorkerFunction", environment)["Events"].values()
    window = max(event["Properties"]["MaximumBatchingWindowInSeconds"] for event in events)
    _at_most(Number(f"6 x {run} + batch window ({window})", 6 * run.value + window), _visibility(queue, environment))


@pytest.mark.parametrize("queue", SOURCES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_hidden_message_comes_back_before_its_operation_counts_as_stale(environment: str, queue: str) -> None:
    hidden = _visibility(queue, environment)
    margin = _parameter("SkewMarginSeconds", environment)
    _below(Number(f"{hidden} + {margin}", hidden.value + margin.value), _parameter("StaleAfterSeconds", environment))


@case("F006")
@pytest.mark.parametrize("queue", SOURCES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_message_survives_being_throttled_a_few_times(environment: str, queue: str) -> None:
    receives = properties(queue, environment)["RedrivePolicy"]["maxReceiveCount"]
    _at_most(Number("what Lambda's guide asks for", 5), _number(f"{queue} maxReceiveCount", receives))


@case("F008")
@pytest.mark.parametrize(("queue", "dead"), SOURCES.items())
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_dead_letter_outlives_its_source(environment: str, queue: str, dead: str) -> None:
    kept, kept_dead = (
        _number(f"{name}.MessageRetentionPeriod", properties(name, environment)["MessageRetentionPeriod"])
        for name in (queue, dead)
    )
    _below(kept, kept_dead)
    assert kept_dead.value == 14 * DAY


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_sweep_ends_before_the_next_begins(environment: str) -> None:
    _at_most(_sweep_time_out(environment), _interval(environment))


@pytest.mark.parametrize("kind", OPERATION_TYPES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_sweep_has_time_for_a_look_after_its_survey(environment: str, kind: type[OperationType]) -> None:
    look = Number(f"{kind.name}: time of one look", int(kind.policy.observe_timeout.total_seconds()))
    sweep = _sweep_time_out(environment)
    _below(look, Number(f"half of {sweep}", sweep.value // 2))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_late_tick_is_dropped_before_the_next_one(environment: str) -> None:
    retry = properties("SweepSchedule", environment)["Target"]["RetryPolicy"]
    invoke = properties("ReconcilerFunction", environment)["EventInvokeConfig"]
    interval = _interval(environment)
    _at_most(_number("the schedule's MaximumEventAgeInSeconds", retry["MaximumEventAgeInSeconds"]), interval)
    _at_most(_number("the invocation's MaximumEventAgeInSeconds", invoke["MaximumEventAgeInSeconds"]), interval)


@case("F098", "F113")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_heartbeat_waits_for_two_sweeps_at_least(environment: str) -> None:
    alarm = properties("HeartbeatAlarm", environment)
    interval = _interval(environment)
    period = _number("HeartbeatAlarm.Period", alarm["Period"])
    _at_most(Number(f"2 x {interval}", 2 * interval.value), period)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_heartbeat_forgives_one_failed_sweep_and_one_slow_one(environment: str) -> None:
    interval, slow = _interval(environment), _sweep_time_out(environment)
    period = _number("HeartbeatAlarm.Period", properties("HeartbeatAlarm", environment)["Period"])
    _at_most(Number(f"2 x {interval} + {slow}", 2 * interval.value + slow.value), period)


@pytest.mark.parametrize("seconds", TEMPLATE["Parameters"]["ScheduleIntervalSeconds"]["AllowedValues"])
def test_each_interval_that_may_be_chosen_has_its_expression_and_period(seconds: int) -> None:
    row = TEMPLATE["Mappings"]["Schedule"][str(seconds)]
    assert interval_seconds(row["Expression"]) == seconds, f"{row['Expression']} stands at {seconds} s"
    assert row["Expression"].endswith("s)") == (seconds != 60), "the unit of one is singular"
    assert row["HeartbeatPeriod"] == 3 * seconds
    assert row["HeartbeatPeriod"] % 60 == 0, "CloudWatch takes whole minutes"
    assert row["HeartbeatPeriod"] <= DAY, "CloudWatch evaluates a day at most"


def test_no_interval_stands_there_that_may_not_be_chosen() -> None:
    chosen = {str(value) for value in TEMPLATE["Parameters"]["ScheduleIntervalSeconds"]["AllowedValues"]}
    assert set(TEMPLATE["Mappings"]["Schedule"]) == chosen


@case("F090")
def test_the_schedule_knows_no_daylight_saving() -> None:
    schedule = properties("SweepSchedule")
    assert schedule["ScheduleExpressionTimezone"] == "UTC"
    assert schedule["FlexibleTimeWindow"] == {"Mode": "OFF"}
