"""What the live view has of a pass: how many WebApps are in which state, which are not in order, what was changed.

Text only, and safe already: it outlives the pass, which is not to be kept in memory for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from webappctl.core.plan import PENDING, Action, Change, Plan
from webappctl.core.progress import STALLING, progress_of
from webappctl.core.report import FAILURES, OUTCOMES, SETTLED, Outcome, Report, Result
from webappctl.core.text import safe
from webappctl.render.rows import Row, change_rows, is_quiet, result_row
from webappctl.render.table import MAX_ROWS
from webappctl.render.text import FOR_NOTHING, creation, effect, reason, words

READY: Final = "ready"
NOT_READY: Final = "not ready"
IN_ORDER: Final = "in order"

_STATES: Final = {
    READY: Action.CREATE,
    IN_ORDER: Action.CREATE,
    NOT_READY: Action.WAITING,
    **{f"to {action.value}": action for action in Action if action in PENDING},
    Outcome.FAILED.value: Action.BLOCKED,
    Outcome.BLOCKED.value: Action.BLOCKED,
    Outcome.WITHHELD.value: Action.UPDATE,
    Outcome.STALE.value: Action.UPDATE,
    Outcome.NOT_TRIED.value: Action.UPDATE,
    Outcome.WAITING.value: Action.WAITING,
    Action.PAUSED.value: Action.PAUSED,
    Action.HELD.value: Action.HELD,
    Outcome.ORPHAN.value: Action.ORPHAN,
}
"""In the order in which they are told, each with the action whose colour it has."""

_REMARKED: Final = frozenset({Action.HELD, Action.PAUSED})
"""They are counted beside the state of the WebApp, which is as it should be."""

_Row = TypeVar("_Row", Row, Change)


@dataclass(frozen=True, slots=True)
class Count:
    """`action` gives the colour."""

    number: int
    state: str
    action: Action


@dataclass(frozen=True, slots=True)
class Fleet:
    """After a pass. `rows`: what is not in order, and before all others what somebody has to do something about.

    `more`: how many of them are left out. `sentences`: the columns that are long, the longest first.
    """

    counts: tuple[Count, ...]
    headers: tuple[str, str, str, str]
    sentences: tuple[int, int]
    rows: tuple[Row, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Happened:
    """A write that was done. The cells of `row`: its outcome, what was written, and why."""

    time: datetime
    row: Row


def planned_fleet(plan: Plan, now: datetime) -> Fleet:
    """Of a pass that only planned. Nothing is known of rollouts then."""
    states = Counter(_planned_state(change) for change in plan.changes)
    states += Counter(change.action.value for change in plan.changes if change.action is Action.HELD)
    unquiet = [change for change in plan.changes if change.action not in (Action.NONE, Action.HELD)]
    changes, more = _first(unquiet)
    rows = tuple(_as_one(change_rows(change, now)) for change in changes)
    return Fleet(_counts(states), ("WebApp", "Change", "Why", "Effect"), (1, 2), rows, more)


def reported_fleet(report: Report) -> Fleet:
    standing = [(result, _state(result)) for result in report.results]
    states = Counter(state for _, state in standing if state)
    settled = (result.change.action for result in report.results if result.outcome in SETTLED)
    states += Counter(action.value for action in settled if action in _REMARKED)
    rows, more = _first([_result_row(result) for result, state in standing if _is_unquiet(result, state)])
    return Fleet(_counts(states), ("WebApp", "Why", "State", "What to do"), (1, 3), rows, more)


def done_counts(report: Report) -> str:
    """`1 created, 2 configured`: what came of what was tried; the rest is in the counts of the fleet."""
    tried = (*OUTCOMES.values(), Outcome.GONE, Outcome.STALE, *FAILURES)
    parts = [f"{report.count(outcome):,} {outcome.value}" for outcome in Outcome if outcome in tried]
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "nothing to do"


def happened(report: Report, time: datetime) -> tuple[Happened, ...]:
    """What was written in a pass that ended at that time. A pass that did nothing is no change."""
    done = (result for result in report.results if result.outcome in OUTCOMES.values())
    return tuple(Happened(time, _done_row(result, time)) for result in done)


def _planned_state(change: Change) -> str:
    if change.action in (Action.NONE, Action.HELD):
        return IN_ORDER
    return f"to {change.action.value}" if change.action in PENDING else change.action.value


def _state(result: Result) -> str:
    """Empty for what has gone."""
    if result.outcome in SETTLED:
        return READY if progress_of(result).ready else NOT_READY
    return "" if result.outcome in (Outcome.DELETED, Outcome.GONE) else result.outcome.value


def _counts(states: Counter[str]) -> tuple[Count, ...]:
    return tuple(Count(states[state], state, action) for state, action in _STATES.items() if states[state])


def _is_unquiet(result: Result, state: str) -> bool:
    if result.change.action is Action.PAUSED or result.outcome is Outcome.ORPHAN:
        return True
    return state == NOT_READY or not is_quiet(result)


def _result_row(result: Result) -> Row:
    """Of a WebApp that is as it should be, and yet not ready, how far its rollout is."""
    if result.change.action is Action.PAUSED or result.outcome is Outcome.ORPHAN:
        cells = (safe(result.message), result.change.action.value, safe(result.remedy))
        return Row(result.change.action, safe(result.change.title), cells)
    if result.outcome not in SETTLED:
        return result_row(result)
    progress = progress_of(result)
    stalls = progress.reason in STALLING
    why = f"{progress.reason}: {progress.message}" if stalls else progress.message
    return Row(Action.BLOCKED if stalls else Action.WAITING, safe(result.change.title), (safe(why), NOT_READY, ""))


def _first(rows: Sequence[_Row]) -> tuple[tuple[_Row, ...], int]:
    """The most important ones, and how many more there are.

    What only has to be waited for comes after what does not get on by itself, and what is for nothing is the last: the
    end of the table is what a small terminal has no room for.
    """
    ranked = sorted(rows, key=lambda row: (row.action in FOR_NOTHING, row.action is Action.WAITING))
    return tuple(ranked[:MAX_ROWS]), max(0, len(rows) - MAX_ROWS)


def _done_row(result: Result, now: datetime) -> Row:
    change, row = result.change, _as_one(change_rows(result.change, now, done=True))
    what = row.cells[0]
    if change.action is Action.CREATE:
        what = creation(change)
    elif change.action is Action.DELETE:
        what = effect(change)
    return Row(change.action, row.name, (result.outcome.value, what, _because(change)))


def _because(change: Change) -> str:
    """Who changed it, or what; not how long ago, which will not be true for long."""
    whys = [safe(field.manager) or words(field.cause.value) for field in change.fields]
    return "; ".join(dict.fromkeys(whys)) or words(reason(change))


def _as_one(rows: Iterator[Row]) -> Row:
    """The rows of a change, one for each field, as a single one."""
    first, *others = rows
    columns = zip(*(row.cells for row in (first, *others)), strict=True)
    what, why, does = ("; ".join(dict.fromkeys(filter(None, cells))) for cells in columns)
    return Row(first.action, first.name, (what, why, does))
