"""Does a function that was not told enough say so at its start, by the variable's name, and touch nothing?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.case import case

if TYPE_CHECKING:
    from tests.sam.invoking import SamLocal
    from tests.sam.world import World

pytestmark = pytest.mark.timeout(1800)  # the first test pays for the build, the engine and the stack


class Gap(NamedTuple):
    """A function that was told too little."""

    function: str
    event: str
    variables: dict[str, str]
    says: str


GAPS = [
    Gap("WorkerFunction", "sqs_good", {"MAKEGOOD_TABLE": ""}, "MAKEGOOD_TABLE is not set"),
    Gap(
        "ReconcilerFunction",
        "schedule",
        {"MAKEGOOD_QUEUE_LOW": "", "MAKEGOOD_HALT_CAP": "many"},
        "MAKEGOOD_QUEUE_LOW is not set; MAKEGOOD_HALT_CAP is 'many'; a whole number is wanted",
    ),
]


@case("F104")
@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.function)
def test_what_is_missing_is_named(sam_local: SamLocal, stack: World, gap: Gap) -> None:
    stack.promise("sync_customer:452:7", ago=timedelta(hours=1))
    before = stack.rows()
    said = sam_local.invoke(gap.function, gap.event, **gap.variables)
    assert said.code == 0, "sam says so whatever the function does; hence every test reads what is printed"
    assert said.answer["errorType"] == "SettingsError", said.text
    assert said.answer["errorMessage"].startswith(gap.says)
    assert said.answer["errorMessage"].endswith("in the file given with --env-vars")
    assert stack.rows() == before
    assert stack.messages() == []
