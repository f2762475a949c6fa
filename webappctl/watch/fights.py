"""A field that somebody sets again as often as it is put back: nobody wins, so it is put back less and less often.

Put back three times within five minutes, it is contested: what its WebApp asks for waits 30 s, then 60 s, and so on up
to 5 min, and the WebApp has a condition that names the other manager. That ends when the field has been left alone for
five minutes. Another spec of the WebApp is written at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from webappctl.core.diff import Cause, FieldChange
from webappctl.core.plan import Action, Change, Effect, Obstacle, Plan, way_out
from webappctl.core.report import Outcome, Report
from webappctl.watch.backoff import FIRST, LONGEST

TIMES: Final = 3
"""So often a field is put back before it is contested."""
WINDOW: Final = 300.0
"""Within so many seconds; and after so many of peace it is not contested any more."""


@dataclass(frozen=True, slots=True)
class _Fight:
    """Over one field of one WebApp, of that `generation`, with the `manager` who set it last, empty for nobody known.

    `times`: when it was put back lately. `seen`: when it was put back, or found changed, last. `delay`: from the last
    time that it was put back to the next; 0 for a field that is not contested.
    """

    manager: str
    generation: int
    times: tuple[float, ...]
    seen: float
    delay: float = 0.0

    @property
    def until(self) -> float:
        return self.times[-1] + self.delay


_Field = tuple[str, str]
"""The uid of a WebApp, and the path of a field."""


class Fights:
    """Remembers what was put back. Times are monotonic, in seconds."""

    def __init__(self) -> None:
        self._fights: dict[_Field, _Fight] = {}

    def hold_back(self, plan: Plan, now: float) -> Plan:
        """The plan, with the rows that have a contested field told so, and with what is not to be put back yet as
        blocked. Forgets what is over."""
        self._fights = {field: fight for field, fight in self._fights.items() if now - fight.seen < WINDOW}
        contested = {uid for (uid, _), fight in self._fights.items() if fight.delay}
        if not contested:
            return plan
        changes = (self._held_back(change, now) if _uid(change) in contested else change for change in plan.changes)
        return replace(plan, changes=tuple(changes))

    def learn(self, report: Report, now: float) -> None:
        """A write that failed has put nothing back."""
        for result in report.results:
            if result.outcome is Outcome.CONFIGURED:
                for field in _drifted(result.change):
                    key = _uid(result.change), field.path
                    self._fights[key] = _put_back(self._fights.get(key), field.manager, _generation(result.change), now)

    def due(self, now: float) -> float:
        """When the next contested field is put back, or is contested no more; infinite for none."""
        contested = [fight for fight in self._fights.values() if fight.delay]
        instants = (instant for fight in contested for instant in (fight.until, fight.seen + WINDOW))
        return min((instant for instant in instants if instant > now), default=math.inf)

    def _held_back(self, change: Change, now: float) -> Change:
        found = [self._found_again(change, field, now) for field in _drifted(change)]
        told = replace(change, contested="; ".join(self._told(change)))
        if not any(fight and fight.delay and _must_wait(fight, change, now) for fight in found):
            return told
        message, remedy = told.contested, f"make the other stop, or pause this WebApp: {way_out(change.key)}"
        blocked = replace(told, action=Action.BLOCKED, fields=(), effect=Effect(), takeover=None)
        return replace(blocked, obstacle=Obstacle.CONTESTED, message=message, remedy=remedy)

    def _found_again(self, change: Change, field: FieldChange, now: float) -> _Fight | None:
        key = _uid(change), field.path
        if key in self._fights:
            self._fights[key] = replace(self._fights[key], manager=field.manager, seen=now)
        return self._fights.get(key)

    def _told(self, change: Change) -> Iterator[str]:
        """`replicas was put back 3 times in 5 min, kubectl sets it again`: the same words until it is over."""
        for (uid, path), fight in sorted(self._fights.items()):
            if uid == _uid(change) and fight.delay:
                often = f"{TIMES} times in {WINDOW / 60:.0f} min"
                yield f"{path} was put back {often}, {fight.manager or 'an unknown writer'} sets it again"


def _put_back(last: _Fight | None, manager: str, generation: int, now: float) -> _Fight:
    times = (*(time for time in (last.times if last else ()) if now - time <= WINDOW), now)[-TIMES:]
    delay = last.delay if last else 0.0
    if delay:
        delay = min(2 * delay, LONGEST)
    elif len(times) == TIMES:
        delay = FIRST
    return _Fight(manager, generation, times, now, delay)


def _must_wait(fight: _Fight, change: Change, now: float) -> bool:
    return now < fight.until and fight.generation == _generation(change)


def _drifted(change: Change) -> Iterator[FieldChange]:
    """What others changed, of a row that would put it back, or has."""
    if change.action is Action.UPDATE:
        yield from (field for field in change.fields if field.cause is Cause.LIVE_DRIFT)


def _uid(change: Change) -> str:
    return change.webapp.metadata.uid if change.webapp else ""


def _generation(change: Change) -> int:
    return change.webapp.metadata.generation if change.webapp else 0
