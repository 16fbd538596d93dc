"""Do the locks pin everything, and is the layer's list complete and the one that the tests ran with?"""

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
LAYER = ROOT / "layers/makegood/requirements.txt"


def requirements(path: Path) -> list[str]:
    """Return a requirements file's entries, continued lines joined, comments dropped."""
    text = re.sub(r"(?m)^\s*#.*\n", "", path.read_text()).replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip()]


def layer() -> dict[str, str]:
    """Return name → version of what the layer carries."""
    return dict(line.split("==") for line in requirements(LAYER))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_pins_every_package_by_version_and_hash(lock: Path) -> None:
    loose = [
        line.split()[0]
        for line in requirements(lock)
        if not re.match(r"[\w.\[\]-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)
    ]
    assert not loose


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_names_no_address_and_no_folder(lock: Path) -> None:
    named = [line for line in requirements(lock) if "://" in line or " @ " in line or line.startswith("-")]
    assert not named


def test_the_layer_is_what_the_tests_run_with() -> None:
    assert layer() == {name: metadata.version(name) for name in layer()}


def test_the_layer_carries_both_halves_of_the_sdk_in_one_version() -> None:
    assert layer()["boto3"] == layer()["botocore"]


def test_the_layers_list_is_complete() -> None:
    wanted = {
        (name, need.name)
        for name in layer()
        for need in map(Requirement, metadata.requires(name) or [])
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }
    missing = {f"{need} (for {name})" for name, need in wanted if need.replace("_", "-").lower() not in layer()}
    assert not missing
