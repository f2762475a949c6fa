"""One line that says it all, and the lines of warning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webappctl.core.objects import Scope
from webappctl.core.plan import Action, Plan
from webappctl.core.report import Outcome, Report
from webappctl.core.text import safe

SHOWN_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class Target:
    """Which cluster, and which part of it."""

    context: str
    server: str
    scope: Scope

    def __str__(self) -> str:
        return safe(f"{self.context} ({self.server}), {self.scope}")


def plan_summary(plan: Plan) -> str:
    """`1 to create, 2 to update, 0 to delete; 1 held, 1 blocked, 9,993 unchanged`.

    What is to be created, updated and deleted, and what is unchanged, is always said; the rest only where there is any.
    """
    leaving = f"{len(plan.terminating):,} being deleted"
    if not plan.changes:
        return f"nothing to do: {leaving if plan.terminating else 'there is no WebApp here'}"
    todo = [
        f"{plan.count(action):,} to {action.value}"
        for action in (Action.CREATE, Action.UPDATE, Action.ADOPT, Action.DELETE)
        if action is not Action.ADOPT or plan.count(action)
    ]
    rest = [
        f"{plan.count(action):,} {action.value}"
        for action in (Action.HELD, Action.PAUSED, Action.BLOCKED, Action.WAITING, Action.ORPHAN)
        if plan.count(action)
    ]
    rest += [leaving] if plan.terminating else []
    return f"{', '.join(todo)}; {', '.join((*rest, f'{plan.count(Action.NONE):,} unchanged'))}"


def report_summary(report: Report) -> str:
    """`1 created, 2 configured, 9,993 unchanged`, with what did not go well after it."""
    interruption = f"; {safe(report.interruption)}" if report.interruption else ""
    return report_counts(report) + interruption


def report_counts(report: Report) -> str:
    always = (Outcome.CREATED, Outcome.CONFIGURED, Outcome.UNCHANGED)
    parts = [
        f"{report.count(outcome):,} {outcome.value}"
        for outcome in Outcome
        if outcome in always or report.count(outcome)
    ]
    if report.status_failures:
        parts.append(f"{len(report.status_failures):,} without a new status")
    return ", ".join(parts)


def plan_warnings(plan: Plan) -> Iterator[str]:
    """What the plan could not look at, and names that work here and cause trouble elsewhere."""
    for warning in plan.warnings:
        yield safe(f"warning: {warning}")
    for change in plan.changes:
        if change.warning:
            yield safe(f"warning: {change.title}: {change.warning}")


def report_warnings(report: Report) -> Iterator[str]:
    """What went wrong beside the Deployments, the first few of each kind."""
    for failure in report.status_failures[:SHOWN_FAILURES]:
        yield safe(f"status not written: {failure}")
    if len(report.status_failures) > SHOWN_FAILURES:
        yield f"and {len(report.status_failures) - SHOWN_FAILURES:,} more statuses not written"
    for warning in report.warnings:
        yield safe(f"warning: {warning}")
