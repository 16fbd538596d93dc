"""Does `up` say that the functions which it deployed cannot start, and start them once that is mended?"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from makegood_cli.exits import ExitCode
from makegood_cli.local import rehearsal
from makegood_cli.local.places import CHECKOUT

from tests.cli.keyboard import Keyboard

pytestmark = [pytest.mark.xdist_group("cli local catalog"), pytest.mark.timeout(300)]

LATE = "from catalog.sync_customer import SyncCustomer\n\nOPERATION_TYPES = (SyncCustomer, SyncCustomer)\n"


@pytest.fixture
def checkout(keyboard: Keyboard, tmp_path: Path) -> Iterator[Keyboard]:
    """Return a keyboard at the same stack, at a checkout whose catalog a test may break."""
    for name in ("functions", "layers"):
        shutil.copytree(CHECKOUT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "template.yaml", tmp_path)
    (tmp_path / ".venvs").symlink_to(CHECKOUT / ".venvs")
    yield Keyboard(replace(keyboard.places, root=tmp_path))
    assert keyboard.run("up").exit_code == ExitCode.FINE


@pytest.mark.parametrize(
    ("catalog", "says"),
    [
        (
            "import nowhere_to_be_found\n",
            "ModuleNotFoundError: No module named 'nowhere_to_be_found' (__init__.py, line 1)",
        ),
        ("x = 1\ny = undefined\n", "NameError: name 'undefined' is not defined (__init__.py, line 2)"),
        ("def (\n", "SyntaxError: "),
        ("OPERATION_TYPES = []\n", "it has no tuple OPERATION_TYPES"),
        (LATE, "two classes carry this name"),
    ],
)
def test_up_says_why_a_catalog_cannot_be_used(checkout: Keyboard, catalog: str, says: str) -> None:
    (checkout.places.root / "layers/catalog/catalog/__init__.py").write_text(catalog)
    result = checkout.run("up")
    last = result.stderr.splitlines()[-1]
    assert (result.exit_code, result.stdout) == (ExitCode.FAULT, ""), result.output
    assert last.startswith("makegood: deployed, but its functions cannot start: ")
    assert (says in last, "then `makegood up` again" in last) == (True, True), last


def test_a_catalog_that_waits_while_it_is_imported_is_called_that(
    checkout: Keyboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout.places.root / "layers/catalog/catalog/__init__.py").write_text("input = __import__('time').sleep(20)\n")
    monkeypatch.setattr(rehearsal, "SECONDS", 1)
    result = checkout.run("up")
    assert (result.exit_code, "takes more than 1 s; something waits" in result.stderr) == (ExitCode.FAULT, True)
