"""Print the measured rows of docs/costs.md anew, to be put in their place when a path has changed.

    .venv/bin/python -m benchmarks.costs

Counts, not times: they are the same on every machine. The paths are walked on the double, whose figures the local
engine confirms (tests/costs).
"""

from __future__ import annotations

import logging
from contextlib import redirect_stdout
from io import StringIO

from makegood.adapters.aws import AwsAccess, AwsClients

from tests.costs.priced import EVERY_PATH, cells, walked


def main() -> None:
    """Walk each path and print its row."""
    logging.disable()
    access = AwsAccess(region="us-east-1", access_key="nobody", secret_key="nobody")  # noqa: S106 - nobody's
    clients = AwsClients(access)
    for name in EVERY_PATH:
        with redirect_stdout(StringIO()):  # the doors print their metrics
            row = cells(walked(name, clients))
        print(f"| {name} | {' | '.join(row)} |")


if __name__ == "__main__":
    main()
