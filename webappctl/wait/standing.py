"""An awaited row and the newest objects → how far it is. A pure function: what was seen before has no say in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from webappctl.core.desired import selector_of
from webappctl.core.diff import FieldChange
from webappctl.core.objects import Snapshot, Unreadable, WebApp
from webappctl.core.plan import BLOCKED, PAUSE, PENDING, Action, Change, Policy, plan_one
from webappctl.core.progress import DEADLINE_EXCEEDED, PAUSED, REPLICA_FAILURE, progress_of
from webappctl.core.report import WRITTEN, Readiness, Report, Result

SUPERSEDED: Final = "Superseded"
WEBAPP_DELETED: Final = "WebAppDeleted"
DEPLOYMENT_DELETED: Final = "DeploymentDeleted"
DEPLOYMENT_REPLACED: Final = "DeploymentReplaced"
DEPLOYMENT_CHANGED: Final = "DeploymentChanged"
TIMED_OUT: Final = "TimedOut"
INTERRUPTED: Final = "Interrupted"

OF_PODS: Final = frozenset({TIMED_OUT, DEADLINE_EXCEEDED, REPLICA_FAILURE})
"""The reasons behind which may be a reason of the pods."""
AGAIN: Final = "apply again"


@dataclass(frozen=True, slots=True)
class Standing:
    """`newest` is the result as if the newest objects were its own: what a status is made of. None where they say
    nothing about it, because they are gone, or have been changed by others."""

    result: Result
    readiness: Readiness
    newest: Result | None = None

    def ended(self, reason: str) -> Standing:
        """One that is still on its way is now given up for that reason."""
        if self.readiness.final:
            return self
        return replace(self, readiness=replace(self.readiness, final=True, reason=reason))


def awaited(report: Report) -> tuple[Result, ...]:
    return tuple(result for result in report.results if result.outcome in WRITTEN)


def as_written(result: Result) -> Standing:
    """Before anybody has looked: the answer to the write is the newest that is known."""
    return Standing(result, _readiness(result), result)


def standings(results: Iterable[Result], snapshot: Snapshot, policy: Policy, now: str) -> tuple[Standing, ...]:
    """`snapshot` has all that there is in the namespaces of the results, so that absent means deleted. `now` is RFC
    3339."""
    webapps = {webapp.key: webapp for webapp in snapshot.webapps}
    return tuple(_standing(result, webapps.get(result.key), snapshot, policy, now) for result in results)


def _standing(
    result: Result, webapp: WebApp | Unreadable | None, snapshot: Snapshot, policy: Policy, now: str
) -> Standing:
    deployment = snapshot.deployments.get(result.change.deployment_key)
    change = plan_one(webapp, deployment, snapshot.autoscalers, policy, now=now) if webapp else None
    if webapp is None or change is None:
        return _lost(result, WEBAPP_DELETED, "its WebApp was deleted")
    if not result.change.is_of(webapp):
        return _lost(result, SUPERSEDED, _what_came(result, webapp), AGAIN)
    if deployment is None or deployment.metadata.terminating:
        return _lost(result, DEPLOYMENT_DELETED, "somebody deleted its Deployment", AGAIN)
    if result.deployment and deployment.metadata.uid != result.deployment.metadata.uid:
        return _lost(result, DEPLOYMENT_REPLACED, "its Deployment is another one now", AGAIN)
    if change.obstacle is not None:
        return _lost(result, BLOCKED, change.message, change.remedy)
    if change.action in PENDING:
        return _lost(result, DEPLOYMENT_CHANGED, _what_changed(change), AGAIN)
    newest = replace(result, change=change, deployment=deployment)
    return Standing(result, _readiness(newest), newest)


def _lost(result: Result, reason: str, message: str, remedy: str = "") -> Standing:
    return Standing(result, Readiness(reason=reason, message=message, remedy=remedy))


def _what_came(result: Result, webapp: WebApp | Unreadable) -> str:
    planned, found = result.change.webapp, webapp.metadata
    if planned is None or planned.metadata.uid != found.uid:
        return "its WebApp was deleted and created again"
    return f"its WebApp was changed meanwhile, from generation {planned.metadata.generation} to {found.generation}"


def _what_changed(change: Change) -> str:
    return f"others have changed its Deployment: {', '.join(map(_field, change.fields)) or change.action.value}"


def _field(field: FieldChange) -> str:
    return f"{field.path} by {field.manager}" if field.manager else field.path


def _readiness(newest: Result) -> Readiness:
    progress = progress_of(newest)
    if progress.ready:
        return Readiness(ready=True)
    final = progress.reason in (DEADLINE_EXCEEDED, REPLICA_FAILURE, PAUSED, PAUSE)
    remedy = _remedy(newest.change, progress.reason)
    return Readiness(final=final, reason=progress.reason, message=progress.message, remedy=remedy)


def _remedy(change: Change, reason: str) -> str:
    key = change.key
    if reason == PAUSE:
        return change.remedy
    if reason == PAUSED:
        by_plan = change.remedy if change.action is Action.PAUSED and change.pause is None else ""
        return by_plan or f"kubectl rollout resume deployment/{change.deployment_key.name}"
    if reason == REPLICA_FAILURE:
        return "put right what the message names"
    return f"see kubectl -n {key.namespace} describe pods -l {selector_of(key.name)}"
