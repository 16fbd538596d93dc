"""Does every room import only what it may? The arrows between rooms, and the packages from outside that each may use.

import-linter holds the arrows along whole chains of imports; this table also says which third-party packages a room may
touch, and covers `functions/`, whose folders are no packages.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = "layers/makegood/makegood"

# What a room may import besides the standard library: a name stands for itself and all that is in it, `=name` for
# itself alone.
ROOMS = {
    f"{HOUSE}/domain": {"makegood.domain"},
    f"{HOUSE}/ports.py": {"makegood.domain"},
    f"{HOUSE}/flows": {"makegood.domain", "makegood.ports", "makegood.flows"},
    f"{HOUSE}/adapters": {"makegood.domain", "makegood.ports", "makegood.adapters", "botocore", "pynamodb"},
    f"{HOUSE}/settings.py": {"makegood.domain"},
    f"{HOUSE}/testing": {
        "makegood.domain",
        "makegood.ports",
        "makegood.flows",
        "makegood.adapters.memory",
        "makegood.testing",
    },
    f"{HOUSE}/pytest_plugin.py": {"makegood.domain", "makegood.testing", "pytest"},
    "functions": {
        "=makegood",
        "makegood.bootstrap",
        "makegood.telemetry",
        "makegood.flows",
        "makegood.domain",
        "aws_lambda_powertools",
    },
    "layers/catalog/catalog": {"=makegood", "catalog", "urllib3"},
}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and full name of every module a file imports, at whatever depth in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield node.lineno, module
            case ast.ImportFrom():
                yield node.lineno, "." * node.level + (node.module or "")
            case _:
                continue


def may_import(module: str, allowed: set[str]) -> bool:
    """Say whether a room with this list may import the module."""
    if module.partition(".")[0] in sys.stdlib_module_names or f"={module}" in allowed:
        return True
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


def files(room: str) -> list[Path]:
    """Return the Python files of a room, which is a folder or one file."""
    place = ROOT / room
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_its_door_lets_in(room: str) -> None:
    offenders = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in files(room)
        for line, module in imports(path)
        if not may_import(module, ROOMS[room])
    ]
    assert not offenders, f"{room} may import {sorted(ROOMS[room])}:\n" + "\n".join(offenders)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_of_the_table_has_somebody_in_it(room: str) -> None:
    assert files(room), f"{room} is empty or gone; the table above checks nothing there"


@pytest.mark.parametrize(
    ("module", "verdict"),
    [
        ("json", True),
        ("urllib.request", True),
        ("makegood", True),
        ("catalog.crm", True),
        ("makegood.domain", False),
        ("urllib3", False),
        ("catalogue", False),
        (".domain", False),
    ],
)
def test_a_name_stands_for_what_is_in_it_and_an_equals_sign_for_itself_alone(module: str, *, verdict: bool) -> None:
    assert may_import(module, {"=makegood", "catalog"}) is verdict
