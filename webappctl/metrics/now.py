"""How every WebApp stands after a pass, counted. The next pass makes it anew, so what was deleted is not in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, assert_never

from webappctl.core.diff import Cause
from webappctl.core.objects import ObjectKey
from webappctl.core.plan import PENDING, Action, Change, Plan
from webappctl.core.report import Outcome, Report, Result

UNKNOWN: Final = "unknown"
MAX_OBJECTS: Final = 1000
"""With a series of their own. A fleet in which more is wrong has one trouble, not thousands."""


class State(Enum):
    IN_ORDER = "in-order"
    PENDING = "pending"
    HELD = "held"
    PAUSED = "paused"
    BLOCKED = "blocked"
    WAITING = "waiting"
    FAILED = "failed"


# Tuples, because to hash an Enum takes longer than to compare it with these; there may be ten thousand.
NOT_IN_ORDER: Final = (State.PENDING, State.BLOCKED, State.WAITING, State.FAILED)
OPEN: Final = (State.PENDING, State.FAILED)
"""What is planned for them has still to be done."""


@dataclass(frozen=True, slots=True)
class Now:
    """`drift`: what is pending, by namespace, action and cause. `blocked`: by namespace and obstacle.

    `not_in_order`: at most MAX_OBJECTS of them, each with its reason; `left_out`: how many more there are.
    """

    webapps: Mapping[State, int]
    orphans: int
    drift: Mapping[tuple[str, str, str], int]
    blocked: Mapping[tuple[str, str], int]
    not_in_order: tuple[tuple[ObjectKey, str], ...]
    left_out: int


_GONE: Final = (Outcome.DELETED, Outcome.GONE)


class _Row(NamedTuple):
    """`state` is None for an orphan that is left alone; `reason` why it is not in order, empty when it is."""

    change: Change
    state: State | None
    reason: str


def after_plan(plan: Plan) -> Now:
    return _counted([_planned_row(change) for change in plan.changes])


def after_pass(report: Report) -> Now:
    """A row that an interrupted pass did not reach is still pending."""
    return _counted([_row(result) for result in report.results if result.outcome not in _GONE])


def cause_of(change: Change) -> str:
    """Of the whole row. An update has one for each field: what somebody else did to one of them weighs more."""
    if change.action is not Action.UPDATE:
        cause = change.cause
        return cause.value if cause else UNKNOWN
    causes = [field.cause for field in change.fields]
    if Cause.LIVE_DRIFT in causes:
        return Cause.LIVE_DRIFT.value
    return causes[0].value if causes else UNKNOWN


def label(outcome: Outcome) -> str:
    return outcome.value.replace(" ", "-")


def _planned_row(change: Change) -> _Row:
    state = _planned_state(change)
    reason = change.obstacle or change.action
    return _Row(change, state, reason.value if state in NOT_IN_ORDER else "")


def _row(result: Result) -> _Row:
    state = _state(result)
    if state not in NOT_IN_ORDER:
        return _Row(result.change, state, "")
    obstacle = result.obstacle or result.change.obstacle
    return _Row(result.change, state, obstacle.value if obstacle else label(result.outcome))


def _state(result: Result) -> State | None:
    match result.outcome:
        case Outcome.UNCHANGED:
            return _planned_state(result.change)
        case Outcome.CREATED | Outcome.CONFIGURED | Outcome.ADOPTED:
            return State.IN_ORDER
        case Outcome.PAUSED:
            return State.PAUSED
        case Outcome.BLOCKED | Outcome.WITHHELD:
            return State.BLOCKED
        case Outcome.WAITING:
            return State.WAITING
        case Outcome.STALE | Outcome.NOT_TRIED:
            return State.PENDING
        case Outcome.FAILED:
            return State.FAILED
        case Outcome.ORPHAN | Outcome.DELETED | Outcome.GONE:
            return None
        case _:
            assert_never(result.outcome)


def _planned_state(change: Change) -> State | None:
    match change.action:
        case Action.CREATE | Action.UPDATE | Action.ADOPT | Action.DELETE:
            return State.PENDING
        case Action.NONE:
            return State.IN_ORDER
        case Action.HELD:
            return State.HELD
        case Action.PAUSED:
            return State.PAUSED
        case Action.BLOCKED:
            return State.BLOCKED
        case Action.WAITING:
            return State.WAITING
        case Action.ORPHAN:
            return None
        case _:
            assert_never(change.action)


def _counted(rows: list[_Row]) -> Now:
    webapps = Counter(row.state for row in rows if row.state and row.change.webapp is not None)
    odd = [row for row in rows if row.reason]
    named = [row for row in odd if row.change.webapp is not None]
    return Now(
        webapps={state: webapps[state] for state in State},
        orphans=sum(row.state is None for row in rows),
        drift=Counter(_drift(row.change) for row in odd if row.state in OPEN and row.change.action in PENDING),
        blocked=Counter(_blocked(row) for row in odd if row.state is State.BLOCKED),
        not_in_order=tuple((row.change.key, row.reason) for row in named[:MAX_OBJECTS]),
        left_out=max(len(named) - MAX_OBJECTS, 0),
    )


def _drift(change: Change) -> tuple[str, str, str]:
    return change.key.namespace, change.action.value, cause_of(change)


def _blocked(row: _Row) -> tuple[str, str]:
    return row.change.key.namespace, row.reason
