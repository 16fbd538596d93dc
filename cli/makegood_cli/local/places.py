"""Where the local stack keeps its things, and where it finds the project's."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders of one local stack."""

    root: Path = CHECKOUT  #: the project: template.yaml, functions/, layers/
    state: Path = CHECKOUT / ".makegood"  #: pid files, logs, the engine's and the remote's data
    cache: Path = CHECKOUT / ".makegood" / "cache"  #: built layers; shared by every local stack of a checkout

    @property
    def template(self) -> Path:
        """The template that AWS would get."""
        return self.root / "template.yaml"

    @property
    def demos(self) -> Path:
        """One folder per demo that runs; each is a state folder of its own."""
        return self.state / "demo"

    @property
    def logs(self) -> Path:
        """One log file per process."""
        return self.state / "logs"

    @property
    def engine_python(self) -> Path:
        """The interpreter of the engine's own environment, which also runs the functions."""
        version = f"{sys.version_info.major}.{sys.version_info.minor}"  # `make setup` makes one for each Python
        return self.root / ".venvs" / version / "engine" / "bin" / "python"
