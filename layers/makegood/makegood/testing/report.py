"""What came of the trials, for people: a line for each, and of each finding what happened and which line it breaks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from makegood.testing.contract import Finding
from makegood.testing.double import Fault
from makegood.testing.trials import Trial

WIDTH = 44  #: of a trial's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one trial."""

    trial: Trial
    ending: str  #: where it ended, and with how many effects
    story: str  #: what the type said on the way
    findings: tuple[Finding, ...] = ()
    crash: str | None = None  #: of a tour: which request was cut off, and how

    @property
    def is_sound(self) -> bool:
        """Say whether nothing was found."""
        return not self.findings

    @property
    def name(self) -> str:
        """Name the trial."""
        return f"{self.trial.name}, crash at {self.crash}" if self.crash else self.trial.name

    def lines(self) -> Iterator[str]:
        """Tell it: one line, and four more for each finding."""
        if self.is_sound:
            yield f"  ok  {self.trial.name:<{WIDTH}} {self.ending}"
            return
        harms = ", ".join(dict.fromkeys(finding.harm.value for finding in self.findings))
        yield f"  ✗   {self.name:<{WIDTH}} {harms}: {self.ending}"
        yield f"        the type    {self.story}"
        yield f"        expected    {self.trial.expected}"
        for finding in self.findings:
            yield f"        {finding.harm.value:<11} {finding.happened}"
            yield f"        breaks      {finding.clause.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of all trials of one type. `str()` of it is for people."""

    operation_type: str
    results: tuple[Result, ...]
    crashes: tuple[Result, ...]
    left_out: tuple[Trial, ...] = ()  #: for what the double cannot be told
    can: frozenset[Fault] = frozenset()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return everything that was found, the same thing once."""
        all_of_them = [finding for result in (*self.results, *self.crashes) for finding in result.findings]
        return tuple(dict.fromkeys(all_of_them))

    @property
    def is_sound(self) -> bool:
        """Say whether nothing was found."""
        return not self.findings

    def assert_sound(self) -> None:
        """Fail with the whole report if anything was found."""
        __tracebackhide__ = True
        if not self.is_sound:
            raise AssertionError(f"\n{self}")

    def __str__(self) -> str:
        """Write it for people."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        count = len(self.results) + len(self.crashes)
        yield f"{self.operation_type}: {count} trials, {self._found()}"
        yield ""
        for group in dict.fromkeys(result.trial.group for result in self.results):
            yield group
            for result in self.results:
                yield from result.lines() if result.trial.group == group else ()
        yield "with a crash at each request: before it, right after it, and with its reply lost"
        for name in dict.fromkeys(result.trial.name for result in self.crashes):
            yield from _of_tour([result for result in self.crashes if result.trial.name == name])
        for trial in self.left_out:
            missing = ", ".join(fault.value for fault in trial.needs if fault not in self.can)
            yield f"  –   {trial.name:<{WIDTH}} left out: the double cannot be told to {missing}"

    def _found(self) -> str:
        if self.is_sound:
            return "all sound"
        clauses = {finding.clause for finding in self.findings}
        return f"{len(clauses)} line{'' if len(clauses) == 1 else 's'} of the contract broken"


def _of_tour(results: Sequence[Result]) -> Iterator[str]:
    """Tell a tour: sound crashes in one line; of those that are not, each finding once, where it first showed."""
    bad = [result for result in results if not result.is_sound]
    told: set[frozenset[Finding]] = set()
    for result in bad:
        if frozenset(result.findings) not in told:
            told.add(frozenset(result.findings))
            yield from result.lines()
    name, sound = results[0].trial.name, len(results) - len(bad)
    yield f"  {'✗ ' if bad else 'ok'}  {name:<{WIDTH}} {sound} of {len(results)} crashes sound"
