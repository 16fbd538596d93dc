"""Is every open row matched by exactly one rule of the sweep, and by the one that DESIGN section 7 gives it?"""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import pytest
from makegood.domain.decide import Leave, decide
from makegood.domain.operation import OPEN, Operation, Status
from makegood.domain.reason import Reason

from tests.domain.design_rules import RULES
from tests.support.rows import HOUR, MINUTE, NOW, SECOND, ago, ahead, operation, terms

MS = SECOND / 1000
CLAIMS: tuple[dict[str, Any], ...] = (
    {"claim_token": None, "lease_ends_at": None},
    {"claim_token": "claim-1", "lease_ends_at": ahead(SECOND)},
    {"claim_token": "claim-1", "lease_ends_at": ago(MINUTE)},
    {"claim_token": "claim-1", "lease_ends_at": ago(MINUTE + MS)},
)
KEYS: tuple[dict[str, Any], ...] = (
    {"uncertain": False, "first_claimed_at": None},
    {"uncertain": False, "first_claimed_at": ago(30 * HOUR)},
    {"uncertain": True, "first_claimed_at": ago(24 * HOUR - 4 * MINUTE)},
    {"uncertain": True, "first_claimed_at": ago(24 * HOUR - 4 * MINUTE - MS)},
)


def combinations(status: Status) -> Iterator[Operation]:
    """Yield rows of this status with every mixture of what a rule looks at, both sides of every edge."""
    due = (ago(SECOND), NOW, ahead(SECOND))
    allowed = (None, NOW, ahead(MS))
    deadlines = (None, NOW, ahead(MS))
    for claim, key, due_at, not_before, attempt, dispatches, deadline_at in product(
        CLAIMS, KEYS, due, allowed, (0, 7, 8), (0, 4, 5), deadlines
    ):
        yield operation(
            status,
            **claim,
            **key,
            due_at=due_at,
            not_before=not_before,
            attempt=attempt,
            dispatches=dispatches,
            deadline_at=deadline_at,
        )


@pytest.mark.parametrize("status", sorted(OPEN))
def test_every_open_row_is_matched_by_exactly_one_rule_and_decide_follows_it(status: Status) -> None:
    by = terms()
    for row in combinations(status):
        (matched,) = [name for name, (rule, _) in RULES.items() if rule(row, NOW, by)]
        action = decide(row, now=NOW, terms=by)
        assert type(action) is RULES[matched][1], (matched, row)
        assert action.reason.words


@pytest.mark.parametrize("status", sorted(set(Status) - OPEN))
def test_a_terminal_row_is_left_alone_whatever_it_looks_like(status: Status) -> None:
    by = terms()
    for row in islice(combinations(status), 0, None, 7):
        assert decide(row, now=NOW, terms=by) == Leave(reason=Reason.TERMINAL)
