"""Zips hold what Lambda needs, are the same for the same sources, and are built once."""

from __future__ import annotations

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


def test_a_layer_lies_under_python_with_what_its_requirements_name(places: Places) -> None:
    folder = places.root / "layers" / "makegood"
    write(folder / "makegood" / "__init__.py", "")
    write(places.root / "needed" / "needed.py", "THERE = True")
    write(places.root / "needed" / "pyproject.toml", "[project]\nname = 'needed'\nversion = '1'\n")
    write(folder / "requirements.txt", "")
    names = zipfile.ZipFile(packages.layer_zip(places, folder)).namelist()
    assert names == ["python/makegood/__init__.py"]


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
    assert not list((places.cache / "dependencies").glob("*"))
