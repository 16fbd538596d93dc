"""Tables that are right at 80 columns, on a wide terminal and in a pipe: ids stay whole, prose folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from makegood_cli.words import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

GAP = 2  #: spaces between two columns
NARROWEST = 12  #: a column of prose is not folded below this
LONGEST = 40  #: a first line beyond this does not widen its column where room is short; it stands alone above its row

STYLES = {
    "pending": "cyan",
    "processing": "cyan",
    "awaiting_confirmation": "yellow",
    "retry_scheduled": "yellow",
    "manual_review": "bold red",
    "confirmed": "green",
    "compensated": "green",
    "not_applicable": "green",
    "completed": "green",
    "halted": "bold red",
    "overlapped": "yellow",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. Where a table is too wide, the columns with most to spare give way first."""

    name: str = ""
    folds: bool = False  #: may be folded down to `NARROWEST`; otherwise down to its cells' first lines
    right: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns and rows. Nothing is ever cut: prose folds, and what may not fold goes beyond the edge."""

    columns: tuple[Column, ...]
    rows: list[tuple[Text, ...]] = field(default_factory=list)

    def add(self, *cells: Text | str) -> None:
        """Add a row; plain text is taken literally, whatever it holds."""
        self.rows.append(tuple(cell if isinstance(cell, Text) else said(cell) for cell in cells))

    def print(self, console: Console, *, indent: int = 0) -> None:
        """Print the names of the columns, if they have any, and the rows."""
        widths = self._widths(console.width - indent)
        if any(column.name for column in self.columns):
            self._print_row(console, [said(column.name, "bold") for column in self.columns], widths, indent)
        for row in self.rows:
            lead, cells = _lead(row, widths[0])
            if lead is not None:
                _print_line(console, lead, indent)
            self._print_row(console, cells, widths, indent)

    def _print_row(self, console: Console, cells: Sequence[Text], widths: Sequence[int], indent: int) -> None:
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=False)
        for column, width in zip(self.columns, widths, strict=True):
            table.add_column(width=width, overflow="fold")
            table.columns[-1].justify = "right" if column.right else "left"
        table.add_row(*cells)
        usual, total = console.width, sum(widths) + GAP * len(widths)
        console.width = max(usual, total)  # else Rich crops
        lines = console.render_lines(table, console.options.update(width=total), pad=False)
        console.width = usual
        for line in lines:
            _print_line(console, Text.assemble(*((part.text, part.style or "") for part in line)), indent)

    def _widths(self, room: int) -> list[int]:
        """Give each column what it wants, then take from those with most to spare until all fit."""
        columns = range(len(self.columns))
        widths = [max([len(self.columns[i].name), *(_longest(row[i]) for row in self.rows)]) for i in columns]
        least = [min(width, self._least(i)) for i, width in enumerate(widths)]
        while sum(widths) + GAP * (len(widths) - 1) > room:
            spare = [width - least[i] for i, width in enumerate(widths)]
            if max(spare) <= 0:
                break
            widths[spare.index(max(spare))] -= 1
        return widths

    def _least(self, index: int) -> int:
        if self.columns[index].folds:
            return max(len(self.columns[index].name), NARROWEST)
        firsts = [row[index].split()[0].cell_len for row in self.rows if row[index].plain]
        fitting = [length for length in firsts if index or length <= LONGEST]
        return max([len(self.columns[index].name), NARROWEST if not index else 0, *fitting])


def said(text: object, style: str = "") -> Text:
    """Return text as it is: no markup is read in it, and no control character gets through."""
    return Text(plain(text), style=style)


def stacked(*lines: Text | str) -> Text:
    """Return a cell of several lines."""
    return Text("\n").join(line if isinstance(line, Text) else said(line) for line in lines)


def joined(*parts: Text | str) -> Text:
    """Return parts in one line, each in its own style."""
    return Text.assemble(*(part if isinstance(part, Text) else said(part) for part in parts))


def state(name: str) -> Text:
    """Return a status or outcome in its colour."""
    return said(name, STYLES.get(name, ""))


def faint(text: object) -> Text:
    """Return text of lesser weight."""
    return said(text, "dim")


def pairs(console: Console, *rows: tuple[str, Text | str], indent: int = 0) -> None:
    """Print names and values, the values folding under each other."""
    sheet = Sheet((Column(), Column(folds=True)))
    for name, value in rows:
        sheet.add(faint(name), value)
    sheet.print(console, indent=indent)


def _longest(cell: Text) -> int:
    return max((line.cell_len for line in cell.split()), default=0)


def _lead(row: tuple[Text, ...], width: int) -> tuple[Text | None, Sequence[Text]]:
    """Part a first line that its column cannot hold from the rest of the row."""
    first, *rest = row[0].split() or [Text()]
    if first.cell_len <= width:
        return None, row
    return first, (Text("\n").join(rest), *row[1:])


def _print_line(console: Console, line: Text, indent: int) -> None:
    line.rstrip()
    console.print(Text(" " * indent) + line, soft_wrap=True)
