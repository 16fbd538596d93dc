"""Are mistakes in what is said of an answer, and in how an effect is taken back, caught in words that name them?"""

from __future__ import annotations

import inspect

import pytest
from makegood.testing import Clause, Harm, RemoteInMemory

from tests.testing import wrong_answers
from tests.testing.publish_price import PublishPrice
from tests.testing.test_wrong_types import tried
from tests.testing.wrong_answers import (
    EchoesTheRequest,
    ErrorIsDone,
    GatewayErrorIsTransient,
    KeepsItsFirstKey,
    LookEchoesTheQuestion,
    LookNeverReads,
    LookSaysNothing,
    NewerIsAbsent,
    SaysNothing,
    SendLetter,
    SendsACopy,
    UndoesInVain,
    UndoesUnderTheEffectsKeyWhenAPersonSaysSo,
    UndoesWhateverStands,
    WritesAtTheTop,
)

ANOTHER_KEY = "said Done, and its call made nothing under attempt.idempotency_key: it sent another"
THE_ASKED = "with the fields that it was asked for, and the remote has others"
CAUGHT = [
    (EchoesTheRequest, Clause.DONE, Harm.MISJUDGES, f"perform said Done(version 3) {THE_ASKED}"),
    (LookEchoesTheQuestion, Clause.FOUND, Harm.MISJUDGES, f"observe said Found(version 3) {THE_ASKED}"),
    (
        GatewayErrorIsTransient,
        Clause.TRANSIENT,
        Harm.DOUBLES,
        "perform raised TransientError, and its effect had been made",
    ),
    (ErrorIsDone, Clause.DONE, Harm.LOSES, "perform said Done, and what came was an error"),
    (KeepsItsFirstKey, Clause.KEY, Harm.LOSES, f"perform {ANOTHER_KEY}"),
    (
        SaysNothing,
        Clause.PROOF,
        Harm.GIVES_UP,
        "perform said nothing, which is none of Done, Accepted and NotApplicable",
    ),
    (
        LookSaysNothing,
        Clause.READ,
        Harm.GIVES_UP,
        "observe said nothing, which is none of Found, Absent and Unknown",
    ),
    (
        LookNeverReads,
        Clause.READ,
        Harm.GIVES_UP,
        "no look says what is there, though the remote answers: KeyError('revision'); a person is asked",
    ),
    (
        NewerIsAbsent,
        Clause.ABSENT,
        Harm.DOUBLES,
        "observe said Absent, and it was made, and version 4 was written over it",
    ),
    (
        WritesAtTheTop,
        Clause.DONE,
        Harm.LOSES,
        "perform said Done(version 3), and the remote stands at 1000000",
    ),
    (UndoesWhateverStands, Clause.VERSIONS, Harm.LOSES, "version 3 stands, and version 4 had been written"),
    (
        UndoesInVain,
        Clause.PROOF,
        Harm.GIVES_UP,
        "compensate said Done, and nothing shows that it is undone: a person is asked",
    ),
    (UndoesUnderTheEffectsKeyWhenAPersonSaysSo, Clause.KEY, Harm.LOSES, f"compensate {ANOTHER_KEY}"),
    (SendsACopy, Clause.ONCE, Harm.DOUBLES, "2 effects of 1 promise(s)"),
]


@pytest.mark.parametrize(("kind", "clause", "harm", "words"), CAUGHT, ids=lambda part: getattr(part, "__name__", ""))
def test_a_mistake_is_caught_and_named(kind: type[PublishPrice], clause: Clause, harm: Harm, words: str) -> None:
    report = tried(kind, RemoteInMemory())
    assert (clause, harm, words) in [(each.clause, each.harm, each.happened) for each in report.findings]
    assert f"{harm.value}: {words}\n  breaks      {clause.value}\n  in          " in str(report)


def test_every_wrong_type_is_in_the_list() -> None:
    wrong = {kind for _, kind in inspect.getmembers(wrong_answers, inspect.isclass) if issubclass(kind, PublishPrice)}
    assert wrong - {PublishPrice, SendLetter} == {kind for kind, _, _, _ in CAUGHT}


def test_a_type_whose_remote_takes_no_keys_is_not_blamed_for_sending_none() -> None:
    tried(SendLetter, RemoteInMemory()).assert_sound()


def test_what_is_found_again_and_again_is_told_once() -> None:
    told = str(tried(SendsACopy, RemoteInMemory()))
    assert told.count("perform called 2 times in one attempt") == 1
    assert "  in          nothing goes wrong, and " in told
