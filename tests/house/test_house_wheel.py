"""Does the wheel hold what another project needs: the types, the marks of typing, the plugin, and no test of ours?"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
ROOTS = ("layers/makegood", "layers/catalog", "cli")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """Build the wheel of a copy: setuptools leaves its traces beside what it builds."""
    source = tmp_path_factory.mktemp("source")
    for root in ROOTS:
        shutil.copytree(ROOT / root, source / root, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*build, "--wheel-dir", str(source / "out"), str(source)], check=True)
    (built,) = (source / "out").glob("*.whl")
    return ZipFile(built)


@pytest.mark.parametrize("package", ["makegood", "catalog", "makegood_cli"])
def test_each_package_is_marked_as_typed(wheel: ZipFile, package: str) -> None:
    assert f"{package}/py.typed" in wheel.namelist()


def test_the_room_for_tests_and_its_plugin_are_in_it(wheel: ZipFile) -> None:
    names = set(wheel.namelist())
    room = {f"makegood/testing/{path.name}" for path in (ROOT / "layers/makegood/makegood/testing").glob("*.py")}
    assert room | {"makegood/pytest_plugin.py"} <= names
    (entry_points,) = [name for name in names if name.endswith("entry_points.txt")]
    assert "[pytest11]\nmakegood = makegood.pytest_plugin\n" in wheel.read(entry_points).decode()


def test_nothing_else_is_in_it(wheel: ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"makegood", "catalog", "makegood_cli"}


def test_only_the_developers_of_the_package_get_pytest_with_it(wheel: ZipFile) -> None:
    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    wanted = [line for line in wheel.read(metadata).decode().splitlines() if line.startswith("Requires-Dist: pytest")]
    assert wanted
    assert all('extra == "dev"' in line for line in wanted)
