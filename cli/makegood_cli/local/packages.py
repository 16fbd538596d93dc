"""Zips of the functions and the layers, made without `sam build`, which would want the exact Python of the runtime.

A zip is named by the hash of what is in it: the same sources make the same name, and a second `up` builds nothing.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from makegood_cli.local.places import Places

EPOCH = (1980, 1, 1, 0, 0, 0)  # the oldest date a zip can hold; the same sources make the same bytes
REQUIREMENTS = "requirements.txt"
KEPT = 3  #: zips of a name, so that going back to the sources of a moment ago builds nothing


class PackagingError(Exception):
    """pip could not fill a layer."""


def function_zip(places: Places, folder: Path) -> Path:
    """Return the zip of a function's folder."""
    return _zipped(places.cache, folder.name, [(folder, "")])


def layer_zip(places: Places, folder: Path) -> Path:
    """Return the zip of a layer's folder: its packages, and with them what its requirements.txt names."""
    parts = [(folder, "python")]
    requirements = folder / REQUIREMENTS
    if requirements.exists():
        parts.append((_installed(places, requirements), "python"))
    return _zipped(places.cache, folder.name, parts)


def _installed(places: Places, requirements: Path) -> Path:
    """Return a folder into which pip has installed the requirements, for the interpreter that runs the functions."""
    python = places.engine_python
    key = hashlib.sha256(requirements.read_bytes() + str(python.resolve()).encode()).hexdigest()[:16]
    target = places.cache / "dependencies" / key
    if target.exists():
        return target
    unfinished = target.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    pip = ["pip", "--disable-pip-version-check", "--no-input", "install", "--quiet", "--no-compile"]
    _run(python, ["-m", *pip, "--only-binary", ":all:", "--target", str(unfinished), "-r", str(requirements)])
    # Zips carry no dates that Python would believe, so it would compile each module again at each cold start.
    _run(python, ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(unfinished)])
    unfinished.replace(target)
    return target


def _run(python: Path, arguments: list[str]) -> None:
    run = subprocess.run([str(python), "-I", *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode:
        raise PackagingError(f"{' '.join(arguments[:2])} failed:\n{run.stderr.strip()}")


def _zipped(cache: Path, name: str, parts: list[tuple[Path, str]]) -> Path:
    """Zip the files of the parts, each under its prefix, unless that very zip is there."""
    files = sorted(
        (f"{prefix}/{path.relative_to(root)}".lstrip("/"), path) for root, prefix in parts for path in _files(root)
    )
    digest = hashlib.sha256()
    for inside, path in files:
        digest.update(f"{inside}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    target = cache / "zips" / f"{name}-{digest.hexdigest()[:16]}.zip"
    if not target.exists():
        _write(target, files)
        _forget_old(target)
    return target


def _files(root: Path) -> Iterable[Path]:
    """Return the files that belong into a zip: no caches of the interpreter that runs the tests, no build notes."""
    dependencies = root.parent.name == "dependencies"
    for path in root.rglob("*"):
        if path.is_file() and (dependencies or ("__pycache__" not in path.parts and path.name != REQUIREMENTS)):
            yield path


def _write(target: Path, files: list[tuple[str, Path]]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".unfinished")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for inside, path in files:
            entry = zipfile.ZipInfo(inside, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)
    unfinished.replace(target)


def _forget_old(target: Path) -> None:
    """Keep the newest zips of a name, the target among them."""
    siblings = target.parent.glob(f"{target.stem.rpartition('-')[0]}-*.zip")
    for stale in sorted(siblings, key=lambda path: path.stat().st_mtime)[:-KEPT]:
        stale.unlink(missing_ok=True)
