"""Write the parts of docs/field-cases.md that the tests know best: `python -m tests.cases.page` from the root."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cases import scope
from tests.cases.emulators import GAPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "field-cases.md"


def marked() -> Mapping[str, list[str]]:
    """Return the tests that carry each case's number, as `path::name`, in the order of the files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for test in ast.parse(path.read_text()).body:
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
                for number in _numbers(test):
                    found[number].append(f"{path.relative_to(ROOT).as_posix()}::{test.name}")
    return found


def _numbers(test: ast.FunctionDef) -> Iterator[str]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "case":
            yield from (str(ast.literal_eval(number)) for number in decorator.args)


def _shown(tests: list[str]) -> str:
    return "<br>".join(f"`{test}`" for test in tests) or "–"


def in_scope() -> Iterator[str]:
    """List the cases that are shown, with their tests."""
    tests = marked()
    yield "| | what goes wrong elsewhere | shown by |"
    yield "|---|---|---|"
    yield from (f"| {number} | {gist} | {_shown(tests[number])} |" for number, gist in scope.IN_SCOPE.items())


def excused() -> Iterator[str]:
    """List the cases that are excused."""
    yield "| | what goes wrong elsewhere | why it needs no test |"
    yield "|---|---|---|"
    yield from (f"| {number} | {case.gist} | {_linked(case.why)} |" for number, case in scope.EXCUSED.items())


def later() -> Iterator[str]:
    """List the cases that wait, with the tests of what holds already."""
    tests = marked()
    yield "| | what goes wrong elsewhere | waits for | holds already |"
    yield "|---|---|---|---|"
    for number, case in scope.LATER.items():
        yield f"| {number} | {case.gist} | {case.why} | {_shown(tests[number])} |"


def gaps() -> Iterator[str]:
    """List what the emulators cannot vouch for."""
    yield "| as AWS does it | moto, the engine | shown by |"
    yield "|---|---|---|"
    yield from (f"| {gap.behaviour} | {gap.instead} | {_shown(list(gap.tests))} |" for gap in GAPS)


def _linked(words: str) -> str:
    return re.sub(r"docs/(decisions/[\w-]+)\.md", r"[\1](\1.md)", words)


PARTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "in scope": in_scope,
    "excused": excused,
    "later": later,
    "emulators": gaps,
}


def written(page: str) -> str:
    """Return the page with each part between its markers written anew."""
    for name, lines in PARTS.items():
        marks = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, _, rest = page.partition(marks[0])
        _, _, after = rest.partition(marks[1])
        body = "\n".join(lines())
        page = f"{before}{marks[0]}\n{body}\n{marks[1]}{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
