"""The operation types, each with its written policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.policies import written
from makegood_cli.screens.sheet import pairs, said

if TYPE_CHECKING:
    from makegood.domain.registry import Registry
    from rich.console import Console


def show(console: Console, registry: Registry) -> None:
    """Print each type with all that its policy says here."""
    for number, (name, terms) in enumerate(sorted(registry.terms.items())):
        if number:
            console.print()
        console.print(said(name, "bold"))
        pairs(console, *written(registry.class_of(name), terms), indent=2)
