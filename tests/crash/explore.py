"""Runs of a story: undisturbed, with one blow, or with a second blow while the first is being repaired."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.crash import healing
from tests.crash.house import House, house
from tests.crash.wire import Blow, Kind, blows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from makegood.adapters.aws import AwsClients

    from tests.crash.story import Story
    from tests.double.table import TableDouble

_at_once: list[TableDouble] = []  #: which double answers at present, if one does
_wholes: dict[str, Run] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run showed."""

    step: list[str]  #: the requests of the step
    repair: list[str]  #: the requests of the repair
    portrait: healing.Portrait
    killed: bool  #: whether the second blow fell, if one was asked for


def run(story: Story, clients: AwsClients, first: Blow | None = None, second: Blow | None = None) -> Run:
    """Let the story happen, with these blows; repair; hold an inquest."""
    with house(clients, **dict(story.numbers)) as home, _short_cut(clients, home):
        story.given(home)
        home.wire.listen(first)
        before = home.doors.bytes() if story.spares else b""
        story.step(home)
        step = list(home.wire.recording)
        assert first is None or home.wire.struck, "it never fell"
        assert not story.spares or home.doors.bytes() == before, "it was to spare every row"
        story.then(home)
        repair, struck = _repaired(home, second)
        seen = healing.inquest(home)
        if second is None and (first is None or first.kind is not Kind.REPEATED):
            healing.nothing_moves_any_more(home)
        return Run(step=step, repair=repair, portrait=seen, killed=struck)


@contextmanager
def at_once_by(double: TableDouble) -> Iterator[None]:
    """Let this double answer before a request is even signed, unless the SDK is to send that one twice."""
    _at_once.append(double)
    try:
        yield
    finally:
        _at_once.pop()


def _short_cut(clients: AwsClients, home: House) -> AbstractContextManager[None]:
    if not _at_once:
        return nullcontext()
    return _at_once[-1].at_once(clients.of("dynamodb"), unless=lambda: home.wire.repeats)


def _repaired(home: House, second: Blow | None) -> tuple[list[str], bool]:
    home.wire.listen(second)
    healing.heal(home)
    return list(home.wire.recording), home.wire.struck


def whole(story: Story, clients: AwsClients) -> Run:
    """Let the story happen undisturbed on the double, once: nothing in it is chance. See that it ends as it should."""
    if story.name not in _wholes:
        undisturbed = run(story, clients)
        assert {status for status, *_ in undisturbed.portrait.values()} == story.all_ends, undisturbed.portrait
        _wholes[story.name] = undisturbed
    return _wholes[story.name]


def ends_as_it_may(story: Story, seen: Run, undisturbed: Run) -> None:
    """See that each operation ends where it would have without the blow, or where the story says."""
    for name, (status, *_) in seen.portrait.items():
        expected = undisturbed.portrait[name][0]
        assert status == expected or status in story.may_end, f"{name} is {status} and not {expected}"


def every_blow(story: Story, clients: AwsClients) -> dict[Blow, Run]:
    """Let the story happen once for each thing that can happen to each of its requests."""
    undisturbed = whole(story, clients)
    runs: dict[Blow, Run] = {}
    for blow in blows(undisturbed.step):
        try:
            runs[blow] = run(story, clients, blow)
            ends_as_it_may(story, runs[blow], undisturbed)
            if blow.kind is Kind.REPEATED:
                assert runs[blow].portrait == undisturbed.portrait, "a repeated request changed something"
        except AssertionError as error:
            raise AssertionError(f"{story.name}, {blow}: {error}") from error
    return runs
