"""What `--help` teaches: each verb's own words, and examples that can be pasted."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from rich.markup import escape

if TYPE_CHECKING:
    from collections.abc import Callable

ABOUT = """Every operation a system promised is either proven done or in front of a person.

Without --stack the verbs work on the local stack (start it with `makegood up`).
With --stack NAME they work on a deployed one, found by its CloudFormation outputs,
with your AWS credentials and the numbers that its reconciler runs with.

--stack, --profile, --region and --debug may stand before or behind the verb.
Results go to stdout, notes and errors to stderr.

Exit codes:
  0  fine
  1  fault; also when some lines of a file failed
  2  usage: the command line cannot be understood
  3  halted: the sweep refuses to act above its cap
  4  refused or conflict: understood, and Makegood or a person said no;
     also an id or an operation type that is not there
  130  interrupted (Ctrl-C)

Examples:
  makegood up
  makegood submit sync_customer --entity customer/452 \
      --version 7
  makegood --stack makegood-prod exceptions"""

#: No line is longer than 56 characters, so that none folds on a terminal of 60 columns.
EXAMPLES = {
    "up": ("makegood up",),
    "down": ("makegood down", "makegood down --wipe"),
    "status": ("makegood status", "makegood --stack makegood-prod status --json"),
    "demo": ("makegood demo", "makegood demo --seed 7 --break no-touch"),
    "lend": ("makegood lend -- sam local invoke WorkerFunction \\\n    -e events/sqs_good.json -n .makegood/env.json",),
    "submit": (
        'makegood submit sync_customer --entity customer/452 \\\n    --version 7 --fields \'{"tier": "gold"}\'',
        "makegood submit sync_customer --entity customer/452 \\\n    --version 8 --fields @fields.json --id sync-452-8",
        "makegood submit --file operations.jsonl",
    ),
    "show": ("makegood show sync-452-8", "makegood show sync-452-8 --json"),
    "list": (
        "makegood list",
        "makegood list --status manual_review \\\n    --type sync_customer",
        "makegood list --scan --status confirmed --limit 500",
    ),
    "why": ("makegood why sync-452-8",),
    "types": ("makegood types", "makegood types sync_customer --json"),
    "exceptions": ("makegood exceptions", "makegood exceptions --type charge_invoice --limit 5"),
    "decide": (
        "makegood decide sync-452-8 retry \\\n    --reason 'the CRM was restored, INC-1742'",
        "makegood decide charge-88 confirm --reason 'INC-1743' \\\n    --evidence 'it is there' --remote-id ch_12",
        "makegood decide sync-452-8 close --revision 9 --yes \\\n    --reason 'customer left'",
    ),
    "cancel": ("makegood cancel sync-452-8 --reason 'customer left'",),
    "check-file": (
        "makegood check-file sync_customer results.jsonl \\\n    --dry-run",
        "makegood check-file sync_customer results.jsonl --json",
    ),
    "scorecard": ("makegood scorecard", "makegood scorecard --type sync_customer --json"),
    "sweep": (
        "makegood sweep --dry-run",
        "makegood sweep --limit 20 --type sync_customer",
        "makegood sweep --minutes 30",
    ),
    "sweeps": ("makegood sweeps --limit 5",),
    "halt": ("makegood halt || echo halted",),
    "acknowledge": ("makegood acknowledge --drain 50 --for 1h \\\n    --reason 'queue purged by mistake, INC-1742'",),
}


def about() -> str:
    """Return the help of the command as a whole."""
    return escape(_joined(ABOUT))


def taught(name: str, verb: Callable[..., None]) -> str:
    """Return the help of a verb: its docstring, then examples."""
    words = _joined(inspect.getdoc(verb) or "")
    examples = "\n".join(f"  {line}" for example in EXAMPLES[name] for line in example.splitlines())
    return escape(f"{words}\n\nExamples:\n{examples}")


def _joined(text: str) -> str:
    """Undo the line breaks inside paragraphs, which the terminal sets anew; lists keep theirs."""
    return "\n\n".join(part if "\n  " in part else part.replace("\n", " ") for part in text.split("\n\n"))
