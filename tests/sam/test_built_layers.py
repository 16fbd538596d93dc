"""Does what `make build` made stand on its own, and does a cold start compile nothing of it? No container is needed."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import cold_import
from benchmarks.cold_import import DATE_IN_THE_ZIP, DOORS, LAYERS, ROOT, SHIPPED
from tests.sam.machine import python_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(1200)  # the first test pays for the build
UNWANTED = {"boto3", "aws_xray_sdk", "pydantic", "moto"}
OURS = {"makegood", "catalog", "botocore", "pynamodb", "aws_lambda_powertools"}
MANY = 200  #: modules; a door loads more than that

#: imports every module of a package, with nothing but one folder in reach
WALK = """
import importlib, json, pkgutil, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module(sys.argv[2])
names = [found.name for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in sorted({*names} - {"makegood.pytest_plugin"}):  # it is pytest's, and no function imports it
    importlib.import_module(name)
print(json.dumps(names))
"""

#: says which modules under some folders have no byte code, or some that does not hold their source's hash (PEP 552)
VOUCH = """
import importlib.util, json, pathlib, sys
CHECKED_HASH = 0b11
def vouched_for(source):
    compiled = pathlib.Path(importlib.util.cache_from_source(source))
    if not compiled.exists():
        return False
    said = compiled.read_bytes()[:16]
    known = said[:4] == importlib.util.MAGIC_NUMBER and int.from_bytes(said[4:8], "little") == CHECKED_HASH
    return known and said[8:] == importlib.util.source_hash(source.read_bytes())
sources = [source for folder in sys.argv[1:] for source in pathlib.Path(folder).rglob("*.py")]
print(json.dumps([len(sources), [str(source) for source in sources if not vouched_for(source)]]))
"""

#: zips a folder as `sam package` does
ZIP = """
import sys
from samcli.lib.package.utils import make_zip_with_lambda_permissions
make_zip_with_lambda_permissions(sys.argv[1], sys.argv[2])
"""


@pytest.fixture(scope="module")
def zipped(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what Lambda finds: each folder through SAM's own zip, with the dates that are in it."""
    found = tmp_path_factory.mktemp("zipped")
    for folder in (*LAYERS, *DOORS):
        top = folder.partition("/")[0]
        command = [str(ROOT / ".venv-sam/bin/python"), "-c", ZIP, str(found / top), str(built / top)]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(found / f"{top}.zip") as archive:
            assert {entry.date_time[:3] for entry in archive.infolist()} == {(1980, 1, 1)}
            archive.extractall(found / top)
    for path in found.rglob("*"):
        os.utime(path, (DATE_IN_THE_ZIP, DATE_IN_THE_ZIP))
    return found


def run_in(python: str, text: str, *arguments: str) -> Any:  # noqa: ANN401 - JSON of any shape
    """Run a text in an interpreter that sees nothing of this machine; return what it printed, as JSON."""
    command = [python, "-I", "-S", "-B", "-c", text, *arguments]
    run = subprocess.run(command, check=False, capture_output=True, text=True, env={})
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_the_layer_imports_whole_with_nothing_but_its_folder(built: Path, version: str) -> None:
    names = run_in(python_of(version), WALK, str(built / LAYERS[0]), "makegood")
    assert {"makegood.bootstrap", "makegood.adapters.dynamodb_store", "makegood.telemetry"} <= set(names)


@pytest.mark.parametrize("version", ["3.11", "3.13"])
@pytest.mark.parametrize("door", DOORS)
def test_a_door_imports_with_nothing_but_the_layers_and_loads_nothing_heavy(
    built: Path, version: str, door: str
) -> None:
    loaded = cold_import.cold(python_of(version), built, door).loaded
    packages = {module.partition(".")[0] for module in loaded}
    assert packages >= OURS
    assert not packages & UNWANTED


def test_every_module_lies_beside_byte_code_that_its_own_text_vouches_for(built: Path, runtime_python: str) -> None:
    folders = [str(built / folder) for folder in (*LAYERS, *DOORS)]
    count, doubtful = run_in(runtime_python, VOUCH, *folders)
    assert count > MANY
    assert doubtful == []


@pytest.mark.parametrize("door", DOORS)
def test_a_cold_start_from_sam_s_zip_compiles_nothing(zipped: Path, runtime_python: str, door: str) -> None:
    assert cold_import.cold(runtime_python, zipped, door).compiled == []


@pytest.mark.parametrize("kind", ["no byte code", "believed by date"])
def test_without_it_or_with_byte_code_by_date_a_cold_start_compiles_nearly_all(
    built: Path, runtime_python: str, tmp_path: Path, kind: str
) -> None:
    assert built.is_dir()
    root = cold_import.laid_out(runtime_python, cold_import.KINDS[kind], tmp_path / "built")
    assert len(cold_import.cold(runtime_python, root, DOORS[0]).compiled) > MANY


def test_byte_code_of_another_text_is_not_believed(built: Path, runtime_python: str, tmp_path: Path) -> None:
    assert built.is_dir()
    root = cold_import.laid_out(runtime_python, cold_import.KINDS[SHIPPED], tmp_path / "built")
    patched = root / LAYERS[1] / "catalog/__init__.py"
    patched.write_text(patched.read_text() + "# patched in a hurry\n")
    assert cold_import.cold(runtime_python, root, DOORS[0]).compiled == [str(patched)]
