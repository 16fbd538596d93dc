"""Say for each planted bug after how many schedules the simulation finds it.

Takes the mutants that touch the domain or the flows, each in a copy of the working tree.

    python mutants/simulated.py                  all of them
    python mutants/simulated.py touch settle     those whose name holds one of these words
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from run import HERE, ROOMS, SIDE_BY_SIDE, copied, planted

SCHEDULES = 10_000  #: at most, for each
ROOMS_SIMULATED = ("layers/makegood/makegood/domain/", "layers/makegood/makegood/flows/")


def of_each(words: list[str], command: list[str]) -> int:
    """Run Python with this command on each mutant and print a line for it."""
    patches = [
        path for path in sorted(HERE.glob("*.patch")) if any(room in path.read_text() for room in ROOMS_SIMULATED)
    ]
    wanted = [path for path in patches if not words or any(word in path.stem for word in words)]
    with tempfile.TemporaryDirectory(prefix="simulated-") as folder, ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        answers = pool.map(partial(_answer, Path(folder), command), wanted)
        for path, words_of_it in zip(wanted, answers, strict=True):
            print(f"{path.stem:<40} {words_of_it}", flush=True)
    return 0


def _answer(folder: Path, command: list[str], patch: Path) -> str:
    copy = copied(folder / patch.stem)
    if trouble := planted(patch, copy):
        return f"the patch no longer applies: {trouble}"
    run = subprocess.run(  # noqa: S603 - our own simulation, in a copy
        [sys.executable, *command],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(copy), *(str(copy / room) for room in ROOMS)])},
    )
    shutil.rmtree(copy, ignore_errors=True)
    return run.stdout.strip() or run.stderr.strip()[-200:]


if __name__ == "__main__":
    sys.exit(of_each(sys.argv[1:], ["-m", "tests.simulation.run", "--first", "--number", str(SCHEDULES)]))
