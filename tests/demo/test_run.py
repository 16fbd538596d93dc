"""Does `makegood demo` refuse what it cannot do before it starts anything?"""

from pathlib import Path

import pytest
from makegood_cli import demo
from makegood_cli.exits import Ended, ExitCode
from makegood_cli.local.places import Places


def test_an_unknown_fault_is_a_usage_error_and_nothing_is_started(tmp_path: Path) -> None:
    with pytest.raises(Ended, match="no fault 'no-such' to plant; there are no-touch") as ended:
        demo.run(Places(state=tmp_path), seed=1, fault="no-such", as_json=False)
    assert ended.value.code is ExitCode.USAGE
    assert not list(tmp_path.iterdir())
