"""Write the parts of docs/life-cycle.md that the code knows best: diagram, table of transitions, codes, reasons.

python tools/life_cycle.py          write them anew between their markers
python tools/life_cycle.py --check  say whether they are as the code has them (exit 1 if not)
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from makegood.domain.history import STATUS_CODES, VERB_CODES
from makegood.domain.operation import TERMINAL, Status
from makegood.domain.reason import Reason
from makegood.domain.table import TABLE, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).resolve().parents[1] / "docs" / "life-cycle.md"


def diagram() -> Iterator[str]:
    """Draw each move between two statuses once, with every verb that makes it."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for row in TABLE:
        for source in sorted(row.sources) or ["[*]"]:
            verbs = arrows.setdefault((source, row.target or source), [])
            if row.verb.value not in verbs:
                verbs.append(row.verb.value)
    yield "```mermaid"
    yield "stateDiagram-v2"
    for (source, target), verbs in arrows.items():
        if source != target:
            yield f"    {source} --> {target}: {', '.join(verbs)}"
    for status in Status:
        if status in TERMINAL:
            yield f"    {status.value} --> [*]"
    yield "```"


def table() -> Iterator[str]:
    """List every line of the table."""
    yield "| verb | from → to | owner | named in the write | must hold |"
    yield "|---|---|---|---|---|"
    for row in TABLE:
        owners = ", ".join(sorted(row.owners))
        guards = "; ".join(guard.value for guard in row.guards) or "–"
        yield f"| {row.verb.value} | {_way(row)} | {owners} | {row.key.value} | {guards} |"


def codes() -> Iterator[str]:
    """List the codes that a packed history entry is written in."""
    yield "| verb | code | | status | code |"
    yield "|---|---|---|---|---|"
    statuses = list(STATUS_CODES.items())
    for number, (verb, code) in enumerate(VERB_CODES.items()):
        status = f"{statuses[number][0].value} | `{statuses[number][1]}`" if number < len(statuses) else " | "
        yield f"| {verb.value} | `{code}` | | {status} |"


def reasons() -> Iterator[str]:
    """List every reason with its words."""
    yield "| reason | in words |"
    yield "|---|---|"
    for reason in Reason:
        yield f"| `{reason.value}` | {reason.words} |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "diagram": diagram,
    "table": table,
    "codes": codes,
    "reasons": reasons,
}


def written(page: str) -> str:
    """Return the page with every part as the code has it."""
    for name, lines in PARTS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(page):
            raise SystemExit(f"{PAGE.name} has no markers <!-- {name} --> … <!-- /{name} -->")
        body = "\n".join(lines()) + "\n"
        page = pattern.sub(lambda found, body=body: f"{found[1]}{body}{found[2]}", page)  # type: ignore[misc]
    return page


def main(arguments: list[str]) -> int:
    """Write or check the page; return the exit code."""
    page = PAGE.read_text()
    wanted = written(page)
    if "--check" in arguments:
        return int(page != wanted)
    PAGE.write_text(wanted)
    return 0


def _way(row: Row) -> str:
    sources = ", ".join(status.value for status in Status if status in row.sources) or "–"
    return f"{sources} → {row.target.value if row.target else 'same'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
