"""Write the part of docs/policies.md that the code knows best: the written policy of every shipped operation type.

python tools/policies.py          write it anew between its markers
python tools/policies.py --check  say whether it is as the code has it (exit 1 if not)
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from catalog import OPERATION_TYPES
from makegood.domain.limits import Limits
from makegood_cli.policies import written as lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[1] / "docs" / "policies.md"
MARKED = re.compile(r"(<!-- policies -->\n).*?(<!-- /policies -->)", re.DOTALL)


def policies() -> Iterator[str]:
    """List every type with what its policy says, under the numbers that the template deploys."""
    for cls in sorted(OPERATION_TYPES, key=lambda cls: cls.name):
        yield f"## {cls.name}"
        yield ""
        yield "| | |"
        yield "|---|---|"
        for name, words in lines_of(cls, cls.policy.under(Limits())):
            yield f"| {name} | {_cell(words)} |"
        yield ""


def written(page: str) -> str:
    """Return the page with the policies as the code has them."""
    if not MARKED.search(page):
        raise SystemExit(f"{PAGE.name} has no markers <!-- policies --> … <!-- /policies -->")
    body = "\n".join(policies())
    return MARKED.sub(lambda found: f"{found[1]}\n{body}{found[2]}", page)


def main(arguments: list[str]) -> int:
    """Write or check the page; return the exit code."""
    page = PAGE.read_text()
    wanted = written(page)
    if "--check" in arguments:
        return int(page != wanted)
    PAGE.write_text(wanted)
    return 0


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
