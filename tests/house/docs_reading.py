"""The pages as the house tests read them: parts between markers, rows of tables, words set as code, named tests."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAMED_TEST = re.compile(r"\b(tests/[\w/]+\.py)::(\w+)")


def pages() -> list[Path]:
    """Return every page that people read, sorted."""
    return sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def short(path: Path) -> str:
    """Name a page for the test report."""
    return path.relative_to(ROOT).as_posix()


@cache
def text(page: str) -> str:
    """Return a page of docs/ by its name."""
    return (DOCS / page).read_text()


def between(page: str, name: str) -> str:
    """Return what a page holds between the markers of that name."""
    (found,) = re.findall(rf"<!-- {re.escape(name)} -->(.*?)<!-- /{re.escape(name)} -->", text(page), re.DOTALL)
    return str(found).strip()


def rows(part: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head and rule."""
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def code(cell: str) -> list[str]:
    """Return the words that are set as code."""
    return re.findall(r"`([^`]+)`", cell)


def fenced(part: str) -> list[str]:
    """Return the contents of the fenced blocks."""
    return re.findall(r"^```\w*\n(.*?)^```", part, re.DOTALL | re.MULTILINE)


@cache
def names_in(path: str) -> frozenset[str]:
    """Return the names of the tests that a file holds; none if there is no such file."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    found = (node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef))
    return frozenset(name for name in found if name.startswith("test_"))


def named_tests(words: str) -> Iterator[tuple[str, str]]:
    """Yield each test that a text names, as path and name."""
    yield from ((str(path), str(name)) for path, name in NAMED_TEST.findall(words))
