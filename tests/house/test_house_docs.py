"""Do the docs say what the code does?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_life_cycle_page_is_written_from_the_table() -> None:
    command = [sys.executable, str(ROOT / "tools" / "life_cycle.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"run `make docs` and commit what it changes {checked.stderr}"
