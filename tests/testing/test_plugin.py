"""Does pytest find the plugin by itself, and does what is deployed do without it?"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["pytester"]

LIBRARY = Path(__file__).parents[2] / "layers" / "makegood" / "makegood"

CONFTEST = """
import pytest
from makegood import Done, OperationType, Policy
from makegood.testing import RemoteInMemory

SHOP = RemoteInMemory()

class Publish(OperationType):
    name, destination, policy = "publish", "the shop", Policy(idempotent=True)

    def perform(self, attempt):
        shown = SHOP.put(attempt.operation.entity, key=attempt.idempotency_key, version=1, fields={}).json()
        return Done(remote_id=shown["id"], version=shown["version"])

@pytest.fixture
def makegood_types():
    return (Publish,)

@pytest.fixture
def makegood_remote():
    return SHOP
"""
TESTS = """
from makegood import Promise
from makegood.testing import refusal_tests
from conftest import Publish

PROMISE = Promise(operation_type="publish", entity="price/1", expected_version=1)
TestRefusals = refusal_tests(PROMISE, Publish)

def test_one(makegood):
    done = makegood.submit(PROMISE)
    makegood.deliver()
    makegood.assert_status(done, "confirmed")
    makegood.assert_effects(done, 1)

def test_another_begins_empty(makegood):
    assert makegood.queued() == []
    assert not makegood.memory.store.rows
    assert makegood.remote.seen().calls == 0

def test_a_wrong_one(makegood):
    makegood.assert_status(makegood.submit(PROMISE), "confirmed")
"""


def test_a_team_s_own_suite_gets_the_fixture_and_three_refusal_tests(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.no_fnmatch_line("*bench.py:*")  # the trace ends in the test
    result.stdout.fnmatch_lines(["*is pending; confirmed was expected", "*a sweep*now would leave it alone:*"])


def test_the_package_names_the_plugin() -> None:
    (found,) = entry_points(group="pytest11", name="makegood")
    assert found.value == "makegood.pytest_plugin"


def test_what_is_deployed_imports_neither_the_room_for_tests_nor_pytest() -> None:
    doors = "import sys, makegood.bootstrap, makegood.telemetry, catalog, makegood_cli.app"
    names = "('makegood.testing', 'makegood.pytest_plugin', '_pytest', 'pytest')"
    code = f"{doors}; print([name for name in sys.modules if name.startswith({names})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_run_that_asks_for_nothing_imports_nothing_but_the_plugin_and_what_a_team_writes_with(
    pytester: pytest.Pytester,
) -> None:
    rooms = ("adapters", "flows", "testing", "bootstrap")
    pytester.makepyfile(
        f"""
        import sys

        def test_nothing_of_it_was_imported():
            rooms = {rooms!r}
            assert [room for room in rooms if f"makegood.{{room}}" in sys.modules] == []
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_all_of_the_room_can_be_imported_without_pytest() -> None:
    modules = sorted(f"makegood.testing.{path.stem}" for path in (LIBRARY / "testing").glob("[a-z]*.py"))
    code = f"import sys; sys.modules['pytest'] = None; import makegood.testing, {', '.join(modules)}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_room_adds_little_to_the_layer() -> None:
    size = sum(path.stat().st_size for path in (LIBRARY / "testing").glob("*.py"))
    assert size < 120_000
