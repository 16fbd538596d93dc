"""Is each mistake that teams make caught by the fault kit, in words that name it?"""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest
from makegood.testing import Clause, ForgetfulRemote, Harm, RemoteInMemory, Report, put_on_trial

from tests.testing import wrong_types
from tests.testing.publish_price import PublishPrice
from tests.testing.test_publish_price import PRICE
from tests.testing.wrong_types import (
    AnswerIsNotRead,
    ErrorsAreAbsent,
    ExistenceIsEnough,
    KeyOfItsOwn,
    LookWrites,
    NoKey,
    OutageCostsAttempts,
    OutageIsRefusal,
    RefusalIsNotApplicable,
    SilenceIsAbsent,
    TimeOutIsDone,
    TimeOutIsTransient,
    TriesAgainInside,
    UndoesUnderTheEffectsKey,
    UndoneIsLookedForUnderTheWrongKey,
    VersionIsKeptBack,
)

CAUGHT = [
    (NoKey, Clause.KEY, "perform made its effect without an idempotency key"),
    (KeyOfItsOwn, Clause.KEY, "perform called under a key of its own making, not under attempt.idempotency_key"),
    (UndoesUnderTheEffectsKey, Clause.DONE, "recorded as compensated, and nothing was taken back"),
    (ErrorsAreAbsent, Clause.ABSENT, "observe said Absent, and what it got was an error"),
    (ErrorsAreAbsent, Clause.ABSENT, "observe said Absent, and what it got was a page"),
    (SilenceIsAbsent, Clause.ABSENT, "observe said Absent, and what it got was no answer"),
    (TriesAgainInside, Clause.ONCE, "perform called 2 times in one attempt; client_tries is 1"),
    (ExistenceIsEnough, Clause.FOUND, "observe said Found(version 3), and the remote stands at 4"),
    (ExistenceIsEnough, Clause.FOUND, "confirmed at version 3, and the remote stands at 4"),
    (TimeOutIsDone, Clause.DONE, "perform said Done, and no answer had come"),
    (TimeOutIsDone, Clause.DONE, "confirmed, and nothing was applied"),
    (TimeOutIsTransient, Clause.TRANSIENT, "perform raised TransientError, and its effect had been made"),
    (AnswerIsNotRead, Clause.DONE, "perform said Done(version 3), and the remote stands at 4"),
    (VersionIsKeptBack, Clause.PROOF, "a person is asked after 1 attempt(s)"),
    (OutageIsRefusal, Clause.REJECTED, "perform raised RejectedError, and the remote was only down"),
    (OutageCostsAttempts, Clause.OUTAGE, "a person is asked after 8 attempt(s): TransientError: it does not work now"),
    (RefusalIsNotApplicable, Clause.RULED_OUT, "perform said NotApplicable, and the remote had refused"),
    (UndoneIsLookedForUnderTheWrongKey, Clause.ABSENT, "observe said Absent, and it is there at version 3"),
    (UndoneIsLookedForUnderTheWrongKey, Clause.ABSENT, "recorded as compensated, and nothing was taken back"),
    (LookWrites, Clause.LOOK, "observe changed something at the remote"),
]


def tried(kind: type[PublishPrice], remote: RemoteInMemory) -> Report:
    """Put a type on trial with this remote."""
    return put_on_trial(type(kind.__name__, (kind,), {"shop": remote}), remote, PRICE)


@pytest.mark.parametrize(("kind", "clause", "words"), CAUGHT, ids=lambda part: getattr(part, "__name__", ""))
def test_a_mistake_is_caught_and_named(kind: type[PublishPrice], clause: Clause, words: str) -> None:
    report = tried(kind, RemoteInMemory())
    assert (clause, words) in [(finding.clause, finding.happened) for finding in report.findings]
    with pytest.raises(AssertionError) as failure:
        report.assert_sound()
    assert words in str(failure.value)
    assert clause.value in str(failure.value)
    assert clause.harm.value in str(failure.value)


def test_every_wrong_type_is_in_the_list() -> None:
    wrong = {kind for _, kind in inspect.getmembers(wrong_types, inspect.isclass) if issubclass(kind, PublishPrice)}
    assert wrong - {PublishPrice} == {kind for kind, _, _ in CAUGHT}


def test_a_type_that_calls_itself_idempotent_at_a_remote_that_is_not_would_double() -> None:
    report = tried(PublishPrice, ForgetfulRemote())
    assert {(finding.clause, finding.harm) for finding in report.findings} == {
        (Clause.IDEMPOTENT, Harm.DOUBLES),
        (Clause.VERSIONS, Harm.LOSES),
    }
    assert "2 effects under one key" in str(report)
    assert "version 3 stands, and version 4 had been written" in str(report)


def test_a_type_whose_newer_versions_supersede_older_ones_needs_no_remote_that_refuses_them() -> None:
    class InLine(PublishPrice):
        policy = replace(PublishPrice.policy, supersedes=True)

    report = tried(InLine, ForgetfulRemote())
    (out_of_order,) = [result for result in report.results if result.name == "out-of-order message"]
    assert out_of_order.is_sound
    assert out_of_order.ending == "not_applicable (ruled out), confirmed (agreed); 1 effect"


@pytest.mark.parametrize("kind", [NoKey, KeyOfItsOwn])
def test_without_one_key_for_all_attempts_the_effect_is_seen_to_double(kind: type[PublishPrice]) -> None:
    assert "2 effects of 1 promise(s), which no key holds together" in str(tried(kind, RemoteInMemory()))


def test_a_compensation_under_the_effects_key_is_seen_where_the_remote_makes_nothing_of_keys() -> None:
    happened = {finding.happened for finding in tried(UndoesUnderTheEffectsKey, ForgetfulRemote()).findings}
    assert "compensate called under the effect's key, not under attempt.idempotency_key" in happened


def test_every_line_of_the_contract_but_makegoods_own_can_be_seen_broken() -> None:
    caught = {clause for _, clause, _ in CAUGHT} | {Clause.IDEMPOTENT, Clause.VERSIONS, Clause.READ}
    assert caught == set(Clause) - {Clause.MAKEGOOD}
