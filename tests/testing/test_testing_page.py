"""Is the page that teaches testing true: its code, its samples, its tables?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from makegood.testing import Bench, Clause, Fault, RemoteInMemory, put_on_trial

from tests.house.docs_reading import between, code, fenced, rows, text
from tests.testing.test_publish_price import PRICE, SHOP, InTest
from tests.testing.wrong_types import ErrorsAreAbsent

PAGE = "testing.md"
HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["publish_price.py", "test_publish_price.py"])
def test_the_code_is_what_runs_here(name: str) -> None:
    assert (HERE / name).read_text() in fenced(text(PAGE))


def test_a_failed_assertion_reads_as_shown() -> None:
    bench = Bench()
    bench.register(InTest)
    bench.connect(SHOP)
    SHOP.tell(Fault.TIME_OUT_AFTER, PRICE)
    price = bench.submit(PRICE)
    bench.deliver()
    with pytest.raises(AssertionError) as failure:
        bench.assert_status(price, "confirmed")
    assert f"{failure.value}\n" in fenced(text(PAGE))


def test_a_report_reads_as_shown() -> None:
    class Here(ErrorsAreAbsent):
        shop = RemoteInMemory()

    told = [counted_out(line) for line in str(put_on_trial(Here, Here.shop, PRICE)).splitlines()]
    (shown,) = [part for part in fenced(text(PAGE)) if part.startswith("publish_price: ")]
    lines = [counted_out(line) for line in shown.splitlines() if line != "  …"]
    assert [line for line in lines if line not in told] == []
    assert any("DOUBLES" in line for line in lines)


def counted_out(line: str) -> str:
    """Leave out how many trials there were: that follows from how many requests the flows make."""
    return re.sub(r"\d+ of \d+ crashes|\d+ trials", "so many", line)


def test_the_table_of_the_contract_holds_every_line() -> None:
    said = [cells[:2] for cells in rows(between(PAGE, "contract"))]
    assert said == [[clause.value, clause.harm.value.lower()] for clause in Clause]


def test_the_table_of_faults_holds_every_fault() -> None:
    said = [(code(cells[0])[0], cells[1]) for cells in rows(between(PAGE, "faults"))]
    assert said == [(fault.name, fault.value) for fault in Fault]
