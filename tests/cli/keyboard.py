"""A person at a real local stack."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from makegood_cli.app import app
from makegood_cli.exits import ExitCode
from makegood_cli.local import stack as local_stack
from makegood_cli.local.places import Places
from makegood_cli.reach import reach
from makegood_cli.stacks import Choice, Stack, World
from typer.testing import CliRunner, Result


@dataclass(frozen=True)
class Keyboard:
    """A person at the local stack of these tests."""

    places: Places

    def run(self, *args: str) -> Result:
        """Run the command."""
        world = World(reach=reach, places=self.places)
        return CliRunner().invoke(app, list(args), env={"NO_COLOR": "1", "COLUMNS": "80"}, obj=world)

    def json(self, *args: str, code: int = 0) -> Any:  # noqa: ANN401 - JSON of any shape
        """Run the command with --json and read its document."""
        result = self.run(*args, "--json")
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    def stack(self) -> Stack:
        """Reach the stack as the command does."""
        return reach(Choice(), self.places)


@contextmanager
def seated(places: Places) -> Iterator[Keyboard]:
    """Bring a local stack up by the command; its own schedule rests, so that only its tests sweep."""
    person = Keyboard(places)
    try:
        up = person.run("up")
        assert up.exit_code == ExitCode.FINE, up.output
        rest(places)
        yield person
    finally:
        local_stack.down(places)


def rest(places: Places) -> None:
    """Let the stack's own schedule rest, so that only tests sweep."""
    found = local_stack.current(places)
    scheduler = found.clients.of("scheduler")
    schedule = scheduler.get_schedule(Name=found.outputs["ScheduleName"])
    kept = ("Name", "GroupName", "ScheduleExpression", "FlexibleTimeWindow", "Target")
    scheduler.update_schedule(**{name: schedule[name] for name in kept if name in schedule}, State="DISABLED")
