"""Does the demo tell how far it is, line by line where nobody watches?"""

import pytest
from makegood_cli.demo.progress import Progress


def test_steps_and_what_happened_in_them_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as progress:
        progress.step("Purging a queue")
        progress.tell("24 messages purged")
        progress.now("this only moves on a terminal")
    captured = capsys.readouterr()
    assert captured.err.splitlines() == ["   0s  Purging a queue", "   0s    24 messages purged"]
    assert captured.out == ""


def test_no_control_character_gets_through(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as progress:
        progress.step("\x1b[2Jgone")
    assert "\x1b" not in capsys.readouterr().err
