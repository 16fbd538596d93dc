"""`sam local invoke` as a person types it, and what it prints."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from makegood_cli.commands.lending import NO_PROFILE

from benchmarks.cold_import import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from makegood_cli.local.lending import Lent

SAM = ROOT / ".venv-sam/bin/sam"
ARCHITECTURE = "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"  #: containers run on this machine
IMAGE = f"public.ecr.aws/lambda/python:3.13-{ARCHITECTURE}"
SECONDS = 400  #: of patience for one command; the first invocation makes an image


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an invocation printed."""

    code: int  #: sam's, which is 0 even if the function failed
    answer: Any  #: what the function returned, or its error as Lambda tells it
    lines: tuple[dict[str, Any], ...]  #: of its log, those that are JSON
    text: str  #: all of it

    def of_event(self, name: str) -> list[dict[str, Any]]:
        """Return the log lines of one kind."""
        return [line for line in self.lines if line.get("event") == name]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamLocal:
    """The functions as `sam build` built them, each in a container of its own, on a stack that is lent."""

    lent: Lent
    folder: Path  #: for the file of variables

    def invoke(self, function: str, event: str, **variables: str) -> Said:
        """Run a function once with an event of `events/`; `variables` replace those of the deployment."""
        told = {name: of | (variables if name == function else {}) for name, of in self.lent.variables.items()}
        env_file = self.folder / "env.json"
        env_file.write_text(json.dumps(told))
        command = ["local", "invoke", function, "--event", f"events/{event}.json", "--env-vars", str(env_file)]
        told_here = self.lent.environment_for([function])
        return _read(sam(*command, *pulling(), *FOR_THIS_MACHINE, **told_here))


FOR_THIS_MACHINE = ("--parameter-overrides", f"Architecture={ARCHITECTURE}")


def sam(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the real SAM CLI in the project's folder."""
    inherited = {name: value for name, value in os.environ.items() if name not in NO_PROFILE}
    return subprocess.run(
        [str(SAM), *arguments],
        cwd=ROOT,
        env={**inherited, "SAM_CLI_TELEMETRY": "0", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def pulling() -> tuple[str, ...]:
    """Ask for the base image's newest version only where there is none yet."""
    there = subprocess.run(["/usr/bin/env", "docker", "image", "inspect", IMAGE], capture_output=True, check=False)
    return ("--skip-pull-image",) if there.returncode == 0 else ()


def _read(run: subprocess.CompletedProcess[str]) -> Said:
    text = f"{run.stdout}\n{run.stderr}"
    last = run.stdout.strip().rpartition("\n")[2]
    assert last, f"sam printed no answer:\n{text}"
    logged = (_json(line) for line in run.stderr.splitlines())
    lines = tuple(line for line in logged if isinstance(line, dict))
    return Said(code=run.returncode, answer=_json(last), lines=lines, text=text)


def _json(text: str) -> Any:  # noqa: ANN401 - whatever it is
    try:
        return json.loads(text)
    except ValueError:
        return text
