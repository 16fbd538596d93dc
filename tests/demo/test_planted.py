"""Do the faults that can be planted still fit the code, and stay out of the sources?"""

import ast
from pathlib import Path

import pytest
from makegood_cli.demo.planted import FAULTS, PlantError, fault_named, overlay, planted
from makegood_cli.local.places import CHECKOUT, Places


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_fits_the_code_and_leaves_it_whole(name: str) -> None:
    fault = FAULTS[name]
    before = (CHECKOUT / fault.file).read_text()
    after = planted(before, fault)
    assert after != before
    ast.parse(after)


def test_a_fault_that_no_longer_fits_is_an_error_not_a_run_without_it() -> None:
    with pytest.raises(PlantError, match=r"no longer fits layers/makegood/makegood/flows/act\.py: .* 0 times"):
        planted("nothing of it", FAULTS["no-touch"])


def test_an_unknown_fault_is_refused_with_those_there_are() -> None:
    with pytest.raises(PlantError, match="no fault 'no-such' to plant; there are no-touch, trim-instead-of-halt"):
        fault_named("no-such")


def test_it_is_planted_in_a_copy(tmp_path: Path) -> None:
    fault = FAULTS["no-touch"]
    before = (CHECKOUT / fault.file).read_text()
    places = overlay(Places(state=tmp_path / "state"), fault, tmp_path / "root")
    assert (CHECKOUT / fault.file).read_text() == before
    assert (places.root / fault.file).read_text() == planted(before, fault)
    assert (places.root / "functions/worker/app.py").read_text() == (CHECKOUT / "functions/worker/app.py").read_text()
    assert places.template.exists()
    assert places.engine_python == tmp_path / "root" / Places().engine_python.relative_to(CHECKOUT)
    assert places.state == tmp_path / "state"
