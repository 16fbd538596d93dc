"""What does byte code spare a cold start? Imports a built door in fresh processes, each kind of byte code in turn.

    make build && .venv/bin/python benchmarks/cold_import.py [--rounds 9]

In the zip that SAM makes every file is dated 1980, and in Lambda nothing can be written beside it. So each kind is laid
out like that, and nothing is written while it is measured. The kinds take turns, so that a busy machine is busy for all
of them; what counts is the ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / ".aws-sam/build"
LAYERS = ("MakegoodLayer/python", "CatalogLayer/python")
DOORS = ("WorkerFunction", "ReconcilerFunction")
RUNTIME = "3.13"
DATE_IN_THE_ZIP = 315_532_800  #: 1980-01-01, in seconds

#: by what the interpreter believes byte code (PEP 552)
KINDS = {
    "no byte code": None,
    "believed by date": "timestamp",
    "by checked hash": "checked-hash",
    "by unchecked hash": "unchecked-hash",
}
SHIPPED = "by checked hash"  #: what `make build` makes

#: Runs in the process that is measured; the first event imports the catalog. Only a file of ours counts as compiled,
#: for a namedtuple compiles a text of its own.
LOOK = """
import json, sys, time
path = json.loads(sys.argv[1])
sys.path[:0] = path
compiled = []
def hear(event, args):
    if event == "compile" and str(args[1]).startswith(tuple(path)):
        compiled.append(args[1])
sys.addaudithook(hear)
wall, cpu = time.perf_counter(), time.process_time()
import app, catalog
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(json.dumps({"wall": wall, "cpu": cpu, "compiled": compiled, "loaded": sorted(sys.modules)}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One cold import."""

    wall: float  #: seconds
    cpu: float  #: seconds of processor time
    compiled: list[str]  #: files whose byte code was not there, or not believed
    loaded: list[str]  #: every module


def runtime_python() -> str:
    """Return the path of a Python of the runtime's version."""
    find = [str(ROOT / "tools/find-python"), RUNTIME]
    return subprocess.run(find, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 - our own tool


def laid_out(python: str, mode: str | None, root: Path) -> Path:
    """Copy what was built, with byte code of that kind and the dates that SAM's zip gives."""
    left_out = shutil.ignore_patterns("__pycache__", "data")  # no import reads botocore's 27 MB of data
    for folder in (*LAYERS, *DOORS):
        shutil.copytree(BUILT / folder, root / folder, ignore=left_out)
    if mode:
        command = [python, "-m", "compileall", "-qq", "--invalidation-mode", mode, str(root)]
        subprocess.run(command, check=True)  # noqa: S603 - no shell between
    for source in root.rglob("*.py"):
        os.utime(source, (DATE_IN_THE_ZIP, DATE_IN_THE_ZIP))
    return root


def cold(python: str, root: Path, door: str) -> Import:
    """Import a door in a process of its own that sees nothing but the built folders, and writes nothing."""
    path = json.dumps([str(root / folder) for folder in (door, *LAYERS)])
    command = [python, "-I", "-S", "-B", "-c", LOOK, path]
    run = subprocess.run(command, check=False, capture_output=True, text=True, env={})  # noqa: S603 - our own text
    if run.returncode:
        raise ImportError(run.stderr)
    return Import(**json.loads(run.stdout))


def measured(python: str, roots: dict[str, Path], door: str, rounds: int) -> dict[str, list[Import]]:
    """Let the kinds take turns; the first turn only fills the file cache."""
    turns = [{kind: cold(python, root, door) for kind, root in roots.items()} for _ in range(rounds + 1)]
    return {kind: [turn[kind] for turn in turns[1:]] for kind in roots}


def told(door: str, found: dict[str, list[Import]]) -> None:
    """Print the medians of a door; a ratio is one of processor times."""
    unit = median(each.cpu for each in found[SHIPPED])
    print(f"\n{door}, median of {len(found[SHIPPED])} cold imports")
    print(f"  {'':18}{'compiled':>9}{'wall':>10}{'processor':>11}{'ratio':>7}")
    for kind, imports in found.items():
        wall, cpu = median(each.wall for each in imports), median(each.cpu for each in imports)
        mark = "  shipped" if kind == SHIPPED else ""
        count = len(imports[0].compiled)
        print(f"  {kind:18}{count:>9}{wall * 1000:>7.0f} ms{cpu * 1000:>8.0f} ms{cpu / unit:>7.2f}{mark}")


def main() -> None:
    """Measure each door."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="imports of each kind and door (9)")
    rounds = parser.parse_args().rounds
    python = runtime_python()
    with tempfile.TemporaryDirectory() as under:
        roots = {kind: laid_out(python, mode, Path(under) / str(mode)) for kind, mode in KINDS.items()}
        for door in DOORS:
            told(door, measured(python, roots, door, rounds))


if __name__ == "__main__":
    main()
