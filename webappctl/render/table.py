"""Rich tables for a terminal. Nothing is cut: what is too wide folds."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from webappctl.core.plan import Action, Plan
from webappctl.core.report import Report
from webappctl.core.text import safe
from webappctl.render.rows import SIGNS, Row, change_rows, is_quiet, result_row
from webappctl.render.text import FOR_NOTHING, shown

if TYPE_CHECKING:
    from rich.table import Table

MAX_ROWS: Final = 200
"""A table costs a quarter of a millisecond a row, and nobody reads more."""

MAX_NAME_WIDTH: Final = 30
GAPS: Final = 9
"""Columns of the terminal: the sign, and two between any two columns of the table."""

STYLES: Final = {
    Action.CREATE: "green",
    Action.UPDATE: "yellow",
    Action.ADOPT: "cyan",
    Action.DELETE: "red",
    Action.NONE: "dim",
    Action.HELD: "dim",
    Action.PAUSED: "dim",
    Action.BLOCKED: "red",
    Action.WAITING: "blue",
    Action.ORPHAN: "dim magenta",
}


def plan_table(plan: Plan, width: int, now: datetime) -> Table | None:
    """None when no row is to be shown. `width` is the terminal's, in columns; `now` is for `3 min ago`."""
    changes, more = shown(plan.changes, MAX_ROWS)
    rows = [row for change in changes for row in change_rows(change, now)]
    return _table(("WebApp", "Change", "Why", "Effect"), rows, more, width) if rows else None


def problem_table(report: Report, width: int) -> Table | None:
    """What did not go as the plan said; None when all did. A row that was planned as blocked has been shown already."""
    problems = [
        result
        for result in report.results
        if not is_quiet(result) and result.change.action not in (Action.BLOCKED, Action.WAITING)
    ]
    rows = [result_row(result) for result in problems[:MAX_ROWS]]
    more = max(0, len(problems) - MAX_ROWS)
    return _table(("WebApp", "Why", "Outcome", "What to do"), rows, more, width) if rows else None


def _table(headers: tuple[str, str, str, str], rows: list[Row], more: int, width: int) -> Table:
    """All widths but one are fixed, so that Rich has only that one to fold further on a narrow terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    name, why, does = _widths(headers, rows, width)
    table.add_column("", no_wrap=True)
    for header, fixed in zip(headers, (name, None, why, does), strict=True):
        table.add_column(header, overflow="fold", width=fixed)
    for row in rows:
        style = STYLES[row.action]
        first = (Text(SIGNS[row.action] if row.name else "", style), Text(safe(row.name), style))
        cells = (Text(safe(cell)) for cell in row.cells)
        table.add_row(*first, *cells, style="dim" if row.action in FOR_NOTHING else "")
    if more:
        table.add_row("", "", f"and {more:,} more rows (-o json shows all)", "", "")
    return table


def _widths(headers: tuple[str, str, str, str], rows: list[Row], width: int) -> tuple[int, int, int]:
    """Of all columns but the one that has images and messages in it: it has four tenths of what the names leave."""
    name, main, *sides = (
        max(len(header), *map(len, cells))
        for header, cells in zip(headers, zip(*((row.name, *row.cells) for row in rows), strict=True), strict=True)
    )
    name = min(name, MAX_NAME_WIDTH, width // 3)
    room = width - GAPS - name
    why, does = (max(1, min(side, max(room * 3 // 10, (room - main) // 2))) for side in sides)
    return name, why, does
