"""Rich tables for a terminal. Nothing is cut: what is too wide folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from webappctl.core.plan import Action, Change, Plan
from webappctl.core.report import SETTLED, Outcome, Report, Result
from webappctl.render.text import creation, effect, field_text, is_shown, obstacle_text, safe, why

if TYPE_CHECKING:
    from rich.table import Table

MAX_ROWS: Final = 200
"""A table costs a quarter of a millisecond a row, and nobody reads more."""

MAX_NAME_WIDTH: Final = 30
MAX_SIDE_WIDTH: Final = 24
"""Columns of the terminal. What is left is for the one column that has images and messages in it."""

STYLES: Final = {
    Action.CREATE: ("+", "green"),
    Action.UPDATE: ("~", "yellow"),
    Action.BLOCKED: ("!", "red"),
    Action.WAITING: ("…", "blue"),
    Action.NONE: ("=", "dim"),
}


@dataclass(frozen=True, slots=True)
class _Row:
    """`action` gives sign and colour. A row that goes on from the one above it has an empty `name`."""

    action: Action
    name: str
    main: str
    sides: tuple[str, str]


def plan_table(plan: Plan, width: int, now: datetime) -> Table | None:
    """None when no row is to be shown. `width` is the terminal's, in columns; `now` is for `3 min ago`."""
    shown = [change for change in plan.changes if is_shown(change)]
    rows = [row for change in shown[:MAX_ROWS] for row in _change_rows(change, now)]
    return _table(("WebApp", "Change", "Why", "Effect"), rows, len(shown), width) if rows else None


def problem_table(report: Report, width: int) -> Table | None:
    """What did not go as the plan said; None when all did. A row that was planned as blocked has been shown already."""
    shown = [
        result
        for result in report.results
        if result.outcome not in SETTLED and result.change.action not in (Action.BLOCKED, Action.WAITING)
    ]
    rows = [_result_row(result) for result in shown[:MAX_ROWS]]
    return _table(("WebApp", "Why", "Outcome", "What to do"), rows, len(shown), width) if rows else None


def _change_rows(change: Change, now: datetime) -> Iterator[_Row]:
    action, key = change.action, str(change.key)
    if change.cause is not None:
        yield _Row(action, key, f"create, {creation(change)}", (change.cause.value, effect(change.effect)))
    elif change.fields:
        for nth, field in enumerate(change.fields):
            name, does = ("", "") if nth else (key, effect(change.effect))
            yield _Row(action, name, field_text(field), (why(field, now), does))
    else:
        reason = change.obstacle.value.replace("-", " ") if change.obstacle else ""
        yield _Row(action, key, obstacle_text(change), (reason, change.remedy))
    if change.last_refusal:
        yield _Row(action, "", f"the last time: {change.last_refusal}", ("", ""))


def _result_row(result: Result) -> _Row:
    action = Action.WAITING if result.outcome is Outcome.WAITING else Action.BLOCKED
    return _Row(action, str(result.key), result.message, (result.outcome.value, result.remedy))


def _table(headers: tuple[str, str, str, str], rows: list[_Row], shown: int, width: int) -> Table:
    """All widths but one are fixed, so that Rich has only that one to fold further on a narrow terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    name, main, *sides = headers
    table.add_column("", no_wrap=True)
    table.add_column(name, overflow="fold", width=_width((row.name for row in rows), MAX_NAME_WIDTH, width // 3))
    table.add_column(main, overflow="fold")
    for nth, side in enumerate(sides):
        cells = (side, *(row.sides[nth] for row in rows))
        table.add_column(side, overflow="fold", width=_width(cells, MAX_SIDE_WIDTH, width // 5))
    for row in rows:
        sign, style = STYLES[row.action]
        first = (Text(sign if row.name else "", style), Text(safe(row.name), style))
        table.add_row(*first, *(Text(safe(cell)) for cell in (row.main, *row.sides)))
    if shown > MAX_ROWS:
        table.add_row("", "", f"and {shown - MAX_ROWS:,} more rows (-o json shows all)", "", "")
    return table


def _width(cells: Iterable[str], *limits: int) -> int:
    return max(1, min(*limits, max(len(safe(cell)) for cell in cells)))
