"""Does `types` show every type's written policy, or the one that is named?"""

from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench


def test_one_type_can_be_shown_alone(bench: Bench) -> None:
    shown = bench.run("types", "charge")
    assert (shown.exit_code, shown.stdout.splitlines()[0]) == (ExitCode.FINE, "charge")
    assert not any(line in {"bill", "seen", "sync"} for line in shown.stdout.splitlines())
    assert list(bench.json("types", "charge")) == ["charge"]
    assert list(bench.json("types")) == ["bill", "charge", "seen", "sync"]
