"""Recommendations against decisions, type by type, and where the numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.scorecard import Card, Score, meaning
from makegood_cli.screens.sheet import Column, Sheet, faint, joined, pairs, said
from makegood_cli.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.choices import Mode
    from rich.console import Console


def show(console: Console, card: Card, modes: Mapping[str, Mode | None], table: str) -> None:
    """Print each type's counts and what they mean, then the source."""
    for name, mode in modes.items():
        console.print(joined(said(name, "bold"), faint(f"  mode {mode.value if mode else 'unknown'}")))
        score = card.scores.get(name, Score())
        if score.steps or score.unrecommended:
            _counts(score).print(console, indent=2)
        if score.of_other_versions:
            pairs(console, ("not counted", _others(score)), indent=2)
        pairs(console, ("means", meaning(score, mode)), indent=2)
        console.print()
    pairs(console, ("source", source(card, table)))


def source(card: Card, table: str) -> str:
    """Say where the numbers come from and what they cost."""
    cost = "the table does not say what that cost" if card.units is None else f"it cost {card.units:f} read units"
    odd = f"; {counted(len(card.unreadable), 'row')} cannot be read: {', '.join(card.unreadable[:3])}"
    return (
        f"the decisions kept in the rows of {table}: {counted(card.operations, 'operation')} that people decided upon, "
        f"found by reading the whole table once, {counted(card.pages, 'page')}; {cost}"
        + (odd if card.unreadable else "")
    )


def _others(score: Score) -> str:
    return f"{counted(score.of_other_versions, 'decision')} under other versions of its policy"


def _counts(score: Score) -> Sheet:
    names = (Column(name="RECOMMENDED"), Column(name="AGREED", right=True), Column(name="OTHERWISE", right=True))
    sheet = Sheet((*names, Column(folds=True)))
    for step, followed in sorted(score.steps.items()):
        sheet.add(step, f"{followed.agreed:,}", f"{followed.otherwise:,}", faint(", ".join(followed.otherwise_ids)))
    if score.unrecommended:
        what = ", ".join(f"{action} {count:,}" for action, count in score.unrecommended.most_common())
        sheet.add("none", "", "", faint(f"{counted(score.unrecommended.total(), 'decision')}: {what}"))
    return sheet
