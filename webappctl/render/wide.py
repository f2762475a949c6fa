"""The wide table for a terminal: every fact of a plan in a column of its own.

Nothing is cut here either: what is too wide folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from webappctl.core.plan import Action, Change, Plan
from webappctl.core.text import safe
from webappctl.render.facts import Fact, planned
from webappctl.render.rows import SIGNS
from webappctl.render.table import MAX_ROWS, STYLES
from webappctl.render.text import FOR_NOTHING, age, shown, words

if TYPE_CHECKING:
    from rich.table import Table

HEADERS: Final = ("WebApp", "Field", "Actual", "Desired", "Cause", "Manager", "When", "Effect", "Note")
WHEN: Final = HEADERS.index("When")
LAST: Final = len(HEADERS) - 1

WIDE: Final = 140
"""Columns of the terminal. On one with fewer, a time is not kept in one piece."""


def plan_wide_table(plan: Plan, width: int, now: datetime) -> Table | None:
    """None when no row is to be shown. It is for terminals of 140 columns or more."""
    changes, more = shown(plan.changes, MAX_ROWS)
    rows = [row for change in changes for row in _rows(change, now)]
    return _table(rows, more, width) if rows else None


def _rows(change: Change, now: datetime) -> Iterator[tuple[Action, tuple[str, ...]]]:
    for nth, fact in enumerate(planned(change)):
        action = Action(fact.verb)
        sign, title = ("", "") if nth else (SIGNS[action], change.title)
        values = (fact.field, fact.actual, fact.desired, words(fact.cause), fact.manager, _when(fact, now))
        yield action, (sign, title, *values, "" if nth and fact.effect != "none" else fact.effect, _note(fact, nth))


def _when(fact: Fact, now: datetime) -> str:
    """`2026-01-01T11:00:00Z (3 min ago)`."""
    if fact.time is None:
        return "unknown" if fact.manager else ""
    ago = age(fact.time, now)
    return f"{fact.time} ({ago})" if ago else fact.time


def _note(fact: Fact, nth: int) -> str:
    """What is beside the change is said in its first row only."""
    held = fact.held_by if fact.verb == Action.HELD.value else ""
    facts = (fact.text,) if fact.text else (held, fact.note)
    return "; ".join(filter(None, (*facts, "" if nth else fact.beside)))


def _table(rows: list[tuple[Action, tuple[str, ...]]], more: int, width: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for nth, header in enumerate(HEADERS):
        longest = max(len(header), *(len(safe(cells[nth + 1])) for _, cells in rows))
        table.add_column(header, overflow="fold", width=_fixed(nth, longest, width))
    for action, (sign, title, *cells) in rows:
        first = (Text(safe(sign), STYLES[action]), Text(safe(title), STYLES[action]))
        table.add_row(*first, *(Text(safe(cell)) for cell in cells), style="dim" if action in FOR_NOTHING else "")
    if more:
        table.add_row(*("",) * len(HEADERS), f"and {more:,} more rows (-o json shows all)")
    return table


def _fixed(column: int, longest: int, width: int) -> int | None:
    """Rich folds the longest columns first, but the last one has whole sentences, and times are read as one."""
    if column == LAST:
        return max(1, min(longest, width // 5))
    return min(longest, len("2026-01-01T11:00:00Z")) if column == WHEN and width >= WIDE else None
