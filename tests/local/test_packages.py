"""Zips hold what Lambda needs, are the same for the same sources, and are built once."""

from __future__ import annotations

import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import packages
from makegood_cli.local.packages import PackagingError
from makegood_cli.local.places import CHECKOUT, Places

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / ".venvs").symlink_to(CHECKOUT / ".venvs")
    return Places(root=tmp_path, state=tmp_path / "state", cache=tmp_path / "cache")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_function_lies_at_the_top_without_caches(places: Places) -> None:
    folder = places.root / "functions" / "worker"
    write(folder / "app.py", "def handler(): ...")
    write(folder / "__pycache__" / "app.cpython-311.pyc", "stale")
    assert zipfile.ZipFile(packages.function_zip(places, folder)).namelist() == ["app.py"]


def wheel(folder: Path) -> Path:
    """Make the smallest wheel that pip takes: one module, `needed`."""
    path = folder / "needed-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("needed.py", "THERE = True\n")
        archive.writestr("needed-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: needed\nVersion: 1\n")
        archive.writestr("needed-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("needed-1.dist-info/RECORD", "")
    return path


def test_a_layer_brings_its_packages_and_what_its_requirements_name(places: Places) -> None:
    folder = places.root / "layers" / "makegood"
    write(folder / "makegood" / "__init__.py", "import needed")
    write(folder / "requirements.txt", f"needed @ {wheel(places.root).as_uri()}\n")
    unpacked = places.root / "unpacked"
    zipfile.ZipFile(packages.layer_zip(places, folder)).extractall(unpacked)
    site = unpacked / "python" / "lib" / "python" / "site-packages"
    program = f"""
import site, sys
sys.path.insert(0, {str(unpacked / "python")!r})
site.addsitedir({str(site)!r})  # as the engine does with a layer
import makegood
print(makegood.needed.THERE)
"""
    answer = subprocess.check_output([str(places.engine_python), "-I", "-c", program], text=True)
    assert answer == "True\n"


def test_a_layer_that_needs_nothing_points_nowhere(places: Places) -> None:
    folder = places.root / "layers" / "catalog"
    write(folder / "catalog" / "__init__.py", "")
    assert zipfile.ZipFile(packages.layer_zip(places, folder)).namelist() == ["python/catalog/__init__.py"]


def test_requirements_are_installed_once(places: Places) -> None:
    requirements = places.root / "requirements.txt"
    write(requirements, f"needed @ {wheel(places.root).as_uri()}\n")
    first = packages.installed(places, requirements)
    (first / "needed.py").write_text("THERE = 'still'\n")
    assert packages.installed(places, requirements) == first
    assert (first / "needed.py").read_text() == "THERE = 'still'\n"


def test_the_same_sources_make_the_same_zip_and_other_sources_another(places: Places) -> None:
    folder = places.root / "functions" / "worker"
    write(folder / "app.py", "one")
    first = packages.function_zip(places, folder)
    content = first.read_bytes()
    first.unlink()
    assert packages.function_zip(places, folder) == first
    assert first.read_bytes() == content
    write(folder / "app.py", "two")
    assert packages.function_zip(places, folder) != first


def test_requirements_that_cannot_be_installed_are_an_error_with_pips_words(places: Places) -> None:
    folder = places.root / "layers" / "makegood"
    write(folder / "requirements.txt", "not a requirement at all\n")
    with pytest.raises(PackagingError, match="not a requirement"):
        packages.layer_zip(places, folder)
    assert not [folder for folder in (places.cache / "dependencies").glob("*") if folder.suffix != ".unfinished"]
