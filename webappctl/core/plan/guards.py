"""The change budget: a plan that would do more than that is refused, with the numbers and the way to allow it.

A guard looks at a plan, and never at how it is carried out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from webappctl.core.plan.change import PENDING, Action, Change, Obstacle, Plan

SMALL: Final = 10
"""Of fewer Deployments than this, the default limit on deletions lets any number go."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A number, or with `percent` that part of everything. `at_least`: binding from so many things on."""

    number: int
    percent: bool = False
    at_least: int = 0

    def room(self, of: int) -> int:
        """How many of them are allowed."""
        if not self.percent:
            return self.number
        return of if of < self.at_least else self.number * of // 100

    def allows(self, changes: int, of: int) -> bool:
        return changes <= self.room(of)

    def __str__(self) -> str:
        return f"{self.number}%" if self.percent else str(self.number)


DEFAULT_DELETES: Final = Limit(30, percent=True, at_least=SMALL)


@dataclass(frozen=True, slots=True)
class Budget:
    """`changes` counts everything that is pending, None for no limit; percentages of it are of all rows.

    `deletes`: percentages are of the Deployments there are. `allow_empty`: deletions are fine without a single WebApp.
    """

    changes: Limit | None = None
    deletes: Limit = DEFAULT_DELETES
    allow_empty: bool = False


@dataclass(frozen=True, slots=True)
class _Trip:
    """A guard that trips: why, and the flag that lets this plan through."""

    why: str
    flag: str


def refusals(plan: Plan, budget: Budget) -> tuple[str, ...]:
    """Why the plan must not be carried out, each with its remedy; empty when it may."""
    return tuple(f"{trip.why} (allow it with {trip.flag})" for trip in _trips(plan, budget))


def within(plan: Plan, budget: Budget) -> Plan:
    """The part of the plan that may be carried out. Of a refused one nothing is deleted: what tripped the guard may
    have gone wrong elsewhere, too. The first of what else is pending goes on, as far as the budget for changes reaches.
    """
    flags = " and ".join(trip.flag for trip in _trips(plan, budget))
    if not flags:
        return plan
    room = len(plan.changes) if budget.changes is None else budget.changes.room(len(plan.changes))
    changes = []
    for change in plan.changes:
        if change.action is Action.DELETE or (change.action in PENDING and not room):
            changes.append(_withheld(change, f"allow it with {flags}"))
        else:
            room -= change.action in PENDING
            changes.append(change)
    return replace(plan, changes=tuple(changes))


def _trips(plan: Plan, budget: Budget) -> Iterator[_Trip]:
    rows, pending, deletes = len(plan.changes), len(plan.pending), plan.count(Action.DELETE)
    if budget.changes is not None and not budget.changes.allows(pending, rows):
        yield _Trip(
            f"{pending:,} of {rows:,} would be changed, more than --max-changes {budget.changes}",
            f"--max-changes {pending}",
        )
    if not deletes:
        return
    there = sum(change.deployment is not None for change in plan.changes)
    if not budget.deletes.allows(deletes, there):
        yield _Trip(
            f"{deletes:,} of {there:,} Deployments would be deleted, more than --max-deletes {budget.deletes}",
            f"--max-deletes {deletes}",
        )
    if not (budget.allow_empty or plan.terminating or any(change.webapp for change in plan.changes)):
        those = "1 Deployment" if deletes == 1 else f"{deletes:,} Deployments"
        yield _Trip(f"no WebApp was found at all, and {those} would be deleted", "--allow-empty")


def _withheld(change: Change, remedy: str) -> Change:
    return Change(
        change.webapp,
        change.deployment,
        Action.BLOCKED,
        held=change.held,
        obstacle=Obstacle.CHANGE_BUDGET,
        message=f"{change.action.value} withheld by a guard",
        remedy=remedy,
        warning=change.warning,
        contested=change.contested,
    )
