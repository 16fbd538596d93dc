"""Does every command that a page tells people to type exist: ours, make's, and those of AWS?"""

from __future__ import annotations

import re
import shlex
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from botocore.session import Session
from makegood_cli.app import app, in_front
from typer.main import get_command
from typer.testing import CliRunner

from tests.house.docs_reading import ROOT, pages, short
from tests.house.template_reading import TEMPLATE, of_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from botocore.model import OperationModel

OURS = re.compile(r"^(?:\.venv/bin/)?makegood (.+)$")
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
FOR_ALL = {"--stack", "--profile", "--region", "--debug", "--version", "--help"}
OF_THE_AWS_COMMAND = {"--query", "--output", "--cli-input-json", "--region", "--profile"}
FOREIGN = {"python", "json", "mermaid", "text"}


def commands(page: Path) -> Iterator[str]:
    """Yield what a page shows to be typed: whole lines of blocks, and words set as code."""
    yield from re.findall(r"`([^`\n]+)`", page.read_text())
    language: str | None = None
    for line in page.read_text().replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            language = line[3:].strip() if language is None else None
        elif language not in FOREIGN and (language is not None or line.startswith("    ")):
            yield line.split(" #")[0].strip()


def typed(pattern: str) -> list[str]:
    """Return each command of that form once, wherever it is shown."""
    found = (match[1] for page in pages() for line in commands(page) if (match := re.match(pattern, line)))
    return sorted(set(found))


@cache
def options(verb: str) -> frozenset[str]:
    """Return the options that a verb takes."""
    return frozenset(option for parameter in COMMANDS[verb].params for option in parameter.opts)


@pytest.mark.parametrize("line", typed(OURS.pattern))
def test_our_command_has_the_verb_and_the_options_that_a_page_shows(line: str) -> None:
    given = shlex.split(re.split(r" \|\| | -- ", line)[0])  # what follows is another command's
    words = [word for word in in_front(given) if word != "…"]
    while words and words[0] in FOR_ALL:
        words = words[2 if words[0] in {"--stack", "--profile", "--region"} else 1 :]
    if not words or words[0].isupper():
        return
    verb, *rest = words
    helped = CliRunner().invoke(app, [verb, "--help"])
    assert helped.exit_code == 0, helped.output
    assert {word for word in rest if word.startswith("--")} <= options(verb) | FOR_ALL


def test_every_verb_of_ours_is_shown_on_a_page() -> None:
    shown = {verb for line in typed(OURS.pattern) for verb in in_front(shlex.split(re.split(r" \|\| | -- ", line)[0]))}
    of_make = set(typed(r"^make ([a-z][a-z-]*)"))
    assert set(COMMANDS) <= shown | of_make


@pytest.mark.parametrize("verb", typed(r"^make ([a-z][a-z-]*)"))
def test_make_has_the_verb_that_a_page_shows(verb: str) -> None:
    assert re.search(rf"^{verb}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@cache
def operations(service: str) -> dict[str, OperationModel]:
    """Return a service's operations by the names that the AWS command gives them."""
    model = Session().get_service_model(service)
    return {_dashed(name): model.operation_model(name) for name in model.operation_names}


def _dashed(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


@pytest.mark.parametrize("line", typed(r"^aws (\S+ \S+.*)$"))
def test_the_aws_command_has_the_operation_and_the_options_that_a_page_shows(line: str) -> None:
    service, name, *rest = shlex.split(line)
    operation = operations(service)[name]
    shape = operation.input_shape
    assert shape is not None
    taken = {f"--{_dashed(member)}" for member in shape.members}
    given = {re.sub("^--no-", "--", word) for word in rest if word.startswith("--")}
    assert given <= taken | OF_THE_AWS_COMMAND, sorted(given - taken)
    asked = {f"--{_dashed(member)}" for member in shape.required_members}
    assert asked <= given or "--cli-input-json" in given


def test_the_runbook_has_a_chapter_for_every_alarm() -> None:
    chapters = re.findall(r"^## (.+)$", (ROOT / "docs" / "runbook.md").read_text(), re.MULTILINE)
    named = {name.strip() for chapter in chapters for name in chapter.split(",")}
    assert set(of_type("AWS::CloudWatch::Alarm")) <= named


@pytest.mark.parametrize("page", pages(), ids=short)
def test_every_output_and_parameter_that_a_page_names_is_in_the_template(page: Path) -> None:
    known = {*TEMPLATE["Parameters"], *TEMPLATE["Resources"], *TEMPLATE["Outputs"]}
    shaped = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+(?:Url|Arn|Name|Cap|Rate|Days|Seconds|Concurrency|Alarm\w*)")
    named = {word for word in re.findall(r"`(\w+)(?:=\w+)?`", page.read_text()) if shaped.fullmatch(word)}
    assert named <= known, sorted(named - known)
