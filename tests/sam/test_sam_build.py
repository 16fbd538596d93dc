"""Does the SAM CLI take the template and build it, and do the README's own commands work?"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from makegood_cli.app import app
from makegood_cli.local import template
from makegood_cli.reach import reach
from makegood_cli.stacks import World
from typer.testing import CliRunner

from benchmarks.cold_import import ROOT
from tests.sam.invoking import FOR_THIS_MACHINE, pulling

if TYPE_CHECKING:
    from pathlib import Path

    from makegood_cli.local.places import Places

pytestmark = pytest.mark.timeout(1800)  # the first test pays for the build, the engine and the stack


def test_the_template_is_valid_to_the_letter_and_builds(made: str) -> None:
    assert "template.yaml is a valid SAM Template" in made
    assert "Build Succeeded" in made


def test_what_is_built_holds_the_code_where_lambda_looks_for_it(built: Path) -> None:
    document = template.load(built / "template.yaml")
    functions = template.resources_of(document, "AWS::Serverless::Function")
    layers = template.resources_of(document, "AWS::Serverless::LayerVersion")
    assert {name: properties["CodeUri"] for name, properties in functions.items()} == {name: name for name in functions}
    assert [(built / name / "app.py").is_file() for name in functions] == [True, True]
    assert set(layers) == {"MakegoodLayer", "CatalogLayer"}
    assert (built / "MakegoodLayer/python/makegood/bootstrap.py").is_file()
    assert (built / "MakegoodLayer/python/pynamodb").is_dir()
    assert (built / "CatalogLayer/python/catalog/__init__.py").is_file()


@pytest.mark.usefixtures("engine_found", "built")
def test_the_readme_s_invocation_is_one_that_works(
    stack_places: Places, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAM_CLI_TELEMETRY", "0")
    (typed,) = re.findall(r"(?m)^    \.venv/bin/makegood (lend -- (?:.*\\\n)*.*)$", (ROOT / "README.md").read_text())
    words = [word.replace(".makegood/", f"{stack_places.state}/") for word in shlex.split(typed.replace("\\\n", " "))]
    words[words.index(".venv-sam/bin/sam")] = str(ROOT / ".venv-sam/bin/sam")
    result = CliRunner().invoke(
        app, [*words, *pulling(), *FOR_THIS_MACHINE], obj=World(reach=reach, places=stack_places)
    )
    printed = capfd.readouterr()
    assert result.exit_code == 0, printed.err
    answer = json.loads(printed.out.strip().rpartition("\n")[2])
    assert (answer["outcome"], answer["dry_run"]) == ("completed", True)
