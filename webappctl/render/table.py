"""Rich tables for a terminal. Nothing is cut: what is too wide folds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from webappctl.core.objects import ObjectKey
from webappctl.core.plan import Action, Change, Plan
from webappctl.core.report import SETTLED, Outcome, Report
from webappctl.render.text import creation, effect, field_text, is_shown, obstacle_text, safe, why

if TYPE_CHECKING:
    from rich.table import Table

MAX_ROWS: Final = 200
"""A table costs a quarter of a millisecond a row, and nobody reads more."""

MAX_KEY_WIDTH: Final = 30
MAX_SIDE_WIDTH: Final = 28
"""Of the columns beside the first: that one has the images, and gets the room."""

SIGNS: Final = {
    Action.CREATE: ("+", "green"),
    Action.UPDATE: ("~", "yellow"),
    Action.BLOCKED: ("!", "red"),
    Action.WAITING: ("…", "blue"),
    Action.NONE: ("=", "dim"),
}


def plan_table(plan: Plan, width: int, now: datetime) -> Table | None:
    """None when no row is to be shown. `width` is the terminal's, in columns; `now` is for `3 min ago`."""
    shown = [change for change in plan.changes if is_shown(change)]
    if not shown:
        return None
    table = _table(_key_width((change.key for change in shown), width), "Change", "Why", "Effect")
    for change in shown[:MAX_ROWS]:
        _add_change(table, change, now)
    _say_what_is_left_out(table, len(shown))
    return table


def problem_table(report: Report, width: int) -> Table | None:
    """What did not go as the plan said; None when all did. A row that was planned as blocked has been shown already."""
    shown = [
        result
        for result in report.results
        if result.outcome not in SETTLED and result.change.action not in (Action.BLOCKED, Action.WAITING)
    ]
    if not shown:
        return None
    table = _table(_key_width((result.key for result in shown), width), "Why", "Outcome", "What to do")
    for result in shown[:MAX_ROWS]:
        sign, style = SIGNS[Action.WAITING if result.outcome is Outcome.WAITING else Action.BLOCKED]
        _add(table, style, sign, str(result.key), result.message, result.outcome.value, result.remedy)
    _say_what_is_left_out(table, len(shown))
    return table


def _key_width(keys: Iterable[ObjectKey], width: int) -> int:
    """Names are what people look for: they fold last. Fixed, because Rich crops a table with a minimum too wide."""
    return max(1, min(MAX_KEY_WIDTH, width // 3, max(len(safe(str(key))) for key in keys)))


def _table(key_width: int, *headers: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("WebApp", overflow="fold", width=key_width)
    first, *others = headers
    table.add_column(first, overflow="fold")
    for header in others:
        table.add_column(header, overflow="fold", max_width=MAX_SIDE_WIDTH)
    return table


def _add_change(table: Table, change: Change, now: datetime) -> None:
    sign, style = SIGNS[change.action]
    key = str(change.key)
    if change.cause is not None:
        _add(table, style, sign, key, f"create, {creation(change)}", change.cause.value, effect(change.effect))
    elif change.fields:
        for nth, field in enumerate(change.fields):
            first = (sign, key) if nth == 0 else ("", "")
            _add(table, style, *first, field_text(field), why(field, now), "" if nth else effect(change.effect))
    else:
        reason = change.obstacle.value.replace("-", " ") if change.obstacle else ""
        _add(table, style, sign, key, obstacle_text(change), reason, change.remedy)
    if change.last_refusal:
        _add(table, style, "", "", f"the last time: {change.last_refusal}", "", "")


def _add(table: Table, style: str, sign: str, key: str, *cells: str) -> None:
    from rich.text import Text

    table.add_row(Text(sign, style), Text(safe(key), style), *(Text(safe(cell)) for cell in cells))


def _say_what_is_left_out(table: Table, rows: int) -> None:
    if rows > MAX_ROWS:
        table.add_row("", "", f"and {rows - MAX_ROWS:,} more rows (-o json shows all)", "", "")
