"""Are the pages true: tables that the code knows better, links, named tests?"""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.house.docs_reading import DOCS, ROOT, named_tests, names_in, pages, rows, short, text

FAILURES = "failure-modes.md"
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")

#: the order in which the README tells a newcomer
TOLD = [
    "Try it",
    "How it works",
    "Test it",
    "Build it",
    "Deploy it",
    "Operate it",
    "Add your own operation type",
    "More",
]


def test_the_life_cycle_page_is_written_from_the_table() -> None:
    checked = subprocess.run(
        [sys.executable, "tools/life_cycle.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"run `make docs` and commit what it changes {checked.stderr}"


def anchors(page: Path) -> set[str]:
    """Return what a link may name of a page: its headings as a browser does."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=short)
def test_every_link_within_the_house_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{short(page)}: {link}"
        assert not anchor or anchor in anchors(target), f"{short(page)}: {link}"


@pytest.mark.parametrize("page", pages(), ids=short)
def test_every_test_that_a_page_names_is_there(page: Path) -> None:
    missing = [f"{path}::{name}" for path, name in named_tests(page.read_text()) if name not in names_in(path)]
    assert not missing, f"{short(page)} names tests that are not there:\n" + "\n".join(missing)


def test_the_index_names_every_page() -> None:
    linked = {(DOCS / link).resolve() for link in LINK.findall(text("README.md"))}
    assert {*DOCS.glob("*.md"), DOCS / "decisions" / "README.md"} - {DOCS / "README.md"} <= linked


def test_every_way_to_fail_has_a_test_that_shows_it() -> None:
    page = text(FAILURES)
    told = [int(cells[0]) for part in page.split("\n## ")[1:] for cells in rows(part) if cells[0].isdigit()]
    assert told == list(range(1, len(told) + 1))
    shown = re.findall(r"^- (\d+): (.+)$", page, re.MULTILINE)
    assert [int(number) for number, _ in shown] == told
    assert all(list(named_tests(tests)) for _, tests in shown)


def test_the_readme_tells_a_newcomer_one_thing_after_the_other() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    places = [next(i for i, heading in enumerate(headings) if heading.startswith(wanted)) for wanted in TOLD]
    assert all(before < behind for before, behind in pairwise(places))
    assert len(headings) == len(TOLD)
