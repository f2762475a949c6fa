"""Rich tables for a terminal. Nothing is cut: what is too wide folds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from webappctl.core.objects import ObjectKey
from webappctl.core.plan import Action, Change, Plan
from webappctl.core.report import Outcome, Report
from webappctl.render.text import creation, effect, field_text, is_shown, obstacle_text, safe, why

if TYPE_CHECKING:
    from rich.table import Table

MAX_ROWS: Final = 200
"""A table costs a quarter of a millisecond a row, and nobody reads more."""

MAX_KEY_WIDTH: Final = 30

SIGNS: Final = {
    Action.CREATE: ("+", "green"),
    Action.UPDATE: ("~", "yellow"),
    Action.BLOCKED: ("!", "red"),
    Action.WAITING: ("…", "blue"),
    Action.NONE: ("=", "dim"),
}


def plan_table(plan: Plan) -> Table | None:
    """None when no row is to be shown. The last line says how many rows are left out."""
    shown = [change for change in plan.changes if is_shown(change)]
    if not shown:
        return None
    table = _table(_key_width(change.key for change in shown), "Change", "Why", "Effect")
    for change in shown[:MAX_ROWS]:
        _add_change(table, change)
    _say_what_is_left_out(table, len(shown))
    return table


def problem_table(report: Report) -> Table | None:
    """The results that are not in order; None when all are."""
    good = (Outcome.CREATED, Outcome.CONFIGURED, Outcome.UNCHANGED)
    shown = [result for result in report.results if result.outcome not in good]
    if not shown:
        return None
    table = _table(_key_width(result.key for result in shown), "Outcome", "Why", "What to do")
    for result in shown[:MAX_ROWS]:
        sign, style = SIGNS[Action.WAITING if result.outcome is Outcome.WAITING else Action.BLOCKED]
        _add(table, style, sign, str(result.key), result.outcome.value, result.message, result.remedy)
    _say_what_is_left_out(table, len(shown))
    return table


def _key_width(keys: Iterable[ObjectKey]) -> int:
    """Names are what people look for: they fold last."""
    return min(MAX_KEY_WIDTH, max(len(safe(str(key))) for key in keys))


def _table(key_width: int, *headers: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=False)
    table.add_column("", no_wrap=True)
    table.add_column("WebApp", overflow="fold", min_width=key_width)
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def _add_change(table: Table, change: Change) -> None:
    sign, style = SIGNS[change.action]
    key = str(change.key)
    if change.action is Action.CREATE:
        _add(table, style, sign, key, creation(change), "missing", effect(change.effect))
    elif change.fields:
        for nth, field in enumerate(change.fields):
            first = (sign, key) if nth == 0 else ("", "")
            _add(table, style, *first, field_text(field), why(field), "" if nth else effect(change.effect))
    else:
        reason = change.obstacle.value.replace("-", " ") if change.obstacle else ""
        _add(table, style, sign, key, obstacle_text(change), reason, change.remedy)


def _add(table: Table, style: str, sign: str, key: str, *cells: str) -> None:
    from rich.text import Text

    table.add_row(Text(sign, style), Text(safe(key), style), *(Text(safe(cell)) for cell in cells))


def _say_what_is_left_out(table: Table, rows: int) -> None:
    if rows > MAX_ROWS:
        table.add_row("", "", f"and {rows - MAX_ROWS:,} more rows (-o json shows all)", "", "")
