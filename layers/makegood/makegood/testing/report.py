"""What came of the trials, for people: each thing that was found, once, with where it showed; then a line for each."""

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

    @property
    def line(self) -> str:
        """Tell it in one line."""
        if self.is_sound:
            return f"  ok  {self.name:<{WIDTH}} {self.ending}"
        harms = ", ".join(dict.fromkeys(finding.harm.value for finding in self.findings))
        return f"  ✗   {self.name:<{WIDTH}} {harms}: {self.ending}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of all trials of one type. `str()` of it is for people."""

    operation_type: str
    results: tuple[Result, ...]
    crashes: tuple[Result, ...]
    left_out: tuple[Trial, ...] = ()  #: for what the double cannot be told
    can: frozenset[Fault] = frozenset()
    reached: bool = True  #: whether the double counted a call when nothing went wrong

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
        if not self.reached:
            yield ""
            yield "The double counted no call when nothing went wrong: is it the one that the type calls?"
        for finding in self.findings:
            yield ""
            yield from self._of(finding)
        yield ""
        for group in dict.fromkeys(result.trial.group for result in self.results):
            yield group
            yield from (result.line for result in self.results if result.trial.group == group)
        yield "with a crash at each request: before it, right after it, and with its reply lost"
        for name in dict.fromkeys(result.trial.name for result in self.crashes):
            yield _of_tour([result for result in self.crashes if result.trial.name == name])
        for trial in self.left_out:
            missing = ", ".join(fault.value for fault in trial.needs if fault not in self.can)
            yield f"  –   {trial.name:<{WIDTH}} left out: the double cannot be told to {missing}"

    def _of(self, finding: Finding) -> Iterator[str]:
        """Tell a finding: what it breaks, in which trials it showed, and the first of them."""
        showed = [result for result in (*self.results, *self.crashes) if finding in result.findings]
        first = showed[0]
        yield f"{finding.harm.value}: {finding.happened}"
        yield f"  breaks      {finding.clause.value}"
        yield f"  in          {first.name}{f', and {len(showed) - 1} more' if len(showed) > 1 else ''}"
        yield f"  the type    {first.story}"
        yield f"  ended       {first.ending}"
        yield f"  expected    {first.trial.expected}"

    def _found(self) -> str:
        if self.is_sound:
            return "all sound"
        clauses = {finding.clause for finding in self.findings}
        return f"{len(clauses)} line{'' if len(clauses) == 1 else 's'} of the contract broken"


def _of_tour(results: Sequence[Result]) -> str:
    """Tell a tour in one line; what is not sound in it stands above."""
    bad = [result for result in results if not result.is_sound]
    return (
        f"  {'✗ ' if bad else 'ok'}  {results[0].trial.name:<{WIDTH}} "
        f"{len(results) - len(bad)} of {len(results)} crashes sound"
    )
