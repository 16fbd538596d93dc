"""Zips of the functions and the layers, made without `sam build`, which would want the exact Python of the runtime.

A zip is named by the hash of what is in it: the same sources make the same name, and a second `up` builds nothing.

The engine unpacks a layer for every process that runs a function. Most of a layer is botocore, some 3,000 files, and
unpacking them takes three times as long as importing what is needed. So the local layer holds our own packages and
points to the folder that pip has filled with the rest; where the rest comes on the path stays the same.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from makegood_cli.local.places import Places

EPOCH = (1980, 1, 1, 0, 0, 0)  # the oldest date a zip can hold; the same sources make the same bytes
REQUIREMENTS = "requirements.txt"
POINTER = "python/lib/python/site-packages/dependencies.pth"  # a layer's site folder, where .pth files count
KEPT = 3  #: zips of a name, so that going back to the sources of a moment ago builds nothing


class PackagingError(Exception):
    """pip could not fill a layer."""


def function_zip(places: Places, folder: Path) -> Path:
    """Return the zip of a function's folder."""
    with _alone(places.cache):
        return _zipped(places.cache, folder.name, _sources(folder, prefix=""))


def layer_zip(places: Places, folder: Path) -> Path:
    """Return the zip of a layer's folder: its packages, and where to find what its requirements.txt names.

    Raises PackagingError.
    """
    entries = _sources(folder, prefix="python/")
    requirements = folder / REQUIREMENTS
    if requirements.exists():
        dependencies = str(installed(places, requirements))
        entries[POINTER] = f"import sys; sys.path.insert(1, {dependencies!r})\n".encode()
    with _alone(places.cache):
        return _zipped(places.cache, folder.name, entries)


def installed(places: Places, requirements: Path) -> Path:
    """Return a folder into which pip has installed the requirements, for the interpreter that runs the functions.

    Raises PackagingError.
    """
    python = places.engine_python
    key = hashlib.sha256(requirements.read_bytes() + str(python.resolve()).encode()).hexdigest()[:16]
    target = places.cache / "dependencies" / key
    with _alone(places.cache):
        if not target.exists():
            _install(python, requirements, target)
    return target


def _install(python: Path, requirements: Path, target: Path) -> None:
    unfinished = target.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    pip = ["pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    _run(python, ["-m", *pip, "--only-binary", ":all:", "--target", str(unfinished), "-r", str(requirements)])
    unfinished.mkdir(parents=True, exist_ok=True)  # requirements that name nothing make no folder
    unfinished.replace(target)


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """Let one local stack of a checkout build at a time; several share the cache."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(python: Path, arguments: list[str]) -> None:
    run = subprocess.run([str(python), "-I", *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode:
        raise PackagingError(f"{' '.join(arguments[:2])} failed:\n{run.stderr.strip()}")


def _sources(folder: Path, *, prefix: str) -> dict[str, bytes]:
    """Return the content of each file of a folder by its place in the zip, without what interpreters leave there."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"{prefix}{path.relative_to(folder)}": path.read_bytes() for path in paths}


def _zipped(cache: Path, name: str, entries: dict[str, bytes]) -> Path:
    """Zip the entries, unless that very zip is there."""
    digest = hashlib.sha256()
    for inside in sorted(entries):
        digest.update(f"{inside}\0{hashlib.sha256(entries[inside]).hexdigest()}\n".encode())
    target = cache / "zips" / f"{name}-{digest.hexdigest()[:16]}.zip"
    if target.exists():
        target.touch()  # those that were used last are the newest
        return target
    _write(target, entries)
    _forget_old(target)
    return target


def _write(target: Path, entries: dict[str, bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".unfinished")
    with zipfile.ZipFile(unfinished, "w") as archive:
        for inside in sorted(entries):
            entry = zipfile.ZipInfo(inside, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, entries[inside], zipfile.ZIP_DEFLATED)
    unfinished.replace(target)


def _forget_old(target: Path) -> None:
    """Keep the newest zips of a name, the target among them."""
    siblings = target.parent.glob(f"{target.stem.rpartition('-')[0]}-*.zip")
    for stale in sorted(siblings, key=lambda path: path.stat().st_mtime)[:-KEPT]:
        stale.unlink(missing_ok=True)
