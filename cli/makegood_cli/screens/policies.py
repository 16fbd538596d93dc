"""The operation types, each with its written policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.policies import written
from makegood_cli.screens.sheet import pairs, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from makegood.domain.registry import Registry
    from rich.console import Console


def show(console: Console, registry: Registry, names: Sequence[str]) -> None:
    """Print each type with all that its policy says here."""
    for number, name in enumerate(names):
        if number:
            console.print()
        console.print(said(name, "bold"))
        pairs(console, *written(registry.class_of(name), registry.terms[name]), indent=2)
