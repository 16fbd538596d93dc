"""Break the code on purpose, one small patch at a time, and see that the named test catches it.

A mutant is a file `NAME.patch`: a sentence that says what is broken, lines `test: PATH::NAME` that must fail, then the
diff. Each is applied to a copy of the working tree; the tree itself is never touched. Wrong are: a test that still
passes, a test that cannot run, a patch that no longer applies, and a named test that fails without any patch.

    python mutants/run.py                  all of them
    python mutants/run.py touch settle     those whose name holds one of these words
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ROOMS = ("layers/makegood", "layers/catalog", "cli")
SIDE_BY_SIDE = 2
PATIENCE = 300  #: seconds for the tests of one mutant
PASSED, FAILED = 0, 1  #: exit codes of pytest; anything above is a run that could not take place


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One planted bug."""

    path: Path
    says: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one mutant."""

    mutant: Mutant
    caught: bool
    why: str
    output: str = ""


def main(words: list[str]) -> int:
    """Run the mutants that are asked for and print a line for each; return the exit code."""
    mutants = [mutant for mutant in map(_read, sorted(HERE.glob("*.patch"))) if _wanted(mutant, words)]
    if not mutants:
        print("no mutant has such a name" if words else "there are no mutants")
        return 2
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        healthy = _pytest(copied(Path(folder) / "healthy"), sorted({test for m in mutants for test in m.tests}))
        if healthy.returncode != PASSED:
            print(healthy.stdout[-4000:])
            print("the named tests do not pass without a mutant; nothing is shown")
            return 1
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            outcomes = list(pool.map(lambda mutant: _try(mutant, Path(folder)), mutants))
    for outcome in outcomes:
        print(f"{'caught ' if outcome.caught else 'MISSED '} {outcome.mutant.path.stem:<32} {outcome.why}")
        if not outcome.caught:
            print(outcome.output[-2000:])
    missed = sum(not outcome.caught for outcome in outcomes)
    print(f"{len(outcomes) - missed} of {len(outcomes)} mutants caught")
    return 1 if missed else 0


def _wanted(mutant: Mutant, words: list[str]) -> bool:
    return not words or any(word in mutant.path.stem for word in words)


def _read(path: Path) -> Mutant:
    head, _, _ = path.read_text().partition("\ndiff ")
    lines = head.splitlines()
    tests = tuple(line.removeprefix("test:").strip() for line in lines if line.startswith("test:"))
    if not tests:
        raise SystemExit(f"{path.name} names no test; a line `test: PATH::NAME` is wanted before the diff")
    return Mutant(path=path, says=" ".join(line for line in lines if not line.startswith("test:")).strip(), tests=tests)


def _try(mutant: Mutant, folder: Path) -> Outcome:
    copy = copied(folder / mutant.path.stem)
    if trouble := planted(mutant.path, copy):
        return Outcome(mutant=mutant, caught=False, why="the patch no longer applies", output=trouble)
    run = _pytest(copy, list(mutant.tests))
    shutil.rmtree(copy, ignore_errors=True)
    if run.returncode == FAILED:
        return Outcome(mutant=mutant, caught=True, why=mutant.says)
    why = "its tests still pass" if run.returncode == PASSED else f"its tests could not run (exit {run.returncode})"
    return Outcome(mutant=mutant, caught=False, why=f"{why}: {mutant.says}", output=run.stdout)


def planted(patch: Path, copy: Path) -> str | None:
    """Apply a patch to a copy; say what is wrong if that cannot be done."""
    applied = subprocess.run(  # noqa: S603 - our own patch, in a copy
        ["git", "apply", "--whitespace=nowarn", str(patch)],  # noqa: S607
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(copy.parent)},
    )
    return applied.stderr if applied.returncode else None


def copied(target: Path) -> Path:
    """Copy what git knows or would add; link the environments."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    for environment in ROOT.glob(".venv*"):
        (target / environment.name).symlink_to(environment)
    return target


def _pytest(copy: Path, tests: list[str]) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(copy / room) for room in ROOMS)
    return subprocess.run(  # noqa: S603 - tests named by our own patches
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0", *tests],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
