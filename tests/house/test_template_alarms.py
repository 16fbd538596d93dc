"""Alarms reach somebody, and none is quiet for the wrong reason."""

from __future__ import annotations

import pytest

from tests.case import case
from tests.house.template_reading import PARAMETERS, RESOURCES, SOURCES, of_type, parameters_of, properties, resolved

ALARMS = of_type("AWS::CloudWatch::Alarm")
TOPIC = {"Ref": "AlarmTopic"}
HERE = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}

#: each alarm for dead letters, and the queue that it watches
DEAD_LETTERS = {f"DeadLettersAlarm{dead.removeprefix('DeadLetter')}": dead for dead in SOURCES.values()} | {
    "DeadLettersAlarmSchedule": "SweepScheduleDeadLetter",
}


@pytest.mark.parametrize("alarm", ALARMS)
def test_every_alarm_tells_somebody_and_says_what_to_do(alarm: str) -> None:
    assert properties(alarm)["AlarmActions"] == [TOPIC]
    assert properties(alarm)["OKActions"] == [TOPIC]
    assert properties(alarm).get("ActionsEnabled", True) is True
    assert len(properties(alarm)["AlarmDescription"]) > 60


@case("F113")
@pytest.mark.parametrize("alarm", ALARMS)
def test_every_alarm_says_what_missing_data_means(alarm: str) -> None:
    states = {"HaltedAlarm": "ignore", "NotReconcilingAlarm": "ignore", "HeartbeatAlarm": "breaching"}
    expected = states.get(alarm, "notBreaching")
    assert properties(alarm)["TreatMissingData"] == expected


@pytest.mark.parametrize(
    ("name", "series", "statistic"),
    [
        ("HaltedAlarm", "SweepHalted", "Maximum"),
        ("NotReconcilingAlarm", "SweepObserving", "Maximum"),
        ("DivergenceAlarm", "VerdictDivergent", "Sum"),
    ],
)
def test_one_sweep_is_enough(name: str, series: str, statistic: str) -> None:
    alarm = properties(name)
    assert (alarm["MetricName"], alarm["Statistic"]) == (series, statistic)
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (1, 1)


def test_a_remote_is_called_down_after_several_sweeps_and_not_only_if_they_follow_each_other() -> None:
    alarm = properties("RemoteDownAlarm")
    assert (alarm["MetricName"], alarm["Statistic"], alarm["Threshold"]) == ("SweepRemotesDown", "Maximum", 1)
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert 1 < alarm["DatapointsToAlarm"] < alarm["EvaluationPeriods"]


@pytest.mark.parametrize("seconds", PARAMETERS["ScheduleIntervalSeconds"]["AllowedValues"])
def test_no_alarm_looks_back_further_than_cloudwatch_does(seconds: int) -> None:
    # A day; a week where the period is an hour or more (CloudWatch user guide, "Evaluating an alarm").
    for name in ALARMS:
        alarm = resolved(RESOURCES[name]["Properties"], parameters_of("default") | {"ScheduleIntervalSeconds": seconds})
        assert alarm["Period"] * alarm["EvaluationPeriods"] <= (7 if alarm["Period"] >= 3600 else 1) * 86400


def test_the_heartbeat_counts_completed_sweeps() -> None:
    alarm = properties("HeartbeatAlarm")
    assert alarm["MetricName"] == "SweepCompleted"
    assert alarm["Statistic"] == "Sum"
    assert alarm["ComparisonOperator"] == "LessThanThreshold"
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (1, 1)


@case("F116")
@pytest.mark.parametrize(("name", "queue"), DEAD_LETTERS.items())
def test_dead_letters_are_seen_by_being_there(name: str, queue: str) -> None:
    # The sent count leaves out what the redrive rule moved.
    alarm = properties(name)
    assert alarm["Namespace"] == "AWS/SQS"
    assert alarm["MetricName"] == "ApproximateNumberOfMessagesVisible"
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": {"Fn::GetAtt": [queue, "QueueName"]}}]
    assert alarm["Statistic"] == "Maximum"
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (1, 1)


@case("F003")
def test_there_is_an_alarm_for_every_dead_letter_queue() -> None:
    assert set(DEAD_LETTERS.values()) == set(of_type("AWS::SQS::Queue")) - set(SOURCES)
    assert set(DEAD_LETTERS) <= set(ALARMS)


@case("F115")
def test_the_topic_is_encrypted_with_a_key_that_cloudwatch_may_use() -> None:
    assert properties("AlarmTopic")["KmsMasterKeyId"] == {"Ref": "AlarmKey"}
    assert properties("AlarmKey")["EnableKeyRotation"] is True
    granted = {
        action
        for statement in properties("AlarmKey")["KeyPolicy"]["Statement"]
        if statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"} and "Condition" not in statement
        for action in statement["Action"]
    }
    assert granted == {"kms:Decrypt", "kms:GenerateDataKey*"}


@case("F115")
def test_the_topic_lets_the_alarms_of_this_account_publish_and_nobody_else() -> None:
    policy = properties("AlarmTopicPolicy")
    assert policy["Topics"] == [TOPIC]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert (statement["Action"], statement["Resource"]) == ("sns:Publish", TOPIC)
    assert statement["Condition"] == HERE


def test_an_e_mail_goes_out_only_if_there_is_an_address() -> None:
    assert RESOURCES["AlarmEmailSubscription"]["Condition"] == "HasAlarmEmail"
    assert properties("AlarmEmailSubscription")["TopicArn"] == TOPIC
