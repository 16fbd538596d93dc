"""Start beside the engine what a deployed function starts at its first event, to see that it starts at all.

The engine deploys whatever it is given, and so does AWS: a catalog that cannot be imported shows when an event comes.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from makegood_cli.local import packages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood_cli.local.places import Places
    from makegood_cli.local.stack import LocalStack

SECONDS = 60  #: of patience
_START = "from makegood import bootstrap; bootstrap.reconciler()"


def why_not_started(found: LocalStack, places: Places) -> str | None:
    """Return why the reconciler of a stack that is up cannot start; `None` if it starts. It asks and sends nothing."""
    name = found.outputs["ReconcilerFunctionName"]
    answer = found.clients.of("lambda").get_function_configuration(FunctionName=name)
    return started(places, answer["Environment"]["Variables"])


def started(places: Places, variables: Mapping[str, str]) -> str | None:
    """Put a reconciler together from the sources, with these variables; return what came in its way, if anything."""
    layers = [places.root / "layers" / layer for layer in ("makegood", "catalog")]
    installed = [
        packages.installed(places, path) for layer in layers if (path := layer / packages.REQUIREMENTS).exists()
    ]
    environment = {
        **variables,
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join(str(path) for path in (*layers, *installed)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [str(places.engine_python), "-c", _START]
    try:
        run = subprocess.run(  # noqa: S603 - our own interpreter
            command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"the start takes more than {SECONDS} s; something waits while the catalog is imported"
    if not run.returncode:
        return None
    last = next((line for line in reversed(run.stderr.splitlines()) if line.strip()), "it said nothing")
    return last.removeprefix("makegood.domain.errors.")
