"""What became of a row, where nothing was written."""

from __future__ import annotations

from typing import Final

from webappctl.core.objects import Deployment, Unreadable
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import Outcome, Result
from webappctl.errors import ClusterError, Stopped

_SETTLED: Final = {
    Action.NONE: Outcome.UNCHANGED,
    Action.HELD: Outcome.UNCHANGED,
    Action.PAUSED: Outcome.UNCHANGED,
    Action.ORPHAN: Outcome.ORPHAN,
    Action.BLOCKED: Outcome.BLOCKED,
    Action.WAITING: Outcome.WAITING,
}


def settled(change: Change) -> Result:
    """A row that needs no write, or gets none."""
    outcome = _SETTLED[change.action]
    if change.obstacle is Obstacle.CHANGE_BUDGET:
        outcome = Outcome.WITHHELD
    elif change.action is Action.PAUSED and change.pause is not None:
        outcome = Outcome.PAUSED
    return Result(
        change,
        outcome,
        change.deployment,
        obstacle=change.obstacle,
        message=change.message,
        remedy=change.remedy,
    )


def gone(change: Change) -> Result:
    what = "its WebApp was deleted meanwhile" if change.webapp else "it was gone already"
    return Result(change, Outcome.GONE, message=what)


def stale(change: Change, live: Deployment | Unreadable | None, message: str) -> Result:
    return Result(change, Outcome.STALE, live, message=message, remedy="plan and apply again")


def failed(change: Change, error: ClusterError | Stopped) -> Result:
    unknown = "; whether it was written is unknown, the next pass will see" if error.may_have_happened else ""
    message = f"{error.message}{unknown}"
    return Result(change, Outcome.FAILED, change.deployment, tried=True, message=message, remedy=error.remedy)
