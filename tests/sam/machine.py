"""What this machine has for these tests, and what becomes of them where it lacks something."""

from __future__ import annotations

import os
import subprocess
from typing import NoReturn

import pytest

from benchmarks.cold_import import ROOT


def left_out(reason: str) -> NoReturn:
    """Leave a test out and say why; in CI nothing may be left out, and the reason is the failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def python_of(version: str) -> str:
    """Return the path of a Python of that version, nobody's environment."""
    found = subprocess.run([str(ROOT / "tools/find-python"), version], check=False, capture_output=True, text=True)
    if found.returncode:
        left_out(found.stderr.strip())
    return found.stdout.strip()
