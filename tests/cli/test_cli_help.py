"""Does --help teach: every verb with examples that are right, and what it changes and never does?"""

import re
import shlex
from pathlib import Path

import pytest
from makegood_cli.app import app, in_front
from makegood_cli.exits import ExitCode
from makegood_cli.help import EXAMPLES
from typer.core import TyperGroup
from typer.main import get_command

from tests.cli.bench import Bench

VERBS = [
    "up",
    "down",
    "status",
    "demo",
    "lend",
    "submit",
    "show",
    "why",
    "list",
    "types",
    "exceptions",
    "decide",
    "cancel",
    "check-file",
    "scorecard",
    "sweep",
    "sweeps",
    "halt",
    "acknowledge",
]
EACH = [(verb, example) for verb, examples in EXAMPLES.items() for example in examples]
SPEAKS_FOR_ANOTHER = "lend"  #: what it prints is the command's that it runs
CHANGES = re.compile(r"only reads|never|touches no|no other trace|nothing is written|local stack alone|Twice changes")


def test_every_verb_is_there_and_has_examples(bench: Bench) -> None:
    text = bench.run("--help").stdout
    assert all(re.search(rf"(?m)^│ {verb} ", text) for verb in VERBS)
    assert set(EXAMPLES) == set(VERBS)


def test_the_exit_codes_are_documented_as_they_are(bench: Bench) -> None:
    text = bench.run("--help").stdout
    told = {int(code) for code in re.findall(r"(?m)^   (\d+)  \w", text)}
    assert told == set(ExitCode) - {ExitCode.NO_READER}
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    (sentence,) = re.findall(r"Scripts may rely on the exit code: (.*?)\. ", readme)
    assert {int(part.split()[0]) for part in sentence.split("; ")} == told


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_says_what_it_changes_and_shows_how_it_is_used(bench: Bench, verb: str) -> None:
    text = bench.run(verb, "--help").stdout
    assert CHANGES.search(" ".join(text.split())), text
    assert "Examples:\n   makegood " in re.sub(r" +\n", "\n", text)
    assert ("--json" in text) is (verb != SPEAKS_FOR_ANOTHER)
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("verb", [*VERBS, ""])
def test_no_word_of_a_help_breaks_and_no_example_folds(bench: Bench, verb: str, columns: int) -> None:
    text = bench.run(*verb.split(), "--help", columns=columns).stdout
    wide = bench.run(*verb.split(), "--help", columns=400).stdout
    assert max(len(line) for line in text.splitlines()) <= columns
    assert {word for word in text.split() if not word.startswith("--install")} <= {
        *wide.split(),
        *re.findall("[─╮╯╰]+", text),
    }
    lines = [line.strip() for line in text.splitlines()]
    assert all(line in lines for example in EXAMPLES.get(verb, ()) for line in map(str.strip, example.splitlines()))


@pytest.mark.parametrize(("verb", "example"), EACH)
def test_an_example_can_be_pasted(verb: str, example: str) -> None:
    _, *words = shlex.split(example.partition("||")[0].replace("\\\n", " "))
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    words = [word for word in in_front(words) if word not in {"--stack", "makegood-prod"}]
    assert words[0] == verb
    group.commands[verb].make_context(verb, words[1:])


def test_the_version_is_told(bench: Bench) -> None:
    result = bench.run("--version")
    assert (result.exit_code, result.stdout.startswith("makegood ")) == (0, True)
