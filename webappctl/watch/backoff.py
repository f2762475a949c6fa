"""What the API server refused is not sent in every pass: the next try is 30 s later, then 60 s, and so on up to 5 min.

It is tried at once when the WebApp or the Deployment is another, or was changed. Until then its row is blocked in the
words of the last refusal, so that its status stays as it is, and there is nothing to tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from webappctl.apply import altered
from webappctl.core.objects import Deployment, ObjectKey, Unreadable, WebApp
from webappctl.core.plan import Action, Change, Effect, Obstacle, Plan
from webappctl.core.report import DONE, Outcome, Report, Result

FIRST: Final = 30.0
"""Seconds until the next try; they double with each refusal."""
LONGEST: Final = 300.0

_Essence = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The last one of a row, and which `write` would be the same again. The next try is at `until`, `delay` later.

    Not the Result itself: that would keep the whole answer in memory in which its objects were listed.
    """

    write: _Essence
    obstacle: Obstacle | None
    message: str
    remedy: str
    delay: float
    until: float


class Backoff:
    """Remembers what was refused. Times are monotonic, in seconds."""

    def __init__(self) -> None:
        self._refusals: dict[ObjectKey, _Refusal] = {}

    def hold_back(self, plan: Plan, now: float) -> Plan:
        """The plan, with what is not to be tried yet as blocked. Forgets what is gone, or would be another write."""
        pending = {c.deployment_key: _essence(c) for c in plan.pending if c.deployment_key in self._refusals}
        self._refusals = {key: last for key, last in self._refusals.items() if pending.get(key) == last.write}
        waiting = {key: last for key, last in self._refusals.items() if now < last.until}
        if not waiting:
            return plan
        changes = (_held_back(change, waiting.get(change.deployment_key)) for change in plan.changes)
        return replace(plan, changes=tuple(changes))

    def learn(self, report: Report, now: float) -> None:
        """A failure of another kind is tried again in the next pass, and does not undo the refusal before it."""
        for result in report.results:
            key = result.change.deployment_key
            if result.outcome is Outcome.BLOCKED and result.tried:
                self._refusals[key] = _refusal(result, self._refusals.get(key), now)
            elif result.outcome in DONE:
                self._refusals.pop(key, None)

    def due(self, now: float) -> float:
        """When the next of them may be tried again; infinite for none."""
        return min((last.until for last in self._refusals.values() if last.until > now), default=math.inf)


def _refusal(result: Result, last: _Refusal | None, now: float) -> _Refusal:
    tried, again = _essence(result.change), _essence(_again(result))
    delay = FIRST if last is None or last.write != tried else min(2 * last.delay, LONGEST)
    return _Refusal(again, result.obstacle, result.message, result.remedy, delay, now + delay)


def _again(result: Result) -> Change:
    """What the next pass plans when nothing else happens: where admission altered the write, it is over another."""
    change, live = result.change, result.deployment
    if result.obstacle is not Obstacle.ALTERED or not isinstance(live, Deployment):
        return change
    return replace(change, action=Action.UPDATE, deployment=live, fields=altered(change, live), takeover=None)


def _held_back(change: Change, last: _Refusal | None) -> Change:
    if last is None:
        return change
    told = replace(change, obstacle=last.obstacle, message=last.message, remedy=last.remedy)
    return replace(told, action=Action.BLOCKED, fields=(), effect=Effect(), takeover=None)


def _essence(change: Change) -> _Essence:
    """What would be written over what. Statuses are no part of it, nor is who changed a field, and when."""
    fields = tuple(field.essence for field in change.fields)
    return change.action, _version(change.webapp), _version(change.deployment), fields, change.takeover


def _version(found: WebApp | Deployment | Unreadable | None) -> tuple[str, int] | None:
    return None if found is None else (found.metadata.uid, found.metadata.generation)
