"""Is the page of written policies what the code says?"""

import subprocess
import sys

from catalog import OPERATION_TYPES

from tests.house.docs_reading import ROOT, text


def test_the_page_of_policies_is_written_from_the_code() -> None:
    checked = subprocess.run(
        [sys.executable, "tools/policies.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"run `make docs` and commit what it changes {checked.stderr}"


def test_every_shipped_type_says_what_people_would_keep_in_a_wiki() -> None:
    for cls in OPERATION_TYPES:
        assert f"## {cls.name}\n" in text("policies.md")
        assert cls.effect, f"{cls.name} does not say what effect it has"
        assert cls.proof, f"{cls.name} does not say what counts as evidence"
        assert bool(cls.source_of_truth) is cls.policy.capability.can_ask, f"{cls.name}: who is asked?"
